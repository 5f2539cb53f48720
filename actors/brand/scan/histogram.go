package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// histogram counts the rows or members of a ranked list by parts of their rank.
type histogram struct {
	*rowScan
	ranking  *ranking
	keys     []uint64 // ranks of leaders
	newest   []uint32 // by ordinal: 1 + the second of the latest row; zero between questions
	ordinals []uint32 // the ordinals with one
}

// answer counts the rows of a feed in order of completion, or leaders, by cells of their
// rank. Sequences of rows of one second and a feed's keyword are not looked at. The
// error is ErrCold, or that of the Source.
func (x *histogram) answer(v *rows.View, a *Ask) (*domain.RankHistogram, error) {
	defer x.end()
	s := &a.Plan.histogram
	if !x.open(v, a, false) || s.From > s.To {
		return &domain.RankHistogram{}, nil
	}
	switch {
	case s.Of == domain.ShapeLeaders:
		return x.leaderRanks(a)
	case a.Plan.listing.Every:
		return x.rowRanks(a)
	}
	return x.latestRanks(a)
}

// leaderRanks counts members by rank, or those of one rank by id.
func (x *histogram) leaderRanks(a *Ask) (*domain.RankHistogram, error) {
	defer x.ranking.forget()
	if err := x.ranking.score(a); err != nil {
		return nil, err
	}
	x.ranking.list()
	s, keys, greatest := &a.Plan.histogram, x.keys[:0], a.Plan.histogram.From
	for _, o := range x.ranking.ordinals {
		key := x.ranking.rankOf(a, o)
		if s.Among != nil {
			if key != *s.Among {
				continue
			}
			key = uint64(a.ID(domain.Ordinal(o)))
		}
		if key >= s.From && key <= s.To {
			keys, greatest = append(keys, key), max(greatest, key)
		}
	}
	x.keys = keys
	out := domain.NewRankHistogram(s.From, greatest)
	for _, key := range keys {
		out.Buckets[(key-s.From)>>out.Shift]++
	}
	return out, nil
}

// times are the seconds that a histogram of a feed covers, and its buckets.
func (x *histogram) times(a *Ask) (in domain.Range, out *domain.RankHistogram) {
	s := &a.Plan.histogram
	in = topk.Within(a.Plan.span, int64(min(s.From, 1<<32)), int64(min(s.To, 1<<32))+1)
	if in.From >= in.To {
		return in, &domain.RankHistogram{}
	}
	return in, domain.NewRankHistogram(s.From, uint64(in.To-1))
}

// rowRanks counts rows by their second.
func (x *histogram) rowRanks(a *Ask) (*domain.RankHistogram, error) {
	in, out := x.times(a)
	if in.From >= in.To {
		return out, nil
	}
	narrow := *a.Plan
	narrow.span = in
	x.plan = &narrow
	first, cells := uint32(a.Plan.histogram.From), out.Buckets
	count := func(m scannedRow) { cells[(m.time-first)>>out.Shift]++ }
	cold := func(s *rows.Set) error { return x.coldRanks(s, a, out, count) }
	if err := x.scanSets(a, count, nil, cold); err != nil {
		return nil, err
	}
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		if x.filter == nil && sp.deleted == nil && !sp.drops {
			countTimes(cells, sp.c.Time[sp.lo:sp.hi], first, out.Shift)
			continue
		}
		times, n := sp.c.Time[sp.lo:sp.hi], x.places(sp, sp.lo, sp.hi)
		for _, p := range x.pos[:n] {
			cells[(times[p]-first)>>out.Shift] += uint32(x.isOne(sp, int(p)))
		}
	}
	return out, nil
}

// coldRanks counts the rows of a cold set: without a read where every row passes and the outline tells the
// bucket.
func (x *histogram) coldRanks(s *rows.Set, a *Ask, out *domain.RankHistogram, count func(scannedRow)) (err error) {
	in, first := x.plan.span, uint32(a.Plan.histogram.From)
	if !x.allPass() || a.Cold == nil {
		return x.scanCold(s, a.Cold, in, count)
	}
	s.Outline.Each(in, true, func(t outline.Stretch) bool {
		at := (t.First - first) >> out.Shift
		if t.First >= in.From && t.Last < in.To && (t.Last-first)>>out.Shift == at {
			out.Buckets[at] += t.Rows
		} else {
			err = x.scanCold(s, a.Cold, domain.Range{From: max(in.From, t.First), To: min(in.To, t.Last+1)}, count)
		}
		return err == nil
	})
	return err
}

// countTimes counts times, which ascend, by their cell: neighbours are in one as a rule.
func countTimes(cells, times []uint32, first uint32, shift uint8) {
	at, n := uint32(0), uint32(0)
	for _, t := range times {
		if k := (t - first) >> shift; k != at {
			cells[at] += n
			at, n = k, 0
		}
		n++
	}
	cells[at] += n
}

// isOne is 1 for a row of a span that passes, 0 for another.
func (x *histogram) isOne(sp *span, p int) int {
	i := sp.lo + p
	ok := bitset.Bit(x.table(sp)[sp.c.Kind[i]] != x.targets)
	if x.filter != nil {
		ok &= bitset.Get(x.filter, sp.c.Ord[i])
	}
	if sp.deleted != nil {
		ok &^= int(sp.deleted.Bits[i>>6] >> (i & 63) & 1)
	}
	return ok
}

// latestRanks counts members by the second of their latest row in all the range.
func (x *histogram) latestRanks(a *Ask) (*domain.RankHistogram, error) {
	in, out := x.times(a)
	x.newest = bitset.Grown(x.newest, x.words*64)
	newest := x.newest
	x.ordinals = x.ordinals[:0]
	defer func() {
		for _, o := range x.ordinals {
			newest[o] = 0
		}
		x.ordinals = x.ordinals[:0]
	}()
	see := func(o, time uint32) {
		was := newest[o]
		if was == 0 {
			x.ordinals = append(x.ordinals, o)
		}
		newest[o] = max(was, time+1) // times end below the greatest
	}
	if err := x.scanLoose(a, func(m scannedRow) { see(m.ord, m.time) }); err != nil || in.From >= in.To {
		return out, err
	}
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		ords, times, n := sp.c.Ord[sp.lo:sp.hi], sp.c.Time[sp.lo:sp.hi], x.places(sp, sp.lo, sp.hi)
		for _, p := range x.pos[:n] {
			if x.isOne(sp, int(p)) == 1 {
				see(ords[p], times[p])
			}
		}
	}
	first := uint32(a.Plan.histogram.From)
	for _, o := range x.ordinals {
		if t := newest[o] - 1; t >= in.From && t < in.To {
			out.Buckets[(t-first)>>out.Shift]++
		}
	}
	return out, nil
}
