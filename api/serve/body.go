package serve

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The bounds of a request.
const (
	MaxHeader = 64 << 10
	MaxBody   = 1 << 20
)

// What is read of a body before the key is known: a key is looked for in small bodies.
const (
	maxKeyless   = 64 << 10
	keylessTime  = 5 * time.Second
	keylessBytes = 4 << 10 // held until more has arrived
)

// body is a request's body, which is read at most once, with what its account may hold of bodies.
type body struct {
	w      http.ResponseWriter
	r      *http.Request
	memory *holding

	read bool
	size int
	err  error // what is wrong with it
}

// bodyLimit is how large a body may be, and the error of a larger one.
type bodyLimit struct {
	bytes    int64
	tooLarge error
}

var (
	bodyBound    = bodyLimit{MaxBody, domain.Fail(domain.TooLarge, "the body is over 1 MiB")}
	recordsBound = bodyLimit{MaxRecordsBody, errManySize}

	errLargeKeyless = domain.Bad(domain.MissingKey, "apiKey", "neither the header nor the query has an apiKey, which is looked for in bodies of at most 64 KiB")
)

// readKeyless reads and parses the body before the key is known. Then a client is not any account's: the body
// is small and has little time, and the slowest ends first where many are read.
func (b *body) readKeyless(parse func([]byte) error) error {
	if b.r.ContentLength > maxKeyless {
		return errLargeKeyless
	}
	if err := b.memory.take(b.memory.pools.Keyless, keylessBytes); err != nil {
		return err
	}
	_ = http.NewResponseController(b.w).SetReadDeadline(time.Now().Add(keylessTime)) // some have none
	all, err := b.receive(maxKeyless)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return errLargeKeyless
	}
	b.read, b.size, b.err = true, len(all), unread(err)
	if err == nil {
		b.err = parse(all)
	}
	return nil
}

// readAll reads and parses the body, where it was not read before.
func (b *body) readAll(bound bodyLimit, parse func([]byte) error) error {
	m, size := b.memory, b.r.ContentLength
	switch {
	case b.read && b.size > 0:
		if err := m.take(m.pools.Incoming, waitingBytes+readTimes*int64(b.size)); err != nil {
			return err
		}
		return b.err
	case b.read || size == 0:
		return b.err
	case size > bound.bytes:
		return bound.tooLarge
	case size < 0:
		size = bound.bytes
	}
	if err := m.take(m.pools.Incoming, waitingBytes+size); err != nil {
		return err
	}
	all, err := b.receive(bound.bytes)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		m.now.Resize(waitingBytes)
		return bound.tooLarge
	}
	if err != nil {
		return unread(err)
	}
	b.read, b.size = true, len(all)
	m.now.Resize(waitingBytes + readTimes*int64(len(all)))
	return parse(all)
}

// How much is read, and for how long, of a body that a refusal does not need.
const (
	maxDiscarded = 16 << 20
	discardTime  = 5 * time.Second
)

// discard reads the rest of the body of an account's request that is refused, within bounds. A client that
// sends all of its body before it reads would else lose the answer with its connection. One that asks
// before it sends need not send.
func (b *body) discard() {
	if b.read || b.r.ContentLength == 0 || b.r.Header.Get("Expect") != "" {
		return
	}
	_ = http.NewResponseController(b.w).SetReadDeadline(time.Now().Add(discardTime)) // some have none
	_, _ = io.CopyN(io.Discard, b.r.Body, maxDiscarded)
}

// receive reads a body of at most so many bytes.
func (b *body) receive(maxBytes int64) (all []byte, err error) {
	share := &b.memory.now
	connection := http.NewResponseController(b.w)
	share.Start(0, func(t time.Time) { _ = connection.SetReadDeadline(t) })
	from := http.MaxBytesReader(b.w, b.r.Body, maxBytes)
	keyless := b.memory.account == 0
	size := max(min(b.r.ContentLength, maxBytes), 512)
	if keyless {
		size = min(size, keylessBytes)
	}
	all = make([]byte, 0, size+1) // one more, for the end
	for err == nil {
		if len(all) == cap(all) {
			all = slices.Grow(all, len(all))
			if keyless {
				share.Resize(int64(cap(all))) // by what has arrived: anybody may announce more
			}
		}
		var n int
		n, err = from.Read(all[len(all):cap(all)])
		all = all[:len(all)+n]
		if !share.Moved(n) {
			err = errEnded
		}
	}
	if !share.Stop() {
		err = errEnded
	}
	if err == io.EOF {
		err = nil
	}
	return all, err
}

// unread is the error of a body that could not be read.
func unread(err error) error {
	if err == nil || errors.Is(err, errEnded) {
		return err
	}
	return &domain.Error{Code: domain.InvalidParameter, Message: "the body cannot be read", Err: err}
}
