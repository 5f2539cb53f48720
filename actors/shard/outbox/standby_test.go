package outbox

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// stored is a store of entries in memory.
type stored struct {
	all    [Kinds][]*domain.Outgoing // committed
	staged []*domain.Outgoing
	pages  []int // entries of each page that was read
}

func (s *stored) Outbox(kind Kind, after uint64, f func(*domain.Outgoing) bool) error {
	n := 0
	defer func() { s.pages = append(s.pages, n) }()
	for _, e := range s.all[kind] {
		if e.Sequence > after {
			n++
			if !f(e) {
				break
			}
		}
	}
	return nil
}

// replica is the outbox of one node, with the store that its shard has.
type replica struct {
	*Outbox
	store    *stored
	status   *Status
	sequence uint64
	made     []Kind // of each sequence, from 1 on
	trimmed  [Kinds]uint64
	reports  chan [2]uint64
}

func newReplica(depth int, sends [Kinds]Send) *replica {
	r := &replica{store: &stored{}, status: &Status{}, reports: make(chan [2]uint64, 1<<16)}
	for k := range Kinds {
		r.status.Publishing[k].What = fmt.Sprintf("kind %d", k)
	}
	r.Outbox = New(Config{Depth: depth, Send: sends, Store: r.store, Status: r.status, Log: slog.New(slog.DiscardHandler)})
	return r
}

// start starts the publishers, and publishes all kinds where this is who publishes.
func (r *replica) start(t *testing.T, publishes bool) {
	t.Helper()
	r.Outbox.Start(func(k Kind, upTo uint64) { r.reports <- [2]uint64{uint64(k), upTo} })
	r.all(t, publishes)
}

func (r *replica) all(t *testing.T, publishes bool) {
	t.Helper()
	r.Wait(publishes)
	for k := range Kinds {
		must(t, r.Publish(k, publishes))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stage stages so many entries of a kind.
func (r *replica) stage(k Kind, n int) {
	for range n {
		r.sequence++
		e := entryOf(k, r.sequence)
		r.made = append(r.made, k)
		r.store.staged = append(r.store.staged, e)
		r.Stage(e)
	}
}

// commit commits what is staged.
func (r *replica) commit(t *testing.T) {
	t.Helper()
	for _, e := range r.store.staged {
		if k := e.Kind(); e.Sequence > r.trimmed[k] {
			r.store.all[k] = append(r.store.all[k], e)
		}
	}
	r.store.staged = nil
	must(t, r.Committed())
}

// handle takes the reports that have come, as a shard does; each is acknowledged by a record that is durable at once.
func (r *replica) handle(t *testing.T) {
	t.Helper()
	for synctest.Wait(); len(r.reports) > 0; synctest.Wait() {
		m := <-r.reports
		must(t, r.Acknowledged(Kind(m[0]), m[1]))
		var upTo [Kinds]uint64
		upTo[m[0]] = m[1]
		p := domain.PublishedUpTo(upTo)
		r.Acked(&p)
	}
}

// apply applies a record of another node that publishes.
func (r *replica) apply(upTo [Kinds]uint64) {
	p := domain.PublishedUpTo(upTo)
	r.Published(&p)
	for k := range Kinds {
		r.trimmed[k] = max(r.trimmed[k], upTo[k])
	}
	for k, of := range r.store.all {
		r.store.all[k] = slices.DeleteFunc(slices.Clone(of), func(e *domain.Outgoing) bool { return e.Sequence <= upTo[k] })
	}
}

func (r *replica) inMemory() (n int) {
	for k := range r.kinds {
		n += r.kinds[k].queue.len() + len(r.kinds[k].staged)
	}
	return n
}

// A standby keeps no entry, is never full however many wait, and forgets what records say is published. What it takes
// over it reads in pages, all of it and in order.
func TestOutbox_Standby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &logs{}
		r := newReplica(1000, l.sends())
		r.start(t, false)
		const n, published = 60_000, 20_123
		for i := range n {
			r.stage(Kind(i%int(Kinds)), 1)
			if r.Full() {
				t.Fatalf("a standby is full after %d entries", i)
			}
			if i%5000 == 0 {
				r.commit(t)
			}
		}
		r.commit(t)
		if held := r.held(); r.inMemory() != 0 || held != 0 {
			t.Errorf("a standby has %d entries of %d bytes in memory", r.inMemory(), held)
		}
		r.apply([Kinds]uint64{published, published, published})
		for k := range Kinds {
			if left := len(r.store.all[k]); r.status.Waiting(k) < left || r.status.Waiting(k) >= left+runEntries {
				t.Errorf("kind %d: %d of %d wait", k, r.status.Waiting(k), left)
			}
		}
		synctest.Wait()
		if len(l.got[Forwards])+len(l.got[DeadLetters])+len(l.got[KeyDeletions]) > 0 {
			t.Error("a standby has published")
		}
		var want [Kinds][]uint64
		for k := range Kinds {
			for _, e := range r.store.all[k] {
				want[k] = append(want[k], e.Sequence)
			}
		}
		r.all(t, true)
		r.handle(t)
		for k := range Kinds {
			if !slices.Equal(l.got[k], want[k]) {
				t.Errorf("kind %d: %d entries were taken over of %d", k, len(l.got[k]), len(want[k]))
			}
			if r.status.Waiting(k) != 0 {
				t.Errorf("kind %d: %d wait of none", k, r.status.Waiting(k))
			}
		}
		if most := slices.Max(r.store.pages); most != PageEntries {
			t.Errorf("the longest page has %d entries", most)
		}
		r.Stop()
	})
}

