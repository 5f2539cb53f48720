package nodes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// installation is a catalog's list and groups' offsets, for nodes in one bubble of time.
type installation struct {
	mu      sync.Mutex // guards all
	nodes   map[domain.NodeID]*domain.Node
	kept    map[domain.NodeID]string
	offsets map[domain.NodeID]int64
	commits map[domain.NodeID]int
	appends []domain.Command
	reads   int
	refuse  error // of commits
	cut     map[domain.NodeID]bool
	paused  map[domain.NodeID]chan struct{} // until it is closed the node's exchanges take
}

func newInstallation() *installation {
	return &installation{
		nodes: map[domain.NodeID]*domain.Node{}, kept: map[domain.NodeID]string{}, offsets: map[domain.NodeID]int64{},
		commits: map[domain.NodeID]int{}, cut: map[domain.NodeID]bool{},
		paused: map[domain.NodeID]chan struct{}{},
	}
}

func (i *installation) Node(id domain.NodeID) *domain.Node {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.nodes[id]
}

func (i *installation) Nodes() (listed []*domain.Node) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, n := range i.nodes {
		if n.Listed() {
			listed = append(listed, n)
		}
	}
	slices.SortFunc(listed, func(a, b *domain.Node) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return listed
}

func (i *installation) Append(_ context.Context, c domain.Command) (domain.Outcome, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.appends = append(i.appends, c)
	switch c := c.(type) {
	case *domain.NodeUp:
		if old := i.nodes[c.ID]; old != nil && old.Removed() {
			return domain.Failed(domain.Fail(domain.Conflict, "removed")), nil
		}
		i.nodes[c.ID] = &domain.Node{ID: c.ID, Address: c.Address, Zone: c.Zone, Rules: c.Rules, Protocol: c.Protocol, Program: c.Program, Since: c.At}
	case *domain.NodeGone:
		gone := *i.nodes[c.ID]
		gone.Gone, gone.By = 1, c.By
		i.nodes[c.ID] = &gone
	}
	return domain.Outcome{}, nil
}

var errCut = errors.New("no broker is reached")

// wire is the installation as one node reaches it.
type wire struct {
	*installation
	id domain.NodeID
}

// pause takes as long as the process is paused.
func (w wire) pause() {
	w.mu.Lock()
	awake := w.paused[w.id]
	w.mu.Unlock()
	if awake != nil {
		<-awake
	}
}

func (w wire) Commit(_ context.Context, id domain.NodeID, offset int64, metadata string) error {
	w.pause()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut[w.id] {
		return errCut
	}
	if w.refuse != nil {
		return w.refuse
	}
	w.kept[id], w.offsets[id] = metadata, offset
	w.commits[id]++
	return nil
}

func (w wire) Read(_ context.Context, id domain.NodeID) (int64, string, error) {
	w.pause()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	if w.cut[w.id] {
		return 0, "", errCut
	}
	m, ok := w.kept[id]
	if !ok {
		return -1, "", nil
	}
	return w.offsets[id], m, nil
}

func (i *installation) committed(id domain.NodeID) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.commits[id]
}

func (i *installation) appended() []domain.Command {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.appends)
}

func (i *installation) set(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f()
}

// process is a node that runs.
type process struct {
	*Membership
	stop  context.CancelFunc
	ended chan error
	state State
	rules int // that its program knows; 0: 1
	in    *installation
}

// run starts a process of a node.
func (i *installation) run(id domain.NodeID, incarnation uint64) *process {
	return i.runWith(id, incarnation, "x")
}

