package pages

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

// errorDocuments are a page for each type of problem, as JSON and for a browser, by path.
func errorDocuments() (map[string]*Document, error) {
	out := map[string]*Document{}
	for _, code := range problem.Codes() {
		about := errorPage{
			Type: "/errors/" + problem.Slug(code), Title: problem.Title(code), Status: problem.Status(code), Code: int(code), When: problem.When(code),
		}
		asJSON, err := json.Marshal(about)
		if err != nil {
			return nil, err
		}
		out[about.Type] = lasting("application/json", asJSON)
		page := lasting("text/html; charset=utf-8", about.html())
		page.Policy = nothingElse
		out[about.Type+asHTML] = page
	}
	return out, nil
}
