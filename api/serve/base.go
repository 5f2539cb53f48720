package serve

import (
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
)

// bases gives the scheme and host that addresses in answers begin with. Any goroutine may call it.
type bases struct {
	last atomic.Pointer[base] // most requests are to one host
}

// base is the address of one host.
type base struct {
	host    string
	secure  bool
	address string
}

// hostname is what a client may send as a host and find again in an address.
var hostname = regexp.MustCompile(`^([A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// of is the scheme and host that addresses in the answer to a request begin with. A host that
// is none, as HTTP/1.0 may send, gives BaseURL. Headers of a proxy are not
// read, since any client may send it: behind a proxy BaseURL is configured.
func (b *bases) of(r *http.Request, c *Config) string {
	if !c.ByHost {
		return c.BaseURL
	}
	secure := r.TLS != nil
	if last := b.last.Load(); last != nil && last.host == r.Host && last.secure == secure {
		return last.address
	}
	if !hostname.MatchString(r.Host) {
		return c.BaseURL
	}
	next := &base{host: strings.Clone(r.Host), secure: secure}
	next.address = "http://" + strings.TrimSuffix(next.host, ":80")
	if secure {
		next.address = "https://" + strings.TrimSuffix(next.host, ":443")
	}
	b.last.Store(next)
	return next.address
}
