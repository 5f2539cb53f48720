package journal

import (
	"errors"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What a word leads to is bounded by what the reader knows, and where the log does not say
// where it was cut, nothing that it holds is passed over.
func TestGapPlace_AcceptanceLeadsOnAndLosesNothing(t *testing.T) {
	at := GapPlace{Topic: domain.TopicID{1}, Partition: 3, Next: 100, Epoch: 7}
	other := domain.TopicID{2}
	for _, c := range []struct {
		gap  domain.GapError
		to   int64
		none bool
	}{
		{domain.GapError{Kind: domain.GapRetention, Want: 100, Start: 120, End: 200}, 120, false},
		{domain.GapError{Kind: domain.GapRetention, Want: 100, Start: 90, End: 200}, 101, false},
		{domain.GapError{Kind: domain.GapCorrupt, Want: 95, Start: 95, End: 110}, 110, false},
		{domain.GapError{Kind: domain.GapCorrupt, Want: 95, Start: 95, End: 99}, 101, false},
		{domain.GapError{Kind: domain.GapTruncated, Want: 100, Start: 5, End: 90}, 90, false},
		{domain.GapError{Kind: domain.GapDiverged, Want: 100, Start: 5, End: 90}, 90, false},
		{domain.GapError{Kind: domain.GapDiverged, Want: 100, Start: 5, End: 190}, 100, false},
		{domain.GapError{Kind: domain.GapDiverged, Want: 100, Start: 5, End: 190, Unknown: true}, 5, false},
		{domain.GapError{Kind: domain.GapRecreated, Want: 100, Start: 0, End: 4, TopicID: other}, 0, false},
		{domain.GapError{Kind: domain.GapNewer, Want: 100, Start: 100, End: 101}, 0, true},
		{domain.GapError{Kind: domain.GapOlder, Want: 100, Start: 100, End: 101}, 0, true},
	} {
		w := at.Acceptance(&c.gap)
		if c.none {
			if w != nil {
				t.Errorf("%v: %+v", &c.gap, w)
			}
			continue
		}
		if w.From != 100 || w.Epoch != 7 || w.To != c.to || w.Partition != 3 || w.Topic != at.Topic {
			t.Errorf("%v: %+v, want to %d", &c.gap, w, c.to)
		}
	}
	if w := at.Acceptance(errors.New("no gap")); w != nil {
		t.Errorf("%+v", w)
	}
}

// Accepted gaps of the catalog, in its order, on partition 0 of topic 1 unless given.
func TestAcceptedGaps_AnswerWhereTheGapIs(t *testing.T) {
	a, b := domain.TopicID{1}, domain.TopicID{2}
	word := func(from, to int64, epoch int32) *domain.AcceptedGap {
		return &domain.AcceptedGap{AcceptGap: domain.AcceptGap{Topic: a, NewTopic: a, From: from, To: to, Epoch: epoch}}
	}
	moved := word(300, 0, -1)
	moved.NewTopic = b
	other := word(10, 11, -1)
	other.Partition = 1
	v := AcceptedGaps{word(10, 11, 1), other, word(200, 150, 2), word(160, 165, 3), word(170, 171, -1), word(180, 140, 5), moved}
	for _, c := range []struct {
		name string
		at   GapPlace
		to   int64 // −1: no word
	}{
		{"at the place", GapPlace{Topic: a, Next: 10, Epoch: 1}, 11},
		{"of another epoch", GapPlace{Topic: a, Next: 10, Epoch: 2}, -1},
		{"of an unknown epoch", GapPlace{Topic: a, Next: 10, Epoch: -1}, 11},
		{"of another topic", GapPlace{Topic: b, Next: 10, Epoch: 1}, -1},
		{"beside the place", GapPlace{Topic: a, Next: 11, Epoch: 1}, -1},
		{"back", GapPlace{Topic: a, Next: 200, Epoch: 2, Passed: 1}, 150},
		{"back, passed already", GapPlace{Topic: a, Next: 200, Epoch: 2, Passed: 2}, -1},
		{"of what was cut since", GapPlace{Topic: a, Next: 160, Epoch: 3, Passed: 2}, -1},
		{"to another topic", GapPlace{Topic: a, Next: 300, Epoch: 9, Passed: 5}, 0},
	} {
		w := v.At(c.at)
		if c.to < 0 && w != nil || c.to >= 0 && (w == nil || w.To != c.to) {
			t.Errorf("%s: %+v, want to %d", c.name, w, c.to)
		}
	}
	for _, c := range []struct {
		topic  domain.TopicID
		offset int64
		life   int32
		next   int64
	}{
		{a, 0, 0, 10}, {a, 9, 0, 10}, {a, 10, 1, 140}, {a, 139, 1, 140}, {a, 140, 5, 150}, {a, 200, 5, 300}, {a, 300, 6, -1}, {b, 0, 6, -1},
	} {
		if life, next := v.Life(c.topic, 0, c.offset); life != c.life || next != c.next {
			t.Errorf("offset %d: life %d, next %d; want %d, %d", c.offset, life, next, c.life, c.next)
		}
	}
}
