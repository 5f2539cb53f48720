package shape

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Score comes before actions, actions before the id.
func TestMergeStandings_RanksByScoreThenActionsThenID(t *testing.T) {
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

// The least score is not above itself, and orders by number of actions rank by it.
func TestMergeLeaders_CountsAboveAScoreAndRanksByActions(t *testing.T) {
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
