package nodes

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func node(n int) domain.NodeID { return domain.NodeID{15: byte(n), 14: byte(n >> 8)} }

func some(n int) (ids []domain.NodeID) {
	for i := range n {
		ids = append(ids, node(i+1))
	}
	return ids
}

// serving are beats of serving nodes with the counter given.
func serving(counter int, ids ...domain.NodeID) map[domain.NodeID]Beat {
	m := map[domain.NodeID]Beat{}
	for _, id := range ids {
		m[id] = Beat{Version: 1, Incarnation: 1, Counter: uint64(counter), State: Serving, Ready: true}
	}
	return m
}

// holders are who has the duty of each partition.
func holders(s *Snapshot, duty Duty, partitions int) []domain.NodeID {
	out := make([]domain.NodeID, partitions)
	for p := range out {
		for _, m := range s.Members {
			if m.Alive && s.RankOf(m.ID, duty, p) == 0 {
				out[p] = m.ID
			}
		}
	}
	return out
}

func count(of []domain.NodeID) map[domain.NodeID]int {
	n := map[domain.NodeID]int{}
	for _, id := range of {
		n[id]++
	}
	return n
}

// A node alone has every duty, whether it is listed or not, and before anything was observed.
func TestRank_Alone(t *testing.T) {
	var c Current
	if got := c.Rank(Routing, 7); got != 0 {
		t.Errorf("rank %d before anything was observed", got)
	}
	if c.Get().Others() != nil || c.Get().AnotherReady() || c.Get().RankOf(node(2), Routing, 1) != 0 {
		t.Error("a node alone sees others")
	}
	o, now := NewObserver(node(1)), time.Now()
	for i, listed := range [][]domain.NodeID{nil, {node(1)}, {node(1)}, {node(1)}, {node(1)}, {node(1)}} {
		now = now.Add(2 * time.Second)
		c.Set(o.Observe(now, listed, map[domain.NodeID]Beat{node(1): {}}))
		if got := c.Rank(Ticking, i); got != 0 {
			t.Errorf("rank %d in a list of %d", got, len(listed))
		}
	}
	if m := c.Get().Members; len(m) != 1 || !m[0].Alive {
		t.Errorf("the list of one is %v", m)
	}
}

// Duties are spread over the nodes, of each kind for itself; a node that joins takes over what it
// will do and nothing else moves, and as it leaves all is as before.
func TestRank_SpreadAndKept(t *testing.T) {
	const partitions = 3000
	now := time.Now()
	for _, n := range []int{2, 3, 5, 9} {
		ids := some(n)
		o := NewObserver(ids[0])
		before := o.Observe(now, ids, serving(1, ids...))
		for _, duty := range []Duty{Routing, Publishing, Ticking, Trimming} {
			had := holders(before, duty, partitions)
			for id, got := range count(had) {
				if want := partitions / n; got < want*85/100 || got > want*115/100 {
					t.Errorf("%d nodes: %v has duty %d of %d partitions, of %d", n, id, duty, got, want)
				}
			}
			joined := append(slices.Clone(ids), node(99))
			after := NewObserver(ids[0]).Observe(now, joined, serving(1, joined...))
			moved := 0
			for p, id := range holders(after, duty, partitions) {
				if id != had[p] {
					moved++
					if id != node(99) {
						t.Fatalf("%d nodes: duty %d of partition %d went from %v to %v as another joined", n, duty, p, had[p], id)
					}
				}
			}
			if want := partitions / (n + 1); moved < want*85/100 || moved > want*115/100 {
				t.Errorf("%d nodes: %d duties moved as one joined, of %d", n, moved, want)
			}
		}
	}
}

// Ids that do not beat any more cost nothing: the ranks are those of the living alone.
func TestRank_DeadIDsCostNothing(t *testing.T) {
	living, dead := some(3), some(200)[100:]
	all := append(slices.Clone(living), dead...)
	o, alone := NewObserver(living[0]), NewObserver(living[0])
	var s, want *Snapshot
	now := time.Now()
	for i := range 8 {
		now = now.Add(Every)
		beats := serving(i, living...)
		maps.Copy(beats, serving(1, dead...)) // the last that each committed
		s, want = o.Observe(now, all, beats), alone.Observe(now, living, serving(i, living...))
	}
	for p := range 500 {
		for _, id := range living {
			if got := s.RankOf(id, Publishing, p); got != want.RankOf(id, Publishing, p) {
				t.Fatalf("partition %d: %v has rank %d beside dead ids, %d without", p, id, got, want.RankOf(id, Publishing, p))
			}
		}
		if got := s.RankOf(dead[0], Publishing, p); got != 3 {
			t.Fatalf("a dead node has rank %d", got)
		}
	}
}

