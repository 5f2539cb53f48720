package peers

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Answer is an answer as numbers, the same from every peer:
//
//	tally      definition actions members, ascending; the total has definition 0; of no action nothing
//	timeline   service day actions members, ascending, days with an action alone; the total of a service has day 0
//	location   country actions members, ascending
//	leaders    members in all; then member score actions latest, in order of rank
//	crossover  brands in all; then brand members, in order of rank
//	feed       actions in all, or members; then time member definition id, in order
//
// Members are numbers of the scene, times seconds, days days since 1970.
type Answer [][]int64

// Rows is how many actions the answer counts, or what its list has in all.
func (a Answer) Rows(s domain.Shape) (n int64) {
	switch s {
	case domain.ShapeTally:
		return a.total(func(row []int64) bool { return row[0] == 0 }, 1)
	case domain.ShapeTimeline:
		return a.total(func(row []int64) bool { return row[1] == 0 }, 2)
	case domain.ShapeLocation:
		return a.total(func([]int64) bool { return true }, 1)
	}
	if len(a) == 0 {
		return 0
	}
	return a[0][0]
}

func (a Answer) total(of func([]int64) bool, column int) (n int64) {
	for _, row := range a {
		if of(row) {
			n += row[column]
		}
	}
	return n
}

// Differs tells the first row in which two answers are not the same; empty: they are.
func (a Answer) Differs(b Answer) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("row %d is missing, the other has %v", i, b[i])
		case i >= len(b):
			return fmt.Sprintf("row %d is %v, the other has none", i, a[i])
		case !slices.Equal(a[i], b[i]):
			return fmt.Sprintf("row %d is %v, the other has %v", i, a[i], b[i])
		}
	}
	return ""
}

// sorted puts rows that stand in no order into one.
func (a Answer) sorted() Answer {
	slices.SortFunc(a, slices.Compare)
	return a
}

// Counted is a tally's answer without a total of nothing.
func (a Answer) Counted() Answer {
	return slices.DeleteFunc(a, func(row []int64) bool { return row[1] == 0 })
}

// answerOf is an engine's answer as numbers.
func (c *Scene) answerOf(q *domain.Question, d *domain.Answer) Answer {
	switch q.Shape {
	case domain.ShapeTally:
		return tallyRows(d.Tally).Counted()
	case domain.ShapeLocation:
		return tallyRows(d.Tally)[1:].sorted()
	case domain.ShapeTimeline:
		return timelineRows(d.Timeline)
	case domain.ShapeLeaders:
		out := Answer{{int64(d.Leaders.Total.Members)}}
		for i, m := range d.Leaders.Members {
			out = append(out, []int64{
				c.Number(m.Member), int64(m.Score), int64(m.Actions),
				int64(d.Leaders.Latest[i].Time),
			})
		}
		return out
	case domain.ShapeCrossover:
		out := Answer{{int64(d.Crossover.Total)}}
		for _, b := range d.Crossover.Brands {
			out = append(out, []int64{int64(b.Brand), int64(b.Members)})
		}
		return out
	}
	out := Answer{{int64(d.Feed.Total)}}
	for i := range d.Feed.Items {
		r := &d.Feed.Items[i].Row
		out = append(out, []int64{int64(r.Time), c.Number(d.Feed.Items[i].Member), int64(r.Definition), int64(r.ID())})
	}
	return out
}

// tallyRows begins with the total.
func tallyRows(t *domain.Tally) Answer {
	out := Answer{{0, int64(t.Total.Actions), int64(t.Total.Members)}}
	for _, g := range t.Groups {
		out = append(out, []int64{int64(g.Group), int64(g.Actions), int64(g.Members)})
	}
	return out
}

func timelineRows(t *domain.Timeline) (out Answer) {
	for i := range t.Services {
		s := &t.Services[i]
		out = append(out, []int64{int64(s.Service), 0, int64(s.Total.Actions), int64(s.Total.Members)})
		for d, n := range s.Days {
			if n.Actions > 0 {
				out = append(out, []int64{
					int64(s.Service), int64(t.First) + int64(d), int64(n.Actions),
					int64(n.Members),
				})
			}
		}
	}
	return out.sorted()
}

// Loose is a feed's answer without what hangs on the actions' ids: two engines that
// number actions apart list those of one second in another order.
func (a Answer) Loose() Answer {
	out := make(Answer, len(a))
	for i, row := range a {
		out[i] = row[:1]
	}
	return out
}
