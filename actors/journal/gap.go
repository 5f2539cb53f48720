package journal

import (
	"errors"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A reader reads on after a gap only where an operator accepted it (domain.AcceptGap). It
// looks the accepted gap up where it meets the gap: by topic, partition, the offset at which
// it is, and the epoch of the batch before. So what was accepted for one pass over a log is
// found by every other that comes to the same gap: the next start, a rebuild, a replay
// beside the shard. A pass that meets no gap there, since the log was cut and has grown
// again, uses none.
//
// Accepted gaps of a partition are numbered in the order of the catalog, over all topics that
// led to the one being read. One that leads forward is alive until a later one leads back to
// its place or below: what it skipped is cut then. One that leads back answers once, in the
// pass that has read what was cut: Passed tells those that are behind. Of several on one gap
// the first is used. Behind one gap may be the next, which has to be accepted for itself.

// GapPlace is where a reader met a gap.
type GapPlace struct {
	Topic     domain.TopicID
	Partition int
	Next      int64
	Epoch     int32 // of the batch before; below zero: not known
	Passed    int32 // number of the accepted gap under which the record before was applied
}

// After is the place at which an accepted gap lets the reader read on.
func (p GapPlace) After(w *domain.AcceptGap) GapPlace {
	p.Topic = w.NewTopic
	p.Next = w.To
	p.Epoch = -1
	return p
}

// Acceptance is what an operator would have to accept to let a reader read on after the gap
// that it met; nil where err is no gap, or one that no acceptance helps against. The reader
// reads on where the log does: in a log that was cut, where it parts from what was read.
//
// Where that is not known, since the log was put back to an earlier state and has grown since,
// it reads on at the log's start, in the public topic and in the journal alike: at the log's
// end everything appended since would be lost. Activities applied before are dropped by their
// origin or their dedup key, requests of the last day by their id; commands older than that
// are applied again, in their order. What the log has lost stays in the shard, which verify
// reports, until its store is rebuilt.
//
// An acceptance never leads to the place of the gap, whatever the log claims: bounds are
// clamped to what the reader knows.
func (p GapPlace) Acceptance(err error) *domain.AcceptGap {
	var g *domain.GapError
	if !errors.As(err, &g) {
		return nil
	}
	w := &domain.AcceptGap{Topic: p.Topic, Partition: p.Partition, From: p.Next, Epoch: p.Epoch, NewTopic: p.Topic}
	switch {
	case g.Kind == domain.GapNewer, g.Kind == domain.GapOlder:
		return nil
	case g.Kind == domain.GapRecreated:
		w.NewTopic = g.TopicID
		w.To = g.Start
	case g.Unknown:
		w.To = min(g.Start, p.Next)
	case g.Kind == domain.GapTruncated, g.Kind == domain.GapDiverged:
		w.To = min(g.End, p.Next)
	case g.Kind == domain.GapCorrupt:
		w.To = max(g.End, p.Next+1)
	default:
		w.To = max(g.Start, p.Next+1)
	}
	return w
}

// Met is the gap with the place as its offset: a damaged batch may begin below.
func (p GapPlace) Met(g *domain.GapError) *domain.GapError {
	r := *g
	r.Want = p.Next
	if g.Kind == domain.GapCorrupt {
		r.Start = p.Next
		r.End = max(g.End, p.Next+1)
	}
	return &r
}

// AcceptedGaps are all that the catalog has, in its order. The slice is never written.
type AcceptedGaps []*domain.AcceptedGap

// Of gives those of a partition, in their order.
func (a AcceptedGaps) Of(topic domain.TopicID, partition int) AcceptedGaps {
	if len(a) == 0 {
		return nil
	}
	var of AcceptedGaps
	led := map[domain.TopicID]bool{topic: true}
	for _, w := range slices.Backward(a) { // what led to a topic is older than what is on it
		if w.Partition != partition || !led[w.NewTopic] && !led[w.Topic] {
			continue
		}
		led[w.Topic] = true
		of = append(of, w)
	}
	slices.Reverse(of)
	return of
}

// At is the accepted gap that answers the one that a reader met; nil: none.
func (a AcceptedGaps) At(place GapPlace) *domain.AcceptGap {
	of := a.Of(place.Topic, place.Partition)
	for i, w := range of {
		if w.Topic != place.Topic || w.From != place.Next || w.Epoch >= 0 && place.Epoch >= 0 && w.Epoch != place.Epoch {
			continue
		}
		if w.NewTopic == w.Topic {
			if w.Back() && int32(i) < place.Passed || !w.Back() && of[i+1:].cut(&w.AcceptGap) {
				continue
			}
		}
		return &w.AcceptGap
	}
	return nil
}

// cut reports that one of them leads back to the place of w, or below.
func (a AcceptedGaps) cut(w *domain.AcceptGap) bool {
	return slices.ContainsFunc(a, func(l *domain.AcceptedGap) bool {
		return l.Topic == w.Topic && l.NewTopic == w.Topic && l.Back() && l.To <= w.From
	})
}

// Has reports that one leading forward, or to another topic, is accepted already and alive:
// the same again has no number of its own.
func (a AcceptedGaps) Has(w *domain.AcceptGap) bool {
	if w.NewTopic == w.Topic && w.Back() {
		return false
	}
	have := a.At(GapPlace{Topic: w.Topic, Partition: w.Partition, Next: w.From, Epoch: w.Epoch})
	return have != nil && have.Epoch == w.Epoch && have.NewTopic == w.NewTopic && have.To == w.To
}

// Life is how often the journal's partition was given up before the record at an offset: the
// number of the last accepted gap on it at or below. It is a function of the catalog and the
// offset, the same in every pass: senders' sequences of different pasts are distinguished by
// it. next is the lowest offset above at which it is another; below zero: none.
func (a AcceptedGaps) Life(topic domain.TopicID, partition int, offset int64) (life int32, next int64) {
	next = -1
	for i, w := range a.Of(topic, partition) {
		at := w.From
		switch {
		case w.Topic != topic: // left for good
			at = 0
		case w.NewTopic == topic:
			at = min(w.From, w.To)
		}
		if at <= offset {
			life = int32(i) + 1
		} else if next < 0 || at < next {
			next = at
		}
	}
	return life, next
}

// LedBack reports that one on the partition led back, or here from another topic: what was
// applied before may not be in the log.
func (a AcceptedGaps) LedBack(topic domain.TopicID, partition int) bool {
	return slices.ContainsFunc(a.Of(topic, partition), func(w *domain.AcceptedGap) bool { return w.Back() })
}
