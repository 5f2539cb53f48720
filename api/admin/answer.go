package admin

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
)

const maxBody = 64 << 10

// handle answers with what f gives. An error with a public message is shown; any other is
// logged and shown in general words.
func (p *port) handle(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		answer, err := f(r)
		if err != nil {
			if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code == domain.Internal || e.Err != nil {
				p.log.Error("management request failed", "path", r.URL.Path, "err", err)
			}
			refuse(w, err)
			return
		}
		p.writeJSON(w, answer)
	}
}

// readJSON reads a request's one JSON object.
func readJSON(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return domain.Fail(domain.TooLarge, "the request is too large")
	case err != nil || d.More():
		return domain.Fail(domain.InvalidParameter, "the request is not one JSON object of the known fields")
	}
	return nil
}

func (p *port) writeJSON(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		p.log.Error("answer cannot be encoded", "err", err)
		refuse(w, err)
		return
	}
	write(w, http.StatusOK, "application/json", text)
}

// refuse writes an error as a problem. There are no request ids here: what has no public
// message refers to the log.
func refuse(w http.ResponseWriter, err error) {
	b := problem.Of(err)
	if b.Error.Code == int(domain.Internal) {
		b.Detail = "failed; the node's log says why"
		if e, ok := errors.AsType[*domain.Error](err); ok && e.Message != "" {
			b.Detail = e.Message
		}
		b.Error.Message = b.Detail
	}
	text, _ := json.Marshal(b) // never fails: texts and numbers
	write(w, b.Status, problem.ContentType, text)
}

func write(w http.ResponseWriter, status int, contentType string, text []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

// noRoute answers a path or a method that the port has not, as the mux found it.
func noRoute(w http.ResponseWriter, r *http.Request, found http.Handler) {
	n := notFound{header: http.Header{}}
	found.ServeHTTP(&n, r)
	if n.status != http.StatusMethodNotAllowed {
		refuse(w, domain.Fail(domain.NotFound, "the admin port has no such path"))
		return
	}
	w.Header()["Allow"] = n.header["Allow"]
	refuse(w, domain.Fail(domain.MethodNotAllowed, "the path takes "+n.header.Get("Allow")))
}

// notFound keeps the head of the mux's own answer.
type notFound struct {
	header http.Header
	status int
}

// Header is the answer's.
func (n *notFound) Header() http.Header { return n.header }

// WriteHeader keeps the status.
func (n *notFound) WriteHeader(status int) { n.status = status }

// Write drops the text.
func (n *notFound) Write(text []byte) (int, error) { return len(text), nil }
