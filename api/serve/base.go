package serve

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// base is the scheme and host that addresses in answers begin with, of requests to one host.
type base struct {
	host     string
	secure   bool
	address  string
	document func() *sealed // /openapi.json, made when it is asked for
}

// hostname is what a client may send as a host and find again in an address.
var hostname = regexp.MustCompile(`^([A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// baseOf is the scheme and host that addresses in an answer begin with. A host that
// is none, as HTTP/1.0 may send, gives BaseURL. Headers of a proxy are not
// read, since any client may send it: behind a proxy BaseURL is configured.
func (a *Server) baseOf(r *http.Request) string {
	if b := a.hostBase(r); b != nil {
		return b.address
	}
	return a.Config.BaseURL
}

// hostBase is the base of a request's host; nil: it is that of the configuration. The last one is
// kept: most requests are to one host.
func (a *Server) hostBase(r *http.Request) *base {
	if !a.Config.ByHost {
		return nil
	}
	secure := r.TLS != nil
	if b := a.base.Load(); b != nil && b.host == r.Host && b.secure == secure {
		return b
	}
	if !hostname.MatchString(r.Host) {
		return nil
	}
	b := &base{host: strings.Clone(r.Host), secure: secure}
	b.address = "http://" + strings.TrimSuffix(b.host, ":80")
	if secure {
		b.address = "https://" + strings.TrimSuffix(b.host, ":443")
	}
	b.document = sync.OnceValue(func() *sealed { return seal("application/json", pageLife, a.Config.Document(b.address)) })
	a.base.Store(b)
	return b
}
