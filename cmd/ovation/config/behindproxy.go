package config

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/ovation-analytics/ovation/api/serve"
)

// BehindProxy is how a node learns the address of a client that comes through a proxy.
type BehindProxy struct {
	TrustedProxy   []string `sep:"," placeholder:"NETWORK" help:"Addresses and networks (10.0.0.0/8) of the proxies in front of the API. Of connections from elsewhere --client-ip-header is not looked at."`
	ClientIPHeader string   `name:"client-ip-header" placeholder:"NAME" help:"Header in which these proxies put the client's address, such as X-Forwarded-For or X-Real-IP; of several addresses the last one that is no proxy's. Without it the address is that of the connection."`
}

// Validate is what is wrong with the values.
func (b *BehindProxy) Validate() error {
	var errs []error
	if (len(b.TrustedProxy) == 0) != (b.ClientIPHeader == "") {
		errs = append(errs, errors.New("--trusted-proxy and --client-ip-header: one needs the other"))
	}
	if strings.EqualFold(b.ClientIPHeader, "Forwarded") {
		errs = append(errs, errors.New("--client-ip-header: Forwarded has more than addresses: let the proxy set X-Forwarded-For"))
	} else if b.ClientIPHeader != "" && strings.Trim(b.ClientIPHeader, headerLetters) != "" {
		errs = append(errs, fmt.Errorf("--client-ip-header: %q is no name of a header", b.ClientIPHeader))
	}
	for _, text := range b.TrustedProxy {
		if _, err := networkOf(text); err != nil {
			errs = append(errs, fmt.Errorf("--trusted-proxy: %q is neither an address nor a network such as 10.0.0.0/8", text))
		}
	}
	return errors.Join(errs...)
}

// headerLetters are what names of headers are made of here.
const headerLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// Proxies are the values, which are valid.
func (b *BehindProxy) Proxies() serve.Proxies {
	p := serve.Proxies{Header: http.CanonicalHeaderKey(b.ClientIPHeader)}
	for _, text := range b.TrustedProxy {
		if network, err := networkOf(text); err == nil {
			p.Networks = append(p.Networks, network)
		}
	}
	return p
}

// networkOf is a network, or that of one address.
func networkOf(text string) (netip.Prefix, error) {
	if at, err := netip.ParseAddr(text); err == nil {
		at = at.Unmap().WithZone("")
		return at.Prefix(at.BitLen())
	}
	return netip.ParsePrefix(text)
}
