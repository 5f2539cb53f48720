package admin

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/pages"
)

// Options are what an admin port serves.
type Options struct {
	Engine  Engine
	Jobs    []Job
	Signing signing // nil: the node is not open yet
	Letters Letters // likewise
	Token   string  // empty: guarded paths are for this machine only
	Hosts   Hosts
	Metrics prometheus.Gatherer
	Now     func() time.Time // the time of day; nil: time.Now
	Version any              // what /version shows
	Log     *slog.Logger
	Level   *slog.LevelVar // of the node's log; nil: it cannot be changed

	Console   http.Handler              // of the console's paths; nil: the node is not open yet
	Operator  func(*http.Request) error // nil for a request of an operator who is signed in; a nil one refuses all
	PublicURL string                    // scheme and host that people reach the public port under
}

// port is the handler of the admin port.
type port struct {
	engine   Engine
	token    string
	log      *slog.Logger
	level    *slog.LevelVar
	operator Operator
	signing  signing
	letters  Letters
	signedIn func(*http.Request) error
	public   string
}

// New is the handler of an admin port.
func New(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &port{engine: o.Engine, token: o.Token, log: o.Log, level: o.Level, operator: NewOperator(o.Engine, o.Now), signing: o.Signing, letters: o.Letters, signedIn: o.Operator, public: o.PublicURL}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", p.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { p.writeJSON(w, o.Engine.Status()) })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { p.writeJSON(w, o.Version) })

	if o.Console != nil {
		mux.Handle(session.Path, o.Console)
		mux.Handle("/console/v1.1/", o.Console)
		for _, p := range pages.All {
			if pages.OfConsole(p.Path) {
				mux.Handle("GET "+patternOf(p.Path), o.Console)
			}
		}
	}

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

// patternOf is the pattern of a route whose parts may be names with a colon.
func patternOf(route string) string {
	if route == "/" {
		return "/{$}"
	}
	return part.ReplaceAllString(route, "{$1}")
}

var part = regexp.MustCompile(`:([a-z]+)[^/]*`)

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
