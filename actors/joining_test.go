package actors

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// heldLog is a log of which no record from an offset on is read until it is released.
type heldLog struct {
	*memLog
	from     int64
	released chan struct{}
}

func (l *heldLog) Reader(p int) journal.Reader { return heldReader{l.memLog.Reader(p), l} }

type heldReader struct {
	journal.Reader
	l *heldLog
}

func (r heldReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if next >= r.l.from {
		select {
		case <-r.l.released:
		case <-ctx.Done():
			return domain.Page{}, ctx.Err()
		}
	}
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	if left := r.l.from - next; left > 0 && left < int64(len(page.Records)) {
		page.Records = page.Records[:left]
		page.Next = r.l.from
	}
	return page, err
}

// anotherJoins closes the node, which is listed, and has the next boot be that of another one, on an empty disk.
func (r *harness) anotherJoins() {
	r.t.Helper()
	r.close()
	r.options.ID = domain.NodeID{1}
	r.open()
	r.node.Join(nodes.Self{Up: domain.NodeUp{Address: "http://a"}, IDFile: "data/node-id"}, beatsOf{newMemBeats(), new(atomic.Bool)})
	r.eventually("a listed node", func() bool { return len(r.node.Catalog().Nodes()) == 1 })
	r.close()
	r.fs, r.options.ID = vfs.NewCrashableMem(), domain.NodeID{7}
}

// A node that has never caught up answers nothing while it reads the journal and another node is listed, which has shown
// what it lacks. One that has caught up before answers from where it was.
func TestJoining_ShowsNothingBeforeItServes(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	var ids []domain.MemberID
	for n := range 9 {
		ids = append(ids, r.register(n))
	}
	hold := func(from int64) *heldLog {
		l := &heldLog{memLog: r.journal, from: from, released: make(chan struct{})}
		r.options.Journal = l
		return l
	}
	shows := func(id domain.MemberID, want domain.Code) {
		t.Helper()
		if _, _, err := r.node.Member(t.Context(), 1, id, domain.Position{}); domain.CodeOf(err) != want {
			t.Errorf("member %d: %v, want code %d", id, err, want)
		}
	}
	applied := func(next int64) {
		t.Helper()
		r.eventually("records applied", func() bool { return r.node.Status().Shards[0].Applied == next })
	}

	r.close()
	l := hold(5)
	r.boot()
	r.eventually("an answer before it serves", func() bool {
		_, _, err := r.node.Member(t.Context(), 1, ids[8], domain.Position{})
		return err == nil
	})
	if r.node.Ready() == nil {
		t.Error("it serves before it has read the journal to its end")
	}
	close(l.released)
	r.ready()

	r.anotherJoins()
	hold(5)
	r.boot()
	applied(5)
	shows(ids[0], domain.Unavailable)
	shows(ids[8], domain.Unavailable)
	r.close()
	l = hold(7) // nor after a restart on the way
	r.boot()
	applied(7)
	shows(ids[0], domain.Unavailable)
	close(l.released)
	r.ready()
	for _, id := range ids {
		shows(id, domain.OK)
	}
}

// A node that says that it is ready answers: a shard of a node that joins shows its first view before it serves.
func TestJoining_ShowsBeforeItServes(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	id := r.register(1)
	r.anotherJoins()
	l := &heldLog{memLog: r.journal, from: 0, released: make(chan struct{})}
	r.options.Journal = l
	var first atomic.Pointer[string] // what the shard was doing when it made its first view
	r.wrapShard(0, func(s shard.Store) shard.Store {
		return hookedStore{Store: s, show: func() {
			was := shard.Behaviour(r.node.running[0].Behaviour.Load()).String()
			first.CompareAndSwap(nil, &was)
		}}
	})
	r.boot()
	close(l.released) // r.node is set
	r.ready()
	if _, _, err := r.node.Member(t.Context(), 1, id, domain.Position{}); err != nil {
		t.Error(err)
	}
	if was := first.Load(); *was != shard.CatchingUp.String() {
		t.Errorf("the shard made its first view while it was %s", *was)
	}
}
