package shard

import (
	"log/slog"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// ranked is a node among others, with the ranks given.
type ranked struct {
	rank     int
	others   map[domain.NodeID]int
	receiver *Handle
}

func (r *ranked) Node() domain.NodeID         { return domain.NodeID{9} }
func (r *ranked) Rank() int                   { return r.rank }
func (r *ranked) RankOf(id domain.NodeID) int { return r.others[id] }
func (r *ranked) Alone() bool                 { return len(r.others) == 0 }
func (r *ranked) Receiver(int) *Handle        { return r.receiver }

// noStore is a store without entries.
type noStore struct{}

func (noStore) Outbox(outbox.Kind, uint64, func(*domain.Outgoing) bool) error { return nil }

// onDuty is a shard that looks whether it is to publish: shard 0, which forwards to shard 1.
type onDuty struct {
	t     *testing.T
	of    *ranked
	d     duties
	state domain.ShardState
	sent  map[int]uint64
	now   time.Time
}

func newOnDuty(t *testing.T, rank int) *onDuty {
	h := NewHandle(0)
	x := &onDuty{
		t: t, now: time.Unix(1_700_000_000, 0), sent: map[int]uint64{},
		of: &ranked{rank: rank, others: map[domain.NodeID]int{{1}: 0, {2}: 2}, receiver: NewHandle(1)},
	}
	out := outbox.New(outbox.Config{Store: noStore{}, Status: &h.Outbox, Log: slog.New(slog.DiscardHandler)})
	x.d = newDuties(&Config{Handle: h, Duty: x.of}, out)
	x.d.serves = true
	x.of.receiver.become(Serving)
	x.applied()
	x.look(0)
	return x
}

// applied says that both shards have applied all of their journals by now.
func (x *onDuty) applied() {
	for _, h := range []*Handle{x.d.handle, x.of.receiver} {
		h.Fresh.Applied(0, 0, x.now)
	}
}

// receives says that the receiver has applied a forward.
func (x *onDuty) receives(sequence int64) {
	x.of.receiver.Received.applied(domain.TopicID{1}, []domain.Origin{{Topic: domain.TopicID{1}, Offset: sequence}})
}

// sends stages an entry of a kind.
func (x *onDuty) sends(k outbox.Kind, sequence uint64) {
	e := &domain.Outgoing{Sequence: sequence}
	switch k {
	case outbox.DeadLetters:
		e.Dead = &domain.DeadLetter{}
	case outbox.KeyDeletions:
		e.Keys = []domain.KeyID{{1}}
	default:
		e.To, e.Forward = 1, &domain.Record{}
		x.sent[1] = sequence
	}
	x.d.out.Stage(e)
}

// look looks after some time, and gives which kinds are published then.
func (x *onDuty) look(after time.Duration) (kinds [outbox.Kinds]bool) {
	x.t.Helper()
	x.now = x.now.Add(after)
	if err := x.d.look(x.now, &x.state, x.sent); err != nil {
		x.t.Fatal(err)
	}
	for k := range outbox.Kinds {
		kinds[k] = x.d.out.Publishes(k)
	}
	return kinds
}

// hears takes a record of another node.
func (x *onDuty) hears(p domain.Published) {
	x.t.Helper()
	x.d.out.Published(&p)
	if err := x.d.hear(x.now, x.d.out.Heard()); err != nil {
		x.t.Fatal(err)
	}
}

func (x *onDuty) want(what string, got, want [outbox.Kinds]bool) {
	x.t.Helper()
	if got != want {
		x.t.Errorf("%s: the kinds %v are published, want %v", what, got, want)
	}
}

var (
	noKind      = [outbox.Kinds]bool{}
	everyKind   = [outbox.Kinds]bool{true, true, true}
	forwardOnly = [outbox.Kinds]bool{outbox.Forwards: true}
)

// The node of rank 0 publishes; another one takes each kind over after its rank times the kind's delay.
func TestDuties_ByRank(t *testing.T) {
	x := newOnDuty(t, 0)
	x.want("rank 0", x.look(0), everyKind)
	for rank := 1; rank <= 2; rank++ {
		delay := time.Duration(rank) * time.Second
		x := newOnDuty(t, rank)
		x.look(time.Hour)
		x.applied()
		x.look(0)
		for k := range outbox.Kinds {
			x.sends(k, uint64(k)+1)
		}
		x.want("seen", x.look(0), noKind)
		x.now = x.now.Add(delay - time.Millisecond)
		x.applied()
		x.want("before the delay", x.look(0), noKind)
		x.now = x.now.Add(time.Millisecond)
		x.applied()
		x.want("after the delay of forwards", x.look(0), forwardOnly)
		x.now = x.now.Add(4*delay - time.Millisecond)
		x.applied()
		x.want("before the delay of letters", x.look(0), forwardOnly)
		x.now = x.now.Add(time.Millisecond)
		x.applied()
		x.want("after the delay of letters", x.look(0), everyKind)
		for k := range outbox.Kinds {
			if x.d.handle.Duties.TakeOvers(k) != 1 || x.d.handle.Duties.Since(k).IsZero() {
				t.Errorf("kind %d: %d take-overs", k, x.d.handle.Duties.TakeOvers(k))
			}
		}
	}
}

// What is not known to be undone is not taken over: the receiver has to have applied an end that its journal had after
// the delay. Where it does not serve, records tell, and the delay is longer.
func TestDuties_JudgedByWhatIsApplied(t *testing.T) {
	x := newOnDuty(t, 1)
	x.sends(outbox.Forwards, 7)
	x.look(0)
	x.now = x.now.Add(2 * time.Second)
	x.d.handle.Fresh.Applied(0, 0, x.now)
	x.want("a receiver that is behind", x.look(0), noKind)
	x.applied()
	x.of.receiver.become(CatchingUp)
	x.want("a receiver that does not serve", x.look(0), noKind)
	x.now = x.now.Add(time.Second)
	x.applied()
	x.want("after the longer delay", x.look(0), forwardOnly)

	x = newOnDuty(t, 1)
	x.sends(outbox.Forwards, 7)
	x.look(0)
	x.receives(7)
	x.now = x.now.Add(2 * time.Second)
	x.applied()
	x.want("what is received", x.look(0), noKind)
	x.sends(outbox.DeadLetters, 8)
	x.look(0)
	x.now = x.now.Add(2 * time.Second)
	x.applied()
	x.look(0)
	x.state.DeadUpTo = 8
	x.now = x.now.Add(20 * time.Second)
	x.applied()
	x.want("what a record says", x.look(0), noKind)
}

// While entries become done, one after the other, the node that has the duty is at work, however many wait.
func TestDuties_ProgressIsNoTakeOver(t *testing.T) {
	x := newOnDuty(t, 1)
	for i := range uint64(100) {
		x.sends(outbox.Forwards, 1000+10*i)
		x.sends(outbox.DeadLetters, 1001+10*i)
		x.receives(int64(10 * i))
		x.state.DeadUpTo = 10 * i
		x.now = x.now.Add(700 * time.Millisecond)
		x.applied()
		x.want("a backlog that is worked off", x.look(0), noKind)
	}
	x.now = x.now.Add(1100 * time.Millisecond)
	x.applied()
	x.want("without progress", x.look(0), forwardOnly)
}

// Who has taken over ends at a record of a node of a lower rank that is at work and not behind, and at no other; a node of a
// higher rank is answered.
func TestDuties_EndsAtALowerRank(t *testing.T) {
	x := newOnDuty(t, 1)
	x.sends(outbox.Forwards, 50)
	x.look(0)
	x.now = x.now.Add(2 * time.Second)
	x.applied()
	x.want("taken over", x.look(0), forwardOnly)
	x.hears(domain.Published{UpTo: 50, Node: domain.NodeID{9}, Kinds: 7})
	x.want("its own record", x.look(0), forwardOnly)
	x.hears(domain.Published{UpTo: 49, Node: domain.NodeID{1}, Kinds: 7})
	x.want("a record that is behind", x.look(0), forwardOnly)
	x.hears(domain.Published{UpTo: 50, DeadUpTo: 3, Node: domain.NodeID{1}, Kinds: 2})
	x.want("a record of a node that does not publish the kind", x.look(0), forwardOnly)
	if x.d.claim {
		t.Error("a node of a lower rank is answered")
	}
	x.hears(domain.Published{UpTo: 51, Node: domain.NodeID{2}, Kinds: 1})
	x.want("a record of a node of a higher rank", x.look(0), forwardOnly)
	if !x.d.claim {
		t.Error("a node of a higher rank is not answered")
	}
	x.hears(domain.Published{UpTo: 51, Node: domain.NodeID{1}, Kinds: 1})
	x.want("a lower rank at work", x.look(0), noKind)
	if !x.d.handle.Duties.Since(outbox.Forwards).IsZero() {
		t.Error("the status says that it is still taken over")
	}
	x.of.rank = 0
	x.look(0)
	x.now = x.now.Add(handOverWithin)
	x.applied()
	x.want("rank 0", x.look(0), everyKind)
}

// A node whose duty it becomes, where another one has published, publishes a kind when its own claim is applied and what
// the other one has sent by then is known; or when the time for that is over. Another node that publishes still is heard.
func TestDuties_HandOver(t *testing.T) {
	becomes := func(last domain.NodeID) *onDuty {
		x := newOnDuty(t, 1)
		x.hears(domain.Published{Node: last, Kinds: 7})
		x.of.rank = 0
		x.look(0)
		return x
	}
	claim := domain.Published{Node: domain.NodeID{9}, Kinds: 7}
	x := becomes(domain.NodeID{2})
	if !x.d.claim || !x.d.claims(outbox.DeadLetters) {
		t.Error("nothing is claimed")
	}
	x.want("before the claim", x.look(time.Second), noKind)
	x.hears(claim)
	x.want("before what the other node sent is known", x.look(499*time.Millisecond), noKind)
	x.hears(domain.Published{Node: domain.NodeID{2}, Kinds: 7})
	x.hears(claim)
	x.want("forwards are known", x.look(time.Millisecond), forwardOnly)
	x.want("before letters are", x.look(1499*time.Millisecond), forwardOnly)
	x.applied()
	x.want("letters are known", x.look(time.Millisecond), everyKind)
	if n := x.d.handle.Duties.TakeOvers(outbox.Forwards); n != 0 {
		t.Errorf("%d take-overs", n)
	}

	x = becomes(domain.NodeID{2})
	x.d.out.Published(&domain.Published{DeadUpTo: 3, Node: domain.NodeID{2}, Kinds: 7})
	x.hears(claim) // it is behind in letters
	x.want("a claim of all but letters", x.look(2*time.Second), [outbox.Kinds]bool{outbox.Forwards: true, outbox.KeyDeletions: true})
	x.applied()
	x.now = x.now.Add(3*time.Second - time.Millisecond)
	x.applied()
	x.want("before the time is over", x.look(0), [outbox.Kinds]bool{outbox.Forwards: true, outbox.KeyDeletions: true})
	x.want("without a claim", x.look(time.Millisecond), everyKind)

	x = becomes(domain.NodeID{9})
	x.want("what it has taken over", x.look(0), everyKind)
	x = newOnDuty(t, 1)
	x.hears(domain.Published{Node: domain.NodeID{2}, Kinds: 7})
	x.of.rank, x.of.others = 0, nil
	x.want("the other node is not listed any more", x.look(0), everyKind)
}

// A node that was paused publishes nothing before it has applied the end that its journal had then. One that is behind all the
// time publishes all the same, and so does a node alone.
func TestDuties_AfterAPause(t *testing.T) {
	x := newOnDuty(t, 0)
	x.want("after the pause", x.look(time.Minute), noKind)
	x.applied()
	x.want("at the end", x.look(0), everyKind)
	x.look(time.Minute)
	x.now = x.now.Add(time.Minute)
	x.d.handle.Fresh.Applied(0, 0, x.now.Add(-30*time.Second)) // an end that was read after the pause
	x.want("behind all the time", x.look(0), everyKind)
	x = newOnDuty(t, 0)
	x.of.others = nil
	x.want("alone", x.look(time.Minute), everyKind)
	x = newOnDuty(t, 0)
	x.of.rank = -1
	x.want("a rank that is not known", x.look(0), everyKind)
}