// However replicas take turns, fall behind and see records, all that was committed is in the logs, in order but for
// what is repeated; who takes over repeats no more than a publisher may be ahead.
func TestOutbox_TakesTurns(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	synctest.Test(t, func(t *testing.T) {
		l := &logs{}
		both := []*replica{newReplica(300, l.sends()), newReplica(300, l.sends())}
		for i, r := range both {
			r.start(t, i == 0)
		}
		now := 0
		for range 300 {
			k := Kind(rnd.IntN(int(Kinds)))
			n := rnd.IntN(1500)
			for _, r := range both {
				r.stage(k, n)
			}
			before := l.last()[k]
			switch rnd.IntN(4) {
			case 0: // what is published is not known when the other takes over
				other := both[1-now]
				behind := l.last()
				for _, r := range both {
					r.commit(t)
				}
				both[now].all(t, false)
				synctest.Wait()
				both[now].handle(t)
				now = 1 - now
				other.apply(behind)
				other.all(t, true)
			case 1: // it is known to all
				for _, r := range both {
					r.commit(t)
				}
				both[now].handle(t)
				upTo := l.last()
				for _, r := range both {
					r.apply(upTo)
				}
			case 2: // a record comes before the commit of what it says
				both[now].commit(t)
				both[now].handle(t)
				both[1-now].apply(l.last())
				both[1-now].commit(t)
			default:
				both[rnd.IntN(2)].commit(t)
			}
			if l.last()[k] > before && both[1-now].inMemory() > 0 {
				t.Fatalf("who does not publish has %d entries in memory", both[1-now].inMemory())
			}
		}
		for _, r := range both {
			r.commit(t)
		}
		both[now].handle(t)
		both[now].Stop()
		both[1-now].Stop()
		for k := range Kinds {
			var first []uint64
			for _, s := range l.got[k] {
				if len(first) == 0 || s > first[len(first)-1] {
					first = append(first, s)
				}
			}
			var want []uint64
			for s := range both[0].sequence {
				if both[0].made[s] == k {
					want = append(want, s+1)
				}
			}
			if !slices.Equal(first, want) {
				t.Errorf("kind %d: %d of %d entries are in the log", k, len(first), len(want))
			}
		}
	})
}

// last is how far each kind came.
func (l *logs) last() (upTo [Kinds]uint64) {
	synctest.Wait()
	for k := range Kinds {
		if n := len(l.got[k]); n > 0 {
			upTo[k] = slices.Max(l.got[k])
		}
	}
	return upTo
}

