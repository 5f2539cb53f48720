package rows

import (
	"slices"
	"sort"

	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Run is a chunk and which of its rows are deleted.
type Run struct {
	Chunk   *Chunk
	Deleted *Deletions
}

// Living is the number of rows that count.
func (r Run) Living() int { return r.Chunk.Rows() - r.Deleted.Count() }

// Set is the structure of one brand's rows, or of the pool's. It is immutable once
// its epoch is committed.
type Set struct {
	Runs        []Run
	tail        *tail // nil: no row yet
	tailDeleted *Deletions
	Dense       uint32          // of an own set
	ID          domain.BrandID  // of an own set: its label
	Cold        bool            // the rows are on disk only; what a tail holds is not for readers yet
	Outline     outline.Outline // of a cold set: when its rows were made
	epoch       uint64
}

// TailAt is the part of the tail with sequences ≤ seq.
func (s *Set) TailAt(seq uint64) Tail {
	if s.Cold || s.tail == nil {
		return Tail{}
	}
	n := int(s.tail.n.Load())
	rows := s.tail.rows[:n]
	if n > 0 && rows[n-1].Seq > seq {
		n = sort.Search(n, func(i int) bool { return rows[i].Seq > seq })
	}
	p := Tail{Rows: rows[:n], disorder: s.tail.disorder.Load()}
	if s.tail.brand != nil {
		p.Brands = s.tail.brand[:n]
	}
	if s.tailDeleted.Count() > 0 {
		p.Deleted = s.tailDeleted
	}
	return p
}

// private is a copy to be changed in this epoch.
func (s *Set) private(epoch uint64) *Set {
	p := *s
	p.Runs = append(make([]Run, 0, len(s.Runs)+1), s.Runs...)
	p.epoch = epoch
	return &p
}

// placeOf is where the run of chunk c is, −1 when it is gone.
func (s *Set) placeOf(c *Chunk) int {
	return slices.IndexFunc(s.Runs, func(r Run) bool { return r.Chunk == c })
}

// delete marks the row with this time and sequence in the runs. brand is checked in
// chunks of the pool.
func (s *Set) delete(dense, time uint32, seq uint64, epoch uint64) bool {
	for k := range s.Runs {
		r := &s.Runs[k]
		i := r.Chunk.find(time, seq)
		if i < 0 || r.Deleted.Has(i) || r.Chunk.Brands != nil && r.Chunk.Brands[r.Chunk.BrandOf[i]] != dense {
			continue
		}
		r.Deleted = r.Deleted.with(i, r.Chunk.Rows(), epoch)
		return true
	}
	return false
}

func (s *Set) bytes() int {
	n := s.tail.bytes() + 160 + 16*cap(s.Runs)
	if s.tailDeleted != nil {
		n += 8 * len(s.tailDeleted.Bits)
	}
	for _, r := range s.Runs {
		n += r.Chunk.bytes()
		if r.Deleted != nil {
			n += 8*len(r.Deleted.Bits) + 48
		}
	}
	return n
}