// A node that starts or ends comes after those that serve, and when none serves, all of them have
// ranks as ever. A last beat hands duties over at once; then the node is away.
func TestRank_StartingAndEndingComeLast(t *testing.T) {
	ids := some(3)
	o, now := NewObserver(ids[0]), time.Now()
	beats := serving(1, ids...)
	for _, state := range []State{Starting, Ending} {
		b := beats[ids[1]]
		b.Counter++
		b.State = state
		beats[ids[1]] = b
		now = now.Add(Every)
		s := o.Observe(now, ids, beats)
		for p := range 100 {
			if s.RankOf(ids[1], Routing, p) != 2 || s.RankOf(ids[0], Routing, p)+s.RankOf(ids[2], Routing, p) != 1 {
				t.Fatalf("%s: ranks %d, %d, %d", state, s.RankOf(ids[0], Routing, p), s.RankOf(ids[1], Routing, p), s.RankOf(ids[2], Routing, p))
			}
		}
	}
	if m := o.Observe(now.Add(Every), ids, beats).Members[1]; m.Alive {
		t.Errorf("a node that ended is alive: %v", m)
	}
	for _, id := range ids {
		beats[id] = Beat{Version: 1, Incarnation: 9, Counter: 1, State: Starting}
	}
	s := o.Observe(now.Add(2*Every), ids, beats)
	if n := count(holders(s, Routing, 300)); len(n) != 3 {
		t.Errorf("while all start, duties are of %v", n)
	}
	if s.AnotherReady() {
		t.Error("a node that starts is ready")
	}
}

// A reader that was paused, or could not read, takes no node for dead when it comes back.
func TestObserve_PauseIsNoSilence(t *testing.T) {
	ids := some(2)
	o, now := NewObserver(ids[0]), time.Now()
	o.Observe(now, ids, serving(1, ids...))
	now = now.Add(time.Hour) // nothing else was committed while the reader was paused: all hosts were
	if s := o.Observe(now, ids, serving(1, ids...)); len(s.order) != 2 {
		t.Errorf("after a pause %v are alive", s.order)
	}
	for range 100 { // the other's offset cannot be read
		now = now.Add(Every)
		if s := o.Observe(now, ids, serving(2, ids[0])); !s.Members[1].Alive {
			t.Fatal("a node whose beats cannot be read is taken for dead")
		}
	}
	for i := range 5 {
		now = now.Add(Every)
		s := o.Observe(now, ids, map[domain.NodeID]Beat{ids[1]: {}, ids[0]: serving(i, ids[0])[ids[0]]})
		if want := i < 2; s.Members[1].Alive != want { // it was silent for 2 s before
			t.Errorf("after %d reads alive is %v", i+1, s.Members[1].Alive)
		}
	}
}

// history is the naive model: all that one reader read.
type history []struct {
	now    time.Time
	listed []domain.NodeID
	beats  map[domain.NodeID]Beat
}

// silent goes through the whole history of a node, as self read it.
func (h history) silent(self, id domain.NodeID) (silent time.Duration, last Beat) {
	known := false
	for i, r := range h {
		if !slices.Contains(r.listed, id) {
			known, silent, last = false, 0, Beat{}
			continue
		}
		b, read := r.beats[id]
		if known && read {
			silent += min(r.now.Sub(h[i-1].now), 2*time.Second)
		}
		known = true
		if len(r.listed) == 1 && id == self {
			silent = 0 // alone it does not beat
		}
		if b.Version != 0 {
			if last.Version != 0 && [2]uint64{b.Incarnation, b.Counter} != [2]uint64{last.Incarnation, last.Counter} {
				silent = 0
			}
			last = b
		}
	}
	return silent, last
}

