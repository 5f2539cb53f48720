package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Host is the host that a request names, in lower case, without the port and a final dot.
func Host(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// Local reports that the request's connection was made on this machine.
func Local(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && remote.Addr().Unmap().IsLoopback()
}

// FromLoopback reports that the request was made on this machine for this machine: one that a proxy passes on was
// not.
func FromLoopback(r *http.Request) bool {
	host := Host(r)
	addr, err := netip.ParseAddr(host)
	return Local(r) && (err == nil && addr.Unmap().IsLoopback() || host == "localhost") && !proxied(r)
}

// proxied reports a request with a header of those that proxies add, an empty one too.
func proxied(r *http.Request) bool {
	for name := range r.Header {
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip":
			return true
		}
		if strings.HasPrefix(name, "X-Forwarded-") {
			return true
		}
	}
	return false
}

// FromBrowser reports that a browser made the request: programs send none of these headers.
func FromBrowser(r *http.Request) bool {
	return len(r.Header.Values("Sec-Fetch-Site")) > 0 || len(r.Header.Values("Origin")) > 0
}

// OfAnother reports a request that a browser makes for a page which did not come from this server: another port of the
// same host is another origin.
func OfAnother(r *http.Request) bool {
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return true
		}
	}
	return slices.ContainsFunc(r.Header.Values("Origin"), func(origin string) bool { return !isOwn(r, origin) })
}

// isOwn reports that an origin is that of the server as the request names it. The scheme is compared where it is known: a
// proxy may be asked by https, and ask by http.
func isOwn(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) && (r.TLS == nil || u.Scheme == "https")
}