func (i *installation) runWith(id domain.NodeID, incarnation uint64, networks string) *process {
	p := &process{in: i, ended: make(chan error, 1), state: Serving}
	p.Membership = NewMembership(
		Self{Up: domain.NodeUp{ID: id, Address: "http://a", Rules: 1, Protocol: Protocol}, Incarnation: incarnation, IDFile: "data/node-id", Networks: networks},
		Ports{
			Beats: wire{i, id}, Directory: func() Directory { return i }, Append: i.Append,
			State: func() Beat {
				i.mu.Lock()
				defer i.mu.Unlock()
				return Beat{State: p.state, Ready: p.state == Serving, Catalog: 7, Rules: max(p.rules, 1)}
			},
			Now: time.Now, Clock: new(Clock), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
	p.forget = time.Hour // a week of seconds takes long, in any time
	p.mayBeat = 10 * time.Minute
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	go func() { p.ended <- p.Run(ctx) }()
	return p
}

// end stops a process in order.
func (p *process) end() error {
	p.stop()
	return <-p.ended
}

func wantEnded(t *testing.T, p *process, words ...string) {
	t.Helper()
	select {
	case err := <-p.ended:
		var ended *EndedError
		if !errors.As(err, &ended) {
			t.Fatalf("it ended with %v", err)
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	default:
		t.Error("the process runs on")
	}
}

func wantRuns(t *testing.T, p *process) {
	t.Helper()
	select {
	case err := <-p.ended:
		t.Errorf("the process ended: %v", err)
	default:
	}
}

// A node is listed when it serves for the first time, and does not beat while it is alone, but for
// the look with which it starts.
func TestMembership_AloneDoesNotBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		p := in.run(node(1), 1)
		in.set(func() { p.state = Starting })
		time.Sleep(20 * time.Second)
		if n := len(in.Nodes()); n > 1 {
			t.Errorf("%d nodes are listed", n)
		}
		looks := in.committed(node(1))
		in.set(func() { p.state = Serving })
		time.Sleep(time.Hour)
		beats := in.committed(node(1)) - looks
		if len(in.Nodes()) != 1 || len(in.appended()) != 1 || looks < 1 || looks > 9 || beats != 0 || p.Rank(Routing, 5) != 0 {
			t.Errorf("%d listed, %d appends, %d looks, %d beats, rank %d", len(in.Nodes()), len(in.appended()), looks, beats, p.Rank(Routing, 5))
		}
		reads := 0
		in.set(func() { reads = in.reads })
		if reads > 1000 {
			t.Errorf("%d reads in an hour alone", reads)
		}
		if err := p.end(); err != nil || p.Waiting() != "" {
			t.Errorf("%v %q", err, p.Waiting())
		}
		again := in.run(node(1), 2)
		time.Sleep(time.Minute)
		if appends := in.appended(); len(appends) != 1 {
			t.Errorf("a start that changes nothing appended %v", appends[1:])
		}
		_ = again.end()
	})
}

// Two listed nodes beat once a second and see each other; each has its part of the duties; one that
// dies is away after 5 s, one that ends hands its duties over at once.
func TestMembership_TwoShareAndTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b, c := in.run(node(1), 1), in.run(node(2), 2), in.run(node(3), 3)
		time.Sleep(30 * time.Second)
		held := func(p *process) int { return dutiesOf(p.Get(), Publishing, 300) }
		if x, y, z := held(a), held(b), held(c); x+y+z != 300 || min(x, y, z) < 60 {
			t.Errorf("duties held: %d, %d, %d of 300", x, y, z)
		}
		before := in.committed(node(1))
		time.Sleep(10 * time.Second)
		if n := in.committed(node(1)) - before; n < 9 || n > 11 {
			t.Errorf("%d beats in 10 s", n)
		}
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
		if held(b) != 0 {
			t.Errorf("a node that ends holds %d duties", held(b))
		}
		time.Sleep(1100 * time.Millisecond)
		if x, z := held(a), held(c); x+z != 300 {
			t.Errorf("a second after a node ended the others hold %d and %d of 300", x, z)
		}
		in.set(func() { in.cut[node(3)] = true })
		time.Sleep(4 * time.Second)
		if held(a) == 300 {
			t.Error("a node is dead before 5 s")
		}
		time.Sleep(3 * time.Second)
		if held(a) != 300 || held(c) == 300 || c.Waiting() == "" {
			t.Errorf("the living holds %d, the one that was cut %d, which waits for %q", held(a), held(c), c.Waiting())
		}
		in.set(func() { in.cut[node(3)] = false })
		time.Sleep(3 * time.Second)
		if held(a)+held(c) != 300 || held(c) == 0 || c.Waiting() != "" {
			t.Errorf("after the heal %d and %d, %q", held(a), held(c), c.Waiting())
		}
		_, _ = a.end(), c.end()
	})
}

