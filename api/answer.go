package api

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/wire"
)

// retryAfter is how long a client should wait before it repeats, in seconds.
const retryAfter = "1"

// answer writes what an operation gave: the body with the headers that belong to
// it, or nothing but headers for one that the client has. It gives the status.
func (c *Call) answer(w http.ResponseWriter, r *http.Request, body any) (int, error) {
	if c.recalled != "" {
		c.memory.byMemory.Add(1)
		return c.unchanged(w, c.recalled), nil
	}
	b, err := wire.Encode(body)
	if err != nil {
		return 0, &domain.Error{Code: domain.Internal, Op: "encode", Err: err}
	}
	h, tag := w.Header(), ""
	if c.op.Method == http.MethodGet {
		tag = etag(b)
		c.remember(b, tag)
		if matches(c.polled, tag) {
			c.memory.byComparison.Add(1)
			return c.unchanged(w, tag), nil
		}
	}
	if c.finish != nil {
		if err := c.finish(); err != nil {
			return 0, err
		}
		if b, err = wire.Encode(body); err != nil {
			return 0, &domain.Error{Code: domain.Internal, Op: "encode", Err: err}
		}
	}
	if tag != "" {
		h["Etag"] = []string{tag}
	}
	if len(c.polled) > 0 {
		c.memory.missed.Add(1)
	}
	c.headers(h)
	send(w, r, c.status, "application/json", b)
	return c.status, nil
}

// unchanged tells the client that it has the answer.
func (c *Call) unchanged(w http.ResponseWriter, tag string) int {
	h := w.Header()
	h["Etag"] = []string{tag}
	c.headers(h)
	w.WriteHeader(http.StatusNotModified)
	return http.StatusNotModified
}

// headers are those of this call's answers, errors too.
func (c *Call) headers(h http.Header) {
	values := make([]string, 0, 5)    // one array for all of them: a poll is little else
	set := func(name, value string) { // a name in its canonical form
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	set("Cache-Control", "private, no-cache")
	set("X-Position", wire.EncodePosition(c.position))
	if c.op.Method == http.MethodGet {
		lag := c.lagMs
		if lag < 0 {
			lag = c.Engine.Lag().Milliseconds()
		}
		set("X-Lag-Ms", strconv.FormatInt(lag, 10))
	}
	if c.span != "" {
		set("X-Range", c.span)
	}
	if c.retry > 0 {
		set("Retry-After", strconv.FormatUint(uint64(c.retry), 10))
	}
	if c.replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	for _, text := range c.warnings {
		h.Add("Warning", "299 - "+strconv.QuoteToASCII(text))
	}
	for _, l := range c.links {
		h.Add("Link", l)
	}
}

// etag is the weak tag of a body: the same on every node.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// matches reports that a tag is among those of If-None-Match, weakly compared.
func matches(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, line := range lines {
		for one := range strings.SplitSeq(line, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// send writes a whole body; to HEAD only its headers.
func send(w http.ResponseWriter, r *http.Request, status int, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that went away needs no answer
	}
}

// refuse writes an error as a problem and gives its status. A bug is logged here,
// once, under the request's id.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, op string, request domain.RequestID, err error) int {
	p := problem.Of(err)
	h := w.Header()
	switch p.Error.Code {
	case int(domain.Internal):
		p.Request = request.String()
		a.Logger.Error("request failed", slog.String("operation", op), slog.String("request", p.Request), slog.Any("err", err))
	case int(domain.Unavailable):
		h.Set("Retry-After", retryAfter)
	}
	b, err := wire.Encode(p)
	if err != nil { // a struct of texts always has a JSON form
		http.Error(w, p.Title, p.Status)
		return p.Status
	}
	send(w, r, p.Status, problem.ContentType, b)
	return p.Status
}
