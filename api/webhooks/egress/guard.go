package egress

import (
	"context"
	"errors"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// errForbidden is an address that is dialled for no webhook. It names no address.
var errForbidden = errors.New("the address is not public")

// Guard decides which addresses are dialled.
type Guard struct {
	by *ssrf.Guardian
}

// NewGuard lets public unicast addresses pass, and those of the networks.
func NewGuard(allow []netip.Prefix) *Guard {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return &Guard{ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))}
}

// Control is the net.Dialer's ControlContext: it runs for each address before it is connected to.
func (g *Guard) Control(_ context.Context, network, address string, c syscall.RawConn) error {
	if g.by.Safe(network, address, c) != nil {
		return errForbidden
	}
	return nil
}
