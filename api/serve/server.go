package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/api/route"
)

// inFlightBytes bounds the requests under way where the Config has no other bound.
const inFlightBytes = 256 << 20

// Config is what a Server is made of.
type Config struct {
	Engine     port.Engine
	Hasher     port.Hasher
	Now        func() time.Time
	BaseURL    string // scheme and host that clients reach the server under
	ByHost     bool   // addresses in answers have the host that was asked in the place of BaseURL
	Proxies    Proxies
	CursorKey  [16]byte
	Logger     *slog.Logger
	Access     *slog.Logger // the access log; nil: none
	Operations []*Operation
	Document   func(base string) []byte // /openapi.json under a base address
	Tokens     Tokens                   // of members
	Files      []File

	CacheBytes    int   // of the response cache; default 32 MiB
	InFlightBytes int64 // of requests under way; default 256 MiB
}

// Server is the handler of the operations and of the documents that need no key.
type Server struct {
	Config
	table   *route.Table[*Operation]
	counted []*counters // as operations, then unmatched
	none    *counters
	fixed   map[string]*sealed // what needs no key, by path
	journal atomic.Pointer[domain.TopicID]
	memory  *limit.Memory
	rates   *limit.Rates
	cache   *poll.Cache
	cursors page.Sealer
	base    atomic.Pointer[base] // of the last request, where ByHost
}

// New makes a Server; a Config that lacks something is an error.
func New(config Config) (*Server, error) {
	a := &Server{
		Config: config, fixed: map[string]*sealed{}, none: newCounters(unmatched),
		cache: poll.NewCache(config.CacheBytes), cursors: page.NewSealer(config.CursorKey),
		memory: limit.NewMemory(cmp.Or(config.InFlightBytes, inFlightBytes)), rates: limit.NewRates(accounts{config.Engine}),
	}
	if a.Logger == nil {
		a.Logger = slog.New(slog.DiscardHandler)
	}
	a.BaseURL = strings.TrimSuffix(a.BaseURL, "/")
	base, err := url.Parse(a.BaseURL)
	switch {
	case a.Engine == nil || a.Hasher == nil || a.Now == nil || a.Tokens == nil:
		return nil, errors.New("api: Engine, Hasher, Now and Tokens are needed")
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, fmt.Errorf("api: BaseURL %q is no http or https address", a.BaseURL)
	}
	if err := a.compile(config.Operations); err != nil {
		return nil, err
	}
	a.Engine.OnRemoteTokens(func(account domain.AccountID, tokens uint64) {
		a.rates.Elsewhere(account, a.Engine.Catalog().Changed(account), tokens, a.Now())
	})
	return a, nil
}

// compile makes the table of routes, the counters and the fixed answers.
func (a *Server) compile(operations []*Operation) error {
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
		op.counts = newCounters(op.Name())
		a.counted = append(a.counted, op.counts)
		at(op.Path, op.Method, op)
	}
	if err := a.makePages(); err != nil {
		return err
	}
	for _, p := range Pages {
		at(p.Path, http.MethodGet, nil)
	}
	a.counted = append(a.counted, a.none)
	table, err := route.Compile(routes)
	a.table = table
	return err
}

// Polls is what became of conditional GETs since the start.
func (a *Server) Polls() poll.Stats { return a.cache.Stats() }
