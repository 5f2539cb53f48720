package query

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/query/shape"
)

// A stream is a question that is asked again, from the sequence of each shard on that the page before gave. What a
// shard streams is decided by its own sequences: views of several shards need not agree for it.

// stream answers a question of ShapeStream in one shard. Where the question asks nothing of members, an action is
// streamed where it was recorded, whatever counts it now: rows apart are read beside the others, and copies are left out.
func (s *execution) stream(one *scan.Ask) (err error) {
	q := s.question
	all := []streamed{{s.account.Rows, *one}}
	if !q.Filter.OfMembers() {
		all[0].ask.Originals = true
		if s.account.Apart != nil {
			apart := *one
			apart.Members = nil // they are of members who are in no set now
			apart.Cold = s.apartFrom(one.Cold)
			all = append(all, streamed{s.account.Apart, apart})
		}
	}
	p := s.part
	switch from := &q.Stream; from.Start {
	case domain.StreamNow:
		p.Stream = &domain.StreamPart{Next: s.lastOf(all)}
	case domain.StreamRecorded:
		p.Stream = &domain.StreamPart{}
		p.Stream.Next, err = s.streamFrom(all, from.From)
	default:
		p.Stream, err = s.streamPage(all, from.AboveIn(s.local.ID), from.Page())
	}
	if err != nil {
		return err
	}
	index := s.account.Members
	for i := range p.Stream.Events {
		e := &p.Stream.Events[i]
		if e.Kind() == domain.EventActivity {
			e.Item.Member = index.ID(e.Item.Row.Ord)
			e.Item.Row.Slot = e.Item.Member.Slot()
		}
	}
	return nil
}

// apartFrom reads those of the rows on disk that are apart.
func (s *execution) apartFrom(disk rows.Source) rows.Source {
	return func(b rows.Cold, in domain.Range, f func([]domain.Row)) error {
		return disk(b, in, func(stored []domain.Row) {
			f(slices.DeleteFunc(stored, func(r domain.Row) bool {
				return !s.account.Rows.Apart(&r) || s.account.Members.ID(r.Ord).IsShadow()
			}))
		})
	}
}

// streamed is rows of an account, and what they are asked.
type streamed struct {
	rows *rows.View
	ask  scan.Ask
}

// lastOf is the highest sequence.
func (s *execution) lastOf(all []streamed) uint64 {
	seq := s.account.Noticed
	for i := range all {
		seq = max(seq, all[i].rows.Seq)
	}
	return seq
}

// streamFrom is a sequence up to which rows were recorded, and things were removed, before a moment, in ms; those above it
// were then or later. Sequences are in order of recording, in all of them together as well.
func (s *execution) streamFrom(all []streamed, ms int64) (uint64, error) {
	next := s.lastOf(all)
	for i := range all {
		seq, err := s.scratch.scan.StreamFrom(all[i].rows, &all[i].ask, ms)
		if err != nil {
			return 0, err
		}
		if seq < all[i].rows.Seq { // else none was recorded since
			next = min(next, seq)
		}
	}
	if s.account.Noticed == 0 {
		return next, nil
	}
	first, some, err := s.view.Snapshot.NoticesFrom(s.question.Account, ms)
	if some {
		next = min(next, first-1)
	}
	return next, err
}

// streamPage is the first events above a sequence, of all rows and notices.
func (s *execution) streamPage(all []streamed, above uint64, limit int) (*domain.StreamPart, error) {
	out := &domain.StreamPart{Next: max(above, s.lastOf(all))}
	if s.question.Stream.Kinds.Has(domain.EventActivity) {
		for i := range all {
			part, err := s.scratch.scan.Stream(all[i].rows, &all[i].ask, above, limit)
			if err != nil {
				return nil, err
			}
			out = bothParts(out, part, limit)
		}
	}
	if s.account.Noticed <= above {
		return out, nil
	}
	notices, err := s.notices(above, limit)
	if err != nil {
		return nil, err
	}
	return bothParts(out, notices, limit), nil
}

// noticesAtOnce is how many notices a page looks at.
const noticesAtOnce = 8192

// notices are the first notices above a sequence that the question matches. What it asks of members is not looked at:
// a stream may have had the action whoever has it now. It is looked at neither whether the action was streamed: a client
// may come back with a cursor from before it.
func (s *execution) notices(above uint64, limit int) (*domain.StreamPart, error) {
	out := &domain.StreamPart{Next: above, More: true}
	if limit <= 0 {
		return out, nil
	}
	read := 0
	err := s.view.Snapshot.Notices(s.question.Account, above, func(r *domain.Notice) bool {
		if s.matches(r) {
			out.Events = append(out.Events, domain.StreamEvent{Notice: *r})
		}
		read++
		out.Next = r.Seq
		return len(out.Events) < limit && read < noticesAtOnce
	})
	if out.Next >= s.account.Noticed {
		out.Next, out.More = max(above, s.account.Noticed), false
	}
	return out, err
}

// matches reports that a notice is of what the question matches. A definition that is deleted is none of the
// question's any more, and its actions may have been streamed.
func (s *execution) matches(r *domain.Notice) bool {
	q := s.question
	if !q.Stream.Kinds.Has(r.Kind) || r.Copied && !q.Filter.OfMembers() {
		return false
	}
	if r.Kind != domain.EventRemoved {
		return true
	}
	if q.Brand != 0 && r.Brand != q.Brand {
		return false
	}
	if s.plan.rows.Counts(r.Definition, r.Service) {
		return true
	}
	d, there := s.local.Catalog().AnyDefinition(q.Account, r.Definition)
	return there && d.Deleted && s.plan.rows.ByService(r.Service)
}

// bothParts is the first events of two parts of one shard. It ends where the first of the parts ends of which there may be
// more.
func bothParts(a, b *domain.StreamPart, limit int) *domain.StreamPart {
	out := &domain.StreamPart{Next: max(a.Next, b.Next), More: a.More || b.More}
	for _, p := range []*domain.StreamPart{a, b} {
		if p.More {
			out.Next = min(out.Next, p.Next)
		}
	}
	out.Events = slices.Concat(a.Events, b.Events)
	slices.SortFunc(out.Events, func(a, b domain.StreamEvent) int {
		return cmp.Or(cmp.Compare(a.Sequence(), b.Sequence()), cmp.Compare(a.Kind(), b.Kind()))
	})
	read := len(out.Events)
	for read > 0 && out.Events[read-1].Sequence() > out.Next {
		read--
	}
	if out.Events = out.Events[:read]; len(out.Events) > limit {
		if limit = domain.StreamCut(out.Events, limit); limit < len(out.Events) {
			out.Events = out.Events[:limit]
			out.Next, out.More = out.Events[limit-1].Sequence(), true
		}
	}
	return out
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
	if !q.Stream.Kinds.Has(domain.EventActivity) {
		read.Rows = nil
	}
	read.Notices, read.Memberships = q.Stream.Kinds.Any(domain.NoticeEvents), q.Stream.Kinds.Any(domain.ListEvents)
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
