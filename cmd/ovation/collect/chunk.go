package collect

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// chunk is what is published at once: actions, the bad rows among theirs, and the place
// behind them all.
type chunk struct {
	items         []item
	bad           []refused
	rows, silent  int64
	skipped       int64 // rows that the mapping passes over
	noCountry     int64 // rows
	mark          input.Mark
	head          []byte // of a file of rejects
	passed, total int64
	bytes         int // of its rows
}

// reset makes it empty, for other rows. It keeps its memory, which is most of what a row costs.
func (ch *chunk) reset() {
	clear(ch.items)
	clear(ch.bad)
	*ch = chunk{items: ch.items[:0], bad: ch.bad[:0]}
}

// item is one action and the row that it is of.
type item struct {
	action input.Action
	row    *origin
	of     uint64 // of a row with several: which one, from 1; else 0
}

// origin is what is kept of a row, to tell about it.
type origin struct {
	line     int64
	text     []byte // nil: it is not wanted
	reported bool
}

// refused is a bad row.
type refused struct {
	row *origin
	err error
}

// Bounds of a chunk: actions, rows where few of them give any, and their bytes in the source where rows are long.
const (
	maxItems = 256
	maxRows  = 16384
	maxBytes = 1 << 20
)

// chunkSize is how many actions are published at once, so that a low rate is kept
// evenly.
func chunkSize(rate int) int {
	if rate <= 0 {
		return maxItems
	}
	return min(maxItems, max(1, rate/10))
}

// cutter cuts a source into chunks. It belongs to one goroutine.
type cutter struct {
	source Source
	to     chan<- *chunk
	free   <-chan *chunk // published, to be filled with other rows
	size   int
	texts  bool // rows are kept as they stand
	resume *input.Mark

	ch      *chunk
	actions uint64 // of the current row that are in chunks
	skipped int64  // rows that are counted in chunks
}

// run reads the source to its end.
func (c *cutter) run(ctx context.Context) error {
	c.ch = c.empty()
	for {
		r, err := c.source.Next()
		switch {
		case errors.Is(err, io.EOF) && c.ch.rows == 0 && len(c.ch.items) == 0 && c.source.Skipped() == c.skipped:
			return nil
		case errors.Is(err, io.EOF):
			return c.send(ctx)
		case err != nil:
			return err
		}
		if err := c.add(ctx, r); err != nil {
			return err
		}
	}
}

// add adds a row, and sends the chunk whenever it is full. Of the first row after a
// resume only the rest is new.
func (c *cutter) add(ctx context.Context, r *input.Row) error {
	c.actions = 0
	o := &origin{line: r.Line}
	if c.texts {
		o.text = slices.Clone(r.Text)
	}
	if c.resume != nil {
		c.actions, c.resume = c.resume.Actions, nil
	} else {
		c.ch.rows++
		switch {
		case r.Err != nil:
			c.ch.bad = append(c.ch.bad, refused{o, r.Err})
		case r.Count == 0:
			c.ch.silent++
		case r.NoCountry:
			c.ch.noCountry++
		}
	}
	for c.actions < r.Count {
		it := item{action: r.Nth(c.actions), row: o}
		c.actions++
		if r.Several() {
			it.of = c.actions
		}
		c.ch.items = append(c.ch.items, it)
		if len(c.ch.items) >= c.size {
			if err := c.send(ctx); err != nil {
				return err
			}
		}
	}
	c.ch.bytes += len(r.Text)
	if c.ch.rows >= maxRows || c.ch.bytes >= maxBytes {
		return c.send(ctx)
	}
	return nil
}

// empty is a chunk without rows.
func (c *cutter) empty() *chunk {
	select {
	case ch := <-c.free:
		return ch
	default:
		return new(chunk)
	}
}

// send gives the chunk to who publishes it.
func (c *cutter) send(ctx context.Context) error {
	c.ch.mark = c.source.Mark(c.actions)
	if c.texts {
		c.ch.head = c.source.Head()
	}
	c.ch.skipped, c.skipped = c.source.Skipped()-c.skipped, c.source.Skipped()
	c.ch.passed, c.ch.total = c.source.Progress(c.actions)
	select {
	case c.to <- c.ch:
		c.ch = c.empty()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pace keeps to a rate: no more is published than the time since the beginning allows.
type pace struct {
	rate  int
	now   func() time.Time
	begun time.Time
	sent  int64
}

// wait returns when n more may be published.
func (p *pace) wait(ctx context.Context, n int) error {
	if p.rate <= 0 {
		return ctx.Err()
	}
	if p.begun.IsZero() {
		p.begun = p.now()
	}
	due := p.begun.Add(time.Duration(float64(p.sent) / float64(p.rate) * float64(time.Second)))
	p.sent += int64(n)
	t := time.NewTimer(due.Sub(p.now()))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
