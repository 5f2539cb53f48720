package api

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// limit is the parameter that says which rows of a list are asked for.
type limit struct {
	Limit  bind.Page `name:"limit" doc:"<limit> or <offset>,<limit>; default 10, at most 1000" eg:"0,5"`
	Cursor string    `name:"cursor" max:"4096" doc:"empty: pages follow one another by the keys of their rows, so that a row whose key stays is met exactly once while data arrives, and there is no limit of offset; else that of a next page's address, beside the same parameters and no offset"`
}

// page is the page asked for, the first ten rows where none is.
func (c *Call) page(in limit) bind.Page {
	p := in.Limit
	if !p.Given {
		p.Limit = 10
	}
	if p.Clamped {
		c.Warn(fmt.Sprintf("limit was clamped to %d", bind.MaxLimit))
	}
	return p
}

// unlinked are parameters that addresses of other pages leave out.
var unlinked = []string{"apikey", "period", "period_end", explainAfter}

// beside gives the addresses of the pages beside p of a list of n, in the header
// too. Dates stand for the range that was answered.
func (c *Call) beside(p bind.Page, n int, dates ...[2]string) wire.Paging {
	var out wire.Paging
	if p.Limit == 0 {
		return out
	}
	link := func(rel string, offset, limit int) *string {
		return c.link(rel, append(slices.Clone(dates), [2]string{"limit", strconv.Itoa(offset) + "," + strconv.Itoa(limit)})...)
	}
	switch next := p.Offset + p.Limit; {
	case next >= n:
	case next <= bind.MaxOffset:
		out.Next = link("next", next, p.Limit)
	default:
		c.Warn(fmt.Sprintf("a walk by offset ends here, with %d rows more: one with cursor= reaches all", n-next))
	}
	if p.Offset > 0 {
		out.Previous = link("prev", max(0, p.Offset-p.Limit), min(p.Limit, p.Offset))
	}
	return out
}

// link is the address of another page of the list, in the header too: all parameters
// but the key, and in the place of their names what stands for them there.
func (c *Call) link(rel string, instead ...[2]string) *string {
	to := c.base + c.path + "?" + c.params.Query(unlinked, instead...)
	c.links, c.pages = append(c.links, "<"+to+`>; rel="`+rel+`"`), append(c.pages, pageLink{rel, instead})
	return &to
}

// hostname is what a client may send as a host and find again in an address.
var hostname = regexp.MustCompile(`^([A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// baseOf is the scheme and host that addresses in an answer begin with. A host that
// is none, as HTTP/1.0 may send, gives BaseURL. What a proxy says of itself is not
// looked at, since anybody may say it: behind one BaseURL is configured.
func (a *API) baseOf(r *http.Request) string {
	if !a.ByHost || !hostname.MatchString(r.Host) {
		return a.BaseURL
	}
	if r.TLS != nil {
		return "https://" + strings.TrimSuffix(r.Host, ":443")
	}
	return "http://" + strings.TrimSuffix(r.Host, ":80")
}

// dates are a span as parameters.
func dates(s bind.Span) [][2]string {
	return [][2]string{{"start_date", wire.Seconds(s.From)}, {"end_date", wire.Seconds(s.To)}}
}
