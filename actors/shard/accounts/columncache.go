package accounts

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Columns are kept in memory under one budget. A brand that was not asked about lately
// is cold: its rows are on disk only, and a question about it is answered from there. That
// question brings it back where there is room, or, if it was asked about before, in the place
// of those not asked about since: a round of questions about more than fits evicts nothing.
// Rows that come for it change nothing: they need no columns.

// columnCache keeps the columns of a shard within its part of the budget. It is owned by the
// shard.
type columnCache struct {
	budget   *atomic.Int64 // bytes, over all shards; 0: no bound
	shards   int64
	checks   int // commits until the next look
	accounts *Accounts
	stats    *Stats
}

// limit is how many bytes the shard's columns may take; 0: no bound.
func (c *columnCache) limit() int { return int(c.budget.Load() / c.shards) }

// LookEveryCommits is how many commits may pass between looks at the budget: one
// commit adds little.
const LookEveryCommits = 64

// committed evicts what no longer fits, now and then.
func (c *columnCache) committed() {
	if c.checks--; c.checks > 0 {
		return
	}
	c.checks = LookEveryCommits
	c.fit()
}

// fit evicts what was least lately asked about until the columns fit.
func (c *columnCache) fit() { c.evict(c.bytes()) }

// bytes is what the columns take.
func (c *columnCache) bytes() (n int) {
	for _, a := range c.accounts.byID {
		a.tables(func(t *rows.Table) { n += t.Bytes() })
	}
	c.stats.Columns.Store(int64(n))
	return n
}

type candidate struct {
	id      domain.AccountID
	account *Account
	table   *rows.Table
	columns *rows.Columns
	asked   time.Time // zero: never
	fed     time.Time
}

// before orders brands as they are evicted: what was asked about stays, then what is fed; of
// the others the smallest is read from disk at the least cost.
func (c *candidate) before(o *candidate) int {
	return cmp.Or(c.asked.Compare(o.asked), c.fed.Compare(o.fed), cmp.Compare(c.columns.Bytes(), o.columns.Bytes()))
}

// candidates are the brands that may be evicted, in the order in which they are.
func (c *columnCache) candidates() (all []candidate) {
	for id, a := range c.accounts.byID {
		a.tables(func(t *rows.Table) {
			t.Own(func(of *rows.Columns) {
				if dense, _, _ := of.Brand(); !of.Cold() {
					one := candidate{id: id, account: a, table: t, columns: of, asked: a.access.Of(dense).Last}
					if k := a.brands[of]; k != nil {
						one.fed = k.fed
					}
					all = append(all, one)
				}
			})
		})
	}
	slices.SortFunc(all, func(a, b candidate) int { return a.before(&b) })
	return all
}

// evict drops columns until no more than nine tenths of the limit are held.
func (c *columnCache) evict(held int) {
	limit := c.limit()
	if limit == 0 || held <= limit {
		return
	}
	held -= c.coarsen(limit / 3)
	held -= c.evictSmall(limit*3/4 - c.outlines())
	for _, one := range c.candidates() {
		if held <= limit*9/10 {
			break
		}
		held -= c.drop(&one)
	}
	c.stats.Columns.Store(int64(held))
}

// coarsen forgets when rows on disk were made, the more exact the more often, until what is known of it
// takes no more than a limit, and gives how many bytes that freed.
func (c *columnCache) coarsen(limit int) (freed int) {
	before := c.outlines()
	for now, more := before, true; now > limit && more; now = c.outlines() {
		more = false
		for id, a := range c.accounts.byID {
			a.tables(func(t *rows.Table) {
				if t.Coarsen() {
					more = true
					c.accounts.touch(id, a)
				}
			})
		}
	}
	return before - c.outlines()
}

// outlines is what is known of when rows on disk were made, in bytes.
func (c *columnCache) outlines() (n int) {
	for _, a := range c.accounts.byID {
		a.tables(func(t *rows.Table) { t.Own(func(of *rows.Columns) { n += of.OutlineBytes() }) })
	}
	return n
}

// minSmall is how few rows of a brand in the rest are not worth to be evicted.
const minSmall = 64

// small is a brand of the rest.
type small struct {
	rows.Cold
	rows  int
	asked time.Time // zero: never
}

// evictSmall evicts brands of the rests where these take more than a limit, until no more
// than three quarters of it are held, and gives how many bytes that freed: what was asked
// about stays, then what has few rows.
func (c *columnCache) evictSmall(limit int) (freed int) {
	rests := 0
	for _, a := range c.accounts.byID {
		a.tables(func(t *rows.Table) { rests += t.Rest().Bytes() })
	}
	if rests <= limit {
		return 0
	}
	for id, a := range c.accounts.byID {
		a.tables(func(t *rows.Table) {
			before := t.Bytes()
			rest := t.Rest()
			stay := int(float64(rest.Rows()) * float64(limit) * 3 / 4 / float64(rests))
			if out := c.leaving(id, a, t, rest.Rows()-stay); len(out) > 0 {
				t.EvictSmall(out)
				c.stats.Evicted.Add(int64(len(out)))
				c.accounts.touch(id, a)
				freed += before - t.Bytes()
			}
		})
	}
	return freed
}

// leaving are the brands of a rest of an account that are evicted to be rid of so many rows.
func (c *columnCache) leaving(id domain.AccountID, a *Account, of *rows.Table, excess int) (out []rows.Cold) {
	var all []small
	ids := c.accounts.brands.BrandIDs(id)
	of.Small(func(dense uint32, n int) {
		if n >= minSmall && int(dense) <= len(ids) {
			all = append(all, small{rows.Cold{Dense: dense, Brand: ids[dense-1]}, n, a.access.Of(dense).Last})
		}
	})
	slices.SortFunc(all, func(a, b small) int { return cmp.Or(a.asked.Compare(b.asked), cmp.Compare(b.rows, a.rows)) })
	for i := 0; i < len(all) && excess > 0; i++ {
		out = append(out, all[i].Cold)
		excess -= all[i].rows
	}
	slices.SortFunc(out, func(a, b rows.Cold) int { return cmp.Compare(a.Dense, b.Dense) }) // as they are read
	return out
}

// drop evicts one and gives how many bytes that freed.
func (c *columnCache) drop(one *candidate) int {
	bytes := one.columns.Bytes()
	if dense, _, _ := one.columns.Brand(); !one.table.Evict(dense) {
		return 0
	}
	c.stats.Evicted.Add(1)
	c.accounts.touch(one.id, one.account)
	return bytes - one.columns.Bytes()
}

// makeRoom evicts brands not asked about since a moment until there is room for so many
// bytes more, or none where that is not enough.
func (c *columnCache) makeRoom(bytes int, since time.Time) bool {
	limit := c.limit()
	held := c.bytes()
	if limit == 0 || held+bytes <= limit {
		return true
	}
	need := held + bytes - limit
	var out []candidate
	for _, one := range c.candidates() {
		if need <= 0 || !one.asked.Before(since) {
			break
		}
		out, need = append(out, one), need-one.columns.Bytes()
	}
	if need > 0 {
		return false
	}
	for i := range out {
		c.drop(&out[i])
	}
	c.bytes()
	return true
}
