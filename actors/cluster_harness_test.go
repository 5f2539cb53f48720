package actors

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/storage/audit"
)

// memBeats keeps the beats of the nodes of an installation.
type memBeats struct {
	mu  sync.Mutex
	all map[domain.NodeID]string
	at  map[domain.NodeID]int64
}

func newMemBeats() *memBeats {
	return &memBeats{all: map[domain.NodeID]string{}, at: map[domain.NodeID]int64{}}
}

// beatsOf is what one node has of them.
type beatsOf struct {
	*memBeats
	away *atomic.Bool // the node is cut off
}

func (b beatsOf) Commit(_ context.Context, id domain.NodeID, offset int64, metadata string) error {
	if b.away.Load() {
		return errAway
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[id], b.at[id] = metadata, offset
	return nil
}

func (b beatsOf) Read(_ context.Context, id domain.NodeID) (int64, string, error) {
	if b.away.Load() {
		return 0, "", errAway
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if metadata, is := b.all[id]; is {
		return b.at[id], metadata, nil
	}
	return -1, "", nil
}

// clusterNode is one of several nodes of an installation, which may be cut off from all that it shares with the others.
type clusterNode struct {
	*harness
	id    domain.NodeID
	away  atomic.Bool
	sends atomic.Pointer[sending] // nil: all that its outboxes send is taken
	fails atomic.Pointer[place]   // nil: it can apply every record
}

// place is where a record of the journal is.
type place struct {
	partition int
	offset    int64
}

// failsAt has the node, and no other, panic when it applies a record.
func (n *clusterNode) failsAt(partition int, offset int64) { n.fails.Store(&place{partition, offset}) }

// changed is a page as the node reads it.
func (n *clusterNode) changed(partition int, page domain.Page) domain.Page {
	at := n.fails.Load()
	if at == nil || at.partition != partition {
		return page
	}
	for i := range page.Records {
		if page.Records[i].Offset == at.offset {
			page.Records = slices.Clone(page.Records)
			page.Records[i].Kind, page.Records[i].Command = domain.KindRegister, (*domain.RegisterMember)(nil)
		}
	}
	return page
}

// sending is asked before entries of an outbox are sent.
type sending func(ctx context.Context, k outbox.Kind) error

// onSend has f be asked before entries are sent.
func (n *clusterNode) onSend(f sending) { n.sends.Store(&f) }

// asked is the answer of what is asked before entries are sent.
func (n *clusterNode) asked(ctx context.Context, k outbox.Kind) error {
	if f := n.sends.Load(); f != nil {
		return (*f)(ctx, k)
	}
	return nil
}

// waitsAway blocks while the node is cut off.
func (n *clusterNode) waitsAway(ctx context.Context) error {
	for n.away.Load() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// nodeLog is a log as one node of several has it.
type nodeLog struct {
	*memLog
	n *clusterNode
}

func (l nodeLog) Appender() journal.Appender { return l }
func (l nodeLog) Reader(p int) journal.Reader {
	return nodeReader{l.memLog.Reader(p), l.n, p, l.id == (domain.TopicID{1})}
}

func (l nodeLog) End(ctx context.Context, p int) (int64, error) {
	if l.n.away.Load() {
		return 0, errAway
	}
	return l.memLog.End(ctx, p)
}

func (l nodeLog) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	if err := l.n.waitsAway(ctx); err != nil {
		return 0, err
	}
	if len(records) > 0 && records[0].Origin.Topic == l.id {
		if err := l.n.asked(ctx, outbox.Forwards); err != nil {
			return 0, err
		}
	}
	return l.memLog.Append(ctx, p, records)
}

func (l nodeLog) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	appendEach(ctx, l, batches, done)
}

type nodeReader struct {
	journal.Reader
	n         *clusterNode
	partition int
	changes   bool
}

func (r nodeReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if err := r.n.waitsAway(ctx); err != nil {
		return domain.Page{}, err
	}
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	if r.n.away.Load() {
		return domain.Page{}, errAway
	}
	if r.changes && err == nil {
		page = r.n.changed(r.partition, page)
	}
	return page, err
}

// nodeLetters are the dead letters of all, as one node publishes them.
type nodeLetters struct {
	*letters
	n *clusterNode
}

func (l nodeLetters) Publish(ctx context.Context, all []domain.DeadLetter) error {
	if err := l.n.waitsAway(ctx); err != nil {
		return err
	}
	if err := l.n.asked(ctx, outbox.DeadLetters); err != nil {
		return err
	}
	return l.letters.Publish(ctx, all)
}

// installation is several nodes of one, in a bubble. One of its two shards forwards to the other.
type installation struct {
	*clusterNode // the first
	nodes        []*clusterNode
	beats        *memBeats
	member       domain.MemberID     // of the shard to
	identity     domain.IdentityHash // of it, in the shard from
	from, to     int
	hash         uint64 // of the last activity
}

func newInstallation(t *testing.T, size int, o Options) *installation {
	return newInstallationOf(t, size, o, func(int, *clusterNode) {})
}

// newInstallationOf is newInstallation whose nodes are prepared before they are opened.
func newInstallationOf(t *testing.T, size int, o Options, prepare func(i int, n *clusterNode)) *installation {
	t.Helper()
	c := &installation{beats: newMemBeats()}
	journal, catalog, source, letters := newMemLog(1, 2), newMemLog(2, 1), newMemSource(), &letters{}
	for i := range size {
		n := &clusterNode{id: domain.NodeID{1: byte(i + 1)}}
		own := o
		own.ID, own.Incarnation, own.markEvery = n.id, uint64(i+1), 1000
		own.Logs = Logs{Journal: nodeLog{journal, n}, Catalog: nodeLog{catalog, n}, DeadLetters: nodeLetters{letters, n}}
		n.harness = &harness{
			t: t, fs: vfs.NewCrashableMem(), journal: journal, catalog: catalog, source: source, letters: letters,
			options: own,
		}
		prepare(i, n)
		t.Cleanup(n.close)
		c.nodes = append(c.nodes, n)
		c.start(n)
	}
	c.clusterNode = c.nodes[0]
	c.furnish(1)
	c.member, c.identity = c.forwarded()
	c.to, c.from = c.member.Slot().Shard(2), c.identity.Slot().Shard(2)
	c.awaits("all nodes to see all", func() bool {
		for _, n := range c.nodes {
			s := n.node.membership.current()
			for _, other := range c.nodes {
				if m := s.Member(other.id); m == nil || size > 1 && m.Beat.State != nodes.Serving {
					return false
				}
			}
		}
		return true
	})
	time.Sleep(5 * time.Second) // what the start has made is published
	return c
}

// start starts a node and has it join.
func (c *installation) start(n *clusterNode) {
	n.open()
	n.node.Join(nodes.Self{Up: domain.NodeUp{Address: "node " + n.id.String()}}, beatsOf{c.beats, &n.away})
}

// awaits sleeps until something holds.
func (c *installation) awaits(what string, holds func() bool) time.Duration {
	c.t.Helper()
	began := time.Now()
	for !holds() {
		if time.Sleep(10 * time.Millisecond); time.Since(began) > 10*time.Minute {
			for i, n := range c.nodes {
				if n.node != nil {
					c.t.Logf("node %d: %+v", i, n.node.Status().Shards)
				}
			}
			c.t.Fatalf("no %s", what)
		}
	}
	return time.Since(began)
}

// ranked is the node that has a rank for the outbox of the shard that forwards, as one node sees it.
func (c *installation) ranked(by *clusterNode, rank int) *clusterNode {
	c.t.Helper()
	s := by.node.membership.current()
	for _, n := range c.nodes {
		if s.RankOf(n.id, nodes.Publishing, c.from) == rank {
			return n
		}
	}
	c.t.Fatalf("no node of rank %d", rank)
	return nil
}

// load appends activities to the shard that forwards: so many that it forwards, and so many that it makes dead letters of.
func (c *installation) load(forwards, letters int) {
	c.t.Helper()
	var records []domain.Record
	for i := range forwards + letters {
		c.hash++
		a := domain.Activity{Identity: c.identity, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: c.hash}
		if i*letters/(forwards+letters) != (i+1)*letters/(forwards+letters) {
			a.Identity, a.Time = domain.IdentityHash{}, 1 // before 2000
			a.Member = c.ofSender()
		}
		records = append(records, domain.Record{
			Kind: domain.KindActivity, Account: 1, Activity: a, Origin: domain.Origin{Topic: c.source.id, Offset: int64(c.hash)},
		})
	}
	c.append(c.from, records...)
}

// ofSender is a member id of the shard that forwards.
func (c *installation) ofSender() domain.MemberID { return domain.MemberID(uint64(c.identity.Slot())) }

// forwards are how many forwards are in the log, and how many of them are not repeats.
func (c *installation) forwards() (all, first int) {
	seen := map[int64]bool{}
	c.journal.mu.Lock()
	defer c.journal.mu.Unlock()
	for _, r := range c.journal.parts[c.to] {
		if r.Kind == domain.KindForward && int(r.Origin.Partition) == c.from && r.Origin.Topic == c.journal.id {
			all++
			seen[r.Origin.Offset] = true
		}
	}
	return all, len(seen)
}

// published are how many dead letters are published, and how many of them are not repeats.
func (c *installation) published() (all, first int) {
	seen := map[domain.Origin]bool{}
	c.letters.mu.Lock()
	defer c.letters.mu.Unlock()
	for i := range c.letters.all {
		seen[c.letters.all[i].Origin] = true
	}
	return len(c.letters.all), len(seen)
}

// takeOvers are how often nodes have taken over what others publish.
func (c *installation) takeOvers() (n int64) {
	for _, of := range c.nodes {
		if of.node == nil {
			continue
		}
		for _, s := range of.node.running {
			for k := range outbox.Kinds {
				n += s.Duties.TakeOvers(k)
			}
		}
	}
	return n
}

// empty reports that no node has an entry to publish.
func (c *installation) empty() bool {
	for _, n := range c.nodes {
		if n.node == nil {
			continue
		}
		if !n.atEnds(-1) {
			return false
		}
		for _, s := range n.node.running {
			for k := range outbox.Kinds {
				if s.Outbox.Waiting(k) > 0 {
					return false
				}
			}
		}
	}
	return true
}

// same requires that all nodes have stored the same, outboxes and cursors too.
func (c *installation) same() {
	c.t.Helper()
	var first *clusterNode
	for _, n := range c.nodes {
		switch {
		case n.node == nil:
		case first == nil:
			first = n
		default:
			for id := range 2 {
				have, want := audited(c.t, n.store, id), audited(c.t, first.store, id)
				if diff := cmp.Diff(want.State(), have.State()); diff != "" {
					c.t.Errorf("shard %d: %s", id, diff)
				}
				if f, err := audit.Compare(have, want); err != nil || f.Total != 0 {
					c.t.Errorf("shard %d: %d differences: %+v %v", id, f.Total, f.First, err)
				}
			}
		}
	}
}
