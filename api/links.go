package api

import (
	"bytes"
	"slices"

	"github.com/ovation-analytics/ovation/api/bind"
)

// pageLink is what the address of another page is made of, beside the call's parameters.
type pageLink struct {
	rel     string
	instead [][2]string // in the place of parameters of these names
}

// linksIn reports that the body holds addresses of other pages of the list; they begin as
// nothing else in it does. The header has them in any case.
func (c *Call) linksIn(body []byte) bool {
	return len(c.pages) > 0 && bytes.Contains(body, []byte(c.base+c.path+"?"))
}

// relink gives the call the links that are remembered, their dates moved from one span to
// another.
func (c *Call) relink(pages []pageLink, from, to bind.Span) {
	if len(pages) == 0 {
		return
	}
	was, is := dates(from), dates(to)
	for _, p := range pages {
		instead := slices.Clone(p.instead)
		for i := range instead {
			if k := slices.Index(was, instead[i]); k >= 0 {
				instead[i] = is[k]
			}
		}
		c.link(p.rel, instead...)
	}
}
