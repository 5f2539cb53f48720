package view

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
	"github.com/ovation-analytics/ovation/actors/member"
)

// Writer makes the views of a shard. It belongs to the shard's goroutine.
type Writer struct {
	Version  uint64 // of the coming commit; it counts on over the shard's restarts
	Versions *Versions

	holder   *Holder
	epoch    uint64
	accounts cow.Array[*Account]
	at       time.Time // of the snapshot
}

// NewWriter is one whose first commit has the version; readers keep so many bytes of records and
// contents.
func NewWriter(h *Holder, version uint64, cacheBytes int) Writer {
	versions := &Versions{base: version, cache: newRecordCache(cacheBytes)}
	return Writer{Version: version, Versions: versions, holder: h, epoch: 1}
}

// Set puts an account into the coming view.
func (w *Writer) Set(id domain.AccountID, a *Account) { w.accounts.Set(uint32(id), a, w.epoch) }

// Publish swaps in the view of a commit, which keeps handovers as they are. What only appended
// copies nothing.
func (w *Writer) Publish(next int64, handovers []domain.Handover, roster *member.Roster, snapshot Snapshot) {
	w.epoch++
	w.swap(&View{
		Next: next, Version: w.Version, Handovers: handovers, Roster: roster, Snapshot: snapshot,
		versions: w.Versions, accounts: w.accounts,
	})
	w.Version++
}

// Renew swaps in the same view on a newer snapshot of the same commit, where the one that it
// has is as old as that: a snapshot that is kept long keeps what other shards' compactions
// would drop.
func (w *Writer) Renew(age time.Duration, snapshot func() Snapshot) {
	v := w.holder.Peek()
	if v == nil || time.Since(w.at) < age {
		return
	}
	w.swap(&View{
		Next: v.Next, Version: v.Version, Handovers: v.Handovers, Roster: v.Roster, Snapshot: snapshot(),
		versions: v.versions, accounts: v.accounts,
	})
}

func (w *Writer) swap(v *View) {
	w.at = time.Now()
	w.holder.swap(v)
}
