package member

import (
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What was deleted, and every other activity of a one-time pair of which an action was deleted,
// never counts again, in whatever order the rest comes and however often it is repeated.
func TestI9_WhatIsDeletedStaysDeleted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		acts := drawActivities(t)
		order := rapid.Permutation(slices.Concat(acts, acts)).Draw(t, "order")
		s, p := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1}), newPast()
		gone, closed := map[uint64]bool{}, map[pair]bool{}
		for n, a := range order {
			s.Begin(1)
			changes, v, err := s.Record(nil, &a, uint64(n+1), 0, nil, p, true)
			away := gone[a.Hash] || closed[pair{a.Definition, a.Brand}]
			if err != nil || v.Reason != domain.Accepted || away != (v.Row.Flags&domain.Deleted != 0) || away && !v.Repeat {
				t.Fatalf("%d: %+v %v, deleted before: %t", n, v, err, away)
			}
			p.follow(changes)
			if rapid.Bool().Draw(t, "loaded again") {
				s = NewState(&s.Member)
			}
			if rapid.IntRange(0, 5).Draw(t, "deletes") < 5 {
				continue
			}
			row := p.rows[rapid.SampledFrom(slices.Sorted(maps.Keys(p.rows))).Draw(t, "row")]
			changes, there := s.Delete(nil, row)
			if there != !row.Flags.Dead() {
				t.Fatalf("%d: %+v is deleted: %t", n, row, there)
			}
			if p.follow(changes); there {
				gone[row.Hash] = true
				closed[pair{row.Definition, row.Brand}] = row.Definition < 102
			}
		}
		left := slices.DeleteFunc(acts, func(a domain.Activity) bool { return gone[a.Hash] || closed[pair{a.Definition, a.Brand}] })
		if diff := gocmp.Diff(naive(left), p.alive()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDelete_VisitIsNoAction(t *testing.T) {
	s := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1})
	if changes, there := s.Delete(nil, domain.Row{Seq: 1, Definition: domain.Login}); there || len(changes) > 0 {
		t.Fatalf("%+v", changes)
	}
}
