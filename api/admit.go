package api

import (
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The bounds of a request.
const (
	maxHeader = 64 << 10
	maxBody   = 1 << 20
)

// admit finds the key and what it may do; the parameters of the query are there. The key may stand in the body: a body is
// read before the key is known only when the query has none.
func (c *Call) admit(w http.ResponseWriter, r *http.Request) error {
	given, _ := c.params.Get("apikey")
	if given == "" && r.Method == http.MethodPost && c.op.each == nil {
		c.take(w, r)
		given, _ = c.params.Get("apikey")
	}
	invalid := func() error { return domain.Bad(domain.InvalidKey, "apiKey", "apiKey is unknown or revoked") }
	if c.params.Unreadable("apikey") {
		return invalid()
	}
	if given == "" {
		if c.bodyErr != nil {
			return domain.Bad(domain.MissingKey, "apiKey", "the query has no apiKey, and the body cannot be read")
		}
		return domain.Bad(domain.MissingKey, "apiKey", "apiKey is required, as a parameter of the query or of a POST's body; headers are not looked at")
	}
	key, ok := c.catalog.Key(sha256.Sum256([]byte(given)))
	if !ok || key.Revoked != 0 {
		return invalid()
	}
	app, ok := c.catalog.Application(key.Application)
	if !ok || app.Account != key.Account {
		return invalid()
	}
	c.key, c.app = key, app
	if c.op.Advanced && app.Plan < domain.Advanced {
		return domain.Fail(domain.PlanRequired, "this operation needs the advanced plan")
	}
	return nil
}

// read reads what admit has not read, and judges the size of all of it.
func (c *Call) read(w http.ResponseWriter, r *http.Request) error {
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v) + 4
		}
	}
	if size > maxHeader {
		return domain.Fail(domain.TooLarge, "the header is over 64 KiB")
	}
	if r.Method == http.MethodPost {
		c.take(w, r)
	}
	if c.bodyErr != nil {
		return c.bodyErr
	}
	if c.op.Enterprise != "" && c.app.Plan < domain.Enterprise {
		var refused error
		c.params.Prefixed(c.op.Enterprise, func(name, _ string) {
			refused = domain.Bad(domain.PlanRequired, c.op.Enterprise, "custom fields need the enterprise plan")
		})
		return refused
	}
	return nil
}

// take reads the body once.
func (c *Call) take(w http.ResponseWriter, r *http.Request) {
	if !c.took {
		c.took, c.bodyErr = true, c.body(w, r)
	}
}

var (
	errBodySize = domain.Fail(domain.TooLarge, "the body is over 1 MiB")
	errBodyType = domain.Fail(domain.UnsupportedMedia, "the body must be application/json or application/x-www-form-urlencoded")
)

// body reads parameters from the body.
func (c *Call) body(w http.ResponseWriter, r *http.Request) error {
	if c.op.each != nil {
		return c.manyBody(w, r)
	}
	if r.ContentLength > maxBody {
		return errBodySize
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return errBodySize
	}
	if err != nil {
		return &domain.Error{Code: domain.InvalidParameter, Message: "the body cannot be read", Err: err}
	}
	if len(b) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if encoding := r.Header.Get("Content-Encoding"); err != nil || encoding != "" && encoding != "identity" {
		return errBodyType
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		c.params.Encoded(string(b))
	case "application/json":
		if err := c.params.JSON(b, c.op.Objects...); err != nil {
			return domain.Fail(domain.InvalidParameter, err.Error())
		}
	default:
		return errBodyType
	}
	return nil
}
