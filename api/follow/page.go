package follow

import (
	"context"
	"errors"
	"slices"
)

// MaxPage is how many bytes of events a page has at most, but for its first event.
const MaxPage = 1 << 20

// Event is one event of a stream at its place.
type Event struct {
	Shard int
	Seq   uint64
	Text  []byte // as it is sent, but for its id
}

// Page is events of a stream and what was read with them.
type Page struct {
	Events []Event // shard by shard, in each ascending by sequence
	To     Cursor
	More   bool // there may be events after To already

	Text  []byte // the events as they are sent, each with the cursor after it as its id
	Count int    // events in Text
	Own   bool   // Text is of one reader; else readers share it, and none writes to it
}

// ErrBusy is a Source's error where a page cannot be made now: it is asked for again a little later.
var ErrBusy = errors.New("there is no memory for a page now")

// Source makes the pages of one question. It belongs to one goroutine.
type Source interface {
	// Page makes the page after a cursor, without its Text. An error other than ErrBusy ends the stream.
	Page(ctx context.Context, after Cursor) (*Page, error)
	// Wait returns when there may be events after the last page, which had no More; it may be early. Its error is ctx's.
	Wait(ctx context.Context) error
	// Frame appends an event to dst, with the id that a cursor is.
	Frame(dst []byte, id Cursor, text []byte) []byte
}

// bound leaves of a page the events that fit in MaxPage, the first one in any case.
func (p *Page) bound(from Cursor) {
	size := 0
	for i := range p.Events {
		if size += len(p.Events[i].Text); size > MaxPage && i > 0 {
			p.To, p.More = p.after(from, i-1), true
			p.Events = p.Events[:i]
			return
		}
	}
}

// cut leaves what of a page is not after a cursor.
func (p *Page) cut(until Cursor) {
	if until.covers(p.To) {
		return
	}
	p.Events = slices.DeleteFunc(p.Events, func(e Event) bool { return e.Seq > until[e.Shard] })
	p.To, p.More = p.To.until(until), true
}

// after is the cursor after the event at last of a page that begins at from: all of its own shard up to it, all of the
// page in the shards before, and nothing in others.
func (p *Page) after(from Cursor, last int) Cursor {
	to := slices.Clone(from)
	for i := range p.Events[:last+1] {
		e := &p.Events[i]
		to[e.Shard] = e.Seq
		if i > 0 && p.Events[i-1].Shard != e.Shard {
			to[p.Events[i-1].Shard] = p.To[p.Events[i-1].Shard]
		}
	}
	return to
}

// frame makes the text of a page that begins at from. The id of its last event is the page's end, where the next
// page begins.
func (p *Page) frame(s Source, from Cursor) {
	at := slices.Clone(from)
	for i := range p.Events {
		e := &p.Events[i]
		if i > 0 && p.Events[i-1].Shard != e.Shard {
			before := p.Events[i-1].Shard
			at[before] = p.To[before]
		}
		at[e.Shard] = e.Seq
		id := at
		if i == len(p.Events)-1 {
			id = p.To
		}
		p.Text = s.Frame(p.Text, id, e.Text)
	}
	p.Count = len(p.Events)
}
