package actors

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Columns are kept in memory under one budget. A brand that was not asked about lately
// is cold: its rows are on disk only, and a question about it is answered from there;
// that question brings it back if there is room. Rows that come for it change nothing:
// they need no columns.

// heat is when the brands of an account were last asked about. Any goroutine.
type heat struct{ asked sync.Map } // dense number → time.Time

func (h *heat) ask(dense uint32, at time.Time) { h.asked.Store(dense, at) }

func (h *heat) last(dense uint32) time.Time {
	if at, ok := h.asked.Load(dense); ok {
		return at.(time.Time)
	}
	return time.Time{}
}

type (
	// warm asks for a cold brand that a question met.
	warm struct {
		account domain.AccountID
		dense   uint32
	}
	// warmed is a cold brand's rows, read.
	warmed struct {
		account domain.AccountID
		dense   uint32
		reload  *brand.Reload
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

// KeepResident says anew how much memory columns may take, over all shards; 0: no bound.
// A shard heeds it within lookEveryCommits commits.
func (n *Node) KeepResident(bytes int64) { n.resident.Store(bytes) }

// Resident is how much they take, each shard's as of when it looked last.
func (n *Node) Resident() (bytes int64) {
	for _, s := range n.shared {
		bytes += s.stats.columns.Load()
	}
	return bytes
}

// lookEveryCommits is how many commits may pass between looks at the budget: one
// commit adds little.
const lookEveryCommits = 64

// budget evicts what was least lately asked about until the columns fit.
func (s *shard) budget() {
	r := &s.resident
	if r.checks--; r.checks > 0 {
		return
	}
	r.checks = lookEveryCommits
	s.evict(s.columnBytes())
}

func (s *shard) columnBytes() (n int) {
	for _, a := range s.accounts {
		n += a.table.Bytes()
	}
	s.env.shared.stats.columns.Store(int64(n))
	return n
}

type candidate struct {
	id      domain.AccountID
	account *account
	columns *brand.Columns
	asked   time.Time // zero: never
	fed     time.Time
}

// before orders brands as they are evicted: what was asked about stays, then what is
// alive; of the others the largest goes.
func (c *candidate) before(o *candidate) int {
	return cmp.Or(c.asked.Compare(o.asked), c.fed.Compare(o.fed), cmp.Compare(o.columns.Bytes(), c.columns.Bytes()))
}

func (s *shard) evict(held int) {
	limit := s.resident.limit()
	if limit == 0 || held <= limit {
		return
	}
	var all []candidate
	for id, a := range s.accounts {
		a.table.Own(func(c *brand.Columns) {
			if dense, _, _ := c.Brand(); !c.Cold() {
				one := candidate{id: id, account: a, columns: c, asked: a.heat.last(dense)}
				if k := a.brands[c]; k != nil {
					one.fed = k.fed
				}
				all = append(all, one)
			}
		})
	}
	slices.SortFunc(all, func(a, b candidate) int { return a.before(&b) })
	for _, c := range all {
		if held <= limit*9/10 {
			break
		}
		bytes := c.columns.Bytes()
		if dense, _, _ := c.columns.Brand(); c.account.table.Evict(dense) {
			held -= bytes - c.columns.Bytes()
			s.env.shared.stats.evicted.Add(1)
			s.views.touch(c.id, c.account)
		}
	}
	s.env.shared.stats.columns.Store(int64(held))
}

// bytesPerRow is about what a resident row takes.
const bytesPerRow = 18

// warm brings a cold brand back, if that needs no other to go. It is read from the
// snapshot of a commit, on a goroutine of its own.
func (s *shard) warm(ctx actor.Context, m *warm) {
	a := s.accounts[m.account]
	if a == nil {
		return
	}
	c, limit := a.table.Target(m.dense), s.resident.limit()
	if _, _, own := c.Brand(); !own || !c.Cold() || limit > 0 && s.columnBytes()+bytesPerRow*c.Rows() > limit {
		return
	}
	if err := s.commit(ctx); err != nil {
		s.failed(ctx, err)
		return
	}
	reload := a.table.Reload(m.dense)
	v := s.env.shared.acquireView()
	if reload == nil || v == nil {
		if v != nil {
			v.release()
		}
		return
	}
	_, id, _ := c.Brand()
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go func() {
		defer v.release()
		err := v.snapshot.Rows(m.account, id, domain.Range{To: 1<<32 - 1}, func(rows []domain.Row) error {
			reload.Add(rows)
			return nil
		})
		root.Send(self, &warmed{m.account, m.dense, reload, err})
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
		s.env.log.Warn("a cold brand cannot be read", "shard", s.env.id, "err", m.err)
		return
	}
	if a.table.Restore(m.reload) {
		s.views.touch(m.account, a)
	}
}
