package actors

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	diff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// modelOf is the reference's model of activities published: a repeat counts once, of the one-time
// definition 101 the earliest of each member for each brand. Points are those of the definitions
// from 100 on, of others 1; the service is the definitions', where an activity has none.
func modelOf(members []reference.Member, acts []domain.Activity, points ...uint16) *reference.Model {
	type identity struct {
		member domain.MemberID
		hash   uint64
	}
	type pair struct {
		member domain.MemberID
		brand  domain.BrandID
	}
	m, repeats, first := &reference.Model{Members: members}, map[identity]bool{}, map[pair]int{}
	for _, a := range acts {
		k := identity{a.Member, a.Hash}
		if repeats[k] {
			continue
		}
		repeats[k] = true
		row := domain.Row{Hash: a.Hash, Time: domain.Second(a.Time), Brand: a.Brand, Definition: a.Definition, Service: cmp.Or(a.Service, domain.LastFM), Points: 1}
		if i := int(a.Definition) - 100; i < len(points) {
			row.Points = points[i]
		}
		one := reference.Action{FeedItem: domain.FeedItem{Row: row, Member: a.Member}, Content: a.Content.Content}
		if a.Definition == 101 {
			p := pair{a.Member, a.Brand}
			if at, ok := first[p]; ok {
				if was := m.Actions[at].Row; cmp.Or(cmp.Compare(row.Time, was.Time), cmp.Compare(row.Hash, was.Hash)) < 0 {
					m.Actions[at] = one
				}
				continue
			}
			first[p] = len(m.Actions)
		}
		m.Actions = append(m.Actions, one)
	}
	return m
}

// membersOf are the members with the times of their records.
func (r *harness) membersOf(ids []domain.MemberID) (out []reference.Member) {
	r.t.Helper()
	for _, id := range ids {
		m, _, err := r.node.Member(context.Background(), 1, id, domain.Position{})
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, reference.Member{
			ID: id, Created: domain.Second(m.Created / 1000), LastLogin: domain.Second(m.LastLogin() / 1000), Changed: domain.Second(m.Changed() / 1000),
		})
	}
	return out
}

// allOf is a question of all time with both definitions.
func allOf(shape domain.Shape, brand domain.BrandID) *domain.Question {
	return &domain.Question{
		Account: 1, Shape: shape, Brand: brand, Range: domain.AllTime,
		Groups: []domain.Group{{Definition: 100, Group: 100}, {Definition: 101, Group: 101}},
	}
}

// identify gives the model's actions the ids and the times of recording that they have in the
// node, which lists each of them once, and no other.
func (r *harness) identify(m *reference.Model) {
	r.t.Helper()
	r.identifyBy(m, allOf(domain.ShapeFeed, 0).Groups)
}

// identifyBy is identify of a model that has the actions of some definitions.
func (r *harness) identifyBy(m *reference.Model, of []domain.Group) {
	r.t.Helper()
	q := allOf(domain.ShapeFeed, 0)
	q.Groups = of
	q.Listing = domain.Listing{Every: true, Recorded: true, Limit: 1 << 20}
	a := r.ask(q)
	var shown []domain.Shown
	r.answered(func() (err error) {
		shown, err = r.node.Show(context.Background(), q.Account, a.Feed.Items, a.Position)
		return err
	})
	var all []reference.Action
	for i, item := range a.Feed.Items {
		one := reference.Action{FeedItem: item}
		if c := shown[i].Content; c != nil {
			one.Content = c.Content
		}
		if x := shown[i].Member; x == nil || x.ID != item.Member || item.Row.Slot != item.Member.Slot() {
			r.t.Fatalf("%+v is shown with the member %+v", item, x)
		}
		all = append(all, one)
	}
	compare := func(a, b reference.Action) int {
		x, y := &a.Row, &b.Row
		return cmp.Or(
			cmp.Compare(a.Member, b.Member), cmp.Compare(x.Time, y.Time), cmp.Compare(x.Brand, y.Brand), cmp.Compare(x.Definition, y.Definition),
			cmp.Compare(x.Service, y.Service), cmp.Compare(x.Points, y.Points), cmp.Compare(a.Content, b.Content),
		)
	}
	slices.SortFunc(all, compare)
	slices.SortFunc(m.Actions, compare)
	for i := range max(len(all), len(m.Actions)) {
		if i >= len(all) || i >= len(m.Actions) || compare(all[i], m.Actions[i]) != 0 {
			r.t.Fatalf("listed are %d actions, want %d; from the %d-th on %+v, want %+v", len(all), len(m.Actions), i, all[i:min(i+1, len(all))], m.Actions[i:min(i+1, len(m.Actions))])
		}
	}
	m.Actions = all
}

// compare requires that the node answers as the reference does.
func (r *harness) compare(m *reference.Model, q *domain.Question) *domain.Answer {
	r.t.Helper()
	got, want := r.ask(q), m.Answer(q)
	want.Position, want.LagMs, want.PlacesFull = got.Position, got.LagMs, got.PlacesFull
	r.same(q, want, got)
	return got
}

// same requires that an answer is the one that the reference gives.
func (r *harness) same(q *domain.Question, want, got *domain.Answer) {
	r.t.Helper()
	if want.Feed != nil && got.Feed != nil {
		want.Feed.HandedOver = got.Feed.HandedOver
	}
	if reflect.DeepEqual(want, got) { // at a fraction of what telling the difference costs
		return
	}
	if d := diff.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		r.t.Fatalf("%+v (-want +got):\n%s", q, d)
	}
}
