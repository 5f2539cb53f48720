package docs

import (
	"bytes"
	_ "embed"

	"github.com/ovation-analytics/ovation/api/pages"
)

var (
	//go:embed index.html
	index []byte
	//go:embed page.css
	style []byte
	//go:embed page.js
	script []byte
	//go:embed overview.svg
	picture []byte
	//go:embed vendor/swagger-ui.css
	swaggerStyle []byte
	//go:embed vendor/swagger-ui-bundle.js
	swaggerScript []byte
)

// policy lets the page load and ask this server alone. swagger-ui sets the style attribute of
// what it draws, and its style sheet has pictures within.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Files are the pages and what they load, document among them. The page of a demo takes a key from its address.
func Files(document []byte, demo bool) ([]pages.File, error) {
	page := index
	if demo {
		page = bytes.Replace(index, []byte("<body>"), []byte("<body data-demo>"), 1)
	}
	guides, err := guideFiles()
	return append([]pages.File{
		{Path: "/docs", Kind: "text/html; charset=utf-8", Policy: policy, Body: page},
		{Path: "/docs/openapi.json", Kind: "application/json", Body: document},
		{Path: "/docs/page.css", Kind: "text/css; charset=utf-8", Body: style},
		{Path: "/docs/overview.svg", Kind: "image/svg+xml", Body: picture},
		{Path: "/docs/page.js", Kind: "text/javascript; charset=utf-8", Body: script},
		{Path: "/docs/swagger-ui.css", Kind: "text/css; charset=utf-8", Body: swaggerStyle},
		{Path: "/docs/swagger-ui-bundle.js", Kind: "text/javascript; charset=utf-8", Body: swaggerScript},
	}, guides...), err
}
