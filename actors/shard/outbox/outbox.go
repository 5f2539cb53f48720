package outbox

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Kind is where entries go.
type Kind = domain.OutboxKind

// The kinds, each with a cursor of its own.
const (
	Forwards     = domain.OutboxForwards
	DeadLetters  = domain.OutboxLetters
	KeyDeletions = domain.OutboxKeys
	Kinds        = domain.OutboxKinds
)

// Ahead is how many entries of a kind are sent at most before a durable record says so.
var Ahead = [Kinds]int{Forwards: 1000, DeadLetters: 3000, KeyDeletions: 1000}

// Store has the entries that are committed.
type Store interface {
	// Outbox calls f with the entries of a kind that are above a sequence and not yet trimmed, in order, until f
	// returns false.
	Outbox(kind Kind, after uint64, f func(*domain.Outgoing) bool) error
}

// Config is what an Outbox is made with.
type Config struct {
	Shard     int
	Depth     int                         // entries that may wait before the shard does; 0: as usual
	Published [Kinds]uint64               // how far each kind is published, as stored
	Send      [Kinds]Send                 // what brings a kind into its log
	Received  func(*domain.Outgoing) bool // of a stored forward: its receiver has it. On the shard's goroutine; nil: it is not known
	Store     Store
	Status    *Status
	Log       *slog.Logger
}

// Outbox belongs to its shard's goroutine.
type Outbox struct {
	c      Config
	bytes  int // that entries in memory may take
	kinds  [Kinds]cursor
	waits  bool // the shard waits while too many entries wait
	heard  []Heard
	cancel context.CancelFunc
	done   chan struct{}
}

// Heard is what a Published record said of the node that appended it.
type Heard struct {
	Node domain.NodeID
	Work [Kinds]bool // the kinds that it publishes, and is not behind in
}

// Status is what others read of an outbox.
type Status struct {
	waiting    [Kinds]atomic.Int64
	Publishing [Kinds]retry.State
}

// Waiting is about how many entries of a kind are committed and not published; 0: none.
func (s *Status) Waiting(k Kind) int { return int(s.waiting[k].Load()) }

// Tried is how publishing goes, of each kind.
func (s *Status) Tried() (states []*retry.State) {
	for k := range s.Publishing {
		states = append(states, &s.Publishing[k])
	}
	return states
}

// usualDepth is how many entries may wait before the shard takes no more records, usualBytes how much of them is
// kept in memory (I8): a step of a merge takes up to 2 MiB.
const (
	usualDepth = 50_000
	usualBytes = 16 << 20
)

// PageEntries and pageBytes bound what is read of the store at once.
const (
	PageEntries = 1000
	pageBytes   = 4 << 20
)

// New is the outbox of a shard, which publishes nothing.
func New(c Config) *Outbox {
	c.Depth = cmp.Or(c.Depth, usualDepth)
	o := &Outbox{c: c, bytes: usualBytes}
	for k, upTo := range c.Published {
		o.kinds[k] = newCursor(Kind(k), upTo)
		o.c.Status.waiting[k].Store(0)
	}
	return o
}

// Load counts the entries that are stored, and calls f with each forward.
func (o *Outbox) Load(f func(*domain.Outgoing)) error {
	for k := range o.kinds {
		c := &o.kinds[k]
		err := o.c.Store.Outbox(c.kind, c.done, func(e *domain.Outgoing) bool {
			if e.Forward != nil {
				f(e)
			}
			c.note(e.Sequence)
			return true
		})
		if err != nil {
			return err
		}
		c.show(o.c.Status)
	}
	return nil
}

// Stage notes an entry of the open commit.
func (o *Outbox) Stage(e *domain.Outgoing) {
	c := &o.kinds[e.Kind()]
	if c.direct() && o.held() <= int64(o.bytes) && c.queue.len()+len(c.staged) <= o.c.Depth {
		c.queue.held.Add(int64(sizeOf(e)))
		c.staged = append(c.staged, e)
		c.read = e.Sequence
	}
	c.note(e.Sequence)
}

