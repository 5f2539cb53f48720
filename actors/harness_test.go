package actors

import (
	"context"
	"errors"
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

type checkedStore struct {
	*store.Shard
	r *harness
}

func (s checkedStore) Snapshot() view.Snapshot { return s.Shard.Snapshot() }

// Commit requires that the epoch stored is that of the last record applied.
func (s checkedStore) Commit(state domain.ShardState, origins []domain.Origin) error {
	if state.Next > 0 && state.Epoch >= 0 && state.Epoch != s.r.journal.epochOf(state.Next-1) {
		s.r.t.Errorf("stored next %d with the epoch %d", state.Next, state.Epoch)
	}
	return s.Shard.Commit(state, origins)
}

type catalogStore struct{ *store.Catalog }

func (s catalogStore) State() catalog.State { return catalog.State(s.Catalog.State()) }
func (s catalogStore) Commit(c catalog.State, e []any) error {
	return s.Catalog.Commit(format.CatalogState(c), e)
}

// harness is a node on logs in memory and the real store on a disk in memory.
type harness struct {
	t       testing.TB
	fs      vfs.FS
	journal *memLog
	catalog *memLog
	source  *memSource
	letters *letters
	deleted deletedKeys
	options Options
	disk    store.Options                              // zero: small sizes
	wrap    func(shard int, s shard.Store) shard.Store // nil: stores as they are
	bar     func(shard int) error                      // nil: every shard's store opens

	catalogStops bool // a catalog that stops ends boot

	store *store.Store
	node  *Node
	next  uint32
}

func newHarness(t testing.TB, shards int, o Options) *harness {
	if o.markEvery == 0 {
		o.markEvery = 100
	}
	r := &harness{
		t: t, fs: vfs.NewCrashableMem(), journal: newMemLog(1, shards), catalog: newMemLog(2, 1),
		source: newMemSource(), letters: &letters{}, options: o,
	}
	if l, ok := o.Journal.(*faultyLog); ok {
		r.journal = l.memLog
	}
	if s, ok := o.Source.(*faultySource); ok {
		r.source = s.memSource
	}
	r.open()
	t.Cleanup(r.close)
	return r
}

// seeded is a generator of which the seed is printed.
func seeded(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Log("seed", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

func (r *harness) open() {
	r.t.Helper()
	r.boot()
	r.ready()
}

func (r *harness) restart() {
	r.t.Helper()
	r.close()
	r.open()
}

// ready waits until the node is.
func (r *harness) ready() {
	r.t.Helper()
	r.eventually("readiness", func() bool { return r.node.Ready() == nil })
}

// boot starts the node and does not wait for it.
func (r *harness) boot() {
	r.t.Helper()
	var err error
	disk := r.disk
	if disk.CacheBytes == 0 {
		disk = store.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20, SealRows: 500, SyncWithin: time.Hour}
	}
	disk.FS = r.fs
	if r.store, err = store.Open("store", disk); err != nil {
		r.t.Fatal(err)
	}
	o := r.options
	if o.DeadLetters == nil {
		o.DeadLetters = r.letters
	}
	if o.DataKeys == nil {
		o.DataKeys = &r.deleted
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
		if r.wrap != nil && err == nil {
			return r.wrap(i, checkedStore{s, r}), nil
		}
		return checkedStore{s, r}, err
	}
	o.OpenCatalog = func() (catalog.Store, error) {
		c, err := store.OpenCatalog("catalog", store.Options{FS: r.fs})
		return catalogStore{c}, err
	}
	r.node = New(o)
	err = r.node.Open(context.Background())
	if r.catalogStops && errors.Is(err, catalog.ErrStopped) {
		return
	}
	r.must(err)
	r.node.Start()
}

func (r *harness) close() {
	if r.node == nil {
		return
	}
	if err := r.node.Stop(time.Minute); err != nil {
		r.t.Error(err)
	}
	r.stopped()
}

// stopped closes the store of a node that the test has stopped.
func (r *harness) stopped() {
	r.t.Helper()
	r.node = nil
	if err := r.store.Close(); err != nil {
		r.t.Error(err)
	}
}

// wrapShard opens one shard's store as what f makes of it.
func (r *harness) wrapShard(id int, f func(shard.Store) shard.Store) {
	r.wrap = func(i int, s shard.Store) shard.Store {
		if i == id {
			return f(s)
		}
		return s
	}
}

// crash ends the node as a power cut would: what was not synced is there or not.
func (r *harness) crash(rnd *rand.Rand) {
	r.t.Helper()
	r.fs = r.cut(rnd)
	r.open()
}

// cut is what a power cut leaves of the disk; the node is closed.
func (r *harness) cut(rnd *rand.Rand) vfs.FS {
	left := r.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rnd})
	r.close()
	return left
}

// must ends the test if there is an error.
func (r *harness) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *harness) eventually(what string, holds func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("no %s: %+v", what, r.node.Status())
		}
	}
}

// settled waits until all that was published is applied and every letter is out.
func (r *harness) settled() {
	r.t.Helper()
	r.eventually("settling", func() bool {
		before := r.journalEnds()
		if !r.routed() || !r.atEnds(-1) {
			return false
		}
		for _, s := range r.node.running {
			if s.Outbox.Waiting(outbox.Forwards)+s.Outbox.Waiting(outbox.DeadLetters) > 0 {
				return false
			}
		}
		// What one shard sent to another after that one was looked at has moved its journal's end.
		return slices.Equal(before, r.journalEnds())
	})
}

// journalEnds is the end of each partition of the journal.
func (r *harness) journalEnds() (ends []int64) {
	for i := range r.node.running {
		ends = append(ends, r.end(i))
	}
	return ends
}

// stats are those of the store.
func (r *harness) stats() store.Stats {
	r.t.Helper()
	st, err := r.store.Stats()
	r.must(err)
	return st
}

// stored calls f with what each shard of a stopped node has stored.
func (r *harness) stored(f func(i int, s *store.Shard)) {
	r.t.Helper()
	store, err := store.Open("store", store.Options{FS: r.fs})
	r.must(err)
	defer store.Close()
	for i := range r.journal.Partitions() {
		s, err := store.Shard(i)
		if err != nil {
			r.t.Fatal(err)
		}
		f(i, s)
		r.must(s.Close())
	}
}