// Of what a node has sent when it is killed, no more than Ahead is not known to be published by a durable record.
func TestOutbox_IsNotFarAheadOfItsRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &logs{}
		r := newReplica(0, l.sends())
		r.start(t, true)
		for k := range Kinds {
			r.stage(k, 10_000)
		}
		r.commit(t)
		synctest.Wait() // no record becomes durable
		for k := range Kinds {
			if len(l.got[k]) != Ahead[k] {
				t.Errorf("kind %d: %d entries are sent ahead of %d", k, len(l.got[k]), Ahead[k])
			}
		}
		r.handle(t)
		for k := range Kinds {
			if len(l.got[k]) != 10_000 {
				t.Errorf("kind %d: %d of 10000 entries are sent", k, len(l.got[k]))
			}
		}
		r.Stop()
	})
}

// What another node has published while a log was away for this one is not sent once more.
func TestOutbox_PublishedElsewhereMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &logs{}
		l.away[DeadLetters].Store(true)
		r := newReplica(0, l.sends())
		r.start(t, true)
		r.stage(DeadLetters, 700)
		r.commit(t)
		synctest.Wait()
		r.apply([Kinds]uint64{DeadLetters: 600})
		l.away[DeadLetters].Store(false)
		time.Sleep(2 * time.Second) // until which it is tried again
		r.handle(t)
		if want := []uint64{601, 602, 603}; len(l.got[DeadLetters]) != 100 || !slices.Equal(l.got[DeadLetters][:3], want) {
			t.Errorf("%d entries are sent again", len(l.got[DeadLetters])-100)
		}
		if r.held() != 0 || r.status.Waiting(DeadLetters) != 0 || r.status.Tried()[DeadLetters].Why() != "" {
			t.Errorf("%d bytes of %d entries; %s", r.held(), r.status.Waiting(DeadLetters), r.status.Tried()[DeadLetters].Why())
		}
		r.Stop()
	})
}

// A forward that its receiver has already is passed over when its outbox is taken over.
func TestOutbox_PassesOverWhatIsReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &logs{}
		r := newReplica(0, l.sends())
		r.c.Received = func(e *domain.Outgoing) bool { return e.Sequence <= 1990 || e.Sequence%2 == 0 }
		r.start(t, false)
		r.stage(Forwards, 2000)
		r.commit(t)
		r.all(t, true)
		r.stage(Forwards, 1)
		r.commit(t)
		r.handle(t)
		if want := []uint64{1991, 1993, 1995, 1997, 1999, 2001}; !slices.Equal(l.got[Forwards], want) {
			t.Errorf("%v, want %v", l.got[Forwards], want)
		}
		if r.status.Waiting(Forwards) != 0 || r.kinds[Forwards].done != 2001 {
			t.Errorf("%d wait after %d", r.status.Waiting(Forwards), r.kinds[Forwards].done)
		}
		r.Stop()
	})
}

// A record names the node that is at work, for the kinds in which it is not behind.
func TestOutbox_HearsWhoIsAtWork(t *testing.T) {
	r := newReplica(0, [Kinds]Send{})
	for _, tc := range []struct {
		p    domain.Published
		work [Kinds]bool
	}{
		{domain.Published{UpTo: 5, Node: domain.NodeID{1}, Kinds: 1}, [Kinds]bool{Forwards: true}},
		{domain.Published{UpTo: 4, DeadUpTo: 2, Node: domain.NodeID{2}, Kinds: 3}, [Kinds]bool{DeadLetters: true}},
		{domain.Published{UpTo: 5, DeadUpTo: 3, KeysUpTo: 1, Node: domain.NodeID{2}, Kinds: 7}, [Kinds]bool{true, true, true}},
		{domain.Published{UpTo: 9, DeadUpTo: 9, KeysUpTo: 9, Node: domain.NodeID{2}, Kinds: 4}, [Kinds]bool{KeyDeletions: true}},
	} {
		r.Published(&tc.p)
		if heard := r.Heard(); len(heard) != 1 || heard[0] != (Heard{tc.p.Node, tc.work}) {
			t.Errorf("of %+v: %+v", tc.p, heard)
		}
	}
	r.Published(&domain.Published{UpTo: 9})
	if heard := r.Heard(); len(heard) != 0 {
		t.Errorf("%+v", heard)
	}
}
