package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// examinedAtOnce is how many rows that pass everything else a page of a stream looks for a keyword in: it bounds
// what one page reads where few rows have it.
const examinedAtOnce = 8192

// streamScan finds the rows of a question that come first above a sequence, in order of sequence.
type streamScan struct {
	*selection
	above uint64
	keep  int        // so many are wanted
	found []topk.Row // up to twice as many as are wanted
	bound uint64     // rows above it are not among the first; all bits: not known yet
	runs  []runOf

	originals bool // copies are left out
}

// runOf is a run with the set that it is of.
type runOf struct {
	rows.Run
	set *rows.Set
}

// answer is a page above a sequence. Hash and Slot of the rows, and their Member, are the caller's to know. The
// error is ErrCold, or that of the Source or of Contents.
func (x *streamScan) answer(v *rows.View, a *Ask, above uint64, limit int) (*domain.StreamPart, error) {
	defer x.end()
	out := &domain.StreamPart{Next: max(above, v.Seq)}
	plan := *a.Plan
	plan.span = domain.AllTime
	every := *a
	every.Plan = &plan
	if limit <= 0 {
		out.Next, out.More = above, v.Seq > above
		return out, nil
	}
	if v.Seq <= above || !x.open(v, &every, false) {
		return out, nil
	}
	x.above, x.keep, x.bound, x.found = above, limit, 1<<64-1, x.found[:0]
	x.originals = a.Originals
	if plan.keyword != nil {
		x.keep = max(limit, examinedAtOnce)
	}
	if err := x.collect(&every); err != nil {
		return nil, err
	}
	x.settle()
	list := x.found[:min(x.keep, len(x.found))]
	if len(list) == x.keep {
		out.Next, out.More = list[len(list)-1].Seq, list[len(list)-1].Seq < v.Seq
	}
	if plan.keyword != nil {
		kept, err := x.withKeyword(&every, list)
		if err != nil {
			return nil, err
		}
		if list = kept; len(list) > limit {
			list = list[:limit]
			out.Next, out.More = list[limit-1].Seq, true
		}
	}
	f := feedState{ask: &every}
	items := f.items(list)
	out.Events = make([]domain.StreamEvent, len(items))
	for i := range items {
		out.Events[i].Item = items[i]
	}
	return out, nil
}

// withKeyword are the rows that have the question's keyword, in their order.
func (x *streamScan) withKeyword(a *Ask, list []topk.Row) ([]topk.Row, error) {
	has := make([]bool, len(list))
	f := feedState{ask: a}
	err := f.readContents(list, func(i int, _ int64, content []byte) { has[i] = a.Plan.keyword.In(content) })
	if err != nil {
		return nil, err
	}
	n := 0
	for i := range list {
		if has[i] {
			list[n] = list[i]
			n++
		}
	}
	return list[:n], nil
}

// collect offers the rows that may be among the first: of tails, of chunks from the least sequence on, of what is
// on disk.
func (x *streamScan) collect(a *Ask) (err error) {
	x.runs = x.runs[:0]
	x.view.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || !x.running():
		case s.Cold:
			err = x.scanCold(s, a.Cold)
		default:
			x.scanTail(s, a.Brand, small)
			for _, r := range s.Runs {
				if r.Chunk.High > x.above {
					x.runs = append(x.runs, runOf{r, s})
				}
			}
		}
	})
	if err = x.result(err); err != nil {
		return err
	}
	slices.SortFunc(x.runs, func(a, b runOf) int { return cmp.Compare(a.Chunk.Low, b.Chunk.Low) })
	small := a.Brand != rows.EveryBrand && x.view.SetOf(a.Brand) == nil
	for i := range x.runs {
		if !x.running() || x.runs[i].Chunk.Low > x.bound {
			break // so are those that follow
		}
		x.scanRun(&x.runs[i], a.Brand, small)
	}
	return x.result(nil)
}