// A node that starts again has no duty before it serves.
func TestMembership_StartingHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b := in.run(node(1), 1), in.run(node(2), 2)
		time.Sleep(20 * time.Second)
		in.set(func() { b.state = Starting })
		time.Sleep(3 * time.Second)
		if dutiesOf(a.Get(), Ticking, 50) != 50 || dutiesOf(b.Get(), Ticking, 50) != 0 || b.Get().AnotherReady() != true || a.Get().AnotherReady() {
			t.Errorf("%d and %d", dutiesOf(a.Get(), Ticking, 50), dutiesOf(b.Get(), Ticking, 50))
		}
		_, _ = a.end(), b.end()
	})
}

// A copy of the data of a node that runs ends, whether the node is one of many or alone, each time
// that it is started, and the node runs on without a pause of its beats.
func TestMembership_CopyEnds(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := newInstallation()
				var all []*process
				for i := range nodes {
					all = append(all, in.run(node(i+1), uint64(i+1)))
				}
				time.Sleep(30 * time.Second)
				for restart := range 5 {
					copied := in.run(node(1), uint64(100-restart))
					time.Sleep(12 * time.Second)
					wantEnded(t, copied, "the newer", "delete data/node-id", node(1).String())
					for _, p := range all {
						wantRuns(t, p)
					}
				}
				for _, p := range all {
					if err := p.end(); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// A process that was paused while another one took its id ends when it wakes, and the other runs on;
// one that was paused alone, or restarted after a kill, runs on.
func TestMembership_WokenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		other, old := in.run(node(2), 2), in.run(node(1), 1)
		time.Sleep(20 * time.Second)
		in.set(func() { in.cut[node(1)] = true })
		time.Sleep(10 * time.Second)
		in.set(func() { delete(in.cut, node(1)) })
		time.Sleep(10 * time.Second)
		wantRuns(t, old)

		paused := in.run(node(3), 3)
		time.Sleep(20 * time.Second)
		awake := make(chan struct{})
		in.set(func() { in.paused[node(3)] = awake })
		time.Sleep(10 * time.Second)
		in.set(func() { delete(in.paused, node(3)) }) // of processes that start from here on
		later := in.run(node(3), 1)
		time.Sleep(20 * time.Second)
		wantRuns(t, later)
		time.Sleep(500 * time.Millisecond) // two processes do not read and commit at the same moments each second
		close(awake)
		time.Sleep(3 * time.Second)
		wantEnded(t, paused, "paused or cut off", "data/node-id")
		time.Sleep(10 * time.Second)
		wantRuns(t, later)
		wantRuns(t, other)
		_, _, _ = later.end(), other.end(), old.end()
	})
}

// A node that was killed, or ended, and is started again beats soon.
func TestMembership_RestartBeats(t *testing.T) {
	for _, killed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			in := newInstallation()
			a, b := in.run(node(1), 1), in.run(node(2), 2)
			time.Sleep(20 * time.Second)
			if killed { // nothing is said any more
				var last string
				in.set(func() { last = in.kept[node(2)] })
				_ = b.end()
				in.set(func() { in.kept[node(2)] = last })
			} else {
				_ = b.end()
			}
			before := in.committed(node(2))
			again := in.run(node(2), 9)
			time.Sleep(1500 * time.Millisecond)
			if n := in.committed(node(2)) - before; killed == (n > 0) {
				t.Errorf("killed %v: %d beats in the first second", killed, n)
			}
			time.Sleep(4 * time.Second)
			if n := in.committed(node(2)) - before; n == 0 {
				t.Errorf("killed %v: no beat after 5 s", killed)
			}
			wantRuns(t, again)
			_, _ = a.end(), again.end()
		})
	}
}

