package serve

import (
	"bytes"
	"encoding/json"
	"html/template"

	"github.com/ovation-analytics/ovation/api/problem"
)

// asHTML is what the page of an error for a browser is kept under, behind its path. No
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

// errorHTML is the page for a browser.
var errorHTML = template.Must(template.New("error").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{{.Title}}</title>
<h1>{{.Title}}</h1>
<p>{{.When}}.</p>
<p>Error code {{.Code}}, status {{.Status}}, type <code>{{.Type}}</code>. <a href="/docs">All operations and errors</a></p>
</html>
`))

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
		var page bytes.Buffer
		if err := errorHTML.Execute(&page, about); err != nil {
			return err
		}
		a.fixed[about.Type] = seal("application/json", pageLife, asJSON)
		html := seal("text/html; charset=utf-8", pageLife, page.Bytes())
		html.policy = nothingElse
		a.fixed[about.Type+asHTML] = html
	}
	return nil
}
