package rows

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// storedRows is what a store has of a brand, beside as whose it counts.
type storedRows struct {
	*Table
	rows    []domain.Row
	as      map[domain.Ordinal]domain.Ordinal
	hidden  map[domain.Ordinal]bool
	covered map[uint64]bool
}

// counted is the model's count.
func (s *storedRows) counted() (n domain.Count) {
	members := map[domain.Ordinal]bool{}
	for _, r := range s.rows {
		if s.hidden[r.Ord] || s.covered[r.Seq] {
			continue
		}
		of, shadow := s.as[r.Ord]
		if !shadow {
			of = r.Ord
		}
		members[of] = true
		n.Actions++
	}
	n.Members = uint64(len(members))
	return n
}

// count says as whose an ordinal's rows count, as the writer does.
func (s *storedRows) count(ord domain.Ordinal, c Counted) {
	var of []domain.Row
	for _, r := range s.rows {
		if r.Ord == ord {
			if was := r; s.Counting().Holds(&was) {
				s.Remove(5, &was)
			}
			of = append(of, r)
		}
	}
	s.Counting().Set(ord, c)
	var back []domain.Row
	for _, r := range of {
		if s.Counting().Holds(&r) {
			back = append(back, r)
		}
	}
	if len(back) > 0 {
		s.Target(5).Return(5, back)
	}
}

// Rows count as those of the member that their ordinal stands for, or nowhere, in memory and from
// disk, wherever brands are evicted and read again in between.
func TestCounting_RowsCountAsIsSaid(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	s := &storedRows{
		Table: NewTable(Options{Promote: 40, TailMin: 4, TailMax: 16, FanIn: 3}),
		as:    map[domain.Ordinal]domain.Ordinal{}, hidden: map[domain.Ordinal]bool{}, covered: map[uint64]bool{},
	}
	var reload *Reload
	var read []domain.Row // of the reload
	for step := range 3000 {
		ord := domain.Ordinal(rnd.IntN(12))
		switch rnd.IntN(8) {
		case 0, 1, 2:
			r := rowsOf(1, uint64(step+1))[0]
			r.Ord, r.Time = ord, testTime+rnd.Uint32N(9000)
			s.rows = append(s.rows, r)
			if s.Counting().Holds(&r) {
				s.Append(5, []domain.Row{r})
			}
		case 3:
			s.hidden[ord] = !s.hidden[ord]
		case 4:
			if s.as[ord] = ord; ord > 6 && rnd.IntN(2) == 0 {
				s.as[ord] = domain.Ordinal(rnd.IntN(6))
			}
		case 5:
			if len(s.rows) > 0 {
				r := s.rows[rnd.IntN(len(s.rows))]
				ord, s.covered[r.Seq] = r.Ord, !s.covered[r.Seq]
			}
		case 6:
			s.Evict(5)
			reload = nil
		case 7:
			if s.Commit(nil); reload == nil {
				if reload = s.Reload(5); reload != nil {
					read = slices.Clone(s.rows)
				}
			} else {
				reload.Add(read)
				s.Restore(reload)
				reload = nil
			}
		}
		as, shadow := s.as[ord]
		if !shadow {
			as = ord
		}
		c := Counted{As: as, Hidden: s.hidden[ord]}
		for _, r := range s.rows {
			if r.Ord == ord && s.covered[r.Seq] {
				c.Covered = append(c.Covered, r.Seq)
			}
		}
		s.count(ord, c)
		s.check(t, step)
	}
}

// check compares the next view with the model.
func (s *storedRows) check(t *testing.T, step int) {
	t.Helper()
	s.Settle()
	v := s.Commit(nil)
	got := countOf(v, 5)
	if len(v.Cold(5)) > 0 {
		got = domain.Count{}
		members := map[domain.Ordinal]bool{}
		for _, r := range s.rows {
			if v.Holds(&r) {
				got.Actions++
				members[r.Ord] = true
			}
		}
		got.Members = uint64(len(members))
	}
	if copies := copiesOf(v, 5); len(v.Cold(5)) == 0 && copies != s.copies() {
		t.Fatalf("step %d: %d copies, want %d", step, copies, s.copies())
	}
	want := s.counted()
	if got != want || s.Target(5) != s.Rest() && uint64(s.Target(5).Rows()) != want.Actions {
		t.Fatalf("step %d: %+v, want %+v, of %d rows in %d", step, got, want, len(s.rows), s.Target(5).Rows())
	}
}

// copies is the model's count of rows that count as another ordinal's.
func (s *storedRows) copies() (n int) {
	for _, r := range s.rows {
		if as, shadow := s.as[r.Ord]; shadow && as != r.Ord && !s.hidden[r.Ord] && !s.covered[r.Seq] {
			n++
		}
	}
	return n
}

// copiesOf is how many rows of a brand have the kind of a copy.
func copiesOf(v *View, dense uint32) (n int) {
	v.Each(dense, func(s *Set, small bool) {
		for _, r := range s.Runs {
			c := r.Chunk
			for i := range c.Rows() {
				if !r.Deleted.Has(i) && (!small || c.Brands[c.BrandOf[i]] == dense) && v.Kinds[c.Dict[c.Kind[i]]].Copied {
					n++
				}
			}
		}
		tail := s.TailAt(v.Seq)
		for i := range tail.Rows {
			if !tail.Deleted.Has(i) && (!small || tail.Brands[i] == dense) && v.Kinds[tail.Rows[i].Kind].Copied {
				n++
			}
		}
	})
	return n
}
