package merge

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// The sources of a member are in the order of their ordinals, as after a start, in whichever order they were handed
// over (I6).
func TestGroups_SourcesInOrder(t *testing.T) {
	at := func(ord domain.Ordinal) member.Place { return member.Place{Account: account, Ord: ord} }
	g := New(&Stats{}).groups
	for _, ord := range []domain.Ordinal{7, 3, 5} {
		g.join(at(ord), at(1))
	}
	if got, want := g.sources(at(1)), []member.Place{at(1), at(3), at(5), at(7)}; !slices.Equal(got, want) {
		t.Errorf("sources %v, want %v", got, want)
	}
	if g.survivorOf(at(5)) != at(1) || g.survivorOf(at(4)) != at(4) {
		t.Errorf("counted as %+v", g.counted)
	}
}
