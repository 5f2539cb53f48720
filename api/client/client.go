package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/problem"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// Client asks one API with one key.
type Client struct {
	bases     []string
	addresses *addresses // which of bases is asked, for all clients derived from one
	key       string
	header    http.Header
	wait      string
	http      *http.Client
}

// New is a client of the API under a base address, and under more of the same installation.
func New(base, key string, more ...string) *Client {
	c := &Client{key: key, http: &http.Client{Timeout: 30 * time.Second}}
	for _, b := range append([]string{base}, more...) {
		c.bases = append(c.bases, strings.TrimSuffix(b, "/"))
	}
	c.addresses = newAddresses(len(c.bases), rand.IntN(len(c.bases)))
	return c
}

// Over is the client with another way to send requests.
func (c *Client) Over(h *http.Client) *Client {
	d := *c
	d.http = h
	return &d
}

// At is the client whose requests wait for a position; empty: for none.
func (c *Client) At(position string) *Client {
	d := *c
	d.wait = position
	return &d
}

// With is the client that also sends a header, such as Idempotency-Key or
// If-None-Match.
func (c *Client) With(header, value string) *Client {
	d := *c
	d.header = maps.Clone(c.header)
	if d.header == nil {
		d.header = http.Header{}
	}
	d.header.Set(header, value)
	return &d
}

// As is the client whose requests are about one member, by its token (jwt of an envelope). It is
// for operations that take one: GetMember, FindMember, Authenticate, opt-ins, AttachService.
func (c *Client) As(jwt string) *Client { return c.With("Authorization", "Bearer "+jwt) }

// Params are parameters by name, as they are sent.
type Params map[string]string

// Meta is what an answer has beside its body.
type Meta struct {
	Status   int
	Position string // where what was written is visible, or what was read
	LagMs    int64  // -1: absent
	Range    string
	ETag     string
	Replayed bool
	Warnings []string
	Request  string // the request's id, for the log
	Next     Params // of the next page's address; nil: there is none
}

// Error is an answer that is a problem.
type Error struct {
	Status    int
	Code      domain.Code
	Parameter string
	Message   string
	Request   string
}

// Error names status, code and message.
func (e *Error) Error() string {
	return fmt.Sprintf("status %d, code %d: %s", e.Status, e.Code, e.Message)
}

// Get asks a path, as Do does an operation, and reads the answer into out. A 304 leaves out as it is.
func (c *Client) Get(ctx context.Context, path string, p Params, out any) (Meta, error) {
	return c.do(ctx, http.MethodGet, path, p, nil, out)
}

// Post sends parameters as a form and reads the answer into out.
func (c *Client) Post(ctx context.Context, path string, p Params, out any) (Meta, error) {
	return c.do(ctx, http.MethodPost, path, nil, form(p), out)
}

// form are parameters as a body.
func form(p Params) *payload {
	return &payload{kind: "application/x-www-form-urlencoded", bytes: []byte(encoded(p).Encode())}
}

// payload is the body of a request.
type payload struct {
	kind, packed string // media type; packed: with what, empty: as it is
	bytes        []byte
}

// request makes the request of an inquiry to an address. The key is in a header: an address is in the logs
// of proxies.
func (c *Client) request(ctx context.Context, base string, q *inquiry) (*http.Request, error) {
	query := encoded(q.query)
	if !query.Has(bind.Strict) {
		query.Set(bind.Strict, "1") // a misspelt name would else give other numbers
	}
	if c.wait != "" {
		query.Set("wait_for", c.wait)
	}
	var body io.Reader
	if q.sent != nil {
		body = bytes.NewReader(q.sent.bytes)
	}
	req, err := http.NewRequestWithContext(ctx, q.method, base+q.path+"?"+query.Encode(), body)
	if u, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("client: %s %s: %w", u.Op, q.path, u.Err)
	}
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, c.header)
	req.Header.Set("X-API-Key", c.key)
	if q.key != "" {
		req.Header.Set(idempotencyKey, q.key)
	}
	if q.sent != nil {
		req.Header.Set("Content-Type", q.sent.kind)
		if q.sent.packed != "" {
			req.Header.Set("Content-Encoding", q.sent.packed)
		}
	}
	return req, nil
}

// send sends a request, whose address no error has either.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	res, err := c.http.Do(req)
	if u, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("client: %s %s: %w", u.Op, req.URL.Path, u.Err)
	}
	return res, err
}

func (c *Client) do(ctx context.Context, method, path string, query Params, sent *payload, out any) (Meta, error) {
	q := c.inquiry(method, path, query, sent)
	a, err := c.ask(ctx, q)
	if err != nil {
		return Meta{}, err
	}
	defer a.close()
	meta := metaOf(a.res)
	meta.Replayed = meta.Replayed && q.key == "" // under a key made here only this request repeats itself
	switch {
	case len(a.body) > maxAnswer:
		return meta, fmt.Errorf("client: the answer is over %d bytes", maxAnswer)
	case meta.Status == http.StatusNotModified:
		return meta, nil
	case meta.Status >= http.StatusBadRequest:
		return meta, failure(a.res, meta, a.body)
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = a.body
		return meta, nil
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return meta, fmt.Errorf("client: answer of %s: %w", path, err)
	}
	return meta, nil
}

func encoded(p Params) url.Values {
	v := url.Values{}
	for name, value := range p {
		v.Set(name, value)
	}
	return v
}

func metaOf(res *http.Response) Meta {
	h := res.Header
	m := Meta{
		Status: res.StatusCode, Position: h.Get("X-Position"), LagMs: -1, Range: h.Get("X-Range"), ETag: h.Get("ETag"),
		Replayed: h.Get("Idempotent-Replayed") == "true", Warnings: h.Values("Warning"), Request: h.Get("X-Request-Id"),
	}
	if n, err := strconv.ParseInt(h.Get("X-Lag-Ms"), 10, 64); err == nil {
		m.LagMs = n
	}
	for _, link := range h.Values("Link") {
		to, rel, _ := strings.Cut(link, ">; ")
		if u, err := url.Parse(strings.TrimPrefix(to, "<")); err == nil && rel == `rel="next"` {
			m.Next = Params{}
			for name, values := range u.Query() {
				m.Next[name] = values[0]
			}
		}
	}
	return m
}

// failure is the error of an answer; one that is no problem has code 0.
func failure(res *http.Response, meta Meta, body []byte) error {
	e := &Error{Status: res.StatusCode, Message: res.Status, Request: meta.Request}
	var p problem.Problem
	if err := json.Unmarshal(body, &p); err == nil && p.Error.Code > 0 && p.Error.Code < 256 {
		e.Code, e.Parameter, e.Message = domain.Code(p.Error.Code), p.Parameter, p.Detail
	}
	return e
}
