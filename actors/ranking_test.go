package actors

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// worths are what the definitions of the naive model are worth.
var worths = [2]uint16{2, 5}

// ranked is a question for leaders or for a crossover, and what it is about.
type ranked struct {
	domain.Question
	ids []domain.MemberID
}

// random asks about a brand or about all, with some members left out.
func (r *harness) random(rnd *rand.Rand, shape domain.Shape, ids []domain.MemberID, brands int) *ranked {
	from := 1_600_000_000 + rnd.Int64N(9_000_000)
	q := &ranked{ids: ids, Question: domain.Question{
		Account: 1, Shape: shape, Brand: domain.BrandID(rnd.IntN(brands + 1)),
		Range:  domain.Range{From: domain.Second(from), To: domain.Second(from + rnd.Int64N(9_000_000))},
		Groups: []domain.Group{{Definition: 100}, {Definition: 101}},
		Top:    domain.Top{Order: domain.Order(rnd.IntN(3)), Up: rnd.IntN(2) == 0, Offset: rnd.IntN(2) * rnd.IntN(30), Limit: rnd.IntN(30), Latest: true, Audience: rnd.IntN(2) == 0},
	}}
	switch rnd.IntN(4) {
	case 0:
		q.Range = domain.Range{To: 1<<32 - 1}
	case 1:
		q.Groups[0].Own, q.Groups[0].Points = true, 65535
	}
	if rnd.IntN(3) == 0 {
		for range 1 + rnd.IntN(20) {
			q.Filter.Exclude = append(q.Filter.Exclude, ids[rnd.IntN(len(ids))])
		}
	}
	if shape == domain.ShapeCrossover {
		for b := range domain.BrandID(brands) {
			if rnd.IntN(4) == 0 {
				q.Without = append(q.Without, b+1)
			}
		}
	}
	return q
}

// each calls f with what counts for a brand, or for all with 0.
func (q *ranked) each(n *naive, brand domain.BrandID, f func(a counted, member domain.MemberID)) {
	for b, acts := range n.acts {
		for _, a := range acts {
			in := a.Time >= int64(q.Range.From) && a.Time < int64(q.Range.To)
			if (brand == 0 || b == brand) && in && !slices.Contains(q.Filter.Exclude, q.ids[a.member]) {
				f(a, q.ids[a.member])
			}
		}
	}
}

func (r *harness) compareRankings(t *testing.T, rnd *rand.Rand, n *naive, ids []domain.MemberID, brands int) {
	t.Helper()
	for _, shape := range []domain.Shape{domain.ShapeLeaders, domain.ShapeCrossover} {
		q := r.random(rnd, shape, ids, brands)
		a, err := r.node.Ask(context.Background(), &q.Question, domain.Position{})
		if err != nil {
			t.Fatal(err)
		}
		if shape == domain.ShapeCrossover {
			if d := diff.Diff(q.crossover(n), sane(a.Crossover)); d != "" {
				t.Fatalf("%+v: %s", q.Question, d)
			}
			if total := r.total(&q.Question); total.Members != a.Crossover.Members { // I12
				t.Fatalf("tally %+v, crossover of %d members", total, a.Crossover.Members)
			}
			continue
		}
		want, latest := q.leaders(r, n)
		got := *a.Leaders
		for i, row := range got.Latest {
			if !slices.Contains(latest[got.Members[i].Member], fmt.Sprint(row.Time, row.Brand, row.Definition, row.Points)) || row.Slot != got.Members[i].Member.Slot() {
				t.Fatalf("%+v is not the latest of %d: %v", row, got.Members[i].Member, latest[got.Members[i].Member])
			}
		}
		if got.Latest = nil; len(a.Leaders.Latest) != len(got.Members) {
			t.Fatalf("%d latest actions of %d members", len(a.Leaders.Latest), len(got.Members))
		}
		if d := diff.Diff(want, &got); d != "" {
			t.Fatalf("%+v: %s", q.Question, d)
		}
		if total := r.total(&q.Question); total != got.Total { // I12
			t.Fatalf("tally %+v, leaders %+v", total, got.Total)
		}
	}
}

// total is the total of the tally of the same question.
func (r *harness) total(q *domain.Question) domain.Count {
	r.t.Helper()
	same := *q
	same.Shape = domain.ShapeTally
	a, err := r.node.Ask(context.Background(), &same, domain.Position{})
	if err != nil {
		r.t.Fatal(err)
	}
	return a.Tally.Total
}

// sane has no empty list.
func sane(c *domain.Crossover) *domain.Crossover {
	if len(c.Brands) == 0 {
		c.Brands = nil
	}
	return c
}

