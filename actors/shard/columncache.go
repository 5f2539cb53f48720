package shard

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Columns are kept in memory under one budget. A brand that was not asked about lately
// is cold: its rows are on disk only, and a question about it is answered from there. That
// question brings it back where there is room, or, if it was asked about before, in the place
// of those not asked about since: a round of questions about more than fits evicts nothing.
// Rows that come for it change nothing: they need no columns.

type (
	// Warm asks for a cold brand that a question met.
	Warm struct {
		Account domain.AccountID
		Dense   uint32
	}
	// KeepLess tells a shard that its columns take more than they may: one in which nothing
	// happens would not look.
	KeepLess struct{}
	// warmed is a cold brand's rows, read.
	warmed struct {
		account domain.AccountID
		dense   uint32
		reload  *rows.Reload
		err     error
	}
)

// resident is the shard's part of the budget.
type resident struct {
	most   *atomic.Int64 // bytes, over all shards; 0: no bound
	shards int64
	checks int // commits until the next look
}

// limit is how many bytes the shard's columns may take; 0: no bound.
func (r *resident) limit() int { return int(r.most.Load() / r.shards) }

// LookEveryCommits is how many commits may pass between looks at the budget: one
// commit adds little.
const LookEveryCommits = 64

// budget evicts what was least lately asked about until the columns fit.
func (s *shard) budget() {
	r := &s.resident
	if r.checks--; r.checks > 0 {
		return
	}
	r.checks = LookEveryCommits
	s.evict(s.columnBytes())
}

func (s *shard) columnBytes() (n int) {
	for _, a := range s.accounts {
		n += a.table.Bytes()
	}
	s.env.Handle.Stats.Columns.Store(int64(n))
	return n
}

type candidate struct {
	id      domain.AccountID
	account *account
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
func (s *shard) candidates() (all []candidate) {
	for id, a := range s.accounts {
		a.table.Own(func(c *rows.Columns) {
			if dense, _, _ := c.Brand(); !c.Cold() {
				one := candidate{id: id, account: a, columns: c, asked: a.access.Of(dense).Last}
				if k := a.brands[c]; k != nil {
					one.fed = k.fed
				}
				all = append(all, one)
			}
		})
	}
	slices.SortFunc(all, func(a, b candidate) int { return a.before(&b) })
	return all
}

// evict drops columns until no more than nine tenths of the limit are held.
func (s *shard) evict(held int) {
	limit := s.resident.limit()
	if limit == 0 || held <= limit {
		return
	}
	held -= s.evictSmall(limit * 3 / 4)
	for _, c := range s.candidates() {
		if held <= limit*9/10 {
			break
		}
		held -= s.drop(&c)
	}
	s.env.Handle.Stats.Columns.Store(int64(held))
}

// smallLeast is how few rows of a brand in the rest are not worth to be evicted.
const smallLeast = 64

// small is a brand of the rest.
type small struct {
	rows.Cold
	rows  int
	asked time.Time // zero: never
}

// evictSmall evicts brands of the rests where these take more than a limit, until no more
// than three quarters of it are held, and gives how many bytes that freed: what was asked
// about stays, then what has few rows.
func (s *shard) evictSmall(limit int) (freed int) {
	rests := 0
	for _, a := range s.accounts {
		rests += a.table.Rest().Bytes()
	}
	if rests <= limit {
		return 0
	}
	for id, a := range s.accounts {
		before := a.table.Bytes()
		rest := a.table.Rest()
		stay := int(float64(rest.Rows()) * float64(limit) * 3 / 4 / float64(rests))
		if out := s.leaving(id, a, rest.Rows()-stay); len(out) > 0 {
			a.table.EvictSmall(out)
			s.env.Handle.Stats.Evicted.Add(int64(len(out)))
			s.views.touch(id, a)
			freed += before - a.table.Bytes()
		}
	}
	return freed
}

// leaving are the brands of an account's rest that are evicted to be rid of so many rows.
func (s *shard) leaving(id domain.AccountID, a *account, excess int) (out []rows.Cold) {
	var all []small
	ids := s.env.Catalog.View().BrandIDs(id)
	a.table.Small(func(dense uint32, n int) {
		if n >= smallLeast && int(dense) <= len(ids) {
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
func (s *shard) drop(c *candidate) int {
	bytes := c.columns.Bytes()
	if dense, _, _ := c.columns.Brand(); !c.account.table.Evict(dense) {
		return 0
	}
	s.env.Handle.Stats.Evicted.Add(1)
	s.views.touch(c.id, c.account)
	return bytes - c.columns.Bytes()
}

// keepLess evicts at once what no longer fits, and publishes views without it.
func (s *shard) keepLess(ctx actor.Context) {
	s.evict(s.columnBytes())
	if len(s.views.touched) == 0 {
		return
	}
	if err := s.commit(ctx); err != nil {
		s.failed(ctx, err)
	}
}

// makeRoom evicts brands not asked about since a moment until there is room for so many
// bytes more, or none where that is not enough.
func (s *shard) makeRoom(bytes int, since time.Time) bool {
	limit := s.resident.limit()
	held := s.columnBytes()
	if limit == 0 || held+bytes <= limit {
		return true
	}
	need := held + bytes - limit
	var out []candidate
	for _, c := range s.candidates() {
		if need <= 0 || !c.asked.Before(since) {
			break
		}
		out, need = append(out, c), need-c.columns.Bytes()
	}
	if need > 0 {
		return false
	}
	for i := range out {
		s.drop(&out[i])
	}
	s.columnBytes()
	return true
}

// bytesPerRow is about what a resident row takes.
const bytesPerRow = 18

// warm brings a cold brand back, if there is room or others were not asked about since it
// was the time before. It is read from the snapshot of a commit, on a goroutine of its own.
func (s *shard) warm(ctx actor.Context, m *Warm) {
	a := s.accounts[m.Account]
	if a == nil {
		return
	}
	c := a.table.Target(m.Dense)
	if _, _, own := c.Brand(); !own || !c.Cold() || !s.makeRoom(bytesPerRow*c.Rows(), a.access.Of(m.Dense).Before) {
		return
	}
	if err := s.commit(ctx); err != nil {
		s.failed(ctx, err)
		return
	}
	reload := a.table.Reload(m.Dense)
	v := s.env.Handle.View.Acquire()
	if reload == nil || v == nil {
		if v != nil {
			v.Release()
		}
		return
	}
	_, id, _ := c.Brand()
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go func() {
		defer v.Release()
		err := v.Snapshot.Rows(m.Account, id, domain.Range{To: 1<<32 - 1}, func(rows []domain.Row) error {
			reload.Add(rows)
			return nil
		})
		root.Send(self, &warmed{m.Account, m.Dense, reload, err})
	}()
}

// warmed puts a brand's rows in.
func (s *shard) warmed(m *warmed) {
	a := s.accounts[m.account]
	if a == nil {
		return
	}
	if m.err != nil {
		a.table.Abandon(m.reload)
		s.env.Log.Warn("a cold brand cannot be read", "shard", s.env.ID, "err", m.err)
		return
	}
	if a.table.Restore(m.reload) {
		s.views.touch(m.account, a)
	}
}
