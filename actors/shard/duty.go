package shard

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// Duty is which node publishes the outbox of a shard, as this node sees it. Any goroutine may call it.
type Duty interface {
	// Node is this node; zero: it has no id.
	Node() domain.NodeID
	// Rank is this node's: 0 publishes, i takes over what was undone for i times a delay; below zero: it is not known.
	Rank() int
	// RankOf is that of any node.
	RankOf(id domain.NodeID) int
	// Alone reports that no other node is listed.
	Alone() bool
	// Receiver is a shard of this node; nil: it is not here.
	Receiver(id int) *Handle
}

// How long a kind is undone before the node of rank 1 takes it over. Forwards are judged by what the receiving
// shard of this node has applied; where that does not serve, and all other kinds, by the records that say how far
// was published, which come up to a second later.
const (
	undoneForwards = time.Second
	undoneUnseen   = 3 * time.Second
	undoneOther    = 5 * time.Second
)

// behindAfter is how old the state of a shard may be when it publishes: after a pause of its process, or a cut from
// the log, others have published what it has still to apply.
const behindAfter = 3 * time.Second

// How long the node of rank 0 publishes nothing after its claim was applied, where another node published before: that one
// ends when it applies the claim, and what it has sent by then is known after that time, as above.
var handOver = [outbox.Kinds]time.Duration{
	outbox.Forwards: 500 * time.Millisecond, outbox.DeadLetters: 2 * time.Second, outbox.KeyDeletions: 2 * time.Second,
}

// handOverWithin bounds the wait for that, the claim's included: the node that published may be gone.
const handOverWithin = 5 * time.Second

// Look has a shard look whether it is to publish.
type Look struct{}

// LookEvery is how often a shard looks whether it is to publish, where other nodes are listed.
const LookEvery = 250 * time.Millisecond

// duties decides which kinds of its outbox a shard publishes. The node of rank 0 publishes all; another one what was
// undone for long enough, and then goes on without a delay until it sees that a node of a lower rank is at work.
// It is owned by the shard.
type duties struct {
	of     Duty
	handle *Handle
	out    *outbox.Outbox
	serves bool // the shard has caught up

	rank     int // as last seen; below zero: not yet
	forwards map[int]*watch
	others   [outbox.Kinds]watch
	last     domain.NodeID // that was heard last
	claim    bool          // others are to hear that this node is at work, or about to be
	takes    taking        // what another node published before
	current  bool          // the state was new enough since the last hold
	held     time.Time     // nothing is published before an end of the journal is applied that was read later; zero: it is
}

// newDuties are those of a shard that has loaded its state.
func newDuties(c *Config, out *outbox.Outbox) duties {
	return duties{of: c.Duty, handle: c.Handle, out: out, rank: -1, forwards: map[int]*watch{}, current: true}
}

// look begins to publish what is to be published.
func (d *duties) look(now time.Time, s *domain.ShardState, sent map[int]uint64) error {
	rank := d.of.Rank()
	if !d.serves || rank < 0 {
		return nil
	}
	if rank == 0 && d.rank != 0 {
		d.claim = !d.last.IsZero() && d.last != d.of.Node()
		d.takes = taking{}
		if d.claim && !d.of.Alone() {
			d.takes.until = now.Add(handOverWithin)
		}
		for k := range outbox.Kinds { // what it took over is its own duty now
			d.handle.Duties.gaveBack(k)
		}
	}
	d.rank = rank
	d.out.Wait(rank == 0)
	if held, err := d.hold(now); held || err != nil {
		return err
	}
	for k := range outbox.Kinds {
		if d.out.Publishes(k) {
			continue
		}
		if rank > 0 {
			if !d.undone(k, now, s, sent) {
				continue
			}
			d.handle.Duties.tookOver(k, now)
		} else if d.takes.waits(k, now) {
			continue
		}
		if err := d.publish(k, true); err != nil {
			return err
		}
	}
	return nil
}

// publish begins or ends to publish a kind.
func (d *duties) publish(k outbox.Kind, on bool) error {
	if !on {
		d.handle.Duties.gaveBack(k)
	}
	d.handle.Duties.publishes[k].Store(on)
	d.others[k] = watch{}
	if k == outbox.Forwards {
		clear(d.forwards)
	}
	return d.out.Publish(k, on)
}

// hold ends publishing while the shard has still to apply what came while it was paused, or cut from its log. It ends
// at a fixed place in the log: a shard that is always behind publishes all the same.
func (d *duties) hold(now time.Time) (bool, error) {
	at := d.handle.Fresh.At()
	behind := now.Sub(at) > behindAfter
	begins := behind && d.current && !d.of.Alone()
	d.current = !behind
	if begins {
		d.held = now
		for k := range outbox.Kinds {
			if err := d.publish(k, false); err != nil {
				return true, err
			}
		}
	}
	if !d.held.IsZero() && (!at.Before(d.held) || d.of.Alone()) {
		d.held = time.Time{}
	}
	return !d.held.IsZero(), nil
}

// hear takes what Published records said of other nodes: one of a lower rank that is at work ends what this one took
// over, and one of a higher rank is to hear of this one.
func (d *duties) hear(now time.Time, heard []outbox.Heard) error {
	for i := range heard {
		h := &heard[i]
		d.last = h.Node
		if h.Node == d.of.Node() {
			d.takes.claimed(h, now)
			continue
		}
		own, its := d.of.Rank(), d.of.RankOf(h.Node)
		for k := range outbox.Kinds {
			switch {
			case !h.Work[k] || !d.out.Publishes(k) || own < 0:
			case its < own:
				if err := d.publish(k, false); err != nil {
					return err
				}
			case its > own:
				d.claim = true
			}
		}
	}
	if !d.serves {
		return nil
	}
	_, err := d.hold(now)
	return err
}

