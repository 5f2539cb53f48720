package rows

import (
	"sort"
	"sync/atomic"
)

// TailRow is a row in order of arrival. high is the greatest time up to here, so
// that a scan knows what it can leave out, and low the least, so that a count knows
// that it can leave out all.
type TailRow struct {
	Seq                   uint64
	Time, Ord, High, Kind uint32
	Low                   uint32
	Points                uint16
}

// tail is append-only: the writer fills rows beyond n and, at the commit, stores
// n. Readers look at no row beyond it.
type tail struct {
	rows  []TailRow
	brand []uint32 // of the pool: a column of its own, since a small brand's question reads only that
	n     atomic.Uint32

	disorder atomic.Bool // not every row's sequence is above that of the row before
}

func newTail(size int, rest bool) *tail {
	t := &tail{rows: make([]TailRow, size)}
	if rest {
		t.brand = make([]uint32, size)
	}
	return t
}

// grown is a copy with room for size rows.
func (t *tail) grown(size int) *tail {
	g := newTail(size, t.brand != nil)
	copy(g.rows, t.rows)
	copy(g.brand, t.brand)
	g.disorder.Store(t.disorder.Load())
	return g
}

func (t *tail) bytes() int {
	if t == nil {
		return 0
	}
	return 32*len(t.rows) + 4*len(t.brand) + 64
}

// Tail is a tail as a view sees it.
type Tail struct {
	Rows    []TailRow
	Brands  []uint32   // nil: all of one brand
	Deleted *Deletions // nil: none

	disorder bool
}

// Skip is how many rows in front are all older than from.
func (p *Tail) Skip(from uint32) int {
	if len(p.Rows) == 0 || p.Rows[0].High >= from {
		return 0
	}
	return sort.Search(len(p.Rows), func(i int) bool { return p.Rows[i].High >= from })
}

// Above is the first row that may have a sequence above seq.
func (p *Tail) Above(seq uint64) int {
	if p.disorder {
		return 0
	}
	return sort.Search(len(p.Rows), func(i int) bool { return p.Rows[i].Seq > seq })
}
