package rows

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
)

// View is an account's rows in a shard as of one commit. Any number of goroutines
// may read it between Acquire and Release.
type View struct {
	Version uint64 // commits so far
	Seq     uint64 // the last sequence in it

	Rest  *Set
	sets  cow.Array[*Set]
	index cow.Array[uint32]
	own   int // sets in use

	counting Counting
	Kinds    []Kind
	// VisitKinds are the kinds of the visits, which have numbers of their own.
	VisitKinds []Kind
	members    uint32 // every ordinal in it is below
	refs       atomic.Int64
	done       func()
}

// Acquire takes the view; false when its last holder has released it already.
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

// KindsOf are the kinds of a brand's rows, by their numbers.
func (v *View) KindsOf(dense uint32) []Kind {
	if dense == Visits {
		return v.VisitKinds
	}
	return v.Kinds
}

// Members is a bound of the ordinals in the view: each is below it.
func (v *View) Members() uint32 { return v.members }

// Cold are the cold brands that a question about the brand meets: none, or the
// brand itself; of EveryBrand, all that are cold but the visits.
func (v *View) Cold(dense uint32) (cold []Cold) {
	v.Each(dense, func(s *Set, _ bool) {
		if s.Cold {
			cold = append(cold, Cold{s.Dense, s.ID})
		}
	})
	return cold
}

// Owned is how many sets brands have of their own.
func (v *View) Owned() uint32 { return uint32(v.own) }

// OwnSet is the i-th of the owned sets.
func (v *View) OwnSet(i uint32) *Set { return v.sets.Get(i) }

// SetOf is the brand's own set; nil where its rows are in the pool.
func (v *View) SetOf(dense uint32) *Set {
	if i := v.index.Get(dense); i != 0 {
		return v.sets.Get(i - 1)
	}
	return nil
}

// Each calls f with the sets that hold the brand's rows; small says that the set
// is the rest and only one brand's rows are meant.
func (v *View) Each(dense uint32, f func(s *Set, small bool)) {
	if dense != EveryBrand {
		if s := v.SetOf(dense); s != nil {
			f(s, false)
		} else {
			f(v.Rest, true)
		}
		return
	}
	for i := range v.Owned() {
		if s := v.OwnSet(i); s.Dense != Visits {
			f(s, false)
		}
	}
	f(v.Rest, false)
}

// RowsIn is how many rows a question about the brand has to read: those in the range
// that count, or of cold sets a few more. It is for refusing what is too
// large: two binary searches a chunk, and a look at the tail.
func (v *View) RowsIn(dense uint32, r domain.Range) (rows uint64) {
	if r.From >= r.To {
		return 0
	}
	v.Each(dense, func(s *Set, small bool) {
		if s.Cold {
			rows += s.Outline.Most(r)
			return
		}
		for _, run := range s.Runs {
			if run.Chunk.Max >= r.From && run.Chunk.Min < r.To {
				rows += run.rowsIn(dense, small, r)
			}
		}
		t := s.TailAt(v.Seq)
		for i := t.Skip(r.From); i < len(t.Rows); i++ {
			if t.Rows[i].Time-r.From < r.To-r.From && (!small || t.Brands[i] == dense) && !t.Deleted.Has(i) {
				rows++
			}
		}
	})
	return rows
}

// rowsIn is how many living rows are in the range, of one brand if small.
func (r Run) rowsIn(dense uint32, small bool, in domain.Range) (rows uint64) {
	if !small {
		lo, hi := r.Chunk.Cut(in.From, in.To)
		return uint64(hi - lo - r.Deleted.CountIn(lo, hi))
	}
	for _, p := range r.Chunk.Of(dense) {
		rows += uint64(bitset.Bit(r.Chunk.Time[p]-in.From < in.To-in.From && !r.Deleted.Has(int(p))))
	}
	return rows
}

// Counted is as whose the rows of an ordinal count; nil: as its own.
func (v *View) Counted(ord domain.Ordinal) *Counted { return v.counting.Of(ord) }

// Shadows are the ordinals whose rows count as a member's own, beside them.
func (v *View) Shadows(ord domain.Ordinal) []domain.Ordinal {
	if c := v.Counted(ord); c != nil {
		return c.Shadows
	}
	return nil
}

// Hidden reports that the rows of an ordinal count nowhere: the member is merged into another.
func (v *View) Hidden(ord domain.Ordinal) bool {
	c := v.Counted(ord)
	return c != nil && c.Hidden
}
