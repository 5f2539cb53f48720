package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
)

// The embedded log refuses appends below its floor with an error that producers repeat;
// the engine reads and answers on. When there is space again, all goes on by itself.
func TestFault_LogDiskFull(t *testing.T) {
	inWard(t, func(h *ward) {
		h.engine.Logs.Embedded = h.broker.log // as where the node brings it
		before := h.engine.Actors.Status().Shards
		h.broker.power.free.Store(200 * tuning.MiB)
		time.Sleep(time.Second) // it is looked at now and then
		h.something()
		asked := h.unanswered()
		time.Sleep(30 * time.Second)
		st := h.engine.Shown().Read()
		if !st.Ready || st.Log.Refused == 0 || st.Log.Stopped != "" ||
			st.Log.Refusing != "the disk is nearly full: 200 MiB free, 256 are the least" {
			h.Errorf("%+v %+v", st.Log, st)
		}
		for i, s := range st.Shards {
			if s.Behaviour != "serving" || s.Stopped != "" || s.Applied != before[i].Applied {
				h.Errorf("%+v, was %+v", s, before[i])
			}
		}
		h.answered() // the lag may grow: a router waits until its own marks are in the journal
		if h.metric("waiting", "what", "log", "id", "") != 1 || h.metric("log_appends_refused_total") == 0 || h.metric("stopped", "what", "log", "id", "") != 0 {
			h.Error("metrics do not tell it")
		}
		if n := h.lines.having("level=WARN", "log: appends are refused", "200 MiB free"); n != 1 {
			h.Errorf("%d lines", n)
		}
		h.broker.power.free.Store(1 << 40)
		h.answers(asked)
		if st := h.engine.Shown().Read(); st.Log.Refusing != "" || h.lines.having("recovered: log: appends are refused") != 1 {
			h.Errorf("%+v", st.Log)
		}
		h.replayed()
	})
}

// A store whose disk is nearly full takes nothing more; what was applied is answered, and
// what comes waits in the journal.
func TestFault_StoreDiskFull(t *testing.T) {
	inWard(t, func(h *ward) {
		before := h.engine.Actors.Status().Shards
		h.engine.power.free.Store(100 * tuning.MiB)
		time.Sleep(time.Second) // it is looked at now and then
		h.something()
		asked := h.unanswered()
		time.Sleep(30 * time.Second)
		st := h.engine.Shown().Read()
		for i, s := range st.Shards {
			if s.Behaviour != "serving" || s.Applied != before[i].Applied || !strings.HasSuffix(s.Waiting, "nothing is applied: the disk is nearly full: 100 MiB free, 128 are the least") || s.LagMs < 25_000 {
				h.Errorf("%+v", s)
			}
		}
		if !st.Ready || st.Store.Free != 100*tuning.MiB || st.Store.Err != "" {
			h.Errorf("%+v", st)
		}
		if lag := h.answered(); lag < 25_000 {
			h.Errorf("answered with a lag of %d ms", lag)
		}
		if h.metric("waiting", "what", "shard", "id", "1") != 1 || h.metric("store_disk_free_bytes") != 100*tuning.MiB || h.metric("failures_total", "what", "shard", "id", "0") < 20 {
			h.Error("metrics do not tell it")
		}
		if n := h.lines.having("level=WARN", "nothing is applied", "shard=1"); n != 1 {
			h.Errorf("%d lines", n)
		}
		h.engine.power.free.Store(1 << 40)
		h.answers(asked)
		if s := h.engine.Shown().Read().Shards[1]; s.Waiting != "" || h.lines.having("recovered: nothing is applied", "shard=1") != 1 {
			h.Errorf("%+v", s)
		}
		h.replayed()
	})
}

