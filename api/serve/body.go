package serve

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
	MaxHeader = 64 << 10
	MaxBody   = 1 << 20
)

// body is what is read of a request's body.
type body struct {
	read bool
	err  error // what is wrong with it
}

// authenticate finds the key and what it may do; the parameters of the query are there. The
// key may be in the body: a body is read before the key is known only when the query has
// none.
func (x *exchange) authenticate() error {
	req := &x.req
	given, _ := req.Params.Get("apikey")
	if given == "" && x.r.Method == http.MethodPost && x.op.Each == nil {
		x.take()
		given, _ = req.Params.Get("apikey")
	}
	invalid := func() error { return domain.Bad(domain.InvalidKey, "apiKey", "apiKey is unknown or revoked") }
	if req.Params.Unreadable("apikey") {
		return invalid()
	}
	if given == "" {
		if x.body.err != nil {
			return domain.Bad(domain.MissingKey, "apiKey", "the query has no apiKey, and the body cannot be read")
		}
		return domain.Bad(domain.MissingKey, "apiKey", "apiKey is required, as a parameter of the query or of a POST's body; headers are not looked at")
	}
	key, ok := req.Catalog.Key(sha256.Sum256([]byte(given)))
	if !ok || key.Revoked != 0 {
		return invalid()
	}
	app, ok := req.Catalog.Application(key.Application)
	if !ok || app.Account != key.Account {
		return invalid()
	}
	req.Key, req.App = key, app
	if x.op.Advanced && app.Plan < domain.Advanced {
		return domain.Fail(domain.PlanRequired, "this operation needs the advanced plan")
	}
	return nil
}

// read reads what authenticate has not read, and judges the size of all of it.
func (x *exchange) read() error {
	size := len(x.r.RequestURI)
	for name, values := range x.r.Header {
		for _, v := range values {
			size += len(name) + len(v) + 4
		}
	}
	if size > MaxHeader {
		return domain.Fail(domain.TooLarge, "the header is over 64 KiB")
	}
	if x.r.Method == http.MethodPost {
		x.take()
	}
	if x.body.err != nil {
		return x.body.err
	}
	if x.op.Enterprise != "" && x.req.App.Plan < domain.Enterprise {
		var refused error
		x.req.Params.Prefixed(x.op.Enterprise, func(name, _ string) {
			refused = domain.Bad(domain.PlanRequired, x.op.Enterprise, "custom fields need the enterprise plan")
		})
		return refused
	}
	return nil
}

// take reads the body once.
func (x *exchange) take() {
	if !x.body.read {
		x.body = body{true, x.parameters()}
	}
}

var (
	errBodySize = domain.Fail(domain.TooLarge, "the body is over 1 MiB")
	errBodyType = domain.Fail(domain.UnsupportedMedia, "the body must be application/json or application/x-www-form-urlencoded")
)

// parameters reads the parameters, or the records, of the body.
func (x *exchange) parameters() error {
	r := x.r
	if x.op.Each != nil {
		return x.readRecords()
	}
	if r.ContentLength > MaxBody {
		return errBodySize
	}
	b, err := io.ReadAll(http.MaxBytesReader(x.w, r.Body, MaxBody))
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
		x.req.Params.Encoded(string(b))
	case "application/json":
		if err := x.req.Params.JSON(b, x.op.Objects...); err != nil {
			return domain.Fail(domain.InvalidParameter, err.Error())
		}
	default:
		return errBodyType
	}
	return nil
}
