package client

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
)

// inquiry is a request as it may be sent to any address of the client.
type inquiry struct {
	method, path string
	query        Params
	sent         *payload
	key          string // Idempotency-Key made here; empty: none is made
	stream       bool   // the answer is read as it arrives
}

// idempotencyKey is the header that makes a command one, however often it is sent.
const idempotencyKey = "Idempotency-Key"

// inquiry is a request to come. A command that may be sent to several addresses has a key.
func (c *Client) inquiry(method, path string, query Params, sent *payload) *inquiry {
	q := &inquiry{method: method, path: path, query: query, sent: sent}
	if method == http.MethodPost && len(c.bases) > 1 && c.header.Get(idempotencyKey) == "" {
		q.key = rand.Text()
	}
	return q
}

// asking is an inquiry under way at one address or several. It belongs to the goroutine of ask.
type asking struct {
	c        *Client
	q        *inquiry
	pass     *pass
	under    map[int]context.CancelFunc // by address
	outcomes chan outcome
	late     *time.Ticker
}

// outcome is what became of an inquiry at one address.
type outcome struct {
	address int
	answer  *answer
	err     error // the connection broke
}

// ask has an inquiry answered by one of the addresses: by the next where a connection breaks or a node is
// unavailable; of those that are asked because others are late, by the one that answers first. If none answers
// it gives the last refusal, else the last error. No goroutine of it outlives the call.
func (c *Client) ask(ctx context.Context, q *inquiry) (*answer, error) {
	a := &asking{
		c: c, q: q, pass: c.addresses.begin(q.method == http.MethodGet), under: map[int]context.CancelFunc{},
		outcomes: make(chan outcome), late: time.NewTicker(inTime),
	}
	defer a.end()
	var refusal *answer
	for address, more := a.pass.next(time.Now()); ; {
		if more {
			if err := a.send(ctx, address); err != nil {
				return nil, err
			}
		}
		select {
		case <-a.late.C:
			another := a.pass.move
			if q.method == http.MethodGet {
				another = a.pass.hedge
			}
			address, more = another(time.Now())
		case o := <-a.outcomes:
			if a.taken(&o) {
				return o.answer, nil
			}
			if o.err == nil {
				refusal = o.answer
			}
			more = false
			if ctx.Err() == nil {
				address, more = a.pass.next(time.Now())
			}
			switch {
			case more || len(a.under) > 0:
			case refusal != nil:
				return refusal, nil
			default:
				return nil, o.err
			}
		}
	}
}

// send sends the inquiry to an address. The error is that it has no request there.
func (a *asking) send(ctx context.Context, address int) error {
	ctx, stop := context.WithCancel(ctx)
	req, err := a.c.request(ctx, a.c.bases[address], a.q)
	if err != nil {
		stop()
		return err
	}
	a.under[address] = stop
	a.late.Reset(inTime)
	go func() {
		answer, err := a.c.exchange(req, a.q.stream)
		a.outcomes <- outcome{address, answer, err}
	}()
	return nil
}

// taken reports that the outcome is the answer; else another address has to be asked.
func (a *asking) taken(o *outcome) bool {
	stop := a.under[o.address]
	delete(a.under, o.address)
	if o.err == nil && !o.answer.unavailable() {
		a.pass.answered(o.address, time.Now())
		o.answer.stop = stop
		return true
	}
	a.pass.failed(o.address, time.Now())
	stop()
	return false
}

// end cancels what is still under way and waits for its end.
func (a *asking) end() {
	a.late.Stop()
	a.pass.end()
	for _, stop := range a.under {
		stop()
	}
	for range a.under {
		if o := <-a.outcomes; o.err == nil {
			o.answer.res.Body.Close()
		}
	}
}

// answer is what an address answered.
type answer struct {
	res    *http.Response
	body   []byte        // all of it, or one byte more than maxAnswer
	stream *bufio.Reader // instead of body: the answer from its first byte on
	stop   context.CancelFunc
}

// exchange sends a request and reads the answer, of a stream its first byte.
func (c *Client) exchange(req *http.Request, stream bool) (*answer, error) {
	res, err := c.send(req)
	if err != nil {
		return nil, err
	}
	a := &answer{res: res}
	if stream && res.StatusCode == http.StatusOK {
		a.stream = bufio.NewReaderSize(res.Body, 64<<10)
		_, err = a.stream.Peek(1)
		switch {
		case err == nil:
			return a, nil
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			err = ErrIncomplete
		}
	} else {
		a.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	}
	res.Body.Close()
	return a, err
}

// close ends an answer, also one of which not all was read.
func (a *answer) close() {
	a.res.Body.Close()
	if a.stop != nil {
		a.stop()
	}
}

// unavailable reports that another address may answer better: the node is unavailable, or what
// answers is no node but a proxy that does not reach one.
func (a *answer) unavailable() bool {
	if a.res.StatusCode < http.StatusInternalServerError {
		return false
	}
	var p problem.Problem
	_ = json.Unmarshal(a.body, &p) // what is no problem has no code
	return p.Error.Code == 0 || p.Error.Code == int(domain.Unavailable)
}
