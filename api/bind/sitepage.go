package bind

import (
	"errors"
	"net/url"
	"strings"
)

// SitePage is a page of a web site, host/path: its host in canonical form, and its path.
type SitePage string

// ParseParam reads host/path, or cuts it out of an address.
func (p *SitePage) ParseParam(s string) error {
	var host Domain
	if err := host.ParseParam(s); err != nil {
		return errors.New("must be a page as host/path")
	}
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(strings.TrimSpace(s), "#")
	s, _, _ = strings.Cut(s, "?")
	_, path, _ := strings.Cut(s, "/")
	if _, err := url.PathUnescape(path); err != nil || strings.ContainsAny(path, " \t\r\n") {
		return errors.New("must be a page as host/path")
	}
	*p = SitePage(strings.TrimSuffix(string(host)+"/"+path, "/"))
	return nil
}