// claims reports that this node publishes a kind or is about to.
func (d *duties) claims(k outbox.Kind) bool {
	return d.out.Publishes(k) || d.rank == 0 && d.held.IsZero()
}

// taking is what another node published before this one, which has the duty now. Its zero value waits for nothing.
type taking struct {
	until time.Time               // what is waited for is over by then
	since [outbox.Kinds]time.Time // when the claim of each kind was applied; zero: it was not
}

// claimed notes an own record.
func (t *taking) claimed(h *outbox.Heard, now time.Time) {
	for k := range outbox.Kinds {
		if h.Work[k] && t.since[k].IsZero() {
			t.since[k] = now
		}
	}
}

// waits reports that another node may publish a kind still, or what it has published is not known yet.
func (t *taking) waits(k outbox.Kind, now time.Time) bool {
	if !now.Before(t.until) {
		return false
	}
	since := t.since[k]
	return since.IsZero() || now.Before(since.Add(handOver[k]))
}

// undone reports that the node that has the duty does not publish a kind.
func (d *duties) undone(k outbox.Kind, now time.Time, s *domain.ShardState, sent map[int]uint64) bool {
	own := d.handle.Fresh.At()
	cursor := s.Cursors()[k]
	published := domain.Origin{Epoch: s.Life, Offset: int64(cursor)}
	if k != outbox.Forwards {
		last := domain.Origin{Epoch: s.Life, Offset: int64(d.out.Last(k))}
		return d.others[k].undone(now, last, published, own, time.Duration(d.rank)*undoneOther)
	}
	is := false
	for to, sequence := range sent {
		w := d.forwards[to]
		if w == nil {
			w = &watch{}
			d.forwards[to] = w
		}
		done, asOf, wait := published, own, undoneUnseen
		if r := d.of.Receiver(to); r != nil && Behaviour(r.Behaviour.Load()) == Serving {
			if applied := r.Received.from(d.handle.ID); applied.Above(done) {
				done = applied
			}
			asOf = r.Fresh.At()
			wait = undoneForwards
		}
		last := domain.Origin{Epoch: s.Life, Offset: int64(sequence)}
		is = w.undone(now, last, done, asOf, time.Duration(d.rank)*wait) || is
	}
	return is
}

// watch sees whether entries that another node has to publish are undone for some time.
type watch struct {
	mark  domain.Origin // of the entry that is waited for
	done  domain.Origin // as last seen
	since time.Time     // when the mark was first seen, or done moved; zero: nothing is waited for
}

// undone reports that the entry waited for was not done, and none before it, for as long as wait. done is as of a
// moment: what has happened since is not known.
func (w *watch) undone(now time.Time, last, done domain.Origin, asOf time.Time, wait time.Duration) bool {
	switch {
	case !last.Above(done):
		*w = watch{}
		return false
	case w.since.IsZero() || !w.mark.Above(done):
		*w = watch{last, done, now}
		return false
	case done != w.done:
		w.done, w.since = done, now
		return false
	}
	return !asOf.Before(w.since.Add(wait))
}

// received is how far a shard has applied what each shard forwards to it. One goroutine writes, any reads.
type received struct {
	mu      sync.Mutex
	origins []domain.Origin // by sending shard
}

// applied notes origins of a commit, of shards of a journal.
func (r *received) applied(journal domain.TopicID, origins []domain.Origin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range origins {
		if o.Topic != journal {
			continue
		}
		for int(o.Partition) >= len(r.origins) {
			r.origins = append(r.origins, domain.Origin{})
		}
		r.origins[o.Partition] = o
	}
}

// from is the last that was applied of what a shard forwards; zero: nothing.
func (r *received) from(shard int) domain.Origin {
	r.mu.Lock()
	defer r.mu.Unlock()
	if shard < len(r.origins) {
		return r.origins[shard]
	}
	return domain.Origin{}
}

// DutiesDone is what a shard publishes. One goroutine writes, any reads.
type DutiesDone struct {
	publishes [outbox.Kinds]atomic.Bool
	takeOvers [outbox.Kinds]atomic.Int64
	since     [outbox.Kinds]atomic.Int64 // when it was taken over, ms since 1970; 0: it was not
}

func (d *DutiesDone) tookOver(k outbox.Kind, now time.Time) {
	d.takeOvers[k].Add(1)
	d.since[k].Store(now.UnixMilli())
}

// stopped notes that the shard publishes nothing.
func (d *DutiesDone) stopped() {
	for k := range outbox.Kinds {
		d.publishes[k].Store(false)
		d.gaveBack(k)
	}
}

func (d *DutiesDone) gaveBack(k outbox.Kind) { d.since[k].Store(0) }

// Publishes reports that the shard publishes a kind.
func (d *DutiesDone) Publishes(k outbox.Kind) bool { return d.publishes[k].Load() }

// TakeOvers is how often the shard took a kind over, in this process.
func (d *DutiesDone) TakeOvers(k outbox.Kind) int64 { return d.takeOvers[k].Load() }

// Since is when the shard took over a kind that it publishes; zero: it did not.
func (d *DutiesDone) Since(k outbox.Kind) time.Time {
	if ms := d.since[k].Load(); ms > 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}
