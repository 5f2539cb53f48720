package core_test

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

const (
	benchMembers = 20_000
	benchCommit  = 20_000 // records
)

// Activities of many members for many brands, a tenth of them one-time and one in fifty a repeat. A record
// is what is counted: the time and the allocations of applying it, with its part of the commits.
func BenchmarkApply(b *testing.B) {
	on(b, shards(1), func(p *partition) {
		apply := func(records []domain.Record) {
			for len(records) > 0 {
				n := min(len(records), tx.MicroBatch)
				p.apply(records[:n]...)
				records = records[n:]
			}
		}
		var register []domain.Record
		for i := range benchMembers {
			register = append(register, domain.Record{
				Kind: domain.KindRegister, Account: 1, Application: 1, Request: domain.RequestID{1, byte(i), byte(i >> 8), byte(i >> 16)},
				Command: &domain.RegisterMember{Application: 1, Identity: identityOf(i), Service: domain.LastFM},
			})
		}
		apply(register)
		p.commit()
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
					Identity: identityOf(int(of*7919) % benchMembers), Definition: 100, Brand: domain.BrandID(1 + of*31%brandCount),
					Service: domain.LastFM, Points: 1, OneTime: of%10 == 0, Time: 1_699_000_000 + int64(of%500_000), Hash: of,
					Content: domain.Content{Marker: "m", Link: "https://example.org/a/track"},
				}}
			}
			began := cpu(b)
			b.StartTimer()
			apply(records[:n])
			p.commit()
			used += cpu(b) - began
			left -= n
		}
		b.StopTimer() // closing is not applying
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
