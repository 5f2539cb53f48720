package actors

import (
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// A shard that stopped makes a node unready only where another node says that it is ready: of nodes
// that all stopped at one record, each is asked. A node alone is unready, and so is one whose shard
// still catches up.
func TestReady_StoppedShardAmongNodes(t *testing.T) {
	self, other := domain.NodeID{1}, domain.NodeID{2}
	beats := func(ready bool, state nodes.State) map[domain.NodeID]nodes.Beat {
		return map[domain.NodeID]nodes.Beat{other: {Version: 1, Incarnation: 1, Counter: 1, State: state, Ready: ready}}
	}
	both := []domain.NodeID{self, other}
	for _, tc := range []struct {
		name   string
		listed []domain.NodeID
		beats  map[domain.NodeID]nodes.Beat
		shard  shard.Behaviour
		ready  bool
	}{
		{"alone", both[:1], nil, shard.Stopped, false},
		{"another is ready", both, beats(true, nodes.Serving), shard.Stopped, false},
		{"another has stopped too", both, beats(false, nodes.Serving), shard.Stopped, true},
		{"another is about to end", both, beats(true, nodes.Ending), shard.Stopped, true},
		{"catching up", both, beats(false, nodes.Serving), shard.CatchingUp, false},
		{"serving", both, beats(false, nodes.Serving), shard.Serving, true},
	} {
		seen := nodes.NewObserver(self).Observe(time.Now(), tc.listed, tc.beats)
		s := &runningShard{Handle: shard.NewHandle(0)}
		s.Behaviour.Store(int32(tc.shard))
		o := &Options{Now: time.Now}
		c := newCatalogReader(o, &fault{})
		c.handle.Fresh.Applied(0, 0, time.Now())
		h := &health{
			o: o, fault: &fault{}, catalog: c, shards: &shards{count: 1, running: map[int]*runningShard{0: s}},
			nodes: func() *nodes.Snapshot { return seen },
		}
		if err := h.Ready(); (err == nil) != tc.ready {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// A node that has not been at its catalog's end for longer than it takes keys is unready, a stopped shard or not, and keys
// do not hold; without a bound they always do.
func TestReady_KeysOutdated(t *testing.T) {
	for _, c := range []struct {
		after, bound time.Duration
		holds        bool
	}{{time.Hour, 0, true}, {59 * time.Second, time.Minute, true}, {61 * time.Second, time.Minute, false}} {
		now := time.Now()
		o := &Options{Now: func() time.Time { return now.Add(c.after) }, RefuseKeysAfter: c.bound}
		r := newCatalogReader(o, &fault{})
		r.handle.Fresh.Applied(0, 0, now)
		s := &runningShard{Handle: shard.NewHandle(0)}
		s.Behaviour.Store(int32(shard.Serving))
		h := &health{
			o: o, fault: &fault{}, catalog: r, shards: &shards{count: 1, running: map[int]*runningShard{0: s}},
			nodes: func() *nodes.Snapshot { return nodes.NewObserver(domain.NodeID{1}).Observe(now, nil, nil) },
		}
		if (h.Ready() == nil) != c.holds || (h.KeysHold() == nil) != c.holds {
			t.Errorf("%+v: ready %v, keys %v", c, h.Ready(), h.KeysHold())
		}
	}
}
