package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/pages"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/route"
)

// Server is the handler of the operations and of the documents that need no key.
type Server struct {
	Config  Config
	table   *route.Table[*Operation]
	counted []*counters // as operations, then of session.Path, then unmatched
	none    *counters
	signIns *counters // of session.Path
	pages   *pages.Set
	journal journal
	memory  *limit.Memory
	rates   *limit.Rates
	cache   *poll.Cache
	cursors page.Sealer
	bases   bases
	events  eventCounters

	renewals *limit.Pool // requests that wait for the newest catalog or members
}

// New makes a Server; a Config that lacks something is an error.
func New(config Config, operations []*Operation) (*Server, error) {
	a := &Server{
		Config: config, none: newCounters(unmatched), signIns: newCounters(session.Path),
		cache: poll.NewCache(config.CacheBytes), cursors: page.NewSealer(config.CursorKey),
		memory: limit.NewMemory(cmp.Or(config.InFlightBytes, inFlightBytes)), rates: limit.NewRates(accounts{config.Engine}),
		renewals: newRenewals(),
	}
	if a.Config.Logger == nil {
		a.Config.Logger = slog.New(slog.DiscardHandler)
	}
	if a.Config.TimeOfDay == nil {
		a.Config.TimeOfDay = func(at time.Time) time.Time { return at }
	}
	a.Config.BaseURL = strings.TrimSuffix(a.Config.BaseURL, "/")
	base, err := url.Parse(a.Config.BaseURL)
	switch {
	case a.Config.Engine == nil || a.Config.Hasher == nil || a.Config.Now == nil || a.Config.Tokens == nil:
		return nil, errors.New("api: Engine, Hasher, Now and Tokens are needed")
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, fmt.Errorf("api: BaseURL %q is no http or https address", a.Config.BaseURL)
	}
	if err := a.compile(operations); err != nil {
		return nil, err
	}
	a.pages, err = pages.New(pages.Config{
		Base: a.Config.BaseURL, Document: config.Document, Files: config.Files,
		Keys: func() []byte {
			return config.Tokens.KeySet(config.Engine.Catalog().SigningKeys(), a.timeOfDay())
		},
	})
	if err != nil {
		return nil, err
	}
	a.Config.Engine.OnRemoteTokens(func(account domain.AccountID, tokens uint64) {
		a.rates.Elsewhere(account, a.Config.Engine.Catalog().Changed(account), tokens, a.timeOfDay())
	})
	return a, nil
}

// timeOfDay is the time as the installation has it. Durations are by Config.Now.
func (a *Server) timeOfDay() time.Time { return a.Config.TimeOfDay(a.Config.Now()) }

// compile makes the table of routes and the counters.
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
	for _, p := range pages.All {
		at(p.Path, http.MethodGet, nil)
	}
	a.counted = append(a.counted, a.signIns, a.none)
	table, err := route.Compile(routes)
	a.table = table
	return err
}

// Stats is a snapshot of what was counted, by operation in the order of the table. Counts of one request may be split
// over two snapshots.
func (a *Server) Stats() []OperationStats { return snapshot(a.counted) }

// Limited is a snapshot of what was counted since the start.
func (a *Server) Limited() Limited { return a.rates.Counts() }

// Polls is what became of conditional GETs since the start.
func (a *Server) Polls() poll.Stats { return a.cache.Stats() }
