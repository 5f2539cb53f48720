package core_test

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/view"
	"github.com/ovation-analytics/ovation/storage/store"
)

// oneShard is a store whose snapshots are views of it.
type oneShard struct{ *store.Shard }

func (s oneShard) Snapshot() view.Snapshot { return s.Shard.Snapshot() }

// brandCount is how many brands account 1 has.
const brandCount = 500

// entities are a catalog as stored, beside account 1 and its brands.
type entities []any

func (entities) State() catalog.State              { return catalog.State{} }
func (entities) Commit(catalog.State, []any) error { return nil }
func (entities) Close() error                      { return nil }
func (e entities) Load(f func(any) error) error {
	all := append([]any{&domain.Account{ID: 1, Name: "a"}}, e...)
	for i := range brandCount {
		all = append(all, &domain.Brand{ID: domain.BrandID(i + 1), Account: 1, Dense: uint32(i + 1)})
	}
	for _, one := range all {
		if err := f(one); err != nil {
			return err
		}
	}
	return nil
}

// topic is the id of the journal.
var topic = domain.TopicID{1}

// noLog is a journal whose records come by hand.
type noLog struct{ topic domain.TopicID }

func (l noLog) Topic() domain.TopicID    { return l.topic }
func (noLog) Cluster() string            { return "c" }
func (noLog) Appender() journal.Appender { return nil }

type noLetters struct{}

func (noLetters) Publish(context.Context, []domain.DeadLetter) error { return nil }

type noKeys struct{}

func (noKeys) Delete(context.Context, []domain.KeyID) error { return nil }

// partition is a machine over a store on a disk in memory.
type partition struct {
	t    testing.TB
	c    core.Config
	disk *store.Store
	s    oneShard // of the machine that was opened last
	m    *core.Machine
	end  int64 // of what was applied
}

// shards is what a machine of one of so many partitions is made with.
func shards(n int) core.Config { return core.Config{Partition: core.Partition{Shards: n}} }

// newPartition is a partition without records. What is zero in c is as usual.
func newPartition(t testing.TB, kids *children.Children, c core.Config, e ...any) *partition {
	t.Helper()
	disk, err := store.Open("store", store.Options{FS: vfs.NewMem(), SyncWithin: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	p := &partition{t: t, c: c, disk: disk}
	of := &p.c.Partition
	of.Shards = max(of.Shards, 1)
	of.Journal, of.Log = noLog{topic}, slog.New(slog.DiscardHandler)
	waiting := waiters.New()
	p.c.Memory = core.MemoryLimits{MemberBytes: 64 << 20, CachedBytes: 1 << 20, Identities: 1 << 16, Resident: new(atomic.Int64)}
	p.c.Publishing = core.Publishing{DeadLetters: noLetters{}, DataKeys: noKeys{}, Status: &outbox.Status{}}
	p.c.Readers = core.Readers{View: &view.Holder{}, Waiting: &waiting, Yield: &yield.Questions{}}
	p.c.Children, p.c.Stats = kids, &core.Stats{}
	p.know(e...)
	p.m = core.New(&p.c)
	return p
}

// on runs f with a partition that is open.
func on(t testing.TB, c core.Config, f func(p *partition), e ...any) {
	t.Helper()
	childrentest.Run(t, func(kids *children.Children) {
		p := newPartition(t, kids, c, e...)
		defer p.close()
		p.open()
		f(p)
	})
}

// close ends the machine and its store.
func (p *partition) close() {
	p.m.Quiesce()
	p.c.Readers.View.Retract()
	for _, err := range []error{p.m.Close(), p.disk.Close()} {
		if err != nil {
			p.t.Error(err)
		}
	}
}

// know has the catalog be of entities.
func (p *partition) know(e ...any) {
	p.t.Helper()
	p.c.Partition.Catalog = catalog.NewHandle()
	if _, err := catalog.Open(context.Background(), catalog.Options{Store: entities(e)}, p.c.Partition.Catalog); err != nil {
		p.t.Fatal(err)
	}
}

// reopen opens the store, as of the last commit, without what is kept in memory.
func (p *partition) reopen() {
	p.t.Helper()
	p.m.Quiesce()
	p.c.Readers.View.Retract()
	if err := p.m.Close(); err != nil {
		p.t.Fatal(err)
	}
	s, err := p.disk.Shard(p.c.Partition.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	p.s = oneShard{s}
	p.m = p.m.Open(p.s)
}

// open is reopen with what is kept in memory.
func (p *partition) open() *core.Machine {
	p.t.Helper()
	p.reopen()
	if err := p.m.Load(context.Background()); err != nil {
		p.t.Fatal(err)
	}
	p.end = p.m.State.Shard.Next
	return p.m
}

// apply applies records, at the offsets that follow, as one micro-batch where nothing cuts it.
func (p *partition) apply(records ...domain.Record) {
	p.t.Helper()
	for i := range records {
		records[i].Offset = p.end
		records[i].Time = max(records[i].Time, 1_700_000_000_000+p.end)
		p.end++
	}
	for len(records) > 0 {
		done, err := p.m.Apply(records)
		if err != nil || done.Lacks != 0 {
			p.t.Fatalf("%+v %v", done, err)
		}
		if done.Commit {
			p.commit()
		}
		records = records[done.Passed:]
	}
}

// commit commits as a shard does.
func (p *partition) commit() {
	p.t.Helper()
	if err := p.m.Commit(); err != nil {
		p.t.Fatal(err)
	}
	p.m.Publish(func(err error) { p.t.Error(err) })
	if err := p.m.Outbox.Committed(); err != nil {
		p.t.Fatal(err)
	}
	p.m.Evict()
}

// outbox are the entries that are stored.
func (p *partition) outbox() (all []*domain.Outgoing) {
	p.t.Helper()
	for kind := range domain.OutboxKinds {
		if err := p.s.Outbox(kind, 0, func(o *domain.Outgoing) bool { all = append(all, o); return true }); err != nil {
			p.t.Fatal(err)
		}
	}
	slices.SortFunc(all, func(a, b *domain.Outgoing) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return all
}

// identityOf is the identity of the n-th member: its slot is spread over all.
func identityOf(n int) domain.IdentityHash {
	x := uint32(n+1) * 2654435761
	return domain.IdentityHash{byte(x >> 24), byte(x >> 16), byte(n), byte(n >> 8), 1}
}
