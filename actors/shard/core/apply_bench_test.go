package core_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
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
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/view"
	"github.com/ovation-analytics/ovation/storage/store"
)

// oneShard is a store whose snapshots are views of it.
type oneShard struct{ *store.Shard }

func (s oneShard) Snapshot() view.Snapshot { return s.Shard.Snapshot() }

// brands is a catalog with an account that has so many brands.
type brands int

func (n brands) State() catalog.State              { return catalog.State{} }
func (n brands) Commit(catalog.State, []any) error { return nil }
func (n brands) Close() error                      { return nil }
func (n brands) Load(f func(any) error) error {
	if err := f(&domain.Account{ID: 1, Name: "a"}); err != nil {
		return err
	}
	for i := range n {
		if err := f(&domain.Brand{ID: domain.BrandID(i + 1), Account: 1, Dense: uint32(i + 1)}); err != nil {
			return err
		}
	}
	return nil
}

// noLog is a journal whose records come by hand.
type noLog struct{ journal.Log }

func (noLog) Topic() domain.TopicID      { return domain.TopicID{1} }
func (noLog) Cluster() string            { return "c" }
func (noLog) Appender() journal.Appender { return nil }

type noLetters struct{}

func (noLetters) Publish(context.Context, []domain.DeadLetter) error { return nil }

type noKeys struct{}

func (noKeys) Delete(context.Context, []domain.KeyID) error { return nil }

// opened is a machine of the one shard, over a store on a disk in memory.
func opened(t testing.TB, kids *children.Children, n brands) *core.Machine {
	handle := catalog.NewHandle()
	if _, err := catalog.Open(context.Background(), catalog.Options{Store: n}, handle); err != nil {
		t.Fatal(err)
	}
	disk, err := store.Open("store", store.Options{FS: vfs.NewMem(), SyncWithin: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	s, err := disk.Shard(0)
	if err != nil {
		t.Fatal(err)
	}
	waiting := waiters.New()
	log := slog.New(slog.DiscardHandler)
	m := core.New(&core.Config{
		Shards: 1, Limits: core.Limits{MemberBytes: 64 << 20, CachedBytes: 1 << 20, Identities: 1 << 16, Resident: new(atomic.Int64)},
		Ctx: context.Background(), Journal: noLog{}, Catalog: handle, Children: kids, DeadLetters: noLetters{}, DataKeys: noKeys{},
		View: &view.Holder{}, Waiting: &waiting, Stats: &core.Stats{}, Yield: &yield.Questions{}, Log: log,
	}).Open(oneShard{s})
	if err := m.Load(); err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	benchMembers = 20_000
	benchBrands  = 500
	benchCommit  = 20_000 // records
)

// Activities of many members for many brands, a tenth of them one-time and one in fifty a repeat. A record
// is what is counted: the time and the allocations of applying it, with its part of the commits.
func BenchmarkApply(b *testing.B) {
	childrentest.Run(b, func(kids *children.Children) {
		m := opened(b, kids, benchBrands)
		offset := int64(0)
		apply := func(records []domain.Record) {
			for len(records) > 0 {
				n := min(len(records), tx.MicroBatch)
				for i := range records[:n] {
					records[i].Offset, records[i].Time = offset, 1_700_000_000_000+offset
					offset++
				}
				for done := 0; done < n; {
					of, err := m.Apply(records[done:n])
					if err != nil {
						b.Fatal(err)
					}
					done += of.Passed
				}
				records = records[n:]
			}
		}
		commit := func() {
			if err := m.Commit(); err != nil {
				b.Fatal(err)
			}
			m.Publish(func(error) {})
			m.Outbox.Committed()
			m.Evict()
		}
		var register []domain.Record
		for i := range benchMembers {
			register = append(register, domain.Record{
				Kind: domain.KindRegister, Account: 1, Application: 1, Request: domain.RequestID{1, byte(i), byte(i >> 8), byte(i >> 16)},
				Command: &domain.RegisterMember{Application: 1, Identity: identityOf(i), Service: domain.LastFM},
			})
		}
		apply(register)
		commit()
		rnd := rand.New(rand.NewPCG(1, 2))
		hash := uint64(0)
		records := make([]domain.Record, benchCommit)
		var used time.Duration
		b.ReportAllocs()
		b.ResetTimer()
		for left := b.N; left > 0; {
			n := min(left, len(records))
			b.StopTimer()
			for i := range records[:n] {
				hash++
				of := hash
				if rnd.IntN(50) == 0 {
					of -= uint64(rnd.IntN(200))
				}
				records[i] = domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{
					Identity: identityOf(int(of*7919) % benchMembers), Definition: 100, Brand: domain.BrandID(1 + of*31%benchBrands),
					Service: domain.LastFM, Points: 1, OneTime: of%10 == 0, Time: 1_699_000_000 + int64(of%500_000), Hash: of,
					Content: domain.Content{Marker: "m", Link: "https://example.org/a/track"},
				}}
			}
			began := cpu(b)
			b.StartTimer()
			apply(records[:n])
			commit()
			used += cpu(b) - began
			left -= n
		}
		b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
	})
}

// cpu is what the process has used of the processors so far: on a busy machine it tells more than the time.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// identityOf is the identity of the n-th member: its slot is spread over all.
func identityOf(n int) domain.IdentityHash {
	x := uint32(n+1) * 2654435761
	return domain.IdentityHash{byte(x >> 24), byte(x >> 16), byte(n), byte(n >> 8), 1}
}
