package scan

import (
	"sort"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// marks are what a timeline knows of a member, in 64 bits by ordinal: in the lower
// half the services met on the day that is being counted, in the upper one those
// met in the range. Above the 17 bits of services (the last is for rows that do
// not count) each half has a generation, so that marks of other days and questions are
// worth less than an empty one of this.
const (
	markBits = uint(domain.Services) + 1
	markGens = 1<<(32-markBits) - 1
)

// dayCounts is what is counted by service: on one day, and distinct members in the
// range. acc holds what is not spilled yet, of each service in 21 bits: actions, new
// members of the day, new members of the range.
type dayCounts struct {
	acc   [32]uint64
	rows  int // in acc
	day   [domain.Services]domain.Count
	total [domain.Services]uint64
}

const accBits, accMax = 21, 1<<21 - 1

// spill empties acc when it could not take n rows more.
func (d *dayCounts) spill(n int) {
	if d.rows += n; d.rows <= accMax {
		return
	}
	d.rows = n
	for s := range d.day {
		a := d.acc[s]
		d.day[s].Actions += a & accMax
		d.day[s].Members += a >> accBits & accMax
		d.total[s] += a >> (2 * accBits)
	}
	d.acc = [32]uint64{}
}

// timeline counts by service and day.
type timeline struct {
	*selection
	mark   []uint64 // by ordinal: see markBits
	dayGen uint32
	askGen uint32
}

// answer counts actions and distinct members by service and UTC day, and by
// service over the question's range. The error is ErrCold, or that of the Source.
func (x *timeline) answer(v *rows.View, a *Ask) (*domain.Timeline, error) {
	defer x.end()
	t := &domain.Timeline{First: domain.DayOf(a.Plan.span.From)}
	if err := x.begin(v, a, true); err != nil {
		return nil, err
	}
	if len(x.spans) == 0 && len(x.ord) == 0 {
		return t, nil
	}
	var out [domain.Services][]domain.Count
	total := x.days(&out)
	for s, days := range out {
		if days == nil {
			continue
		}
		st := domain.ServiceTimeline{Service: domain.Service(s), Days: days}
		for _, c := range days {
			st.Total.Actions += c.Actions
		}
		st.Total.Members = total[s]
		t.Services = append(t.Services, st)
	}
	return t, nil
}

// days counts day by day into out, which gets an array for each service that is
// met, and returns the distinct members by service.
func (x *timeline) days(out *[domain.Services][]domain.Count) [domain.Services]uint64 {
	x.mark = bitset.Grown(x.mark, x.words*64)
	x.nextAsk()
	x.nextDay()
	var d dayCounts
	x.eachDay(func(sp *span, lo, hi int) { x.daySpan(sp, lo, hi, &d) }, func(pairs []uint32) { x.dayLoose(pairs, &d) },
		func(day, days int) {
			if d.rows > 0 {
				d.spill(accMax)
				d.into(out, day, days)
			}
			d.rows, d.day = 0, [domain.Services]domain.Count{}
			x.nextDay()
		})
	return d.total
}

// into puts the day's counts into out.
func (d *dayCounts) into(out *[domain.Services][]domain.Count, day, days int) {
	for s, c := range d.day {
		if c.Actions == 0 {
			continue
		}
		if out[s] == nil {
			out[s] = make([]domain.Count, days)
		}
		out[s][day] = c
	}
}

// nextAsk invalidates all marks.
func (x *timeline) nextAsk() {
	if x.askGen++; x.askGen > markGens {
		clear(x.mark)
		x.askGen, x.dayGen = 1, 0
	}
}

// nextDay invalidates the marks of days.
func (x *timeline) nextDay() {
	if x.dayGen++; x.dayGen > markGens {
		for i := range x.mark {
			x.mark[i] &^= 1<<32 - 1
		}
		x.dayGen = 1
	}
}

// daySpan counts a stretch of a span.
func (x *timeline) daySpan(sp *span, lo, hi int, d *dayCounts) {
	if x.plain(sp) {
		d.spill(hi - lo)
		x.dayColumns(sp.c.Ord[lo:hi], sp.c.Kind[lo:hi], x.table(sp), d)
		return
	}
	x.gather(sp, lo, hi)
	d.spill(len(x.ord))
	x.dayRows(x.ord, x.to, 1, d)
	x.truncate(0)
}

// before is where the span's rows from end on start: near, as days are.
func (sp *span) before(end uint64) int {
	if uint64(sp.c.Max) < end {
		return sp.hi
	}
	t, lo, step := sp.c.Time, sp.lo, 1
	for lo+step < sp.hi && uint64(t[lo+step]) < end {
		lo, step = lo+step, 2*step
	}
	return lo + sort.Search(min(step, sp.hi-lo), func(i int) bool { return uint64(t[lo+i]) >= end })
}

// dayColumns counts a stretch of a chunk.
func (x *timeline) dayColumns(ords []uint32, kinds []uint16, lut []uint32, d *dayCounts) {
	day := x.dayGen << markBits
	fresh := uint64(x.askGen<<markBits)<<32 | uint64(day)
	mark, acc := x.mark, &d.acc
	kinds = kinds[:len(ords)]
	for i, o := range ords {
		s := lut[kinds[i]] & 31
		m := mark[o]
		if uint32(m) < day {
			m = m>>32<<32 | uint64(day)
		}
		m = max(m, fresh)
		n := m | 1<<s | 1<<(s+32)
		is := (m ^ n) >> s // bit 0: new on the day, bit 32: new in the range
		acc[s] += 1 + is&1<<accBits + is>>32<<(2*accBits)
		mark[o] = n
	}
}

// dayRows is dayColumns for loose rows: each step-th of ords, and of the services beside it.
func (x *timeline) dayRows(ords, services []uint32, step int, d *dayCounts) {
	day := x.dayGen << markBits
	fresh := uint64(x.askGen<<markBits)<<32 | uint64(day)
	mark, acc := x.mark, &d.acc
	services = services[:len(ords)]
	for i := 0; i < len(ords); i += step {
		o, s := ords[i], services[i]&31
		m := mark[o]
		if uint32(m) < day {
			m = m>>32<<32 | uint64(day)
		}
		m = max(m, fresh)
		n := m | 1<<s | 1<<(s+32)
		is := (m ^ n) >> s
		acc[s] += 1 + is&1<<accBits + is>>32<<(2*accBits)
		mark[o] = n
	}
}

// dayLoose counts loose rows of one day: ordinal, service, ordinal, service …
func (x *timeline) dayLoose(pairs []uint32, d *dayCounts) {
	for len(pairs) > 0 {
		n := min(len(pairs), 2*rows.MaxChunk)
		d.spill(n / 2)
		x.dayRows(pairs[:n-1], pairs[1:n], 2, d)
		pairs = pairs[n:]
	}
}

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
	x.seen = bitset.Grown(x.seen, x.words*64)
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
			x.truncate(0)
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
