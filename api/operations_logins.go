package api

import (
	"github.com/ovation-analytics/ovation/api/logins"
	"github.com/ovation-analytics/ovation/api/serve"
)

// loginOperations are those on registrations and logins.
func loginOperations() []*serve.Operation {
	return []*serve.Operation{
		serve.Get("getTopDomains", "Members", "/v1.1/members/domains/top", "Domains by the visits that members made on them", logins.TopDomains, serve.Cached),
		serve.Get("getMemberTopDomains", "Members", "/v1.1/member/:memberid/domains/top", "Domains by the visits that a member made on them", logins.TopDomainsOfMember, serve.Cached),
		serve.Get("getMemberLogins", "Members", "/v1.1/member/:memberid/domains/logins", "The registrations and logins of a member, the latest first", logins.VisitsOf, serve.Cached),
		serve.Get("getMemberVisits", "Members", "/v1.1/members/stats/visits", "Members by the number of their visits", logins.Members, serve.Cached),

		serve.Get("getSignups", "Login statistics", "/v1.1/login/stats/alltime", "Registrations by service, of all time", logins.AllTime, serve.Cached),
		serve.Get("getSignupChannels", "Login statistics", "/v1.1/login/stats/channels", "Registrations by service", logins.Channels, serve.Cached),
		serve.Get("getSignupTimeline", "Login statistics", "/v1.1/login/stats/timeline", "Registrations by day and service", logins.Timeline, serve.Cached),
		serve.Get("getSignupDomains", "Login statistics", "/v1.1/login/stats/domains", "Registrations by domain", logins.Domains, serve.Cached),
		serve.Get("getLoginTotals", "Login statistics", "/v1.1/login/stats/totals", "Registrations and logins in all", logins.Totals, serve.Cached),
	}
}
