package serve

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/limit"
)

// holding is the memory that a request holds of the node's pools, for its account. What it waits
// for next it gets before it gives back what it holds, in this order: a body, a wait, a place to
// write to, the making of an answer. So no request waits in a circle.
type holding struct {
	pools   *limit.Memory
	account domain.AccountID // 0: the key is not known
	wait    *deadline        // of the request, or of a part of its answer
	now     limit.Share      // of what is done at the moment
	place   limit.Share      // of what is to be written
}

// hold replaces what is held for the moment.
func (m *holding) hold(s limit.Share) {
	m.now.Release()
	m.now = s
}

// leave gives everything back.
func (m *holding) leave() {
	m.now.Release()
	m.place.Release()
}

// take takes bytes of a pool for the moment.
func (m *holding) take(pool *limit.Pool, bytes int64) error {
	s, err := pool.Acquire(m.wait.ctx, m.account, bytes)
	if err != nil {
		return err
	}
	m.hold(s)
	return nil
}

// What a request takes, about.
const (
	requestBytes = 16 << 10  // any, while its answer is made
	waitingBytes = 8 << 10   // any, while it waits
	rowBytes     = 4 << 10   // one row of a list, with what it is made of
	parsedTimes  = 4         // a byte of a body, when it is parsed
	readTimes    = 2         // a byte of a body, between reading and making
	writtenBytes = 4 << 10   // an answer that is written, beside its body
	writtenRow   = 512       // one row of it
	streamBytes  = 256 << 10 // a stream: a part, and what codes it
)

// reserve takes what the making of the answer takes, and before it a place to write the answer to: no
// answer that is made has to wait.
func (m *holding) reserve(op *Operation, params *bind.Params, body int) error {
	rows := rowsOf(op, params)
	pool, place, making := m.pools.Outgoing, writtenBytes+writtenRow*rows, m.pools.Making
	if op.streams() {
		pool, place, making = m.pools.Streams, streamBytes, m.pools.Parts
	}
	s, err := pool.Acquire(m.wait.ctx, m.account, place)
	if err != nil {
		return err
	}
	m.place = s
	return m.take(making, requestBytes+rowBytes*rows+parsedTimes*int64(body))
}

// rowsOf is how many rows of a list an operation is asked for, or a stream has at once.
func rowsOf(op *Operation, params *bind.Params) int64 {
	if op.streams() {
		return StreamRows
	}
	text, given := params.Get("limit")
	if !given || op.Method != http.MethodGet {
		return 0
	}
	_, rows, both := strings.Cut(text, ",")
	if !both {
		rows = text
	}
	n, err := strconv.Atoi(rows)
	if err != nil || n < 0 {
		n = 0 // refused before anything is read
	}
	return int64(min(n, bind.MaxLimit))
}
