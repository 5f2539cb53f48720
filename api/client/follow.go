package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/wire"
)

const (
	// silence is how long a stream may send nothing: it has an id every 15 seconds.
	silence = time.Minute
	// A lost stream is asked for again after about so long, or as long as the API has said, and after twice that each time
	// that it fails in a row, up to maxBackOff.
	minBackOff = time.Second
	maxBackOff = 30 * time.Second
)

// Followed is an event of a stream, and the id to come back with. An action, but for Removed and Erased: an action that was
// deleted, and a member who was erased, of whom all actions are gone. What was not passed before of them is no matter.
type Followed struct {
	ID      string
	Item    wire.FeedItem
	Removed *wire.RemovedAction // in place of an action
	Erased  *wire.ErasedMember  // in place of an action
}

// Follow has each event of a stream passed to f, and asks again with the last id where the connection ends or breaks, or
// the API is unavailable: each event is passed once, also over any number of connections. Over needs an http.Client
// without Timeout. It returns only with an error: of f, of ctx, or a refusal that asking again does not change, as an
// *Error. To go on later give the ID of what f was passed last as Cursor.
//
// progress, which may be nil, is called with the ids that come without an event: what is kept of a stream that has few is
// then not of long ago.
func (c *Client) Follow(ctx context.Context, q StreamFeed, f func(Followed) error, progress func(id string)) error {
	take := func(e *serverEvent) (pass func() error, err error) {
		one := Followed{ID: e.id}
		err = one.read(e)
		return func() error { return f(one) }, err
	}
	return c.follow(ctx, q.stream(), q, progress, take, "activity", "removed", "erased")
}

// Listed is that a member came onto the list of a segment, or left it, and the id to come back with.
type Listed struct {
	ID      string
	Entered bool // else it left
	wire.Membership
}

// FollowList is Follow of who comes onto a segment's list and who leaves it.
func (c *Client) FollowList(ctx context.Context, q StreamSegment, f func(Listed) error, progress func(id string)) error {
	take := func(e *serverEvent) (pass func() error, err error) {
		one := Listed{ID: e.id, Entered: e.name == "enter"}
		err = json.Unmarshal([]byte(e.data), &one.Membership)
		return func() error { return f(one) }, err
	}
	return c.follow(ctx, q.stream(), q, progress, take, "enter", "leave")
}

// follow asks a question for a stream, and takes the events of these names.
func (c *Client) follow(ctx context.Context, r route[[]byte], q any, progress func(id string), take takes, names ...string) error {
	path, query, _, err := asked(r.method, r.path, q)
	if err != nil {
		return err
	}
	s := &following{c: c, path: path, query: query, progress: progress, take: take, names: names}
	return s.run(ctx)
}

// takes reads an event, and gives what passes it on.
type takes func(e *serverEvent) (pass func() error, err error)

// run asks again and again, until what comes cannot be taken, ctx ends, or asking again does not help.
func (s *following) run(ctx context.Context) error {
	if s.progress == nil {
		s.progress = func(string) {}
	}
	s.retry = minBackOff
	for {
		before := s.id
		err := s.connection(ctx)
		switch failed := (*errTake)(nil); {
		case errors.As(err, &failed):
			return failed.error
		case ctx.Err() != nil:
			return ctx.Err()
		case refused(err):
			return err
		}
		if s.id != before {
			s.failures = 0
		}
		if err := s.rest(ctx); err != nil {
			return err
		}
	}
}

// following is a stream over its connections. It belongs to one goroutine.
type following struct {
	c        *Client
	path     string
	query    Params
	take     takes
	names    []string // of the events that are taken
	progress func(id string)
	id       string
	retry    time.Duration // that the API asked for last
	failures int           // in a row without an id
}

// errTake is the error of who takes the events.
type errTake struct{ error }

// refused reports an answer that would be the same again.
func refused(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status < http.StatusInternalServerError && e.Code != domain.RateLimited && e.Code != domain.Unavailable && e.Status != http.StatusTooManyRequests
}

// rest waits until the stream is asked for again.
func (s *following) rest(ctx context.Context) error {
	wait := max(s.retry, min(s.retry<<min(s.failures, 10), maxBackOff))
	wait = wait/2 + rand.N(wait)
	s.failures++
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// connection reads one connection to its end.
func (s *following) connection(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, query := s.c.With("Accept", "text/event-stream"), s.query
	if s.id != "" {
		c, query = c.With("Last-Event-ID", s.id), maps.Clone(s.query)
		delete(query, "cursor")
	}
	a, _, err := c.open(ctx, s.path, query)
	if err != nil {
		return err
	}
	defer a.close()
	silent := time.AfterFunc(silence, cancel)
	defer silent.Stop()
	for {
		e, err := readEvent(a.stream)
		if err != nil {
			return err
		}
		silent.Reset(silence)
		if err := s.event(&e); err != nil {
			return err
		}
	}
}

// event is taken: its id is where the stream goes on, once it is.
func (s *following) event(e *serverEvent) error {
	if e.retry > 0 {
		s.retry = e.retry
	}
	switch e.name {
	case "problem":
		if e.id != "" {
			s.id = e.id
		}
		var p problem.Problem
		if err := json.Unmarshal([]byte(e.data), &p); err != nil {
			return fmt.Errorf("client: event of %s: %w", s.path, err)
		}
		return &Error{Status: p.Status, Code: domain.Code(p.Error.Code), Parameter: p.Parameter, Message: p.Detail, Request: p.Request}
	case "":
		if e.id != "" {
			s.id = e.id
			s.progress(e.id)
		}
	default: // some are of a later version
		if slices.Contains(s.names, e.name) {
			pass, err := s.take(e)
			if err != nil {
				return fmt.Errorf("client: event of %s: %w", s.path, err)
			}
			if err := pass(); err != nil {
				return &errTake{err}
			}
		}
		s.id = e.id
	}
	return nil
}

// read reads the data of an event.
func (f *Followed) read(e *serverEvent) error {
	var into any = &f.Item
	switch e.name {
	case "removed":
		f.Removed = new(wire.RemovedAction)
		into = f.Removed
	case "erased":
		f.Erased = new(wire.ErasedMember)
		into = f.Erased
	}
	return json.Unmarshal([]byte(e.data), into)
}

// serverEvent is what comes up to an empty line; without data it is no event, but its id counts.
type serverEvent struct {
	id, name, data string
	retry          time.Duration
}

// readEvent reads up to an empty line: what is cut before it is nothing.
func readEvent(from *bufio.Reader) (e serverEvent, err error) {
	size := 0
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return serverEvent{}, err
		}
		if size += len(line); size > maxLine {
			return serverEvent{}, fmt.Errorf("client: an event is over %d bytes", maxLine)
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			return e, nil
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data += value
		case "retry":
			if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
				e.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}
