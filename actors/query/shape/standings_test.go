package shape

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestI12StandingsDoNotDependOnHowMembersAreSpread(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		top := domain.Top{Offset: r.IntN(2) * r.IntN(20), Limit: r.IntN(30), Least: uint64(r.IntN(2) * r.IntN(12))}
		all := make([]domain.Standing, r.IntN(300)) // one member's action each
		sum := map[domain.BrandID]domain.Standing{}
		for i := range all {
			all[i] = domain.Standing{Brand: domain.BrandID(1 + min(r.IntN(60), r.IntN(60))), Score: r.Uint64N(3), Actions: 1}
			s := sum[all[i].Brand]
			sum[all[i].Brand] = domain.Standing{Brand: all[i].Brand, Score: s.Score + all[i].Score, Actions: s.Actions + 1}
		}
		var parts []*domain.Standings
		for _, of := range split(r, all, 1+r.IntN(4)) {
			shard := map[domain.BrandID]domain.Standing{}
			for _, a := range of {
				s := shard[a.Brand]
				shard[a.Brand] = domain.Standing{Brand: a.Brand, Score: s.Score + a.Score, Actions: s.Actions + 1}
			}
			p := &domain.Standings{}
			for _, s := range shard { // in any order
				p.Brands = append(p.Brands, s)
			}
			parts = append(parts, p)
		}
		var want []domain.Standing
		for _, s := range sum {
			if s.Actions >= top.Least {
				want = append(want, s)
			}
		}
		total := uint64(len(want))
		slices.SortFunc(want, func(a, b domain.Standing) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Actions, a.Actions), cmp.Compare(a.Brand, b.Brand))
		})
		want = want[min(len(want), top.Offset):min(len(want), top.End())]
		before := fmt.Sprint(parts)
		got := MergeStandings(top, append(parts, nil))
		if got.Total != total || fmt.Sprint(got.Brands) != fmt.Sprint(want) || before != fmt.Sprint(parts) {
			t.Fatalf("seed %d, %+v: %d of %d, want %d of %d: %s", seed, top, len(got.Brands), got.Total, len(want), total, diff.Diff(want, got.Brands))
		}
	}
}

// Score comes before actions, actions before the id.
func TestStandingsAreRankedByScoreThenActionsThenID(t *testing.T) {
	parts := []*domain.Standings{
		{Brands: []domain.Standing{{Brand: 4, Score: 5, Actions: 1}, {Brand: 3, Score: 5, Actions: 2}}},
		{Brands: []domain.Standing{{Brand: 2, Score: 5, Actions: 1}, {Brand: 1, Score: 4, Actions: 9}}},
	}
	var got []domain.BrandID
	for _, s := range MergeStandings(domain.Top{Limit: 9}, parts).Brands {
		got = append(got, s.Brand)
	}
	if !slices.Equal(got, []domain.BrandID{3, 2, 4, 1}) {
		t.Errorf("%v", got)
	}
}

func TestI12ARollDoesNotDependOnHowMembersAreSpread(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		listing := domain.MemberListing{Up: r.IntN(2) == 0, Offset: r.IntN(2) * r.IntN(60), Limit: r.IntN(40)}
		all := make([]domain.MemberID, r.IntN(150))
		for i, at := range r.Perm(len(all)) {
			all[i] = domain.MemberID(1 + at*3)
		}
		inOrder := func(of []domain.MemberID) {
			slices.Sort(of)
			if !listing.Up {
				slices.Reverse(of)
			}
		}
		var parts []*domain.MemberList
		for _, of := range split(r, all, 1+r.IntN(8)) {
			inOrder(of)
			parts = append(parts, &domain.MemberList{Total: uint64(len(of)), Members: of[:min(len(of), listing.End())]})
		}
		inOrder(all)
		want := all[min(len(all), listing.Offset):min(len(all), listing.End())]
		before := fmt.Sprint(parts)
		got := MergeMemberLists(listing, append(parts, nil))
		if got.Total != uint64(len(all)) || fmt.Sprint(got.Members) != fmt.Sprint(want) || before != fmt.Sprint(parts) {
			t.Fatalf("seed %d, %+v: %v of %d, want %v of %d", seed, listing, got.Members, got.Total, want, len(all))
		}
	}
}

// The least score is not above itself, and orders by number of actions rank by it.
func TestLeadersAreCountedAboveAScoreAndRankedByActions(t *testing.T) {
	parts := []*domain.Leaders{
		{Above: 3, Members: []domain.Leader{{Member: 9, Score: 1, Actions: 5}, {Member: 1, Score: 9, Actions: 2}}},
		{Above: 4, Members: []domain.Leader{{Member: 5, Score: 2, Actions: 5}, {Member: 2, Score: 7, Actions: 3}}},
		nil,
	}
	got := MergeLeaders(domain.Top{Order: domain.ByActions, Limit: 3}, parts)
	var ids []domain.MemberID
	for _, l := range got.Members {
		ids = append(ids, l.Member)
	}
	if got.Above != 7 || !slices.Equal(ids, []domain.MemberID{5, 9, 2}) {
		t.Errorf("%d above, %v", got.Above, ids)
	}
}