// leaders is what the question should be answered, and what may be the latest action
// of each member.
func (q *ranked) leaders(r *harness, n *naive) (*domain.Leaders, map[domain.MemberID][]string) {
	by, last, latest := map[domain.MemberID]*domain.Leader{}, map[domain.MemberID]int64{}, map[domain.MemberID][]string{}
	out := &domain.Leaders{}
	for _, id := range q.ids {
		if q.Top.Audience && !slices.Contains(q.Filter.Exclude, id) {
			out.Audience++
		}
	}
	q.each(n, q.Brand, func(a counted, id domain.MemberID) {
		l := by[id]
		if l == nil {
			l = &domain.Leader{Member: id}
			m, _, err := r.node.Member(context.Background(), 1, id, domain.Position{})
			if err != nil {
				r.t.Fatal(err)
			}
			switch q.Top.Order {
			case domain.ByCreated:
				l.At = domain.Second(m.Created / 1000)
			case domain.ByLastLogin:
				l.At = domain.Second(m.LastLogin() / 1000)
			}
			by[id] = l
			out.Total.Members++
		}
		points := worths[a.Definition-100]
		if g := q.Groups[a.Definition-100]; g.Own {
			points = g.Points
		}
		l.Score += uint64(points)
		l.Actions++
		out.Total.Actions++
		if a.Time > last[id] {
			last[id], latest[id] = a.Time, nil
		}
		if a.Time == last[id] {
			latest[id] = append(latest[id], fmt.Sprint(a.Time, a.Brand, a.Definition, points))
		}
	})
	for _, id := range q.ids {
		if l := by[id]; l != nil {
			out.Members = append(out.Members, *l)
		}
	}
	slices.SortFunc(out.Members, func(a, b domain.Leader) int {
		d := cmp.Compare(a.At, b.At)
		if q.Top.Order == domain.ByScore {
			d = cmp.Compare(a.Score, b.Score)
		}
		if !q.Top.Up {
			d = -d
		}
		return cmp.Or(d, cmp.Compare(a.Member, b.Member))
	})
	out.Members = cut(out.Members, q.Top)
	return out, latest
}

func (q *ranked) crossover(n *naive) *domain.Crossover {
	among := map[domain.MemberID]bool{}
	q.each(n, q.Brand, func(_ counted, id domain.MemberID) { among[id] = true })
	met := map[domain.BrandID]map[domain.MemberID]bool{}
	q.each(n, 0, func(a counted, id domain.MemberID) {
		if !among[id] || a.Brand == q.Brand || slices.Contains(q.Without, a.Brand) {
			return
		}
		if met[a.Brand] == nil {
			met[a.Brand] = map[domain.MemberID]bool{}
		}
		met[a.Brand][id] = true
	})
	out := &domain.Crossover{Members: uint64(len(among)), Total: uint64(len(met))}
	for b, of := range met {
		out.Brands = append(out.Brands, domain.BrandMembers{Brand: b, Members: uint64(len(of))})
	}
	slices.SortFunc(out.Brands, func(a, b domain.BrandMembers) int {
		return cmp.Or(cmp.Compare(b.Members, a.Members), cmp.Compare(a.Brand, b.Brand))
	})
	out.Brands = cut(out.Brands, q.Top)
	return out
}

// cut is the rows wanted; nil for none.
func cut[T any](all []T, top domain.Top) []T {
	to := min(len(all), top.End())
	if top.Offset >= to {
		return nil
	}
	return all[top.Offset:to]
}

// farDown is the row from which on the latest actions of leaders take a round of their own.
const farDown = 1001

// A page so far down that it takes two rounds is that page of the whole list, and
// says of each member what it did last.
func TestAPageFarDownIsPartOfTheList(t *testing.T) {
	const fans = farDown + 200
	r := newHarness(t, 3, Options{})
	r.furnish(2)
	var ids []domain.MemberID
	var acts []domain.Activity
	rnd := rand.New(rand.NewPCG(9, 9))
	for i := range fans {
		ids = append(ids, r.register(i))
		for k := range 1 + rnd.IntN(3) {
			acts = append(acts, domain.Activity{
				Member: ids[i], Definition: 100, Brand: domain.BrandID(1 + k%2), Time: 1_600_000_000 + rnd.Int64N(1e6), Hash: rnd.Uint64(),
			})
		}
	}
	r.publish(acts...)
	r.settled()
	ask := func(top domain.Top) *domain.Leaders {
		a, err := r.node.Ask(context.Background(), &domain.Question{
			Account: 1, Shape: domain.ShapeLeaders, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100}}, Top: top,
		}, domain.Position{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Leaders
	}
	whole := ask(domain.Top{Limit: farDown - 1, Latest: true})
	for offset := 0; offset < fans; offset += farDown - 1 {
		far := ask(domain.Top{Limit: fans - offset, Offset: offset, Latest: true})
		if far.Total != whole.Total || far.Total.Members != fans || len(far.Members) != fans-offset || len(far.Latest) != len(far.Members) {
			t.Fatalf("%d and %d rows from %d on, %+v", len(far.Members), len(far.Latest), offset, far.Total)
		}
		for i := range far.Members {
			near := whole.Members[min(offset+i, len(whole.Members)-1)]
			if offset+i < len(whole.Members) && (far.Members[i] != near || far.Latest[i] != whole.Latest[offset+i]) {
				t.Fatalf("row %d: %+v %+v, want %+v", offset+i, far.Members[i], far.Latest[i], near)
			}
			last := domain.Second(0)
			for _, a := range acts {
				if a.Member == far.Members[i].Member {
					last = max(last, domain.Second(a.Time))
				}
			}
			if far.Latest[i].Time != last {
				t.Fatalf("row %d: the latest is at %d, want %d", offset+i, far.Latest[i].Time, last)
			}
		}
	}
}
