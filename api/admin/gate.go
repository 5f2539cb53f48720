package admin

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Gate is the startup gate: the handler of the admin port of a node that may be starting.
// While it is closed, the node is alive, not ready, and answers what it waits for. Any goroutine.
// The zero Gate is closed.
type Gate struct {
	Hosts  Hosts // set before it serves
	port   atomic.Pointer[http.Handler]
	reason atomic.Pointer[error]
}

// Wait notes what the node waits for.
func (g *Gate) Wait(reason error) { g.reason.Store(&reason) }

// Open passes requests to the port from now on.
func (g *Gate) Open(port http.Handler) { g.port.Store(&port) }

// Close undoes Open: the node continues to start.
func (g *Gate) Close() { g.port.Store(nil) }

// ServeHTTP passes a request to the port, or answers as a node that is starting.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if port := g.port.Load(); port != nil {
		(*port).ServeHTTP(w, r)
		return
	}
	if err := g.Hosts.Check(r); err != nil {
		refuse(w, err)
		return
	}
	reason := errors.New("the node is starting")
	if given := g.reason.Load(); given != nil {
		reason = *given
	}
	switch text := "not ready: " + reason.Error(); r.URL.Path {
	case "/livez":
		fmt.Fprintln(w, "ok")
	case "/readyz":
		http.Error(w, text, http.StatusServiceUnavailable)
	default:
		refuse(w, domain.Fail(domain.Unavailable, text))
	}
}
