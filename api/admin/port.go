package admin

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options are what an admin port serves.
type Options struct {
	Engine  Engine
	Jobs    []Job
	Signing signing // nil: the node is not open yet
	Token   string  // empty: guarded paths are for this machine only
	Hosts   Hosts
	Metrics prometheus.Gatherer
	Now     func() time.Time // the time of day; nil: time.Now
	Version any              // what /version shows
	Log     *slog.Logger
	Level   *slog.LevelVar // of the node's log; nil: it cannot be changed
}

// port is the handler of the admin port.
type port struct {
	engine   Engine
	token    string
	log      *slog.Logger
	level    *slog.LevelVar
	operator Operator
	signing  signing
}

// New is the handler of an admin port.
func New(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &port{engine: o.Engine, token: o.Token, log: o.Log, level: o.Level, operator: NewOperator(o.Engine, o.Now), signing: o.Signing}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", p.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { p.writeJSON(w, o.Engine.Status()) })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { p.writeJSON(w, o.Version) })

	guarded := http.NewServeMux()
	guarded.HandleFunc("/debug/pprof/", pprof.Index)
	guarded.HandleFunc("/debug/pprof/profile", pprof.Profile)
	guarded.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	guarded.HandleFunc("/debug/pprof/trace", pprof.Trace)
	p.manage(guarded)
	for _, j := range o.Jobs {
		j.register(guarded, p)
	}
	mux.Handle("/", p.guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, pattern := guarded.Handler(r); pattern == "" {
			noRoute(w, r, h)
			return
		}
		guarded.ServeHTTP(w, r)
	})))
	return o.Hosts.screen(mux)
}

// NewServer serves the handler with bounds on slow and large requests; an answer may take its
// time, as a profile does.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}

func (p *port) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := p.engine.Ready(); err != nil {
		http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := p.engine.Degraded(); err != nil {
		fmt.Fprintln(w, "degraded:", err)
		return
	}
	fmt.Fprintln(w, "ok")
}
