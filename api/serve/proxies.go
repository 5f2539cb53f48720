package serve

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are where requests may come through before they reach the server, and the header in which these
// name the client. The zero value trusts none: a client is the other end of its connection.
type Proxies struct {
	Networks []netip.Prefix // of addresses that connections of proxies come from
	Header   string         // such as X-Forwarded-For: addresses, each proxy's client after those before it
}

// client is where a request comes from; the zero value where that is not known. The header is believed as far
// as proxies wrote it: from its end to the first address that is no proxy's. What is before that one, or in a
// request of any other connection, any client may have written.
func (p Proxies) client(r *http.Request) netip.Addr {
	at := addressOf(r.RemoteAddr)
	if p.Header == "" || !p.has(at) {
		return at
	}
	hops := strings.Split(strings.Join(r.Header.Values(p.Header), ","), ",")
	for _, hop := range slices.Backward(hops) {
		before := addressOf(strings.TrimSpace(hop))
		if !before.IsValid() {
			return at
		}
		if at = before; !p.has(at) {
			return at
		}
	}
	return at
}

// has reports that an address is a proxy's.
func (p Proxies) has(at netip.Addr) bool {
	return slices.ContainsFunc(p.Networks, func(n netip.Prefix) bool { return n.Contains(at) })
}

// addressOf is the address of a text, with or without a port; the zero value of any other text.
func addressOf(text string) netip.Addr {
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		with, _ := netip.ParseAddrPort(text)
		at = with.Addr()
	}
	return at.Unmap().WithZone("")
}
