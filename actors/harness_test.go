package actors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/view"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/store"
)

type rigStore struct {
	*store.Shard
	r *rig
}

func (s rigStore) Snapshot() view.Snapshot { return s.Shard.Snapshot() }

// Commit requires that the epoch stored is that of the last record applied.
func (s rigStore) Commit(state domain.ShardState, origins []domain.Origin) error {
	if state.Next > 0 && state.Epoch >= 0 && state.Epoch != s.r.journal.epochOf(state.Next-1) {
		s.r.t.Errorf("stored next %d with the epoch %d", state.Next, state.Epoch)
	}
	return s.Shard.Commit(state, origins)
}

type rigCatalog struct{ *store.Catalog }

func (s rigCatalog) State() catalog.State { return catalog.State(s.Catalog.State()) }
func (s rigCatalog) Commit(c catalog.State, e []any) error {
	return s.Catalog.Commit(format.CatalogState(c), e)
}

// rig is a node on logs in memory and the real store on a disk in memory.
type rig struct {
	t       testing.TB
	fs      vfs.FS
	journal *memLog
	catalog *memLog
	source  *memSource
	letters *letters
	options Options
	spoil   func(shard int, s shard.Store) shard.Store // nil: stores as they are
	bar     func(shard int) error                      // nil: every shard's store opens

	catalogStops bool // a catalog that stops ends boot

	store *store.Store
	node  *Node
	next  uint16
}

func newRig(t testing.TB, shards int, o Options) *rig {
	if o.markEvery == 0 {
		o.markEvery = 100
	}
	r := &rig{
		t: t, fs: vfs.NewCrashableMem(), journal: newMemLog(1, shards), catalog: newMemLog(2, 1),
		source: &memSource{memLog: newMemLog(3, 2), kept: map[int]int64{}}, letters: &letters{}, options: o,
	}
	switch l := o.Journal.(type) {
	case *moody:
		r.journal = l.memLog
	case *gappy:
		r.journal = l.memLog
	}
	r.open()
	t.Cleanup(r.close)
	return r
}

func (r *rig) open() {
	r.t.Helper()
	r.boot()
	r.eventually("readiness", func() bool { return r.node.Ready() == nil })
}

// boot starts the node and does not wait for it.
func (r *rig) boot() {
	r.t.Helper()
	var err error
	if r.store, err = store.Open("store", store.Options{FS: r.fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20, SealRows: 500, SyncWithin: time.Hour}); err != nil {
		r.t.Fatal(err)
	}
	o := r.options
	if o.DeadLetters == nil {
		o.DeadLetters = r.letters
	}
	if o.Catalog == nil {
		o.Catalog = r.catalog
	}
	if o.Journal == nil {
		o.Journal = r.journal
	}
	if o.Source == nil {
		o.Source = r.source
	}
	o.OpenShard = func(i int) (shard.Store, error) {
		if r.bar != nil {
			if err := r.bar(i); err != nil {
				return nil, err
			}
		}
		s, err := r.store.Shard(i)
		if r.spoil != nil && err == nil {
			return r.spoil(i, rigStore{s, r}), nil
		}
		return rigStore{s, r}, err
	}
	o.OpenCatalog = func() (catalog.Store, error) {
		c, err := store.OpenCatalog("catalog", store.Options{FS: r.fs})
		return rigCatalog{c}, err
	}
	r.node = New(o)
	err = r.node.Open(context.Background())
	if r.catalogStops && errors.Is(err, catalog.ErrStopped) {
		return
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.node.Start()
}

func (r *rig) close() {
	if r.node == nil {
		return
	}
	if err := r.node.Stop(time.Minute); err != nil {
		r.t.Error(err)
	}
	r.node = nil
	if err := r.store.Close(); err != nil {
		r.t.Error(err)
	}
}

// crash ends the node as a power cut would: what was not synced is there or not.
func (r *rig) crash(rnd *rand.Rand) {
	r.t.Helper()
	r.fs = r.cut(rnd)
	r.open()
}

// cut is what a power cut leaves of the disk; the node is closed.
func (r *rig) cut(rnd *rand.Rand) vfs.FS {
	left := r.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rnd})
	r.close()
	return left
}

