package actors

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
	"github.com/ovation-analytics/ovation/actors/member"
)

// shardView is a shard as of one commit: any goroutine may read it between acquire
// and release (I7). It holds a snapshot of the store, which pins what compaction
// would drop, so a view is not kept long.
type shardView struct {
	refs     atomic.Int64
	open     *sync.WaitGroup // the shard's: one for each view that is not closed
	next     int64           // offset after the last record in it
	version  uint64
	stamps   *stamps
	accounts cow.Array[*accountView]
	roster   *member.Roster
	snapshot Snapshot
}

type accountView struct {
	crowd  *member.Crowd
	rows   *brand.View
	heat   *heat
	stamps *accountStamps
}

// acquireView takes the newest view; nil when the shard has none. Release it.
func (s *shardShared) acquireView() *shardView {
	for {
		v := s.view.Load()
		if v == nil {
			return nil
		}
		for n := v.refs.Load(); n > 0; n = v.refs.Load() {
			if v.refs.CompareAndSwap(n, n+1) {
				return v
			}
		}
	}
}

// release gives the view back; the last one closes its snapshot.
func (v *shardView) release() {
	if v.refs.Add(-1) == 0 {
		_ = v.snapshot.Close()
		v.open.Done()
	}
}

// viewWriter makes views: it belongs to the shard.
type viewWriter struct {
	epoch    uint64
	version  uint64 // of the coming commit; it counts on over the shard's restarts
	stamps   *stamps
	accounts cow.Array[*accountView]
	touched  map[domain.AccountID]*account
	ends     []endMark
	at       time.Time // of the snapshot
}

// endMark is a log end and when it was seen.
type endMark struct {
	end int64
	at  time.Time
}

func newViewWriter(version uint64) viewWriter {
	return viewWriter{epoch: 1, version: version, stamps: &stamps{base: version}, touched: map[domain.AccountID]*account{}}
}

// touch has the next commit publish the account.
func (w *viewWriter) touch(id domain.AccountID, a *account) {
	if !a.dirty {
		a.dirty = true
		w.touched[id] = a
	}
}

// seen notes the log's end as a page showed it.
func (w *viewWriter) seen(end int64, at time.Time) {
	if n := len(w.ends); n > 0 && w.ends[n-1].end == end {
		w.ends[n-1].at = at
		return
	}
	w.ends = append(w.ends, endMark{end, at})
}

// publish swaps in the view of a commit. What only appended copies nothing.
func (w *viewWriter) publish(s *shardShared, state *domain.ShardState, roster *member.Roster, snapshot Snapshot) {
	for id, a := range w.touched {
		a.dirty = false
		w.accounts.Set(uint32(id), &accountView{a.audience.Commit(), a.table.Commit(nil), a.heat, a.stamps}, w.epoch)
	}
	clear(w.touched)
	w.epoch++
	v := &shardView{next: state.Next, version: w.version, stamps: w.stamps, accounts: w.accounts, roster: roster, snapshot: snapshot}
	w.version++
	w.swap(s, v)
	w.fresh(s, state.Next)
}

// renew swaps in the same view on a newer snapshot of the same commit.
func (w *viewWriter) renew(s *shardShared, snapshot Snapshot) {
	v := s.view.Load()
	w.swap(s, &shardView{next: v.next, version: v.version, stamps: v.stamps, accounts: v.accounts, roster: v.roster, snapshot: snapshot})
}

func (w *viewWriter) swap(s *shardShared, v *shardView) {
	w.at = time.Now()
	v.refs.Store(1)
	v.open = &s.open
	s.open.Add(1)
	if old := s.view.Swap(v); old != nil {
		old.release()
	}
}

// fresh moves the moment up to which everything is applied.
func (w *viewWriter) fresh(s *shardShared, next int64) {
	n := 0
	for n < len(w.ends) && w.ends[n].end <= next {
		s.fresh.Applied(w.ends[n].end, next, w.ends[n].at)
		n++
	}
	w.ends = append(w.ends[:0], w.ends[n:]...)
}

// retract takes the view away from readers: the shard stops.
func (w *viewWriter) retract(s *shardShared) {
	if old := s.view.Swap(nil); old != nil {
		old.release()
	}
}
