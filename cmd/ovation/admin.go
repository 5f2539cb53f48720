package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// Admin is what the admin port needs of the engine. Any goroutine may call it.
type Admin interface {
	// Submit appends a catalog command and waits for its outcome; the error is for
	// an outcome that is not known.
	Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error)
	// Directory is the newest state of the catalog.
	Directory() Directory
	// AcceptGap lets reading of a stopped partition go on, and gives the record that
	// says so. Without a gap it is NotFound.
	AcceptGap(ctx context.Context, topic string, partition int) (domain.AcceptGap, error)
	// Verify begins a verification; a Conflict while one is under way.
	Verify(o verify.Order) error
	// Verified is the verification under way, or the last; nil: there was none.
	Verified() *verify.Verification
	// CancelVerify ends the one under way.
	CancelVerify()
	// Rebuild begins a rebuild; a Conflict while one, or a verification, is under way.
	Rebuild(o verify.RebuildOrder) error
	// Rebuilt is the rebuild under way, or the last of this process; nil: there was none.
	Rebuilt() *verify.Rebuild
	// CancelRebuild ends the one under way.
	CancelRebuild()
	// Status is what /status shows, as a value for encoding/json.
	Status() any
	// Ready is nil when the node can answer, else why not.
	Ready() error
	// Degraded is nil, or what stands still while the node answers rightly.
	Degraded() error
}

// Directory lists what the catalog has, each by ID. It never changes once returned.
type Directory interface {
	Accounts() []*domain.Account
	Applications() []*domain.Application
	Keys() []*domain.Key
}

// adminPort is the handler of the admin port.
//
//	open to all       /livez /readyz /metrics /status /version
//	guarded           /debug/pprof/ and management (manage.go)
type adminPort struct {
	engine Admin
	token  string // empty: loopback only
	log    *slog.Logger
	op     operator
}

// newAdminPort makes the handler. Token is that of AdminPort.Token.
func newAdminPort(engine Admin, token string, metrics prometheus.Gatherer, log *slog.Logger) http.Handler {
	p := &adminPort{engine: engine, token: token, log: log, op: operator{engine: engine, now: time.Now}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", p.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { p.writeJSON(w, http.StatusOK, engine.Status()) })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { p.writeJSON(w, http.StatusOK, built()) })

	guarded := http.NewServeMux()
	guarded.HandleFunc("/debug/pprof/", pprof.Index)
	guarded.HandleFunc("/debug/pprof/profile", pprof.Profile)
	guarded.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	guarded.HandleFunc("/debug/pprof/trace", pprof.Trace)
	p.manage(guarded)
	mux.Handle("/", p.guard(guarded))
	return mux
}

// newAdminServer serves the handler with bounds on slow and large requests; an
// answer may take its time, as a profile does.
func newAdminServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}

// newMetrics is a registry with what every Go program and this build can say of
// themselves.
func newMetrics() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
	)
	return r
}

func (p *adminPort) readyz(w http.ResponseWriter, _ *http.Request) {
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

// guard lets in who has the token, and without one who sits at this machine. A page
// in a browser on this machine does not: it is known by its Origin, or, when it
// had its own name resolve to loopback, by the Host.
func (p *adminPort) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch given := r.Header.Get("Authorization"); {
		case given != "" && !p.authorized(given):
			p.refuse(w, http.StatusUnauthorized, "the token is not that of --admin-token")
			return
		case given == "" && !fromLoopback(r) && p.token != "":
			p.refuse(w, http.StatusUnauthorized, "the token of --admin-token is required")
			return
		case given == "" && !fromLoopback(r):
			p.refuse(w, http.StatusForbidden, "management is open to this machine only; a node started with --admin-token lets in who has the token")
			return
		}
		if err := crossOrigin.Check(r); err != nil {
			p.refuse(w, http.StatusForbidden, "a page of another origin may not manage")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (p *adminPort) refuse(w http.ResponseWriter, status int, message string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="ovation admin"`)
	}
	p.writeJSON(w, status, problem{problemBody{Message: message}})
}

func (p *adminPort) authorized(header string) bool {
	scheme, given, _ := strings.Cut(header, " ")
	if p.token == "" || !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	a, b := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(p.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// fromLoopback reports that the request was made on this machine for this machine:
// one that a proxy passes on was not.
func fromLoopback(r *http.Request) bool {
	for _, h := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(h) != "" {
			return false
		}
	}
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !remote.Addr().Unmap().IsLoopback() {
		return false
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

const minTokenLength = 16

// Token is the admin port's token; empty without --admin-token.
func (a *AdminPort) Token() (string, error) {
	if a.AdminToken == "" {
		return "", nil
	}
	text, err := readPrivate(a.AdminToken, 4<<10)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minTokenLength {
		return "", fmt.Errorf("%s: a token has at least %d characters", a.AdminToken, minTokenLength)
	}
	if checkKey(token) != nil {
		return "", errors.New(a.AdminToken + ": a token is one line of visible ASCII characters")
	}
	return token, nil
}