// Published notes that entries are in their logs, by a record that was applied.
func (o *Outbox) Published(p *domain.Published) {
	h := Heard{Node: p.Node}
	for k, upTo := range p.Cursors() {
		c := &o.kinds[k]
		h.Work[k] = p.Kinds>>k&1 == 1 && upTo >= c.noted
		c.noted = max(c.noted, upTo)
		c.acked(c.noted)
		c.published(c.noted)
		c.show(o.c.Status)
	}
	if !p.Node.IsZero() {
		o.heard = append(o.heard, h)
	}
}

// Heard gives what Published records said since the last call. It is the caller's until the next call.
func (o *Outbox) Heard() []Heard {
	heard := o.heard
	o.heard = o.heard[:0]
	return heard
}

// Committed hands over the entries of the last commit.
func (o *Outbox) Committed() error {
	for k := range o.kinds {
		o.kinds[k].commit()
		o.kinds[k].show(o.c.Status)
	}
	return o.fill()
}

// Acknowledged notes that a publisher has brought the entries of a kind up to a sequence into their log.
func (o *Outbox) Acknowledged(k Kind, upTo uint64) error {
	c := &o.kinds[k]
	c.published(upTo)
	c.show(o.c.Status)
	return o.fill()
}

// Publish says whether this node publishes a kind. It begins with what is stored. What is being sent when it ends is
// sent.
func (o *Outbox) Publish(k Kind, on bool) error {
	c := &o.kinds[k]
	if c.publishes == on {
		return nil
	}
	c.publishes = on
	c.reset()
	return o.fill()
}

// Publishes reports that this node publishes a kind.
func (o *Outbox) Publishes(k Kind) bool { return o.kinds[k].publishes }

// Last is the sequence of the last entry of a kind.
func (o *Outbox) Last(k Kind) uint64 { return o.kinds[k].last }

// Wait says whether the shard is to wait while too many entries of the kinds that it publishes wait.
func (o *Outbox) Wait(on bool) { o.waits = on }

// Full reports that the shard should wait.
func (o *Outbox) Full() bool {
	if !o.waits {
		return false
	}
	waiting := 0
	for k := range o.kinds {
		if c := &o.kinds[k]; c.publishes {
			waiting += c.waiting
		}
	}
	return waiting > o.c.Depth || o.held() > int64(o.bytes)
}

// held is how many bytes are in memory.
func (o *Outbox) held() (bytes int64) {
	for k := range o.kinds {
		bytes += o.kinds[k].queue.held.Load()
	}
	return bytes
}

// fill reads the next entries of the kinds that are published and whose queues run short.
func (o *Outbox) fill() error {
	for k := range o.kinds {
		if err := o.kinds[k].fill(o.c.Store, o.c.Received); err != nil {
			return err
		}
	}
	return nil
}

// Acked notes that a record is durable which says how far the kinds are published. Any goroutine.
func (o *Outbox) Acked(p *domain.Published) {
	for k, upTo := range p.Cursors() {
		o.kinds[k].acked(upTo)
	}
}

// Start starts the publishers, which wait for what Publish gives them; report gets how far each kind came, on that
// kind's goroutine.
func (o *Outbox) Start(report func(k Kind, upTo uint64)) {
	if o.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	o.done = make(chan struct{}, Kinds)
	for k := range Kinds {
		p := &publisher{
			shard: o.c.Shard, kind: k, queue: o.kinds[k].queue, window: o.kinds[k].window, send: o.c.Send[k],
			state: &o.c.Status.Publishing[k], log: o.c.Log,
		}
		go func() {
			defer func() { o.done <- struct{}{} }()
			p.run(ctx, report)
		}()
	}
}

// Stop returns when nothing more is sent.
func (o *Outbox) Stop() {
	if o.cancel == nil {
		return
	}
	o.cancel()
	for range Kinds {
		<-o.done
	}
	o.cancel = nil
}

// sizeOf is about what an entry takes in memory.
func sizeOf(e *domain.Outgoing) int {
	switch {
	case e.Dead != nil:
		return 256 + len(e.Dead.Raw) + len(e.Dead.Detail)
	case e.Forward != nil:
		return journal.RecordBytes(e.Forward)
	}
	return 64 + len(e.Keys)*len(domain.KeyID{})
}