// scanTail offers the rows of a tail.
func (x *streamScan) scanTail(s *rows.Set, dense uint32, small bool) {
	p := s.TailAt(x.view.Seq)
	for i := p.Above(x.above); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if r.Seq <= x.above || small && p.Brands[i] != dense || p.Deleted.Has(i) {
			continue
		}
		of := s.Dense
		if p.Brands != nil {
			of = p.Brands[i]
		}
		x.offer(&topk.Row{Seq: r.Seq, Time: r.Time, Ord: r.Ord, Brand: of, Points: r.Points}, r.Kind)
	}
}

// scanRun offers the rows of a chunk.
func (x *streamScan) scanRun(r *runOf, dense uint32, small bool) {
	c := r.Chunk
	if !small {
		for i := range c.Rows() {
			x.offerAt(r, i)
		}
		return
	}
	for _, i := range c.Of(dense) {
		x.offerAt(r, int(i))
	}
}

// offerAt offers the row of a chunk at i.
func (x *streamScan) offerAt(r *runOf, i int) {
	c := r.Chunk
	seq := c.Seq(i)
	if seq <= x.above || seq > x.bound || r.Deleted.Has(i) {
		return
	}
	of := r.set.Dense
	if c.Brands != nil {
		of = c.Brands[c.BrandOf[i]]
	}
	x.offer(&topk.Row{Seq: seq, Time: c.Time[i], Ord: c.Ord[i], Brand: of, Points: c.Points[i]}, c.Dict[c.Kind[i]])
}

// offer takes a living row, if it passes. kind is the account's number of its kind.
func (x *streamScan) offer(r *topk.Row, kind uint32) {
	if x.filter != nil && bitset.Get(x.filter, r.Ord) == 0 || x.target(kind) == x.targets {
		return
	}
	if r.Kind = x.all[kind]; x.originals && r.Kind.Copied {
		return
	}
	x.add(r)
}

// scanCold offers the rows of a set that is on disk.
func (x *streamScan) scanCold(s *rows.Set, from rows.Source) error {
	in, any := s.Outline.Above(x.above)
	if !any {
		return nil
	}
	return x.selection.scanCold(s, from, in, func(m scannedRow) {
		if m.seq > x.above && !(x.originals && m.kind.Copied) {
			x.add(&topk.Row{Seq: m.seq, Time: m.time, Ord: m.ord, Brand: m.dense, Kind: m.kind, Points: m.points})
		}
	})
}

// add keeps a row that may be among the first.
func (x *streamScan) add(r *topk.Row) {
	if r.Seq > x.bound {
		return
	}
	if x.found = append(x.found, *r); len(x.found) >= 2*x.keep {
		x.settle()
	}
}

// settle leaves the first of the rows found, in order.
func (x *streamScan) settle() {
	slices.SortFunc(x.found, func(a, b topk.Row) int { return cmp.Compare(a.Seq, b.Seq) })
	if len(x.found) >= x.keep {
		x.found = x.found[:x.keep]
		x.bound = x.found[x.keep-1].Seq
	}
}

// end drops what the question held.
func (x *streamScan) end() {
	clear(x.runs)
	if cap(x.found) > looseKept/16 {
		x.found = nil
	}
	x.selection.end()
}

// recordedBefore is StreamFrom.
func (x *feedScan) recordedBefore(v *rows.View, a *Ask, ms int64) (seq uint64, err error) {
	defer x.end()
	plan := *a.Plan
	plan.span, plan.keyword = domain.AllTime, nil
	plan.listing = domain.Listing{Every: true, Recorded: true, Up: true, Limit: 1}
	every := *a
	every.Plan = &plan
	if !x.open(v, &every, false) {
		return v.Seq, nil
	}
	f := &x.feed
	x.apart = x.allPass()
	f.begin(&every, 1, x.words*64, false)
	defer f.end()
	f.span, f.Cursor, f.Ahead = plan.span, nil, 0
	from, err := x.recordedFrom(&every, ms, 0, v.Seq+1)
	if err != nil {
		return 0, err
	}
	return max(from, 1) - 1, nil
}