// Against a naive model, over random lives of nodes: who is alive and in which order they have
// duties; and every node that reads the same beats says the same.
func TestObserve_RandomMembership(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	for range 30 {
		ids := some(1 + rnd.IntN(7))
		observers := map[domain.NodeID]*Observer{}
		for _, id := range ids {
			observers[id] = NewObserver(id)
		}
		var h history
		now := time.Now()
		beats := map[domain.NodeID]Beat{}
		dead := map[domain.NodeID]bool{}
		listed := map[domain.NodeID]bool{ids[0]: true}
		for step := range 80 {
			now = now.Add(time.Duration(rnd.IntN(3000)) * time.Millisecond)
			id := ids[rnd.IntN(len(ids))]
			switch rnd.IntN(6) {
			case 0:
				listed[id] = !listed[id]
			case 1:
				dead[id] = !dead[id]
			case 2:
				delete(beats, id) // its offset was forgotten
			}
			read := map[domain.NodeID]Beat{}
			r := history{{now: now, beats: read}}
			for _, id := range ids {
				if !dead[id] {
					b := beats[id]
					beats[id] = Beat{
						Version: 1, Incarnation: b.Incarnation + uint64(rnd.IntN(20)/19), Counter: b.Counter + 1,
						State: []State{Starting, Serving, Serving, Lagging, Ending}[rnd.IntN(5)], Ready: rnd.IntN(2) == 0,
					}
				}
				if listed[id] {
					r[0].listed = append(r[0].listed, id)
					if rnd.IntN(8) > 0 {
						read[id] = beats[id]
					}
				}
			}
			h = append(h, r...)
			check(t, fmt.Sprintf("seed %d, step %d", seed, step), h, observers)
		}
	}
}

func check(t *testing.T, at string, h history, observers map[domain.NodeID]*Observer) {
	t.Helper()
	r := h[len(h)-1]
	for self, o := range observers {
		var first, then []domain.NodeID // alive, by the model
		for _, id := range r.listed {
			silent, last := h.silent(self, id)
			switch {
			case silent >= 5*time.Second || last.State == Ending && silent > 0:
			case last.Version != 0 && last.State != Serving:
				then = append(then, id)
			default:
				first = append(first, id)
			}
		}
		s := o.Observe(r.now, r.listed, r.beats)
		for p := range 3 {
			want := append(sorted(first, p), sorted(then, p)...)
			for _, id := range r.listed {
				rank := slices.Index(want, id)
				if rank < 0 {
					rank = len(want)
				}
				if got := s.RankOf(id, Ticking, p); got != rank {
					t.Fatalf("%s: %v sees %v at rank %d for partition %d, the model at %d", at, self, id, got, p, rank)
				}
			}
			if got := s.Rank(Ticking, p); got != s.RankOf(self, Ticking, p) {
				t.Fatalf("%s: own rank %d", at, got)
			}
		}
		ready := slices.ContainsFunc(append(first, then...), func(id domain.NodeID) bool {
			_, last := h.silent(self, id)
			return id != self && (last.State == Serving || last.State == Lagging) && last.Ready
		})
		if s.AnotherReady() != ready {
			t.Fatalf("%s: %v sees another ready: %v", at, self, !ready)
		}
	}
}

func sorted(ids []domain.NodeID, p int) []domain.NodeID {
	return slices.SortedFunc(slices.Values(ids), func(a, b domain.NodeID) int {
		if x, y := weight(a, Ticking, p), weight(b, Ticking, p); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return bytes.Compare(a[:], b[:])
	})
}

// The order of nodes for a duty is the same in every version of the program.
func TestWeight_Frozen(t *testing.T) {
	for _, tc := range []struct {
		n    int
		duty Duty
		p    int
		want uint64
	}{{1, Routing, 0, 0xe788a28bde3476c}, {2, Publishing, 63, 0x60e63c35cad14678}, {300, Listing, 70_000, 0x982eb47b2137bd99}} {
		if got := weight(node(tc.n), tc.duty, tc.p); got != tc.want {
			t.Errorf("weight of node %d, duty %d, partition %d is %#x", tc.n, tc.duty, tc.p, got)
		}
	}
}

func TestNodeID_Text(t *testing.T) {
	id := node(300)
	text, _ := id.MarshalText()
	var got domain.NodeID
	if err := got.UnmarshalText(text); err != nil || got != id || id.IsZero() {
		t.Errorf("%s is read as %v (%v)", text, got, err)
	}
	for _, s := range []string{"", "12", "zz", id.String() + "00"} {
		if _, err := domain.ParseNodeID(s); err == nil {
			t.Errorf("%q is an id", s)
		}
	}
}
