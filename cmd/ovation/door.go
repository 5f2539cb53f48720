package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// door is the admin port of a node that may not be open yet: until then it lives, is not
// ready, and says what it waits for. Any goroutine may call it.
type door struct {
	inside atomic.Pointer[http.Handler]
	reason atomic.Pointer[error]
}

// waits notes what the node waits for.
func (d *door) waits(why error) { d.reason.Store(&why) }

// open lets everybody through to the handler from now on.
func (d *door) open(h http.Handler) { d.inside.Store(&h) }

// shut is the end of open: the node goes on starting.
func (d *door) shut() { d.inside.Store(nil) }

// ServeHTTP passes a request on, or answers as a node that is starting.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := d.inside.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	switch why := d.why(); r.URL.Path {
	case "/livez":
		fmt.Fprintln(w, "ok")
	case "/readyz":
		http.Error(w, "not ready: "+why.Error(), http.StatusServiceUnavailable)
	default:
		body, _ := json.Marshal(problem{problemBody{Code: domain.Unavailable, Message: "not ready: " + why.Error()}})
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Write(append(body, '\n'))
	}
}

func (d *door) why() error {
	if why := d.reason.Load(); why != nil {
		return *why
	}
	return errors.New("the node is starting")
}
