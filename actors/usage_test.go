package actors

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
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
				r.node.Hit(1, app, at)
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
				r.node.Hit(1, app, at)
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

// A kill loses at most what was counted in its last second: older hits are in the log.
func TestUsage_AKillLosesTheLastSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newHarness(t, 2, Options{})
		at := time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC)
		for range 40 {
			r.node.Hit(1, 1, at)
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
			r.node.Hit(1, 1, hour)
			r.node.Hit(1, 2, hour)
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

// BenchmarkUsage_Hit is what a request pays for being counted.
func BenchmarkUsage_Hit(b *testing.B) {
	u := newUsage(1, nil)
	at := time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC)
	for _, applications := range []int{1, 1000} {
		b.Run(fmt.Sprint(applications), func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				i := rand.IntN(applications)
				for pb.Next() {
					i++
					u.Hit(1, domain.ApplicationID(i%applications), at)
				}
			})
		})
	}
}
