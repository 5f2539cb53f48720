package actors

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
)

// join has the node take part in the installation of the beats.
func (r *harness) join(beats *memBeats) {
	r.node.Join(nodes.Self{Up: domain.NodeUp{Address: "http://a"}, IDFile: "data/node-id"}, beatsOf{beats, &atomic.Bool{}})
}

// sees reports that the node has heard that another one serves.
func (r *harness) sees(id byte) bool {
	m := r.node.membership.current().Member(domain.NodeID{id})
	return m != nil && m.Alive && m.Heard && m.Beat.State == nodes.Serving
}

// rules are the rules that each shard applies by.
func (r *harness) rules() (all []uint32) {
	for _, s := range r.node.here() {
		all = append(all, s.Stats.Rules.Load())
	}
	return all
}

// ends waits until the node says why its process must end.
func (r *harness) ends() string {
	r.t.Helper()
	select {
	case err := <-r.node.Ended():
		return err.Error()
	case <-time.After(time.Minute):
		r.t.Fatal("the process of the node does not end")
		return ""
	}
}

// A partition goes on to newer rules once the programs of all nodes know them, on every node at the same record. Until
// then a newer program applies it as the older ones do, from its first record on. A program that does not know the
// rules of a partition does not start: neither with a store of its own nor with the journal alone.
func TestRules_GoOnWhenEveryNodeKnowsThem(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const known, newer = domain.RulesVersion, domain.RulesVersion + 1
		beats := newMemBeats()
		of := func(id byte, incarnation uint64, rules uint16) Options {
			return Options{ID: domain.NodeID{id}, Incarnation: incarnation, rules: rules, markEvery: 100}
		}
		a := newHarness(t, 2, of(1, 1, newer))
		b := a.beside(of(2, 2, known))
		all := func(r *harness, want uint32) bool {
			for _, got := range r.rules() {
				if got != want {
					return false
				}
			}
			return true
		}
		if !all(a, domain.FirstRules) {
			t.Fatalf("a new store begins with the rules %v", a.rules())
		}
		b.join(beats)
		a.eventually("the node of the older program on the list", func() bool {
			n := a.node.Catalog().Node(domain.NodeID{2})
			return n != nil && n.Listed() && n.Rules == known && n.Protocol == nodes.Protocol
		})
		a.join(beats)
		a.eventually("both to see each other", func() bool { return a.sees(2) && b.sees(1) })
		if own := a.node.Catalog().Node(domain.NodeID{1}); own.Rules != newer {
			t.Errorf("the list has the newer program with rules %d", own.Rules)
		}
		a.furnish(1)
		a.members(4)
		time.Sleep(time.Minute)
		if !all(a, known) || !all(b, known) {
			t.Errorf("beside an older program the shards go by the rules %v and %v", a.rules(), b.rules())
		}

		b.close()
		b.options = of(2, 3, newer)
		b.open()
		b.join(beats)
		a.eventually("newer rules in every partition", func() bool { return all(a, newer) && all(b, newer) })
		a.members(4)
		a.settled()
		b.settled()
		for i, s := range a.node.Status().Shards {
			if other := b.node.Status().Shards[i]; s.Facts != other.Facts {
				t.Errorf("the state hashes of shard %d are %s and %s", i, s.Facts, other.Facts)
			}
		}

		b.close()
		b.options = of(2, 4, known)
		b.boot()
		if why := b.ends(); !strings.Contains(why, "upgrade this node") {
			t.Errorf("the older program with a store of newer rules ends with %q", why)
		}
		old := &harness{t: t, fs: vfs.NewCrashableMem(), journal: a.journal, catalog: a.catalog, source: a.source, letters: &letters{}, options: of(3, 5, known)}
		t.Cleanup(old.close)
		old.boot()
		if why := old.ends(); !strings.Contains(why, "upgrade this node") {
			t.Errorf("the older program without a store ends with %q", why)
		}
	})
}
