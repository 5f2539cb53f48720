package actors

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// compareMembers asks about few members, some of whose brands are on disk only, and for
// pages of all members.
func (r *harness) compareMembers(t *testing.T, rnd *rand.Rand, n *naive, ids []domain.MemberID, brands int) {
	t.Helper()
	q := r.random(rnd, domain.ShapeStandings, ids, brands)
	q.Filter.Exclude = nil
	for range 1 + rnd.IntN(3)*rnd.IntN(2) {
		q.Filter.Members = append(q.Filter.Members, ids[rnd.IntN(len(ids))])
	}
	slices.Sort(q.Filter.Members)
	q.Filter.Members = slices.Compact(q.Filter.Members)
	for b := range domain.BrandID(brands) {
		if rnd.IntN(6) == 0 {
			q.Without = append(q.Without, b+1)
		}
	}
	q.Top = domain.Top{Limit: 1 + rnd.IntN(brands), Least: uint64(rnd.IntN(2) * rnd.IntN(40))}
	a := r.asked(t, &q.Question)
	if want := q.standings(n); fmt.Sprint(*a.Standings) != fmt.Sprint(*want) {
		t.Fatalf("%+v: %+v, want %+v", q.Question, a.Standings, want)
	}
	var asked []int
	for _, s := range a.Position.Shards {
		asked = append(asked, s.Shard)
	}
	var have []int
	for _, id := range q.Filter.Members {
		have = append(have, id.Slot().Shard(r.node.count))
	}
	slices.Sort(have)
	if !slices.Equal(asked, slices.Compact(have)) {
		t.Fatalf("members of the shards %v, asked were %v", have, asked)
	}
	r.compareOne(t, q, n)
	r.compareRoll(t, rnd, ids)
}

// compareOne asks for the score, the position and the actions of one member.
func (r *harness) compareOne(t *testing.T, q *ranked, n *naive) {
	t.Helper()
	one := q.Filter.Members[0]
	q.Filter.Members, q.Without = nil, nil
	scores, at := map[domain.MemberID]uint64{}, []domain.Second{}
	q.each(n, q.Brand, func(a counted, id domain.MemberID) {
		scores[id] += uint64(q.worth(a))
		if id == one {
			at = append(at, domain.Second(a.Time))
		}
	})
	slices.Sort(at)
	slices.Reverse(at)
	score, above := scores[one], uint64(0)
	for _, s := range scores {
		if s > score {
			above++
		}
	}
	q.Shape, q.Top, q.Filter.Members = domain.ShapeLeaders, domain.Top{Limit: 1}, []domain.MemberID{one}
	got := uint64(0)
	for _, l := range r.asked(t, &q.Question).Leaders.Members {
		got = l.Score
	}
	q.Shape, q.Listing = domain.ShapeFeed, domain.Listing{Every: true, Limit: 5}
	feed := r.asked(t, &q.Question).Feed
	var times []domain.Second
	for _, i := range feed.Items {
		if times = append(times, i.Row.Time); i.Member != one {
			t.Fatalf("an action of %d among those of %d", i.Member, one)
		}
	}
	if got != score || feed.Total != uint64(len(at)) || fmt.Sprint(times) != fmt.Sprint(at[:min(5, len(at))]) {
		t.Fatalf("%+v: score %d of %d actions, last at %v, want %d of %d, %v", q.Question, got, feed.Total, times, score, len(at), at)
	}
	q.Shape, q.Top, q.Filter.Members, q.Filter.Exclude = domain.ShapeLeaders, domain.Top{Above: &score}, nil, []domain.MemberID{one}
	if got := r.asked(t, &q.Question).Leaders.Above; got != above {
		t.Fatalf("%+v: %d above %d, want %d", q.Question, got, score, above)
	}
}

// compareRoll asks for a page of all members.
func (r *harness) compareRoll(t *testing.T, rnd *rand.Rand, ids []domain.MemberID) {
	t.Helper()
	roll := domain.Rolling{Up: rnd.IntN(2) == 0, Offset: rnd.IntN(2) * rnd.IntN(len(ids)), Limit: rnd.IntN(20)}
	changed := map[domain.MemberID]domain.Second{}
	for _, id := range ids {
		m, _, err := r.node.Member(context.Background(), 1, id, domain.Position{})
		if err != nil {
			t.Fatal(err)
		}
		changed[id] = domain.Second(m.Changed() / 1000)
	}
	if rnd.IntN(2) == 0 {
		roll.Changed = changed[ids[rnd.IntN(len(ids))]]
	}
	exclude := ids[rnd.IntN(len(ids))]
	var want []domain.MemberID
	for _, id := range ids {
		if id != exclude && changed[id] >= roll.Changed {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	if !roll.Up {
		slices.Reverse(want)
	}
	total := uint64(len(want))
	want = want[min(len(want), roll.Offset):min(len(want), roll.End())]
	got := r.asked(t, &domain.Question{
		Account: 1, Shape: domain.ShapeRoll, Roll: roll, Filter: domain.Filter{Exclude: []domain.MemberID{exclude}},
	}).Roll
	if got.Total != total || fmt.Sprint(got.Members) != fmt.Sprint(want) {
		t.Fatalf("%+v: %v of %d, want %v of %d", roll, got.Members, got.Total, want, total)
	}
}

func (r *harness) asked(t *testing.T, q *domain.Question) *domain.Answer {
	t.Helper()
	a, err := r.node.Ask(context.Background(), q, domain.Position{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// worth is what an action that counts is worth.
func (q *ranked) worth(a counted) uint16 {
	if g := q.Groups[a.Definition-100]; g.Own {
		return g.Points
	}
	return worths[a.Definition-100]
}

// standings is what the question should be answered.
func (q *ranked) standings(n *naive) *domain.Standings {
	by := map[domain.BrandID]domain.Standing{}
	q.each(n, q.Brand, func(a counted, id domain.MemberID) {
		if s := by[a.Brand]; slices.Contains(q.Filter.Members, id) && !slices.Contains(q.Without, a.Brand) {
			by[a.Brand] = domain.Standing{Brand: a.Brand, Score: s.Score + uint64(q.worth(a)), Actions: s.Actions + 1}
		}
	})
	out := &domain.Standings{}
	for _, s := range by {
		if s.Actions >= q.Top.Least {
			out.Brands = append(out.Brands, s)
		}
	}
	out.Total = uint64(len(out.Brands))
	slices.SortFunc(out.Brands, func(a, b domain.Standing) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Actions, a.Actions), cmp.Compare(a.Brand, b.Brand))
	})
	out.Brands = out.Brands[:min(len(out.Brands), q.Top.Limit)]
	return out
}