// A broker that is killed and comes back after minutes, and one that is paused for twenty
// seconds: reads are served from an ever older state; writes are answered 503 with code 11;
// recovery needs no operator.
func TestFault_BrokerAway(t *testing.T) {
	for _, killed := range []bool{true, false} {
		name, away := "killed", 3*time.Minute
		if !killed {
			name, away = "standing still", 20*time.Second
		}
		t.Run(name, func(t *testing.T) {
			inWard(t, func(h *ward) {
				var back func()
				if killed {
					b := h.broker
					h.setBroker(nil)
					h.must(b.stop())
					back = func() { h.must(h.startBroker(b.power)) }
				} else {
					back = h.wires.freeze()
				}
				from := time.Now()
				h.something()
				asked := h.unanswered()
				h.soon("a write that waited", from, 3*time.Second)
				before := time.Now()
				h.unanswered()
				h.soon("a write while no broker is reached", before, time.Second)
				for last := int64(0); time.Since(from) < away-2*time.Second; time.Sleep(away / 4) {
					lag := h.answered()
					if minLag := time.Since(from).Milliseconds() - 1000; lag < minLag || lag < last {
						h.Errorf("answered with a lag of %d ms, before with %d, after %v", lag, last, time.Since(from))
					}
					last = lag
				}
				st := h.engine.Shown().Read()
				if !st.Ready {
					h.Errorf("readiness flaps: %s", st.Why)
				}
				told := 0
				for _, s := range st.Shards {
					if s.Behaviour != "serving" || s.Stopped != "" {
						h.Errorf("%+v", s)
					}
					if strings.Contains(s.Waiting, "the journal cannot be read") && h.metric("waiting", "what", "shard", "id", text(s.Shard)) == 1 {
						told++
					}
				}
				if told != simShards || !strings.Contains(st.Catalog.Waiting, "the catalog cannot be read") || h.metric("waiting", "what", "catalog", "id", "") != 1 {
					h.Errorf("it is not told: %+v", st)
				}
				if n := h.lines.having("level=WARN", "the journal cannot be read", "shard=1"); n < 1 || n > 1+int(away/time.Minute) {
					h.Errorf("%d lines", n)
				}
				back()
				h.answers(asked)
				h.eventually("end of it", func() bool {
					st := h.engine.Shown().Read()
					return st.Shards[0].Waiting+st.Shards[1].Waiting+st.Catalog.Waiting == "" && st.LagMs < 2000
				})
				if h.answered() > 2000 || h.lines.having("recovered: the journal cannot be read", "shard=1") < 1 {
					h.Error("its end is not told")
				}
				h.replayed()
			})
		})
	}
}

// A node that was told to refuses every key once it has not reached the catalog's end for so long, for one may be revoked
// since: until then, and again when the broker is back, requests are answered. Without the flag they always are.
func TestFault_KeysAreRefusedAfter(t *testing.T) {
	for _, bound := range []time.Duration{0, 30 * time.Second} {
		t.Run(bound.String(), func(t *testing.T) {
			inWard(t, func(h *ward) {
				h.fleet.refuse = bound
				h.must(h.restart(false))
				h.well()
				time.Sleep(time.Minute) // nothing is made meanwhile: the catalog is at its end
				h.answered()
				b := h.broker
				h.setBroker(nil)
				h.must(b.stop())
				away := time.Now()
				for time.Since(away) < 28*time.Second {
					h.answered()
					time.Sleep(2 * time.Second)
				}
				time.Sleep(time.Until(away.Add(35 * time.Second)))
				_, _, err := client.Do(h.Context(), h.engine.speaks(h.model.labels[0].key), client.ListBrands{})
				var refused *client.Error
				st := h.engine.Shown().Read()
				switch {
				case bound == 0 && (err != nil || !st.Ready):
					h.Errorf("%v; ready %t: %s", err, st.Ready, st.Why)
				case bound > 0 && (!errors.As(err, &refused) || refused.Status != 503 || refused.Code != domain.Unavailable):
					h.Errorf("answered with %v", err)
				case bound > 0 && (st.Ready || !strings.HasPrefix(st.Why, "API keys are refused: for 3")):
					h.Errorf("ready %t: %s", st.Ready, st.Why)
				}
				h.must(h.startBroker(b.power))
				h.eventually("end of it", func() bool { return h.engine.Shown().Read().Ready })
				h.answered()
				h.replayed()
			})
		})
	}
}

