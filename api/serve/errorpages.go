package serve

import (
	"encoding/json"
	"fmt"
	"html"

	"github.com/ovation-analytics/ovation/api/problem"
)

// asHTML is what the page of an error for a browser is kept under, after its path. No
// request reaches it: the route has one segment fewer.
const asHTML = "/html"

// errorPage is the meaning of a problem's type.
type errorPage struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   int    `json:"code"`
	When   string `json:"when"`
}

// html is the page for a browser.
func (p *errorPage) html() []byte {
	const form = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>%[1]s</title>
<h1>%[1]s</h1>
<p>%[2]s.</p>
<p>Error code %[3]d, status %[4]d, type <code>%[5]s</code>. <a href="/docs">All operations and errors</a></p>
</html>
`
	return fmt.Appendf(nil, form, html.EscapeString(p.Title), html.EscapeString(p.When), p.Code, p.Status, html.EscapeString(p.Type))
}

// makeErrorPages makes a page for each type of problem, as JSON and for a browser.
func (a *Server) makeErrorPages() error {
	for _, code := range problem.Codes() {
		about := errorPage{
			Type: "/errors/" + problem.Slug(code), Title: problem.Title(code), Status: problem.Status(code), Code: int(code), When: problem.When(code),
		}
		asJSON, err := json.Marshal(about)
		if err != nil {
			return err
		}
		a.fixed[about.Type] = seal("application/json", pageLife, asJSON)
		page := seal("text/html; charset=utf-8", pageLife, about.html())
		page.policy = nothingElse
		a.fixed[about.Type+asHTML] = page
	}
	return nil
}
