package page

import (
	"bytes"
	"slices"

	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// ExplainAfter is the parameter that names the action after which a page of an explanation begins.
const ExplainAfter = "explain_after"

// unlinked are parameters that addresses of other pages leave out.
var unlinked = []string{"apikey", "period", "period_end", ExplainAfter}

// Links makes the addresses of other pages of a request's list.
type Links struct {
	Base   string // scheme and host of addresses in the answer
	Path   string
	Params *bind.Params
	Header []string // values of the header Link
	Made   []Link
	Self   bool // the body has the request's own address
}

// Link is what the address of another page is made of, beside the request's parameters.
type Link struct {
	Rel     string
	Instead [][2]string // instead of parameters of these names
}

// Address is the request's address with other values of some parameters, without the key.
func (l *Links) Address(instead ...[2]string) string {
	return l.Base + l.Path + "?" + l.Params.Query(unlinked, instead...)
}

// Add makes the address of another page of the list, in the header too.
func (l *Links) Add(rel string, instead ...[2]string) *string {
	to := l.Address(instead...)
	l.Header = append(l.Header, "<"+to+`>; rel="`+rel+`"`)
	l.Made = append(l.Made, Link{rel, instead})
	return &to
}

// In reports that the body holds addresses of other pages of the list; they begin as
// nothing else in it does. The header has them in any case.
func (l *Links) In(body []byte) bool {
	return len(l.Made) > 0 && bytes.Contains(body, []byte(l.Base+l.Path+"?"))
}

// Restore makes links of an earlier answer again, their dates moved from one span to
// another.
func (l *Links) Restore(links []Link, from, to bind.Span) {
	if len(links) == 0 {
		return
	}
	was, is := Dates(from), Dates(to)
	for _, link := range links {
		instead := slices.Clone(link.Instead)
		for i := range instead {
			if k := slices.Index(was, instead[i]); k >= 0 {
				instead[i] = is[k]
			}
		}
		l.Add(link.Rel, instead...)
	}
}

// Dates are a span as parameters.
func Dates(s bind.Span) [][2]string {
	return [][2]string{{"start_date", wire.Seconds(s.From)}, {"end_date", wire.Seconds(s.To)}}
}
