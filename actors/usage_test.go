package actors

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// hitKey is an hour of an application.
type hitKey struct {
	application domain.ApplicationID
	hour        uint32
}

// usageOf is all hits of applications 1 to n of account 1, by the one door of the shards.
func (r *harness) usageOf(n int) map[hitKey]uint64 {
	r.t.Helper()
	q := &domain.UsageQuestion{Account: 1, To: 1 << 30}
	for i := range n {
		q.Applications = append(q.Applications, domain.ApplicationID(i+1))
	}
	hits, _, err := r.node.Usage(context.Background(), q, domain.Position{})
	r.must(err)
	out := map[hitKey]uint64{}
	for _, h := range hits {
		k := hitKey{h.Application, h.Hour}
		if _, twice := out[k]; twice {
			r.t.Fatalf("two counts of application %d in hour %d", h.Application, h.Hour)
		}
		out[k] = h.Hits
	}
	return out
}

// 102,000 hits over many lives of a node, hours and applications in several shards are those of a
// naive count: a stop loses none, and a power cut none that is in the log.
func TestUsage_IsTheNaiveCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rnd := seeded(t)
		const applications = 9
		began := time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC)
		r := newHarness(t, 4, Options{})
		want := map[hitKey]uint64{}
		for life := range 6 {
			for range 17_000 {
				app := domain.ApplicationID(1 + rnd.IntN(applications))
				at := began.Add(time.Duration(rnd.IntN(7000)) * time.Second)
				r.node.Hit(1, app, at, true)
				want[hitKey{app, uint32(at.Unix() / 3600)}]++
				if rnd.IntN(1000) == 0 {
					time.Sleep(time.Second)
				}
			}
			r.options.Incarnation = uint64(life + 1)
			if rnd.IntN(2) == 0 {
				r.restart()
			} else {
				time.Sleep(2 * time.Second)
				r.crash(rnd)
			}
			r.settled()
			if d := cmp.Diff(want, r.usageOf(applications), cmp.AllowUnexported(hitKey{})); d != "" {
				t.Fatalf("life %d (-want +got)\n%s", life, d)
			}
		}
		other := &domain.UsageQuestion{Account: 2, Applications: []domain.ApplicationID{1, 2, 3}, To: 1 << 30}
		if hits, _, err := r.node.Usage(t.Context(), other, domain.Position{}); err != nil || len(hits) > 0 {
			t.Errorf("another account sees %v, %v", hits, err)
		}
		hour := uint32(began.Unix() / 3600)
		part := &domain.UsageQuestion{Account: 1, Applications: []domain.ApplicationID{5}, From: hour + 1, To: hour + 2}
		hits, _, err := r.node.Usage(t.Context(), part, domain.Position{})
		if err != nil || len(hits) != 1 || hits[0].Hits != want[hitKey{5, hour + 1}] {
			t.Errorf("one hour: %v, %v", hits, err)
		}
	})
}

// Two nodes on one log count each its own hits of the same applications and hours: both show the
// sum, in every life, and neither counts what the other has appended.
func TestUsage_TwoNodesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rnd := seeded(t)
		const applications = 5
		began := time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC)
		one := newHarness(t, 4, Options{Incarnation: 1})
		two := &harness{
			t: t, fs: vfs.NewCrashableMem(), journal: one.journal, catalog: one.catalog,
			source: newMemSource(), letters: &letters{}, options: Options{Incarnation: 2, markEvery: 100},
		}
		two.open()
		t.Cleanup(two.close)
		want := map[hitKey]uint64{}
		for life := range 4 {
			for range 2000 {
				r := []*harness{one, two}[rnd.IntN(2)]
				app := domain.ApplicationID(1 + rnd.IntN(applications))
				at := began.Add(time.Duration(rnd.IntN(7000)) * time.Second)
				r.node.Hit(1, app, at, true)
				want[hitKey{app, uint32(at.Unix() / 3600)}]++
				if rnd.IntN(300) == 0 {
					time.Sleep(time.Second)
				}
			}
			r := []*harness{one, two}[life%2]
			r.options.Incarnation = uint64(life + 3)
			r.restart()
			for _, r := range []*harness{one, two} {
				r.eventually("the sum", func() bool { return maps.Equal(want, r.usageOf(applications)) })
			}
		}
	})
}

