package brand

import (
	"slices"
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// run is a chunk and which of its rows are dead.
type run struct {
	c    *chunk
	dead *dead
}

// living is the number of rows that count.
func (r run) living() int { return r.c.rows() - r.dead.count() }

// set is the structure of one brand's rows, or of the rest's. It is immutable once
// its epoch is committed.
type set struct {
	runs     []run
	tail     *tail // nil: no row yet
	tailDead *dead
	dense    uint32         // of an own set
	id       domain.BrandID // of an own set: its label
	cold     bool           // the rows are on disk only; what a tail holds is not for readers yet
	held     int            // of a cold set: its rows on disk
	epoch    uint64
}

// upto is the part of the tail with sequences ≤ seq.
func (s *set) upto(seq uint64) published {
	if s.cold || s.tail == nil {
		return published{}
	}
	n := int(s.tail.n.Load())
	rows := s.tail.rows[:n]
	if n > 0 && rows[n-1].seq > seq {
		n = sort.Search(n, func(i int) bool { return rows[i].seq > seq })
	}
	p := published{rows: rows[:n]}
	if s.tail.brand != nil {
		p.brand = s.tail.brand[:n]
	}
	if s.tailDead.count() > 0 {
		p.dead = s.tailDead
	}
	return p
}

// private is a copy to be changed in this epoch.
func (s *set) private(epoch uint64) *set {
	p := *s
	p.runs = append(make([]run, 0, len(s.runs)+1), s.runs...)
	p.epoch = epoch
	return &p
}

// place is where the run of chunk c stands, −1 when it does no more.
func (s *set) place(c *chunk) int {
	return slices.IndexFunc(s.runs, func(r run) bool { return r.c == c })
}

// kill marks the row with this time and sequence in the runs. brand is checked in
// chunks of the rest.
func (s *set) kill(dense, time uint32, seq uint64, epoch uint64) bool {
	for k := range s.runs {
		r := &s.runs[k]
		i := r.c.find(time, seq)
		if i < 0 || r.dead.has(i) || r.c.brands != nil && r.c.brands[r.c.place[i]] != dense {
			continue
		}
		r.dead = r.dead.with(i, r.c.rows(), epoch)
		return true
	}
	return false
}

func (s *set) bytes() int {
	n := s.tail.bytes() + 160 + 16*cap(s.runs)
	if s.tailDead != nil {
		n += 8 * len(s.tailDead.bits)
	}
	for _, r := range s.runs {
		n += r.c.bytes()
		if r.dead != nil {
			n += 8*len(r.dead.bits) + 48
		}
	}
	return n
}
