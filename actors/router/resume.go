package router

import (
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// resumption is where a router reads on. Below zero: at the log's start, since nothing of
// the partition was ever read.
type resumption struct {
	next  int64
	epoch int32
	noted int64 // what the group has; below zero: nothing that holds
}

// resume is where to read on: the group's offset, or the journal's mark.
func (r *router) resume(ctx context.Context) (resumption, error) {
	for failures := 1; ; failures++ {
		from, err := r.left(ctx)
		if err == nil {
			err = r.exists(ctx)
		}
		var gap *domain.GapError
		switch {
		case err == nil, errors.As(err, &gap), errors.Is(err, errNoPartition):
			return from, err
		case ctx.Err() != nil:
			return resumption{}, ctx.Err()
		}
		r.shared.Reading.Failed(r.o.Log, failures, err, "partition", r.partition)
		if !retry.Backoff(ctx, failures) {
			return resumption{}, ctx.Err()
		}
	}
}

// exists asks whether the topic has the partition: one that was made again may have fewer.
func (r *router) exists(ctx context.Context) error {
	n, err := r.o.Source.Partitions(ctx)
	var gap *domain.GapError
	switch {
	case errors.As(err, &gap): // made again since: reading meets it
		return nil
	case err == nil && r.partition >= n:
		return errNoPartition
	}
	return err
}

// left is where the partition was left; below zero: it was never begun.
func (r *router) left(ctx context.Context) (resumption, error) {
	next, epoch, ok, err := r.o.Source.Committed(ctx, r.partition)
	var gap *domain.GapError
	if err == nil && ok {
		return r.furthest(ctx, resumption{next, epoch, next}), nil
	}
	if err != nil && !errors.As(err, &gap) {
		return resumption{}, err
	}
	// Kafka forgets offsets, with a topic too that is deleted. The mark is of the topic
	// that is there now, if it is the one to be read: what was lost of another topic is not
	// known.
	now, known := r.o.Source.Topic(), r.o.Catalog.View().Source(r.partition)
	switch {
	case known == now, known.IsZero() && gap == nil:
	case gap != nil:
		at := journal.GapPlace{Topic: r.o.topic(r.partition), Partition: r.partition, Next: gap.Want, Epoch: -1}
		if w := r.accepted(at); w != nil && known.IsZero() {
			return resumption{w.To, -1, -1}, nil
		}
		return resumption{}, gap
	default:
		return resumption{}, &domain.GapError{
			Kind: domain.GapRecreated, Topic: "the public topic", TopicID: now, Partition: r.partition,
			Detail: "was " + known.String(),
		}
	}
	at, err := r.o.markedIn(ctx, now, r.partition)
	if err != nil || at.IsZero() {
		return resumption{-1, -1, -1}, err
	}
	return resumption{at.Offset, at.Epoch, -1}, nil
}

// furthest is the group's offset, or the journal's mark where that is above: another node may have left the mark and
// not the offset. A mark that cannot be read now is not waited for: what is read again is dropped by its origin.
func (r *router) furthest(ctx context.Context, from resumption) resumption {
	if r.o.Nodes.Alone() {
		return from
	}
	if m, err := r.o.markedIn(ctx, r.o.Source.Topic(), r.partition); err == nil && m.Offset > from.next {
		from.next, from.epoch = m.Offset, m.Epoch
	}
	return from
}

// topic is the one that a partition is to be read of.
func (o *Options) topic(partition int) domain.TopicID {
	if id := o.Catalog.View().Source(partition); !id.IsZero() {
		return id
	}
	return o.Source.Topic()
}

// accepted is the accepted gap of the partition at a place; nil: none.
func (r *router) accepted(at journal.GapPlace) *domain.AcceptGap {
	return r.o.Catalog.View().AcceptedGaps().At(at)
}

// placeAfter is the place at which an accepted gap lets a router read on. No gap accepted by now
// answers it a second time.
func (o *Options) placeAfter(at journal.GapPlace, w *domain.AcceptGap) journal.GapPlace {
	at.Passed = int32(len(o.Catalog.View().AcceptedGaps().Of(at.Topic, at.Partition)))
	return at.After(w)
}
