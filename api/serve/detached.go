package serve

import (
	"context"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
)

// Detached makes requests of an account that no client waits for: what a webhook sends is made by them. Addresses in
// their answers begin with the BaseURL of the Config. Params are what each of them asks; stream is what the cursors of a
// stream belong to (StreamOf). It may be called by any goroutine, and what it returns too.
func (a *Server) Detached(account domain.AccountID, params *bind.Params, stream string) func(context.Context) *Request {
	return func(ctx context.Context) *Request {
		c := &a.Config
		req := &Request{
			Engine: c.Engine, Catalog: c.Engine.Catalog(), Params: params,
			Caller:   auth.Caller{Key: &domain.Key{Account: account, Scope: domain.ScopeApplication}},
			Links:    page.Links{Base: c.BaseURL, Params: params},
			Clock:    poll.Clock{Now: a.timeOfDay()},
			Response: Response{Status: http.StatusOK, LagMs: -1},
			config:   c, journal: &a.journal, renewals: a.renewals,
			memory: &holding{pools: a.memory, account: account},
			http:   (&http.Request{Method: http.MethodGet}).WithContext(ctx),
		}
		req.list = page.NewList(&req.Links, &a.cursors)
		req.list.Stream = stream
		return req
	}
}

// StreamOf is what the cursors of a stream belong to: the group of its operations, and what its parameters mean.
func StreamOf(group string, plan *bind.Plan, in any) string {
	return "stream of " + group + "\n" + plan.Canon(in, page.Unstreamed...)
}
