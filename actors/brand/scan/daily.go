package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// dailyCounts counts by day.
type dailyCounts struct {
	*selection
	*marks
}

// answer counts actions and distinct members by UTC day, and over the question's
// range: a timeline of one line, which is of no service. The error is ErrCold, or
// that of the Source.
func (x *dailyCounts) answer(v *rows.View, a *Ask) (*domain.Timeline, error) {
	defer x.end()
	t := &domain.Timeline{First: domain.DayOf(a.Plan.span.From)}
	if err := x.begin(v, a, true); err != nil {
		return nil, err
	}
	if len(x.spans) == 0 && len(x.ord) == 0 {
		return t, nil
	}
	_, days := a.Plan.span.Days()
	line := domain.ServiceTimeline{Service: domain.NoService, Days: make([]domain.Count, days)}
	x.seen = grown(x.seen, x.words*64)
	x.reserve(days)
	before, n := x.gen, domain.Count{}
	x.gen++
	add := func(ords []uint32, step int) {
		fresh, ever := x.today(ords, step, before)
		n.Add(domain.Count{Actions: uint64(len(ords) / step), Members: fresh})
		line.Total.Members += ever
	}
	x.eachDay(func(sp *span, lo, hi int) {
		switch {
		case !x.plain(sp):
			x.gather(sp, lo, hi)
			add(x.ord, 1)
			x.keep(0)
		case sp.drops:
			c, ever := x.todayKept(sp, lo, hi, before)
			n.Add(c)
			line.Total.Members += ever
		default:
			add(sp.c.Ord[lo:hi], 1)
		}
	}, func(pairs []uint32) { add(pairs, 2) }, func(day, _ int) {
		line.Days[day] = n
		line.Total.Actions += n.Actions
		n = domain.Count{}
		x.gen++
	})
	if line.Total.Actions > 0 {
		t.Services = []domain.ServiceTimeline{line}
	}
	return t, nil
}

// reserve makes sure that n generations more, and one, do not wrap.
func (x *dailyCounts) reserve(n int) {
	if uint64(x.gen)+uint64(n)+1 > 1<<32-1 {
		clear(x.seen)
		x.gen = 0
	}
}

// today counts the ordinals, each step-th of ords, that were not met in this
// generation, and those not met since before, and marks them.
func (x *dailyCounts) today(ords []uint32, step int, before uint32) (fresh, ever uint64) {
	seen, gen := x.seen, x.gen
	for i := 0; i < len(ords); i += step {
		o := ords[i]
		was := seen[o]
		fresh += uint64(bitset.Bit(was != gen))
		ever += uint64(bitset.Bit(was <= before))
		seen[o] = gen
	}
	return fresh, ever
}

// todayKept is today for a stretch of a span of which some kinds are dropped; it
// counts the other rows, too.
func (x *dailyCounts) todayKept(sp *span, lo, hi int, before uint32) (n domain.Count, ever uint64) {
	seen, gen, lut := x.seen, x.gen, x.table(sp)
	ords, kinds := sp.c.Ord[lo:hi], sp.c.Kind[lo:hi]
	kinds = kinds[:len(ords)]
	for i, o := range ords {
		kept := uint32(bitset.Bit(lut[kinds[i]] != x.targets))
		was := seen[o]
		n.Actions += uint64(kept)
		n.Members += uint64(uint32(bitset.Bit(was != gen)) & kept)
		ever += uint64(uint32(bitset.Bit(was <= before)) & kept)
		seen[o] = was ^ (was^gen)&-kept
	}
	return n, ever
}
