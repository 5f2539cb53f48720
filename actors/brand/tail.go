package brand

import (
	"sort"
	"sync/atomic"
)

// tailRow is a row in order of arrival. high is the greatest time up to here, so
// that a scan knows what it can leave out, and low the least, so that a count knows
// that it can leave out all.
type tailRow struct {
	seq                   uint64
	time, ord, high, kind uint32
	low                   uint32
	points                uint16
}

// tail is append-only: the writer fills rows beyond n and, at the commit, stores
// n. Readers look at no row beyond it.
type tail struct {
	rows  []tailRow
	brand []uint32 // of the rest: a column of its own, since a small brand's question reads only that
	n     atomic.Uint32
}

func newTail(size int, rest bool) *tail {
	t := &tail{rows: make([]tailRow, size)}
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
	return g
}

func (t *tail) bytes() int {
	if t == nil {
		return 0
	}
	return 32*len(t.rows) + 4*len(t.brand) + 64
}

// published is a tail as a view sees it.
type published struct {
	rows  []tailRow
	brand []uint32 // nil: all of one brand
	dead  *dead    // nil: none
}

// since is how many rows in front are all older than from.
func (p *published) since(from uint32) int {
	if len(p.rows) == 0 || p.rows[0].high >= from {
		return 0
	}
	return sort.Search(len(p.rows), func(i int) bool { return p.rows[i].high >= from })
}
