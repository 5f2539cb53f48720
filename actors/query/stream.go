package query

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/query/shape"
)

// A stream is a question that is asked again, from the sequence of each shard on that the page before gave. What a
// shard streams is decided by its own sequences: views of several shards need not agree for it.

// stream answers a question of ShapeStream in one shard.
func (s *execution) stream(one *scan.Ask) (err error) {
	q := s.question
	x := s.scratch.scan
	rows := s.account.Rows
	p := s.part
	switch from := &q.Stream; from.Start {
	case domain.StreamNow:
		p.Stream = &domain.StreamPart{Next: rows.Seq}
	case domain.StreamRecorded:
		p.Stream = &domain.StreamPart{}
		p.Stream.Next, err = x.StreamFrom(rows, one, from.From)
	default:
		p.Stream, err = x.Stream(rows, one, from.AboveIn(s.local.ID), from.Page())
	}
	if err != nil {
		return err
	}
	index := s.account.Members
	for i := range p.Stream.Items {
		item := &p.Stream.Items[i]
		item.Member = index.ID(item.Row.Ord)
		item.Row.Slot = item.Member.Slot()
	}
	return nil
}

// mergeStream is the page of the parts that there are, of so many shards.
func mergeStream(q *domain.StreamQuery, parts []*Part, shards int) *domain.Stream {
	byShard := make([]*domain.StreamPart, shards)
	for _, p := range parts {
		byShard[p.Shard] = p.Stream
	}
	return shape.MergeStream(q, byShard)
}

// coalesce is how long who waits for rows looks at no other commit after one that was none of its own: at a hundred
// commits a second of each shard, most are.
const coalesce = 20 * time.Millisecond

// AwaitRows returns when rows that the question may list changed in a shard after the versions, which are of before the
// page that ended with what was visible. It may return early. The error is that of ctx.
func (c *Coordinator) AwaitRows(ctx context.Context, q *domain.Question, since domain.Versions) error {
	read := domain.ReadSet{
		Rows: []domain.RowsOf{{Brand: q.Brand, Range: domain.AllTime, Visits: q.Visits != nil}}, Among: q.Among(),
	}
	moved := []domain.Range{domain.AllTime}
	for {
		changed := c.o.Changes.Next() // before the look: what is published after it wakes
		if _, unchanged := c.Unchanged(q.Account, since, &read, moved); !unchanged {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		if _, unchanged := c.Unchanged(q.Account, since, &read, moved); !unchanged {
			return ctx.Err()
		}
		if !retry.Pause(ctx, coalesce) {
			return ctx.Err()
		}
	}
}
