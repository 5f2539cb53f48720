package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/route"
)

// Config is what an API is made of.
type Config struct {
	Engine   Engine
	Hasher   Hasher
	Now      func() time.Time
	BaseURL  string   // scheme and host that clients reach the API under
	ByHost   bool     // addresses in answers have the host that was asked in the place of BaseURL
	Signer   Signer   // of member tokens
	TokenKey [16]byte // of access tokens
	Resolver Resolver // of what brand addresses do not tell; nil: none
	Logger   *slog.Logger

	RememberedBytes int   // of answers, for polls; default 32 MiB
	InFlightBytes   int64 // of requests under way; default 256 MiB
}

// API is the handler of the public interface.
type API struct {
	Config
	table   *route.Table[*Operation]
	counted []*counters // as operations, then unmatched
	none    *counters
	fixed   map[string]*sealed // what needs no key, by path
	parts   [2][]byte          // of the document, around its base address
	journal atomic.Pointer[domain.TopicID]
	bodies  inflight
	asking  inflight
	sorted  sortedBrands
	memory  *memory
	tokens  *tokens
	cursors page.Sealer
	secret  *passwords
}

// New makes an API; a Config that lacks something is an error.
func New(config Config) (*API, error) {
	a := &API{Config: config, fixed: map[string]*sealed{}, none: newCounters(unmatched), secret: newPasswords(), memory: newMemory(rememberedMost, cmp.Or(config.RememberedBytes, rememberedBytes))}
	a.bodies.most = cmp.Or(config.InFlightBytes, inFlightBytes) / 2
	a.asking.most = a.bodies.most
	if a.Logger == nil {
		a.Logger = slog.New(slog.DiscardHandler)
	}
	a.BaseURL = strings.TrimSuffix(a.BaseURL, "/")
	base, err := url.Parse(a.BaseURL)
	switch {
	case a.Engine == nil || a.Hasher == nil || a.Now == nil:
		return nil, errors.New("api: Engine, Hasher and Now are needed")
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, fmt.Errorf("api: BaseURL %q is no http or https address", a.BaseURL)
	}
	if a.tokens, err = newTokens(config.Signer, config.TokenKey, a.BaseURL); err != nil {
		return nil, err
	}
	a.cursors = page.NewSealer(config.TokenKey)
	if err := a.compile(Operations()); err != nil {
		return nil, err
	}
	return a, nil
}

// compile makes the table of routes, the counters and the fixed answers.
func (a *API) compile(operations []*Operation) error {
	byPath := map[string]*route.Route[*Operation]{}
	var routes []*route.Route[*Operation]
	at := func(path, method string, op *Operation) {
		r := byPath[path]
		if r == nil {
			r = &route.Route[*Operation]{Path: path, Methods: map[string]*Operation{}}
			byPath[path], routes = r, append(routes, r)
		}
		r.Methods[method] = op
	}
	for _, op := range operations {
		op.counts = newCounters(op.name())
		a.counted = append(a.counted, op.counts)
		at(op.Path, op.Method, op)
	}
	if err := a.pages(); err != nil {
		return err
	}
	for _, p := range pages {
		at(p.path, http.MethodGet, nil)
	}
	a.counted = append(a.counted, a.none)
	table, err := route.Compile(routes)
	a.table = table
	return err
}

// visit is what is known of a request by the time it is answered.
type visit struct {
	request domain.RequestID
	counts  *counters
	key     *domain.Key
	status  int
	call    *Call
}

// ServeHTTP answers a request, counts it and notes it.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := a.Now()
	v := &visit{counts: a.none}
	_, _ = rand.Read(v.request[:]) // never fails
	w.Header()["X-Request-Id"] = []string{v.request.String()}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			a.crashed(w, r, v, p)
		}
		took := a.Now().Sub(began)
		v.counts.add(v.status, took)
		a.hit(v.key)
		if a.Logger.Enabled(r.Context(), slog.LevelDebug) {
			a.Logger.Debug("request", slog.String("operation", v.counts.name), slog.Int("status", v.status),
				slog.Duration("took", took), slog.String("request", v.request.String()))
		}
	}()
	if err := a.serve(w, r, v); err != nil {
		if v.call != nil {
			v.call.headers(w.Header())
		}
		v.status = a.refuse(w, r, v.counts.name, v.request, unavailable(err))
	}
}

// crashed answers a request on which the program panicked. The stack is logged,
// the value is not where it could quote a parameter.
func (a *API) crashed(w http.ResponseWriter, r *http.Request, v *visit, p any) {
	cause := fmt.Sprintf("%T", p)
	if err, ok := p.(interface{ RuntimeError() }); ok {
		cause = fmt.Sprint(err)
	}
	err := &domain.Error{Code: domain.Internal, Op: "panic", Err: fmt.Errorf("%s\n%s", cause, debug.Stack())}
	v.status = a.refuse(w, r, v.counts.name, v.request, err)
}

// unavailable gives the error of a deadline its code.
func unavailable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &domain.Error{Code: domain.Unavailable, Message: domain.ErrUnavailable.Message, Err: err}
	}
	return err
}

// serve goes through the contract's checks, in its order.
func (a *API) serve(w http.ResponseWriter, r *http.Request, v *visit) error {
	found, values, ok := a.table.Find(r.URL.Path)
	if !ok {
		if path, ok := a.table.Fix(r.URL.Path); ok {
			v.status = redirect(w, r, path)
			return nil
		}
		return domain.Fail(domain.NotFound, "there is no such path")
	}
	var err error
	op, ok := found.Method(r.Method)
	if !ok {
		w.Header().Set("Allow", found.Allow())
		return domain.Fail(domain.MethodNotAllowed, "this path takes "+found.Allow())
	}
	if op == nil {
		v.status, err = a.page(w, r, found.Path)
		return err
	}
	v.counts = op.counts
	c := &Call{API: a, Engine: a.Engine, asked: r.Context(), op: op, now: a.Now(), catalog: a.Engine.Catalog(), base: a.baseOf(r), path: r.URL.Path, params: new(bind.Params), status: http.StatusOK, lagMs: -1}
	defer c.close()
	for _, p := range values {
		c.params.Path(p.Key, p.Value)
	}
	c.params.Encoded(r.URL.RawQuery)
	flight := &a.asking
	if r.Method == http.MethodPost {
		flight = &a.bodies
	}
	weight, err := flight.take(c.ctx, c.weigh(r))
	if err != nil {
		return err
	}
	defer flight.giveBack(weight)
	if err := c.admit(w, r); err != nil {
		v.key = c.key
		return err
	}
	v.key, v.call = c.key, c
	if op.Method == http.MethodGet {
		c.polled = r.Header.Values("If-None-Match")
	}
	c.reads()
	if err := c.read(w, r); err != nil {
		return err
	}
	if err := c.identify(r.Header, v.request); err != nil {
		return err
	}
	body, err := op.run(c, c.params)
	if err != nil {
		return err
	}
	v.status, err = c.answer(w, r, body)
	return err
}

// redirect sends a client to the right spelling of a path.
func redirect(w http.ResponseWriter, r *http.Request, path string) int {
	status := http.StatusMovedPermanently
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		status = http.StatusTemporaryRedirect
	}
	to := url.URL{Path: path, RawQuery: r.URL.RawQuery}
	w.Header().Set("Location", to.String())
	w.WriteHeader(status)
	return status
}
