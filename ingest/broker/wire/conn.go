package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/xdg-go/scram"

	"github.com/ovation-analytics/ovation/ingest/walk"
)

const (
	maxRequest = 1 << 20 // bytes of a request that is no Produce
	minRequest = 8       // key, version, correlation id
	readStep   = 1 << 20 // room made before the bytes for it have come

	idleTime  = 10 * time.Minute // without a request
	frameTime = time.Minute      // for the rest of a request, and for taking an answer
)

// Reasons to close a connection, with their counter.
type closeReason int

func (h closeReason) Error() string { return closeNames[h] }

// conn is one client. Its goroutine owns all of it but for the last fields.
type conn struct {
	b     *Broker
	net   net.Conn
	r     *bufio.Reader
	in    []byte   // request
	out   []byte   // answer
	pages [][]byte // record batches of an answer to Fetch

	node  bool                      // of this installation; changes under Broker.mu
	scram *scram.ServerConversation // under way; nil: none

	busy    atomic.Bool  // a request is being answered
	since   atomic.Int64 // when the client last asked or was answered, ns since 1970
	counted bool         // among the clients; guarded by Broker.mu
}

func newConn(b *Broker, c net.Conn) *conn {
	return &conn{b: b, net: c, r: bufio.NewReaderSize(c, 64<<10)}
}

// serve answers requests one after another until the client leaves, errs, or the
// broker closes.
func (c *conn) serve() {
	for {
		err := c.next()
		if err == nil {
			continue
		}
		var h closeReason
		switch {
		case errors.As(err, &h):
			c.b.counts.closed[h].Add(1)
			c.b.cfg.Logger.Debug("embedded kafka: connection closed", "remote", c.net.RemoteAddr(), "reason", h.Error())
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.b.counts.closed[closeSlow].Add(1)
		}
		return
	}
}

// next reads and answers one request.
func (c *conn) next() error {
	frame, err := c.read()
	if err != nil {
		return err
	}
	c.busy.Store(true)
	defer func() { c.touch(); c.busy.Store(false) }()
	c.b.counts.requests.Add(1)
	rs, err := c.answer(frame)
	if err != nil || rs == nil {
		return err
	}
	return c.write(rs, frame[4:8])
}

// read takes a frame off the wire: memory follows the bytes that came, not the
// length that was announced.
func (c *conn) read() ([]byte, error) {
	c.deadline(idleTime)
	if _, err := c.r.Peek(4); err != nil {
		if c.r.Buffered() == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			err = io.EOF // idle for long: as if it had left
		}
		return nil, err
	}
	c.touch()
	c.deadline(frameTime)
	head, err := c.r.Peek(4 + 2)
	if err != nil {
		return nil, err
	}
	n, limit := int(int32(binary.BigEndian.Uint32(head))), maxRequest
	if binary.BigEndian.Uint16(head[4:]) == keyProduce {
		limit = c.b.cfg.MaxProduce
	}
	switch {
	case n < minRequest:
		return nil, closeReason(closeMalformed)
	case n > limit:
		return nil, closeReason(closeTooLarge)
	}
	if _, err := c.r.Discard(4); err != nil {
		return nil, err
	}
	c.in = c.in[:0]
	for len(c.in) < n {
		at := len(c.in)
		step := min(n-at, max(readStep, at))
		if cap(c.in)-at < step {
			bigger := make([]byte, at, at+step)
			copy(bigger, c.in)
			c.in = bigger
		}
		c.in = c.in[:at+step]
		if _, err := io.ReadFull(c.r, c.in[at:]); err != nil {
			return nil, err
		}
	}
	return c.in, nil
}

func (c *conn) deadline(d time.Duration) {
	_ = c.net.SetDeadline(time.Now().Add(d)) // a closed one fails at the next read
}

// answer decodes a request and has it handled.
func (c *conn) answer(frame []byte) (kmsg.Response, error) {
	key, version := int16(binary.BigEndian.Uint16(frame)), int16(binary.BigEndian.Uint16(frame[2:]))
	a, served := apis[key]
	on := call{c.b, c}
	switch {
	case !served:
		return nil, closeReason(closeUnknown)
	case version < a.min || version > a.max:
		if key == keyApiVersions {
			return otherVersions(), nil
		}
		return nil, closeReason(closeUnknown)
	}
	req, err := decode(a, key, version, frame[minRequest:])
	if err != nil {
		return nil, err
	}
	return a.handle(on, c.b.ctx, req)
}

// decode reads what follows the correlation id: client id, tags, body. The request
// shares the bytes of its record batches with the frame.
func decode(a api, key, version int16, rest []byte) (kmsg.Request, error) {
	req := kmsg.RequestForKey(key)
	req.SetVersion(version)
	w := walk.New(rest, req.IsFlexible(), maxElements)
	w.OldText() // the client id
	w.Tags(nil)
	if w.Bad() {
		return nil, closeReason(closeMalformed)
	}
	if _, ok := fits(a.shape, version, req.IsFlexible(), w.Rest()); !ok {
		return nil, closeReason(closeMalformed)
	}
	if err := req.ReadFrom(w.Rest()); err != nil {
		return nil, closeReason(closeMalformed)
	}
	return req, nil
}

// write sends an answer and gives back large buffers.
func (c *conn) write(rs kmsg.Response, correlation []byte) error {
	out := append(append(c.out[:0], 0, 0, 0, 0), correlation...)
	if rs.IsFlexible() && rs.Key() != keyApiVersions {
		out = append(out, 0) // no tags in the header
	}
	out = rs.AppendTo(out)
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	c.out = out
	c.deadline(frameTime)
	_, err := c.net.Write(out)
	c.trim()
	return err
}

// trim keeps the buffers that a usual request needs again.
func (c *conn) trim() {
	kept, maxKept := cap(c.in)+cap(c.out), c.b.cfg.KeepBytes
	if kept > maxKept {
		c.in, c.out, kept = nil, nil, 0
	}
	for i := range c.pages {
		if kept += cap(c.pages[i]); kept > maxKept {
			kept -= cap(c.pages[i])
			c.pages[i] = nil
		}
	}
}

// errSilent closes a connection without counting it: what was wrong is counted.
var errSilent = errors.New("an error in a request that wants no answer")
