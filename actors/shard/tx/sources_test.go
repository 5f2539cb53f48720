package tx

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A stream goes up: what came is not applied again, in whatever order streams come. A commit stores where those are that moved.
func TestSources_DropRepeats(t *testing.T) {
	s := newSources()
	topic := domain.TopicID{1}
	at := func(partition int32, epoch int32, offset int64) domain.Origin {
		return domain.Origin{Topic: topic, Partition: partition, Epoch: epoch, Offset: offset}
	}
	s.Load(at(2, 0, 50))
	for i, c := range []struct {
		o     domain.Origin
		moves bool
	}{
		{at(1, 0, 0), true},
		{at(1, 0, 0), false},
		{at(1, 0, 7), true},
		{at(2, 0, 50), false},
		{at(2, 0, 51), true},
		{at(1, 0, 6), false},
		{at(1, 1, 3), true}, // of the next life
		{at(1, 0, 9), false},
	} {
		if s.Advance(c.o) != c.moves {
			t.Errorf("%d: %+v moves: %v", i, c.o, !c.moves)
		}
	}
	if got, want := s.origins(), []domain.Origin{at(1, 1, 3), at(2, 0, 51)}; !slices.Equal(got, want) {
		t.Errorf("the commit stores %+v, want %+v", got, want)
	}
	one := Stream{topic, 2}
	if s.Reached(one, 50) {
		t.Error("reached before the commit")
	}
	s.committed()
	if !s.Reached(one, 51) || s.Reached(one, 52) || s.Reached(Stream{topic, 3}, 0) {
		t.Error("what a commit has reached is not 51")
	}
	if got := s.Applied(one); got != at(2, 0, 51) || !s.Applied(Stream{topic, 3}).IsZero() {
		t.Errorf("applied %+v", got)
	}
	if got := s.origins(); len(got) != 0 {
		t.Errorf("the next commit stores %+v", got)
	}
}
