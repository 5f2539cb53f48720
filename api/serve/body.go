package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
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

// body is what is read of a request's body.
type body struct {
	read bool
	size int
	err  error // what is wrong with it
}

var (
	errBodySize = domain.Fail(domain.TooLarge, "the body is over 1 MiB")
	errBodyType = domain.Fail(domain.UnsupportedMedia, "the body must be application/json or application/x-www-form-urlencoded")

	errLargeKeyless = domain.Bad(domain.MissingKey, "apiKey", "neither the header nor the query has an apiKey, which is looked for in bodies of at most 64 KiB")
)

// readKeyless reads the body before the key is known. Then a client is not any account's: the body
// is small and has little time, and the slowest ends first where many are read.
func readKeyless(x *exchange) error {
	if x.r.ContentLength > maxKeyless {
		return errLargeKeyless
	}
	if err := x.memory.take(x.memory.pools.Keyless, keylessBytes); err != nil {
		return err
	}
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(keylessTime)) // some have none
	b, err := receive(&x.reply, maxKeyless)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return errLargeKeyless
	}
	x.body = body{read: true, size: len(b), err: unread(err)}
	if err == nil {
		x.body.err = parameters(x, b)
	}
	return nil
}

// readBody reads the body, where it was not read before, with what the account may hold of bodies.
func (x *exchange) readBody() error {
	most, tooLarge := int64(MaxBody), errBodySize
	if x.op.Each != nil {
		most, tooLarge = MaxRecordsBody, errManySize
	}
	size := x.r.ContentLength
	switch {
	case x.body.read && x.body.size > 0:
		if err := x.memory.take(x.memory.pools.Incoming, waitingBytes+readTimes*int64(x.body.size)); err != nil {
			return err
		}
		return x.body.err
	case x.body.read || size == 0:
		return x.body.err
	case size > most:
		return tooLarge
	case size < 0:
		size = most
	}
	if err := x.memory.take(x.memory.pools.Incoming, waitingBytes+size); err != nil {
		return err
	}
	b, err := receive(&x.reply, most)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		x.memory.now.Resize(waitingBytes)
		return tooLarge
	}
	if err != nil {
		return unread(err)
	}
	x.body = body{read: true, size: len(b)}
	x.memory.now.Resize(waitingBytes + readTimes*int64(len(b)))
	if x.op.Each != nil {
		return readRecords(x, b)
	}
	return parameters(x, b)
}

// How much is read, and for how long, of a body that a refusal does not need.
const (
	maxDiscarded = 16 << 20
	discardTime  = 5 * time.Second
)

// discard reads the rest of the body of an account's request that is refused, within bounds. A client that
// sends all of its body before it reads would else lose the answer with its connection. One that asks
// before it sends need not send.
func (x *exchange) discard() {
	if x.body.read || x.r.ContentLength == 0 || x.r.Header.Get("Expect") != "" {
		return
	}
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(discardTime)) // some have none
	_, _ = io.CopyN(io.Discard, x.r.Body, maxDiscarded)
}

// receive reads a body of at most so many bytes.
func receive(o *reply, most int64) (b []byte, err error) {
	share := &o.memory.now
	connection := http.NewResponseController(o.w)
	share.Start(0, func(t time.Time) { _ = connection.SetReadDeadline(t) })
	from := http.MaxBytesReader(o.w, o.r.Body, most)
	keyless := o.memory.account == 0
	size := max(min(o.r.ContentLength, most), 512)
	if keyless {
		size = min(size, keylessBytes)
	}
	b = make([]byte, 0, size+1) // one more, for the end
	for err == nil {
		if len(b) == cap(b) {
			b = slices.Grow(b, len(b))
			if keyless {
				share.Resize(int64(cap(b))) // by what has arrived: anybody may announce more
			}
		}
		var n int
		n, err = from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
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
	return b, err
}

// unread is the error of a body that could not be read.
func unread(err error) error {
	if err == nil || errors.Is(err, errEnded) {
		return err
	}
	return &domain.Error{Code: domain.InvalidParameter, Message: "the body cannot be read", Err: err}
}

// parameters reads the parameters of a body.
func parameters(x *exchange, b []byte) error {
	r := x.r
	if len(b) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if encoding := r.Header.Get("Content-Encoding"); err != nil || encoding != "" && encoding != "identity" {
		return errBodyType
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		x.req.Params.Form(string(b))
	case "application/json":
		if err := x.req.Params.JSON(b, x.op.Objects...); err != nil {
			return domain.Fail(domain.InvalidParameter, err.Error())
		}
	default:
		return errBodyType
	}
	return nil
}

// The bounds of a body of many records.
const (
	MaxRecords     = 2000
	MaxRecordsBody = 2 << 20 // packed, and unpacked
)

// jsonBlanks are what may be around a JSON text: fewer than Unicode has.
const jsonBlanks = " \t\r\n"

// manyKinds are the media types of a body of many; which of both forms it has, its
// first byte shows.
var manyKinds = []string{"application/json", "application/x-ndjson", "application/ndjson", "application/jsonl"}

var (
	errManySize     = domain.Fail(domain.TooLarge, "the body is over 2 MiB, packed or unpacked")
	errManyRecords  = domain.Fail(domain.TooLarge, "the body has more than 2000 records")
	errManyType     = domain.Fail(domain.UnsupportedMedia, "the body must be application/x-ndjson or application/json, as it is or with gzip")
	errManyUnpacked = domain.Fail(domain.InvalidParameter, "the body is no gzip")
	errManyArray    = domain.Fail(domain.InvalidParameter, "the body must be lines of JSON objects, or one JSON array of them")
)

// readRecords reads the records of a body of many.
func readRecords(x *exchange, b []byte) (err error) {
	r := x.r
	if len(b) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(manyKinds, kind) {
		return errManyType
	}
	switch strings.ToLower(r.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		if b, err = unpacked(b); err != nil {
			return err
		}
	default:
		return errManyType
	}
	x.req.Records, err = split(b)
	return err
}

// unpacked is what a gzip holds, up to the bound of a body: more is not even read.
func unpacked(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, errManyUnpacked
	}
	out, err := io.ReadAll(io.LimitReader(z, MaxRecordsBody+1))
	switch {
	case len(out) > MaxRecordsBody:
		return nil, errManySize
	case err != nil:
		return nil, errManyUnpacked
	}
	return out, nil
}

// split gives the records of a body: the elements of an array, or the lines that are
// not blank. Whether one is good is judged later and alone; only an array has to be
// JSON as a whole.
func split(body []byte) ([][]byte, error) {
	if body = bytes.Trim(body, jsonBlanks); len(body) > 0 && body[0] == '[' {
		return elements(body)
	}
	var out [][]byte
	for line := range bytes.SplitSeq(body, []byte{'\n'}) {
		if line = bytes.Trim(line, jsonBlanks); len(line) == 0 {
			continue
		}
		if len(out) == MaxRecords {
			return nil, errManyRecords
		}
		out = append(out, line)
	}
	return out, nil
}

// elements are the elements of a JSON array.
func elements(body []byte) ([][]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return nil, errManyArray
	}
	var out [][]byte
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, errManyArray
		}
		if len(out) == MaxRecords {
			return nil, errManyRecords
		}
		out = append(out, raw)
	}
	if _, err := dec.Token(); err != nil {
		return nil, errManyArray
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errManyArray
	}
	return out, nil
}