// The last requests of a process that was killed may arrive late: the process that was started in its place
// runs on.
func TestMembership_LateBeatsOfADeadProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b := in.run(node(1), 1), in.run(node(2), 2)
		time.Sleep(20 * time.Second)
		var last Beat
		var err error
		in.set(func() { last, err = ReadBeat(0, in.kept[node(2)]) })
		if err != nil {
			t.Fatal(err)
		}
		_ = b.end()
		in.set(func() { in.kept[node(2)] = last.Metadata() })
		again := in.run(node(2), 9)
		for range 2 {
			time.Sleep(1800 * time.Millisecond)
			last.Counter++
			in.set(func() { in.kept[node(2)] = last.Metadata() })
		}
		time.Sleep(10 * time.Second)
		wantRuns(t, again)
		_, _ = a.end(), again.end()
	})
}

// A node that an operator removes ends; it is not listed when it is started again. One that is
// alive is removed by force alone.
func TestMembership_Removed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b := in.run(node(1), 1), in.run(node(2), 2)
		time.Sleep(20 * time.Second)
		ctx := context.Background()
		for _, id := range []domain.NodeID{node(2), node(1)} {
			if err := a.Remove(ctx, id, false); domain.CodeOf(err) != domain.Conflict {
				t.Errorf("removing a node that is alive: %v", err)
			}
		}
		if err := a.Remove(ctx, node(9), true); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("removing a node that is not listed: %v", err)
		}
		if err := a.Remove(ctx, node(2), true); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		wantEnded(t, b, "removed", "data/node-id")
		again := in.run(node(2), 3)
		time.Sleep(2 * time.Second)
		wantEnded(t, again, "removed")
		if err := a.Remove(ctx, node(2), true); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("removing it again: %v", err)
		}
		c := in.run(node(3), 3)
		time.Sleep(20 * time.Second)
		_ = c.end()
		time.Sleep(10 * time.Second)
		if err := a.Remove(ctx, node(3), false); err != nil {
			t.Errorf("removing a node that is away: %v", err)
		}
		wantRuns(t, a)
		_ = a.end()
	})
}

// A node that was silent for too long is taken off the list once, by one node; it is listed again when
// it comes back.
func TestMembership_SilentForTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b, c := in.run(node(1), 1), in.run(node(2), 2), in.run(node(3), 3)
		time.Sleep(20 * time.Second)
		_ = c.end()
		time.Sleep(time.Hour - 20*time.Second)
		if len(in.Nodes()) != 3 {
			t.Fatal("the node is gone too early")
		}
		time.Sleep(time.Minute)
		gone := 0
		for _, c := range in.appended() {
			if c.Kind() == domain.KindNodeGone {
				gone++
			}
		}
		if len(in.Nodes()) != 2 || gone != 1 {
			t.Errorf("%d listed, %d appended that one is gone", len(in.Nodes()), gone)
		}
		back := in.run(node(3), 4)
		time.Sleep(10 * time.Second)
		if len(in.Nodes()) != 3 {
			t.Error("the node is not listed again")
		}
		_, _, _ = a.end(), b.end(), back.end()
	})
}

