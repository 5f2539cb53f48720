package admin

import (
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Job is work beside the node, one run at a time. At its path a POST begins a run, a GET shows
// the one under way or the last, and a POST to /cancel below it ends it; each answers with the
// run.
type Job struct {
	path   string
	start  func(r *http.Request) error
	last   func() (any, error)
	cancel func()
}

// NewJob is the job at a path. Start gets the order of a POST's body; last is nil before the
// first run, which is answered with none. Any goroutine may call the functions.
func NewJob[O, R any](path, none string, start func(O) error, last func() *R, cancel func()) Job {
	return Job{
		path: path,
		start: func(r *http.Request) error {
			var order O
			if err := readJSON(r, &order); err != nil {
				return err
			}
			return start(order)
		},
		last: func() (any, error) {
			run := last()
			if run == nil {
				return nil, domain.Fail(domain.NotFound, none)
			}
			return run, nil
		},
		cancel: cancel,
	}
}

// register adds the job's paths.
func (j Job) register(mux *http.ServeMux, p *port) {
	last := func(*http.Request) (any, error) { return j.last() }
	mux.HandleFunc("GET "+j.path, p.handle(last))
	mux.HandleFunc("POST "+j.path, p.handle(func(r *http.Request) (any, error) {
		if err := j.start(r); err != nil {
			return nil, err
		}
		return j.last()
	}))
	mux.HandleFunc("POST "+j.path+"/cancel", p.handle(func(*http.Request) (any, error) {
		j.cancel()
		return j.last()
	}))
}
