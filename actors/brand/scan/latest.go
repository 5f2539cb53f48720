package scan

import (
	"cmp"
	"math"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// latestRows finds the latest action of members.
type latestRows struct {
	*rowScan
	index  []uint32 // by ordinal: 1 + the place among those looked for; zero between questions
	wanted []uint64 // members that are looked for
	walk   outline.Walk
}

// find finds the latest action of each of the places, which all have one; of those
// in one second that with the lowest sequence, as in a feed. Spans are read backwards, the newest
// first, until none can win any more.
func (x *latestRows) find(a *Ask, places []topk.Entry) ([]domain.Row, error) {
	list := make([]domain.Row, len(places))
	x.index = bitset.Grown(x.index, x.words*64)
	x.wanted = bitset.Sized(x.wanted, x.words)
	clear(x.wanted)
	for i, p := range places {
		x.index[p.Ord] = uint32(i + 1)
		x.wanted[p.Ord>>6] |= 1 << (p.Ord & 63)
	}
	defer func() {
		for _, p := range places {
			x.index[p.Ord] = 0
		}
	}()
	x.filterBy(x.wanted)
	l := &latestSearch{x: x, rows: list, missing: len(list)}
	if err := l.run(a); err != nil {
		return nil, err
	}
	for i, p := range places {
		r := &list[i]
		r.Account, r.Ord, r.Slot = a.Plan.account, domain.Ordinal(p.Ord), domain.MemberID(p.ID).Slot()
	}
	return list, nil
}

// run looks through the question's rows.
func (l *latestSearch) run(a *Ask) error {
	x := l.x
	if x.alone {
		return x.scanAll(a, l.add)
	}
	if err := x.scanSets(a, l.add, nil, func(*rows.Set) error { return nil }); err != nil {
		return err
	}
	order := make([]int, len(x.spans))
	for i := range order {
		order[i] = i
	}
	newest := func(i int) uint32 { return x.spans[i].c.Time[x.spans[i].hi-1] }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(newest(j), newest(i)) })
	for _, i := range order {
		if l.done(newest(i)) || !x.running() {
			break
		}
		l.addSpan(a, &x.spans[i], x.owners[i])
	}
	return l.walkCold(a)
}

// walkCold looks through the rows of cold sets, the newest first, until none can win any more.
func (l *latestSearch) walkCold(a *Ask) error {
	w := &l.x.walk
	w.Begin(l.x.plan.span, false, latestAtOnce)
	return readWalk(l.x.selection, w, a, func() {
		l.known = false // what was found may be later than before
		w.Left = topk.Within(w.Left, int64(l.since()), math.MaxUint32)
	}, l.add)
}

// latestAtOnce is how many rows on disk are looked through first.
const latestAtOnce = 1024

// latestSearch is a search for the latest rows of members.
type latestSearch struct {
	x       *latestRows
	rows    []domain.Row // of a member without one yet Seq is 0
	missing int
	bound   domain.Second // once none is missing: every row found is at or after it
	known   bool          // bound is computed
}

// done reports that no row at or before the time can be the latest of any member.
func (l *latestSearch) done(time domain.Second) bool { return time < l.since() }

// since is the earliest time that a row may have which is the latest of a member.
func (l *latestSearch) since() domain.Second {
	if l.missing > 0 {
		return 0
	}
	if !l.known {
		l.known, l.bound = true, ^domain.Second(0)
		for i := range l.rows {
			l.bound = min(l.bound, l.rows[i].Time)
		}
	}
	return l.bound
}

// newer is the member's row, its time and sequence set, if it comes before what it has: it
// is later, or as late with a lower sequence; else nil.
func (l *latestSearch) newer(ord, time uint32, seq uint64) *domain.Row {
	r := &l.rows[l.x.index[ord]-1]
	switch {
	case r.Seq == 0:
		l.missing--
	case time < r.Time || time == r.Time && seq >= r.Seq:
		return nil
	}
	r.Time, r.Seq = time, seq
	return r
}

// describe fills in what was done, and its points.
func (x *latestRows) describe(r *domain.Row, k rows.Kind, given uint16) {
	w := x.plan.pointsOf(k.Definition)
	r.Definition, r.Service, r.Points = k.Definition, k.Service, given&w.keep+w.add
}

func (l *latestSearch) add(m scannedRow) {
	if r := l.newer(m.ord, m.time, m.seq); r != nil {
		l.x.describe(r, m.kind, m.points)
		r.Brand = m.brand
	}
}

func (l *latestSearch) addSpan(a *Ask, sp *span, s *rows.Set) {
	x, c := l.x, sp.c
	lut := x.table(sp)
	for i := sp.hi - 1; i >= sp.lo; i-- {
		if l.missing == 0 && l.done(c.Time[i]) {
			return
		}
		o := c.Ord[i]
		if bitset.Get(x.filter, o) == 0 || lut[c.Kind[i]] == x.targets || sp.deleted.Has(i) {
			continue
		}
		r := l.newer(o, c.Time[i], c.Seq(i))
		if r == nil {
			continue
		}
		x.describe(r, x.all[c.Dict[c.Kind[i]]], c.Points[i])
		if r.Brand = s.ID; c.Brands != nil {
			r.Brand = a.Label(c.Brands[c.BrandOf[i]])
		}
	}
}