// A node that starts with an empty directory again and again, each time as another one, leaves few nodes on the list: those
// that were listed last, and the ones that are alive.
func TestMembership_ManyIDsOfOneNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, away := in.run(node(1), 1), in.run(node(2), 2)
		time.Sleep(20 * time.Second)
		for i := range 50 {
			p := in.run(node(10+i), uint64(10+i))
			time.Sleep(5 * time.Second)
			_ = p.end()
			if n := len(in.Nodes()); n > 2*maxSilent+int(manyAfter/(5*time.Second)) { // a newcomer may have the duty for a while
				t.Errorf("%d nodes are listed after %d starts", n, i+1)
			}
		}
		last := in.run(node(60), 60)
		time.Sleep(2 * time.Minute)
		listed := in.Nodes()
		if len(listed) != 3+maxSilent {
			t.Errorf("%d nodes are listed", len(listed))
		}
		for _, id := range []domain.NodeID{node(1), node(2), node(60), node(59), node(60 - maxSilent)} {
			if n := in.Node(id); !n.Listed() {
				t.Errorf("node %s is not listed", id)
			}
		}
		again := in.run(node(12), 100) // one that was taken off comes back
		time.Sleep(20 * time.Second)
		if !in.Node(node(12)).Listed() {
			t.Error("a node that comes back is not listed")
		}
		for _, p := range []*process{a, away, last, again} {
			wantRuns(t, p)
			_ = p.end()
		}
	})
}

// Nodes that have other files of networks say so while both are alive.
func TestMembership_OtherNetworks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b := in.run(node(1), 1), in.run(node(2), 2)
		time.Sleep(20 * time.Second)
		if a.Differs() != "" || b.Differs() != "" {
			t.Errorf("with the same file: %q, %q", a.Differs(), b.Differs())
		}
		c := in.runWith(node(3), 3, "y")
		time.Sleep(20 * time.Second)
		for _, p := range []*process{a, b} {
			if why := p.Differs(); !strings.Contains(why, "node "+node(3).String()) || !strings.Contains(why, "--networks") {
				t.Errorf("of a node with another file: %q", why)
			}
		}
		_ = c.end()
		time.Sleep(10 * time.Second)
		if a.Differs() != "" {
			t.Errorf("of a node that is away: %q", a.Differs())
		}
		_, _ = a.end(), b.end()
	})
}

// Without the right to the groups of beats, the node says so and goes on.
func TestMembership_NoRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b := in.run(node(1), 1), in.run(node(2), 2)
		in.set(func() { in.refuse = errors.New("allow it") })
		time.Sleep(20 * time.Second)
		wantRuns(t, a)
		if w := a.Waiting(); !strings.Contains(w, "allow it") {
			t.Errorf("it waits for %q", w)
		}
		in.set(func() { in.refuse = nil; in.kept[node(2)] = "of another program" })
		time.Sleep(20 * time.Second)
		if w := a.Waiting(); w != "" {
			t.Errorf("it waits for %q", w)
		}
		_, _ = a.end(), b.end()
	})
}

// dutiesOf is how many of n partitions or shards the node of a snapshot has the duty of.
func dutiesOf(s *Snapshot, duty Duty, n int) (held int) {
	for partition := range n {
		if s.Rank(duty, partition) == 0 {
			held++
		}
	}
	return held
}

// Newer rules are known to all once the program of every listed node says so, by its beat before the list does. A node
// that was silent for long does not count, one that was silent for less does; a node that is not listed yet judges
// nothing.
func TestMembership_AllKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInstallation()
		a, b := in.run(node(1), 1), in.run(node(2), 2)
		in.set(func() { a.rules = 2 })
		if a.AllKnow(1) {
			t.Error("a node judges before it is listed")
		}
		time.Sleep(30 * time.Second)
		want := func(rules uint32, known bool) {
			t.Helper()
			if a.AllKnow(rules) != known {
				t.Errorf("all know rules %d: %v", rules, !known)
			}
		}
		want(1, true)
		want(2, false)
		_ = b.end()
		want(2, false)
		time.Sleep(9 * time.Minute)
		want(2, false)
		time.Sleep(2 * time.Minute)
		want(2, true)
		b = in.run(node(2), 3)
		time.Sleep(30 * time.Second)
		want(2, false)
		in.set(func() { b.rules = 2 })
		time.Sleep(3 * time.Second)
		want(2, true)
		want(3, false)
		c := in.run(node(3), 4)
		time.Sleep(30 * time.Second)
		want(2, false)
		for _, p := range []*process{a, b, c} {
			_ = p.end()
		}
	})
}
