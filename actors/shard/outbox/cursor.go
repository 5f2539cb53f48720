package outbox

import "github.com/ovation-analytics/ovation/actors/domain"

// cursor is where a kind's entries are: how many wait, and which of them are in memory. All up to done are
// published; of the rest those up to read are in the queue or staged, if the node publishes, and the others are in
// the store. Sequences are of all kinds: a kind has some of them. It belongs to the shard's goroutine.
type cursor struct {
	kind      Kind
	publishes bool
	queue     *queue             // of entries that are committed
	window    *window            // of what is sent
	staged    []*domain.Outgoing // of the open commit, which go into the queue
	runs      []run              // of what waits, in order
	waiting   int                // entries in them
	noted     uint64             // published up to here, as records of the journal say
	done      uint64             // or as the publisher knows: at least noted
	read      uint64
	last      uint64 // of the last entry
}

// run is entries that follow each other. What of a run is published is not known until all of it is.
type run struct {
	last    uint64 // sequence
	entries int
}

// runEntries is the most entries of a run: by so many may waiting be too high.
const runEntries = 500

func newCursor(kind Kind, upTo uint64) cursor {
	return cursor{
		kind: kind, queue: newQueue(), window: newWindow(Ahead[kind]), noted: upTo, done: upTo, read: upTo, last: upTo,
	}
}

// note counts an entry that is staged or stored.
func (c *cursor) note(sequence uint64) {
	c.last = sequence
	if sequence <= c.done {
		return
	}
	if n := len(c.runs); n == 0 || c.runs[n-1].entries == runEntries {
		c.runs = append(c.runs, run{})
	}
	r := &c.runs[len(c.runs)-1]
	r.last = sequence
	r.entries++
	c.waiting++
}

// direct reports that the next entry goes from the commit into the queue: all before it did.
func (c *cursor) direct() bool { return c.publishes && c.read == c.last }

// published takes away what is published up to a sequence.
func (c *cursor) published(upTo uint64) {
	if upTo <= c.done {
		return
	}
	c.done = upTo
	c.read = max(c.read, min(upTo, c.last))
	c.queue.drop(upTo)
	for len(c.runs) > 0 && c.runs[0].last <= upTo {
		c.waiting -= c.runs[0].entries
		c.runs = c.runs[1:]
	}
}

// acked notes that a durable record says how far the kind is published. Any goroutine.
func (c *cursor) acked(upTo uint64) { c.window.acked(upTo) }

// commit puts what was staged into the queue.
func (c *cursor) commit() {
	for _, e := range c.staged {
		if e.Sequence > c.done {
			c.queue.push(item{e, false})
		} else {
			c.queue.held.Add(-int64(sizeOf(e)))
		}
	}
	clear(c.staged)
	c.staged = c.staged[:0]
}

// reset forgets what is in memory: publishing begins after what is published.
func (c *cursor) reset() {
	c.queue.drop(1<<64 - 1)
	for _, e := range c.staged {
		c.queue.held.Add(-int64(sizeOf(e)))
	}
	clear(c.staged)
	c.staged = c.staged[:0]
	c.read = min(c.done, c.last)
}

// fill reads the next page of entries that are in the store alone, where the queue runs short.
func (c *cursor) fill(from Store, sent func(*domain.Outgoing) bool) error {
	enough := c.queue.len() > maxBatch || c.queue.held.Load() > pageBytes
	if !c.publishes || c.read == c.last || enough || len(c.staged) > 0 {
		return nil
	}
	entries, size := 0, 0
	return from.Outbox(c.kind, c.read, func(e *domain.Outgoing) bool {
		has := c.kind == Forwards && sent != nil && sent(e)
		n := sizeOf(e)
		c.queue.held.Add(int64(n))
		c.queue.push(item{e, has})
		c.read = e.Sequence
		entries++
		size += n
		return entries < PageEntries && size < pageBytes
	})
}

// show has the status say how many wait.
func (c *cursor) show(s *Status) { s.waiting[c.kind].Store(int64(c.waiting)) }