// A node hears once what requests on other nodes took of an account's rate, whatever partition
// their counts come by: not its own, not those without a token, none of those that it reads when
// it catches up, and none that were taken before it started.
func TestUsage_Elsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rnd := seeded(t)
		time.Sleep(59*time.Minute + 50*time.Second) // an hour begins soon
		one := newHarness(t, 4, Options{Incarnation: 1})
		two := &harness{
			t: t, fs: vfs.NewCrashableMem(), journal: one.journal, catalog: one.catalog,
			source: newMemSource(), letters: &letters{}, options: Options{Incarnation: 2, markEvery: 100},
		}
		two.open()
		t.Cleanup(two.close)
		var mu sync.Mutex
		heard := map[*harness]map[domain.AccountID]uint64{one: {}, two: {}}
		listen := func(r *harness) {
			r.node.OnRemoteTokens(func(account domain.AccountID, tokens uint64) {
				mu.Lock()
				defer mu.Unlock()
				heard[r][account] += tokens
			})
		}
		want := map[*harness]map[domain.AccountID]uint64{one: {}, two: {}}
		spread := func(hits int) {
			for range hits {
				from, to := one, two
				if rnd.IntN(2) == 0 {
					from, to = two, one
				}
				app, paid := domain.ApplicationID(1+rnd.IntN(20)), rnd.IntN(3) > 0
				account := domain.AccountID(1 + app%3)
				from.node.Hit(account, app, time.Now(), paid)
				if paid {
					want[to][account]++
				}
				if rnd.IntN(100) == 0 {
					time.Sleep(time.Second)
				}
			}
			time.Sleep(3 * time.Second)
		}
		same := func() {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if !maps.Equal(want[one], heard[one]) || !maps.Equal(want[two], heard[two]) {
				t.Fatalf("heard %v and %v, want %v and %v", heard[one], heard[two], want[one], want[two])
			}
		}
		listen(one)
		listen(two)
		one.node.Hit(1, 1, time.Now(), true) // in the hour of the start: no more than noted
		time.Sleep(15 * time.Second)
		spread(3000)
		same()
		two.close()
		for app := range domain.ApplicationID(20) {
			one.node.Hit(1, app+1, time.Now(), true)
		}
		time.Sleep(time.Minute)
		two.options.Incarnation = 3
		two.boot()
		listen(two)
		two.ready()
		same()
		for range 3 {
			one.node.Hit(1, 99, time.Now(), true)
			time.Sleep(2 * time.Second)
		}
		want[two][1] += 2 // without the first one
		same()
	})
}

// A kill loses at most what was counted in its last second: older hits are in the log.
func TestUsage_AKillLosesTheLastSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newHarness(t, 2, Options{})
		at := time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC)
		for range 40 {
			r.node.Hit(1, 1, at, true)
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		r.journal.mu.Lock()
		defer r.journal.mu.Unlock()
		logged := uint64(0)
		for _, p := range r.journal.parts {
			for i := range p {
				if u, ok := p[i].Command.(*domain.Usage); ok {
					logged = max(logged, u.Total)
				}
			}
		}
		if logged != 40 {
			t.Errorf("%d of 40 hits are in the log a second after the last", logged)
		}
	})
}

// While the broker is away, one count an application waits, so that commands have their place in
// the queue; when it is back, no hit is lost.
func TestUsage_WaitsForTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off atomic.Bool
		log := newFaultyLog(1, 2)
		log.refuse = func(int) error {
			if off.Load() {
				return errAway
			}
			return nil
		}
		r := newHarness(t, 2, Options{Logs: Logs{Journal: log}})
		hour := time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC)
		off.Store(true)
		for range 300 {
			r.node.Hit(1, 1, hour, true)
			r.node.Hit(1, 2, hour, true)
			time.Sleep(time.Second)
		}
		off.Store(false)
		r.eventually("hits", func() bool {
			return maps.Equal(r.usageOf(2), map[hitKey]uint64{
				{1, uint32(hour.Unix() / 3600)}: 300, {2, uint32(hour.Unix() / 3600)}: 300,
			})
		})
		log.mu.Lock()
		defer log.mu.Unlock()
		usage := 0
		for _, p := range log.parts {
			for i := range p {
				if p[i].Kind == domain.KindUsage {
					usage++
				}
			}
		}
		if usage > 8 {
			t.Errorf("%d counts of two applications were appended for an outage", usage)
		}
	})
}

