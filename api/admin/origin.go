package admin

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/origin"
)

// Hosts are the names that requests may ask the port by. A page whose name its owner lets resolve to this port
// (DNS rebinding) asks by that name: no other header tells it from a scraper. A page cannot ask by an address or
// by localhost unless it came from there. The zero Hosts checks requests made on this machine.
type Hosts struct {
	Names []string // further ones, without a port
	Any   bool     // all: scrapers ask by names that the node does not know
}

// Check refuses what a page of another site makes a browser ask, and what names another host.
func (h Hosts) Check(r *http.Request) error {
	switch {
	case origin.OfAnother(r):
		return domain.Fail(domain.WrongApplication, "a page of another origin may not ask the admin port")
	case !h.allow(r):
		return domain.Fail(domain.WrongApplication,
			"the admin port is asked by its address, by localhost, or by a name of --admin-host")
	}
	return nil
}

// allow reports that the request's Host is one by which the port may be asked. No browser leaves it out.
func (h Hosts) allow(r *http.Request) bool {
	host := origin.Host(r)
	if h.Any || host == "" || len(h.Names) == 0 && !origin.Local(r) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || slices.ContainsFunc(h.Names, func(name string) bool {
		return strings.EqualFold(name, host)
	})
}

// screen passes on the requests that pass the check.
func (h Hosts) screen(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.Check(r); err != nil {
			refuse(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
