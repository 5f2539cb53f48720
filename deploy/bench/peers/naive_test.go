package peers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// naive answers from the rows with maps, one row after the other.
type naive struct {
	c   *Scene
	ids []domain.ActionID // of the rows
}

func newNaive(c *Scene, shards int) *naive {
	n := &naive{c: c}
	_ = c.arrivals(shards, func(_ *Row, _ int, id domain.ActionID) error {
		n.ids = append(n.ids, id)
		return nil
	})
	return n
}

// passes reports that the row belongs to the question, its brand not looked at.
func (n *naive) passes(q *Question, r *Row) bool {
	p, k := &n.c.Members[r.Member], &n.c.Definitions[r.Definition]
	switch {
	case r.Time >= n.c.End || r.Time < n.c.End-domain.Second(q.Days)*86400:
		return false
	case q.Filter == ByService && k.Service != domain.Spotify && k.Service != domain.LastFM:
		return false
	case q.Filter == ByMember && (!p.Paid || !slices.Contains([]string{"DE", "GB", "US"}, p.Country)):
		return false
	}
	return strings.Contains(strings.ToLower(string(r.text(nil))), q.Keyword)
}

// tallies counts rows by a key, and members once a key.
type tallies struct {
	actions map[[2]int64]int64
	members map[[3]int64]bool
}

func newTallies() *tallies { return &tallies{map[[2]int64]int64{}, map[[3]int64]bool{}} }

func (t *tallies) add(a, b int64, r *Row) {
	t.actions[[2]int64{a, b}]++
	t.members[[3]int64{a, b, int64(r.Member)}] = true
}

// rows are key, actions and members; width is how much of the key shows.
func (t *tallies) rows(width int) (out Answer) {
	members := map[[2]int64]int64{}
	for k := range t.members {
		members[[2]int64(k[:2])]++
	}
	for k, n := range t.actions {
		out = append(out, append(slices.Clone(k[:width]), n, members[k]))
	}
	return out.sorted()
}

func (n *naive) answer(q *Question) Answer {
	switch q.Shape {
	case domain.ShapeLeaders:
		return n.leaders(q)
	case domain.ShapeCrossover:
		return n.crossover(q)
	case domain.ShapeFeed:
		return n.feed(q)
	}
	t, width := newTallies(), 1
	n.each(q, func(_ int, r *Row) {
		k := &n.c.Definitions[r.Definition]
		switch q.Shape {
		case domain.ShapeTally:
			t.add(int64(k.ID), 0, r)
			t.add(0, 0, r)
		case domain.ShapeTimeline:
			width = 2
			t.add(int64(k.Service), int64(r.Time/86400), r)
			t.add(int64(k.Service), 0, r)
		case domain.ShapeLocation:
			t.add(int64(domain.CountryCode(n.c.Members[r.Member].Country)), 0, r)
		}
	})
	return t.rows(width)
}

func (n *naive) each(q *Question, f func(i int, r *Row)) {
	for i := range n.c.Rows {
		r := &n.c.Rows[i]
		if (q.Brand == Everywhere || int(r.Brand) == q.Brand) && n.passes(q, r) {
			f(i, r)
		}
	}
}

func (n *naive) leaders(q *Question) Answer {
	of := map[uint32][]int64{}
	n.each(q, func(_ int, r *Row) {
		m := of[r.Member]
		if m == nil {
			m = []int64{n.c.Number(n.c.Members[r.Member].ID), 0, 0, 0}
			of[r.Member] = m
		}
		m[1] += int64(n.c.Definitions[r.Definition].Points)
		m[2]++
		m[3] = max(m[3], int64(r.Time))
	})
	var all Answer
	for _, m := range of {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b []int64) int { return cmp.Or(cmp.Compare(b[1], a[1]), cmp.Compare(a[0], b[0])) })
	return listed(all)
}

// listed is the number of rows and the first of them.
func listed(all Answer) Answer {
	return append(Answer{{int64(len(all))}}, all[:min(len(all), 10)]...)
}

func (n *naive) crossover(q *Question) Answer {
	members := map[uint32]bool{}
	n.each(q, func(_ int, r *Row) { members[r.Member] = true })
	of := map[domain.BrandID]map[uint32]bool{}
	for i := range n.c.Rows {
		r := &n.c.Rows[i]
		if int(r.Brand) == q.Brand || !members[r.Member] || !n.passes(q, r) {
			continue
		}
		id := n.c.Brands[r.Brand]
		if of[id] == nil {
			of[id] = map[uint32]bool{}
		}
		of[id][r.Member] = true
	}
	var all Answer
	for id, m := range of {
		all = append(all, []int64{int64(id), int64(len(m))})
	}
	slices.SortFunc(all, func(a, b []int64) int { return cmp.Or(cmp.Compare(b[1], a[1]), cmp.Compare(a[0], b[0])) })
	return listed(all)
}

func (n *naive) feed(q *Question) Answer {
	var all Answer
	n.each(q, func(i int, r *Row) {
		all = append(all, []int64{int64(r.Time), n.c.Number(n.c.Members[r.Member].ID), int64(n.c.Definitions[r.Definition].ID), int64(n.ids[i])})
	})
	slices.SortFunc(all, func(a, b []int64) int { return cmp.Or(cmp.Compare(b[0], a[0]), cmp.Compare(b[3], a[3])) })
	if !q.Every {
		seen := map[int64]bool{}
		all = slices.DeleteFunc(all, func(row []int64) bool {
			was := seen[row[1]]
			seen[row[1]] = true
			return was
		})
	}
	return listed(all)
}