// A stop without the broker logs how many totals may lack hits, also of an append that was under way for long; a stop
// with it logs nothing.
func TestUsage_StopWarnsOfLostHits(t *testing.T) {
	for _, c := range []struct {
		name  string
		away  bool
		waits time.Duration // between the hits and the stop: totals are appended once a second
		lines int
	}{
		{"the broker answers", false, 0, 0},
		{"it is away, nothing is under way", true, 0, 1},
		{"it is away, an append is under way", true, 10 * time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				var log logLines
				journal := newFaultyLog(1, 2)
				r := newHarness(t, 2, Options{Logs: Logs{Journal: journal}, Log: log.log()})
				time.Sleep(countEvery / 2)
				journal.off.Store(c.away)
				r.node.Hit(1, 1, time.Now(), true)
				r.node.Hit(1, 2, time.Now(), true)
				r.node.Hit(1, 2, time.Now(), true)
				time.Sleep(c.waits)
				r.close()
				if n := log.lines("usage counts", "counts=2"); n != c.lines || log.lines("usage counts") != n {
					t.Errorf("%d lines, want %d:\n%s", n, c.lines, log.all.String())
				}
			})
		})
	}
}

// A clock that leaps ahead and is put right loses no hits, however far it leapt: what is counted of an hour
// that comes again adds to what was counted of it. The node takes none of that for another node's.
func TestUsage_HoursThatComeAgain(t *testing.T) {
	for _, leap := range []time.Duration{time.Hour, 2 * time.Hour, 47 * time.Hour, 72 * time.Hour, 24 * 365 * time.Hour} {
		t.Run(leap.String(), func(t *testing.T) {
			at := time.Date(2026, 3, 15, 11, 30, 0, 0, time.UTC)
			u := newUsage(1, func() time.Time { return at }, nil)
			u.OnRemoteTokens(func(_ domain.AccountID, n uint64) { t.Errorf("%d tokens of this node are told as another's", n) })
			most, later := map[uint64]uint64{}, map[uint64]uint64{} // what the log makes of the counts
			note := func() {
				for _, c := range u.take() {
					of := most
					if c.hour != hourOf(at) {
						of = later
					}
					of[c.incarnation] = max(of[c.incarnation], c.hits)
					rec := c.record()
					rec.Time = at.UnixMilli()
					u.remote.see(&rec)
					u.remote.see(&rec)
				}
			}
			want, wantLater := uint64(0), uint64(0)
			for round := range 3 {
				for i := range 1000 {
					u.Hit(1, 1, at, true)
					want++
					if i%400 == 0 {
						note()
					}
				}
				u.Hit(1, 1, at.Add(leap), true)
				wantLater++
				note()
				note()
				sum := uint64(0)
				for _, n := range most {
					sum += n
				}
				if sum != want {
					t.Fatalf("round %d: %d hits are counted, there were %d", round, sum, want)
				}
			}
			sum := uint64(0)
			for _, n := range later {
				sum += n
			}
			if sum != wantLater || len(u.total) > 4 {
				t.Errorf("%d of %d hits of the leap, %d totals are kept", sum, wantLater, len(u.total))
			}
		})
	}
}

// A node whose clock is ahead ends no other's counts: what each takes of the rates is told, its own too, but
// for what it may have taken before.
func TestUsage_ElsewhereWithANodeAhead(t *testing.T) {
	for _, ahead := range []uint32{1, 2, 24, 24 * 365} {
		now := time.Date(2026, 3, 15, 11, 30, 0, 0, time.UTC)
		u := newUsage(1, func() time.Time { return now }, nil)
		told := map[domain.AccountID]uint64{}
		u.OnRemoteTokens(func(account domain.AccountID, n uint64) { told[account] += n })
		see := func(node uint64, hour uint32, taken uint64) {
			u.remote.see(&domain.Record{Account: domain.AccountID(node), Time: now.UnixMilli(), Command: &domain.Usage{
				Application: 1, Hour: hour, Incarnation: node, Total: taken, Taken: taken,
			}})
		}
		h := hourOf(now)
		for i := range uint64(5) {
			see(2, h, 10*(i+1))
			see(3, h+ahead, 7*(i+1))
			see(4, h, i)
		}
		now = now.Add(time.Hour)
		see(2, h+1, 3)
		see(4, h+1, 6)
		want := map[domain.AccountID]uint64{2: 43, 3: 28, 4: 9}
		if ahead == 1 {
			want[3] = 35 // the hour may begin any moment
		}
		if !maps.Equal(told, want) {
			t.Errorf("%d hours ahead: told %v, want %v", ahead, told, want)
		}
	}
}

// BenchmarkUsage_Hit is what a request pays for being counted.
func BenchmarkUsage_Hit(b *testing.B) {
	u := newUsage(1, time.Now, nil)
	at := time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC)
	for _, applications := range []int{1, 1000} {
		b.Run(fmt.Sprint(applications), func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				i := rand.IntN(applications)
				for pb.Next() {
					i++
					u.Hit(1, domain.ApplicationID(i%applications), at, true)
				}
			})
		})
	}
}
