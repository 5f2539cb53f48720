package view

import (
	"sync"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/broadcast"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
	"github.com/ovation-analytics/ovation/actors/member"
)

// View is a shard as of one commit: any goroutine may read it between Acquire and Release
// (I7). It holds a snapshot of the store, which pins what compaction would drop, so a view
// is not kept long.
type View struct {
	Next     int64 // offset after the last record in it
	Version  uint64
	Roster   *member.Roster
	Snapshot Snapshot
	// Handovers are the shard's with others, by shard.
	Handovers []domain.Handover

	refs     atomic.Int64
	open     *sync.WaitGroup // the holder's: one for each view that is not closed
	versions *Versions
	accounts cow.Array[*Account]
}

// Account is what a view has of an account.
type Account struct {
	Members  *member.Index
	Rows     *rows.View
	Apart    *rows.View          // actions that were recorded here and count nowhere here; nil: there are none
	Noticed  uint64              // sequence of the last domain.Notice; 0: there was none
	Lists    Lists               // followed lists of segments
	Places   []domain.VisitPlace // of visits, by number; those of newer views follow them
	Full     bool                // there is no room for other places of visits: some may have lost theirs
	Access   *Access
	Versions *AccountVersions
}

// Account is an account that has a member in the shard; nil: it has none.
func (v *View) Account(id domain.AccountID) *Account { return v.accounts.Get(uint32(id)) }

// Since reports that the version is of this life of the shard, so that what changed after it
// is known. A nil view knows none.
func (v *View) Since(version uint64) bool { return v != nil && version >= v.versions.base }

// Versions are the shard's.
func (v *View) Versions() *Versions { return v.versions }

// Release gives the view back; the last one closes its snapshot.
func (v *View) Release() {
	if v.refs.Add(-1) == 0 {
		_ = v.Snapshot.Close()
		v.open.Done()
	}
}

// Holder has the newest view of a shard.
type Holder struct {
	current atomic.Pointer[View]
	open    sync.WaitGroup // views that are not closed
	changes broadcast.Signal
	Shared  *broadcast.Signal // wakes on a new view of any shard; set before the first view; nil: there are no others
}

// Acquire takes the newest view; nil where the shard has none. Release it.
func (h *Holder) Acquire() *View {
	for {
		v := h.current.Load()
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

// Peek is the newest view, of which only versions and handovers may be read; nil where there is none.
func (h *Holder) Peek() *View { return h.current.Load() }

// Wait returns when every view is released.
func (h *Holder) Wait() { h.open.Wait() }

// Retract takes the view away from readers: the shard stops.
func (h *Holder) Retract() {
	if old := h.current.Swap(nil); old != nil {
		old.Release()
	}
	h.wake()
}

func (h *Holder) swap(v *View) {
	v.refs.Store(1)
	v.open = &h.open
	h.open.Add(1)
	if old := h.current.Swap(v); old != nil {
		old.Release()
	}
	h.wake()
}
