package actors

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// wordFor is the word that lets reading go on behind a gap of a topic; nil when
// err is no gap. A log that was cut is read on from its end, since what stands
// there was read; any other from its start.
func wordFor(err error, topic domain.TopicID) *domain.AcceptGap {
	var g *domain.GapError
	if !errors.As(err, &g) {
		return nil
	}
	w := &domain.AcceptGap{Topic: topic, Partition: g.Partition, From: g.Want, NewTopic: topic, To: g.Start}
	switch g.Kind {
	case domain.GapTruncated, domain.GapDiverged, domain.GapCorrupt:
		w.To = g.End
	case domain.GapRecreated:
		w.NewTopic = g.TopicID
	}
	return w
}

// madeAgain is the public topic that is there now; zero: none.
func (n *Node) madeAgain(ctx context.Context) domain.TopicID {
	_, err := n.o.Source.Partitions(ctx)
	var g *domain.GapError
	switch {
	case err == nil:
		return n.o.Source.Topic()
	case errors.As(err, &g):
		return g.TopicID
	}
	return domain.TopicID{}
}

// AcceptGap lets a stopped partition of the journal, or of the public topic, be
// read on: it appends the operator's word to the catalog and returns it. Without a
// gap it is NotFound.
func (n *Node) AcceptGap(ctx context.Context, journal bool, partition int) (domain.AcceptGap, error) {
	var word *domain.AcceptGap
	switch {
	case journal && partition >= 0 && partition < len(n.shared):
		word = n.shared[partition].gap.Load()
	case !journal:
		for _, r := range n.routing.list() {
			if r.partition == partition {
				word = r.gap.Load()
			}
		}
	}
	if word == nil {
		return domain.AcceptGap{}, domain.Bad(domain.NotFound, "partition", "the partition has no gap")
	}
	w := *word
	if !journal && w.NewTopic.IsZero() {
		if w.NewTopic = n.madeAgain(ctx); w.NewTopic.IsZero() {
			return domain.AcceptGap{}, domain.Fail(domain.Conflict, "the topic is gone; when it is made again, this can be said")
		}
	}
	w.At = n.o.Now().UnixMilli()
	sub := domain.Submission{Command: &w}
	_, _ = rand.Read(sub.Request[:])
	out, err := n.Submit(ctx, sub)
	if err == nil {
		err = out.Err()
	}
	return w, err
}
