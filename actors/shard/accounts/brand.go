package accounts

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// brandChild is the actor of one brand with columns of its own, or of the rest of an account's brands.
// Package brand/rows has the columns.
type brandChild struct {
	columns *rows.Columns
	child   children.Child
	more    newRows
	append  children.Do // appends more
	fed     time.Time   // when rows last came
}

// newRows are new rows of a brand, in order of sequence.
type newRows struct {
	dense uint32
	rows  []domain.Row
}

// newBrandChild is the actor of columns, not yet spawned.
func newBrandChild(c *rows.Columns) *brandChild {
	k := &brandChild{columns: c}
	k.append.F = func() { k.columns.Append(k.more.dense, k.more.rows) }
	return k
}

// bucket is a brand's new rows of a micro-batch.
type bucket struct {
	dense uint32
	rows  []domain.Row
	child *brandChild // that took the last rows
}

// brandOf is the actor of the columns that the brand's rows are in, or one that finds them.
func (s *Accounts) brandOf(a *Account, dense uint32) *brandChild {
	c := a.table.Target(dense)
	k := a.brands[c]
	if k == nil && c.Cold() { // the rest's actor finds them: nothing is kept that needs one
		c = a.table.Rest()
		k = a.brands[c]
	}
	if k == nil {
		k = newBrandChild(c)
		s.children.Spawn(&k.child)
		a.brands[c] = k
	}
	return k
}

// flushRows has the actor of each filled bucket's brand append its rows.
func (s *Accounts) flushRows(a *Account) {
	for _, b := range a.filled {
		if b.child == nil || b.child.columns != a.table.Target(b.dense) {
			b.child = s.brandOf(a, b.dense)
		}
	}
	for _, b := range a.filled {
		k := b.child
		k.fed = s.published
		k.more = newRows{b.dense, b.rows}
		k.child.Do(&k.append)
		k.more.rows, b.rows = nil, b.rows[:0]
	}
	a.filled = a.filled[:0]
	if len(a.buckets) > maxBuckets {
		clear(a.buckets)
	}
}

// maxBuckets bounds the buckets that are kept for the next micro-batch.
const maxBuckets = 4096
