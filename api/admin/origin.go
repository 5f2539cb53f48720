package admin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
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
	case ofAnotherSite(r):
		return domain.Fail(domain.WrongApplication, "a page of another origin may not ask the admin port")
	case !h.allow(r):
		return domain.Fail(domain.WrongApplication,
			"the admin port is asked by its address, by localhost, or by a name of --admin-host")
	}
	return nil
}

// allow reports that the request's Host is one by which the port may be asked. No browser leaves it out.
func (h Hosts) allow(r *http.Request) bool {
	host := hostOf(r)
	if h.Any || host == "" || len(h.Names) == 0 && !local(r) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || slices.ContainsFunc(h.Names, func(name string) bool {
		return strings.EqualFold(name, host)
	})
}

// ofAnotherSite reports a request that a browser makes for a page which did not come from this port.
func ofAnotherSite(r *http.Request) bool {
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return true
		}
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) {
			return true
		}
	}
	return false
}

// hostOf is the host that the request names, in lower case, without the port and a final dot.
func hostOf(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// local reports that the request's connection was made on this machine.
func local(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && remote.Addr().Unmap().IsLoopback()
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
