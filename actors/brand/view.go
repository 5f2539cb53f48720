package brand

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
)

// View is an account's rows in a shard as of one commit. Any number of goroutines
// may read it between Acquire and Release.
type View struct {
	Version uint64 // commits so far
	Seq     uint64 // the last sequence in it

	rest    *set
	sets    cow.Array[*set]
	index   cow.Array[uint32]
	own     int // sets in use
	kinds   []kind
	members uint32 // every ordinal in it is below
	refs    atomic.Int64
	done    func()
}

// Acquire takes the view; false when its last holder has let go already.
func (v *View) Acquire() bool {
	for n := v.refs.Load(); n > 0; n = v.refs.Load() {
		if v.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// Release gives the view back.
func (v *View) Release() {
	if v.refs.Add(-1) == 0 && v.done != nil {
		v.done()
	}
}

// Members is a bound of the ordinals in the view: each is below it.
func (v *View) Members() uint32 { return v.members }

// Cold is a brand whose rows are on disk only.
type Cold struct {
	Dense uint32
	Brand domain.BrandID
}

// Cold are the cold brands that a question about the brand meets: none, or the
// brand itself; of EveryBrand, all that are cold but the visits.
func (v *View) Cold(dense uint32) (cold []Cold) {
	v.each(dense, func(s *set, _ bool) {
		if s.cold {
			cold = append(cold, Cold{s.dense, s.id})
		}
	})
	return cold
}

// each calls f with the sets that hold the brand's rows; small says that the set
// is the rest and only one brand's rows are meant.
func (v *View) each(dense uint32, f func(s *set, small bool)) {
	if dense != EveryBrand {
		if i := v.index.Get(dense); i != 0 {
			f(v.sets.Get(i-1), false)
		} else {
			f(v.rest, true)
		}
		return
	}
	for i := range uint32(v.own) {
		if s := v.sets.Get(i); s.dense != Visits {
			f(s, false)
		}
	}
	f(v.rest, false)
}

// Held is how many rows, of all times, the cold brands have that a question about the
// brand meets.
func (v *View) Held(dense uint32) (rows uint64) {
	v.each(dense, func(s *set, _ bool) {
		if s.cold {
			rows += uint64(s.held)
		}
	})
	return rows
}

// RowsIn is how many rows a question about the brand has to read: those in the range
// that count, and those of Held, whatever the range. It is for refusing what is too
// large: two binary searches a chunk, and a look at the tail.
func (v *View) RowsIn(dense uint32, r domain.Range) (rows uint64) {
	if r.From >= r.To {
		return 0
	}
	v.each(dense, func(s *set, small bool) {
		if s.cold {
			rows += uint64(s.held)
			return
		}
		for _, run := range s.runs {
			if run.c.max >= r.From && run.c.min < r.To {
				rows += run.rowsIn(dense, small, r)
			}
		}
		t := s.upto(v.Seq)
		for i := t.since(r.From); i < len(t.rows); i++ {
			if t.rows[i].time-r.From < r.To-r.From && (!small || t.brand[i] == dense) && !t.dead.has(i) {
				rows++
			}
		}
	})
	return rows
}

// rowsIn is how many living rows are in the range, of one brand if small.
func (r run) rowsIn(dense uint32, small bool, in domain.Range) (rows uint64) {
	if !small {
		lo, hi := r.c.cut(in.From, in.To)
		return uint64(hi - lo - r.dead.within(lo, hi))
	}
	for _, p := range r.c.of(dense) {
		rows += uint64(bit(r.c.time[p]-in.From < in.To-in.From && !r.dead.has(int(p))))
	}
	return rows
}