func (r *rig) eventually(what string, holds func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("no %s: %+v", what, r.node.Status())
		}
	}
}

func (r *rig) submit(s domain.Submission) domain.Outcome {
	r.t.Helper()
	r.next++
	s.Request = domain.RequestID{1, byte(r.next), byte(r.next >> 8)}
	out, err := r.node.Submit(context.Background(), s)
	if err != nil || out.Code != domain.OK {
		r.t.Fatalf("%+v: %+v %v", s.Command, out, err)
	}
	return out
}

// furnish makes an account with brands and definitions, the second of them one-time.
func (r *rig) furnish(brands int) {
	r.t.Helper()
	r.submit(domain.Submission{Command: &domain.CreateApplication{AccountName: "a", Name: "a", Plan: domain.Advanced}})
	for i := range brands {
		n := fmt.Sprint(i)
		r.submit(domain.Submission{Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": n, "Slug": n}}})
	}
	for _, oneTime := range []bool{false, true} {
		r.submit(domain.Submission{Account: 1, Command: &domain.PutDefinition{
			Definition: domain.Definition{Name: "d", Type: "Listened", Service: domain.LastFM, OneTime: oneTime},
			Given:      []string{"Name", "Type", "ServiceType", "OneTime"},
		}})
	}
}

// identityOf is the identity of the n-th fan: its slot is spread over all.
func identityOf(n int) domain.IdentityHash {
	x := uint32(n+1) * 2654435761
	return domain.IdentityHash{byte(x >> 24), byte(x >> 16), byte(n), byte(n >> 8), 1}
}

func (r *rig) register(n int) domain.MemberID {
	r.t.Helper()
	id := identityOf(n)
	return r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM, UID: fmt.Sprint(n),
	}}).Member
}

// publish puts activities into the public topic.
func (r *rig) publish(acts ...domain.Activity) {
	for i := range acts {
		_, _ = r.source.Append(context.Background(), i%2, []domain.Record{{Kind: domain.KindActivity, Account: 1, Activity: acts[i]}})
	}
}

// settled waits until all that was published is applied and every letter is out.
func (r *rig) settled() {
	r.t.Helper()
	r.eventually("settling", func() bool {
		before := r.journalEnds()
		for p, s := range r.node.routing.List() {
			if end, _ := r.source.End(context.Background(), p); s.Next.Load() < end {
				return false
			}
		}
		for i, s := range r.node.shared {
			if s.Applied.Load() < before[i] || s.Outbox.Waiting(outbox.Forwards)+s.Outbox.Waiting(outbox.DeadLetters) > 0 {
				return false
			}
		}
		// What one shard sent to another after that one was looked at has moved its journal's end.
		return len(r.node.routing.List()) == 2 && slices.Equal(before, r.journalEnds())
	})
}

// journalEnds is the end of each partition of the journal.
func (r *rig) journalEnds() (ends []int64) {
	for i := range r.node.shared {
		end, _ := r.journal.End(context.Background(), i)
		ends = append(ends, end)
	}
	return ends
}

// tally asks for one brand's, or with 0 the account's, counts over all time.
func (r *rig) tally(brand domain.BrandID) *domain.Tally {
	r.t.Helper()
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeTally, Brand: brand, Range: domain.Range{From: 0, To: 1<<32 - 1},
		Groups: []domain.Group{{Definition: 100, Group: 100}, {Definition: 101, Group: 101}},
	}
	a, err := r.node.Ask(context.Background(), q, domain.Position{})
	if err != nil {
		r.t.Fatal(err)
	}
	return a.Tally
}
