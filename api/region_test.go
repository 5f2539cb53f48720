package api

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A region is one of exactly one country: without one, or with several, it is refused, in whatever
// operation. What is missing or malformed comes first.
func TestRegion_NeedsOneCountry(t *testing.T) {
	asked := 0
	for _, o := range Operations() {
		if o.Method != http.MethodGet || !o.Plan.Has("region") {
			continue
		}
		asked++
		ask := func(countries string, more ...string) {
			t.Helper()
			h := newFixture(t)
			target, params := exampled(o)
			params.Set("region", "BE")
			params.Set("country", countries)
			good := countries == "DE" || countries == "de, DE"
			if len(more) > 0 {
				params.Set(more[0], more[1])
			}
			if countries == "" {
				params.Del("country")
			}
			w := h.do(o.Method, keyed(target+"?"+params.Encode(), keyEnterprise), "")
			switch {
			case good:
				h.status(w, http.StatusOK, target, url.QueryEscape(countries))
			case countries == "QQ" || countries == ",":
				h.refused(w, domain.InvalidParameter, "country")
			case len(more) > 0:
				h.refused(w, domain.InvalidParameter, more[0])
			default:
				h.refused(w, domain.InvalidParameter, "region")
			}
		}
		for _, countries := range []string{"", "DE,FR", "DE", "de, DE", "QQ", ","} {
			ask(countries)
		}
		ask("", "paid_only", "perhaps")
		ask("DE,FR", "domain", "..")
	}
	if asked < 20 {
		t.Errorf("only %d operations have a region", asked)
	}
}
