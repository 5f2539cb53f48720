package catalog

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestSource_FollowsAcceptedGaps(t *testing.T) {
	id := func(b byte) (t domain.TopicID) { t[0] = b; return t }
	word := func(partition int, from, to byte) *domain.AcceptedGap {
		return &domain.AcceptedGap{AcceptGap: domain.AcceptGap{Topic: id(from), Partition: partition, NewTopic: id(to)}}
	}
	v := &View{}
	if got := v.Source(0); !got.IsZero() {
		t.Errorf("without a layout: %v", got)
	}
	v.layout = &domain.Layout{}
	v.accepted = []*domain.AcceptedGap{word(0, 1, 2)}
	if got := v.Source(0); !got.IsZero() {
		t.Errorf("a layout that does not say: %v", got)
	}
	v.layout = &domain.Layout{Source: id(1)}
	// 1 → 4 → 2 → 3, with records lost of 2.
	v.accepted = []*domain.AcceptedGap{word(1, 1, 5), word(0, 1, 4), word(2, 1, 0), word(0, 4, 2), word(0, 2, 2), word(0, 2, 3), word(0, 9, 1)}
	for partition, want := range []domain.TopicID{id(3), id(5), id(1), id(1)} {
		if got := v.Source(partition); got != want {
			t.Errorf("partition %d: %v, want %v", partition, got, want)
		}
	}
}