// A broker whose clock leaps by hours stamps nothing until the clock is corrected: status and
// readiness name what is refused and what is kept, routers show how much waits, and nothing is lost.
func TestFault_BrokerClockAheadByHours(t *testing.T) {
	inWard(t, func(h *ward) {
		h.engine.Logs.Embedded = h.broker.log // as where the node brings it
		before := h.engine.Actors.Status().Shards
		for _, leap := range []time.Duration{3 * time.Hour, -3 * time.Hour} {
			h.broker.power.ahead.Store(int64(leap))
			h.something()
			asked := h.unanswered()
			time.Sleep(30 * time.Second)
			st := h.engine.Shown().Read()
			if st.Log.Refusing != "the clock leapt by "+leap.String()+": set it right, or start again if it is" || h.metric("waiting", "what", "log", "id", "") != 1 {
				h.Errorf("%+v", st.Log)
			}
			if !st.Log.Unstamped {
				h.Error("status says that all is refused")
			}
			why := h.engine.Node.Management().Degraded()
			if why == nil || !strings.Contains(why.Error(), "what is published to activities is kept and counts once the clock is right") {
				h.Errorf("readiness says %v", why)
			}
			waiting := int64(0)
			for _, r := range st.Routers {
				end := h.publishedTo(r.Partition)
				if r.End != end {
					h.Errorf("the log ends at %d: %+v", end, r)
				}
				waiting += end - r.Next
			}
			if waiting == 0 {
				h.Error("nothing that was published waits")
			}
			for i, s := range st.Shards {
				if s.Behaviour != "serving" || s.Stopped != "" || s.Applied != before[i].Applied {
					h.Errorf("%+v, was %+v", s, before[i])
				}
			}
			h.broker.power.ahead.Store(0)
			h.answers(asked)
			before = h.engine.Actors.Status().Shards
		}
		h.replayed()
	})
}

// A broker's clock that leaps forward by less, and is corrected, holds the shards' clocks until
// real time has caught up; status reports it, and nothing is lost.
func TestFault_BrokerClockAhead(t *testing.T) {
	inWard(t, func(h *ward) {
		clocks := func() (at []time.Time) {
			for _, s := range h.engine.Actors.Status().Shards {
				at = append(at, s.Clock)
			}
			return at
		}
		for _, leap := range []time.Duration{40 * time.Minute, 0, 5 * time.Minute, -50 * time.Minute, 0} {
			before := clocks()
			h.broker.power.ahead.Store(int64(leap))
			h.something()
			h.well()
			for i, c := range clocks() {
				if c.Before(before[i]) {
					h.Errorf("shard %d: its clock went back to %v from %v", i, c, before[i])
				}
			}
		}
		for i, s := range h.engine.Actors.Status().Shards {
			if ahead := time.Duration(s.AheadMs) * time.Millisecond; ahead < 35*time.Minute || ahead > 40*time.Minute {
				h.Errorf("shard %d is said to be %v ahead", i, ahead)
			}
			if s.Stopped != "" || h.metric("clock_ahead_seconds", "shard", text(i)) != float64(s.AheadMs)/1000 {
				h.Errorf("%+v", s)
			}
			if n := h.lines.having("level=WARN", "the broker's clock is ahead", "shard="+text(i)); n != 1 {
				h.Errorf("%d lines", n)
			}
		}
		time.Sleep(61 * time.Minute) // real time catches up, and an hour begins
		for i, s := range h.engine.Actors.Status().Shards {
			if s.AheadMs != 0 || h.lines.having("recovered: the broker's clock is ahead", "shard="+text(i)) != 1 {
				h.Errorf("%+v", s)
			}
		}
		h.replayed()
	})
}
