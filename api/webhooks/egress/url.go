package egress

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ParseURL reads the address of a receiver: https, a host, no user-info, no fragment. Errors quote nothing: an
// address may hold a secret in its query.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("must be a URL")
	case u.Scheme != "https":
		return nil, errors.New("must begin with https://")
	case u.User != nil:
		return nil, errors.New("must have no user name and no password")
	case u.Hostname() == "":
		return nil, errors.New("must name a host")
	case strings.Contains(u.Hostname(), "%"):
		return nil, errors.New("must have no zone")
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return nil, errors.New("must have no fragment")
	}
	if p := u.Port(); p != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return nil, errors.New("must have a port from 1 to 65535")
		}
	}
	return u, nil
}

// ParseNetworks reads networks in CIDR notation. One of IPv4 in IPv6 form is refused: an address is never dialled
// in that form, so it would allow nothing.
func ParseNetworks(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		switch {
		case err != nil:
			return nil, errors.New("want networks such as 10.0.0.0/8, not " + strconv.Quote(text))
		case p.Addr().Is4In6():
			return nil, errors.New("write " + strconv.Quote(text) + " as a network of IPv4")
		}
		out = append(out, p.Masked())
	}
	return out, nil
}
