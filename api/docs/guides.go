package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/ovation-analytics/ovation/api/pages"
)

var (
	//go:embed guide
	guides embed.FS
	//go:embed guide.html
	guideForm string
	//go:embed guide.css
	guideStyle []byte
	//go:embed guide.js
	guideScript []byte
)

// chapters are the guides in the order in which they are listed, by the name of the file below guide without .md.
var chapters = []struct {
	Title string
	Names []string
}{
	{"Use", []string{"start", "console", "concepts", "publish", "import", "export", "ask", "live", "webhooks", "members"}},
	{"Operate", []string{
		"operate/install", "operate/configure", "operate/secrets", "operate/health", "operate/runbook", "operate/disk", "operate/recovery",
		"operate/kafka", "operate/nodes", "operate/sizing", "operate/backup", "operate/upgrade", "operate/security", "operate/console",
	}},
}

var (
	form     = template.Must(template.New("guide").Parse(guideForm))
	markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
)

// chapter is a heading of the list of guides, with the guides below it.
type chapter struct {
	Title string
	Pages []*page
}

// page is a guide as it is read from its file.
type page struct {
	Path, Title string
	tree        ast.Node
	source      []byte
}

// passage is what is below a heading, for the search that the browser does.
type passage struct {
	Path    string `json:"path"` // with the heading's anchor
	Page    string `json:"page"`
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// guideFiles are the guides as pages, with what they load: they are the same in every API.
var guideFiles = sync.OnceValues(renderGuides)

func renderGuides() ([]pages.File, error) {
	list, err := readGuides()
	if err != nil {
		return nil, err
	}
	files := []pages.File{
		{Path: "/docs/guide.css", Kind: "text/css; charset=utf-8", Body: guideStyle},
		{Path: "/docs/guide.js", Kind: "text/javascript; charset=utf-8", Body: guideScript},
	}
	var index []passage
	for _, c := range list {
		for _, p := range c.Pages {
			body, err := p.html(list)
			if err != nil {
				return nil, err
			}
			files = append(files, pages.File{Path: p.Path, Kind: "text/html; charset=utf-8", Policy: policy, Body: body})
			index = append(index, p.passages()...)
		}
	}
	searched, err := json.Marshal(index)
	if err != nil {
		return nil, err
	}
	return append(files, pages.File{Path: "/docs/guides.json", Kind: "application/json", Body: searched}), nil
}

func readGuides() ([]chapter, error) {
	var list []chapter
	for _, c := range chapters {
		next := chapter{Title: c.Title}
		for _, name := range c.Names {
			p, err := readGuide(name)
			if err != nil {
				return nil, err
			}
			next.Pages = append(next.Pages, p)
		}
		list = append(list, next)
	}
	return list, nil
}

func readGuide(name string) (*page, error) {
	source, err := guides.ReadFile("guide/" + name + ".md")
	if err != nil {
		return nil, err
	}
	p := &page{Path: served(name), tree: markdown.Parser().Parse(text.NewReader(source)), source: source}
	if h, ok := p.tree.FirstChild().(*ast.Heading); ok {
		p.Title = plain(h, source)
	}
	return p, ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(target(name, string(n.Destination)))
		case *ast.Image: // a file of this folder
			n.Destination = []byte("/docs/" + path.Base(string(n.Destination)))
		}
		return ast.WalkContinue, nil
	})
}

// served is the path of a guide: /docs/operate-install of operate/install. All of /docs is one segment deep.
func served(name string) string { return "/docs/" + strings.ReplaceAll(name, "/", "-") }

// target is where a link of a guide leads on this server. In the file it is relative, so that it works in the
// repository as well.
func target(from, link string) string {
	file, anchor, anchored := strings.Cut(link, "#")
	to, isGuide := strings.CutSuffix(file, ".md")
	if !isGuide || strings.Contains(file, ":") {
		return link
	}
	to = served(path.Join(path.Dir(from), to))
	if anchored {
		to += "#" + anchor
	}
	return to
}

// html is the page with the list of all guides beside it.
func (p *page) html(list []chapter) ([]byte, error) {
	var body, out bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
		return nil, err
	}
	err := form.Execute(&out, struct {
		*page
		Chapters []chapter
		Body     template.HTML
	}{p, list, template.HTML(body.String())}) // the body is of a file of this program
	return out.Bytes(), err
}

// passages are the parts of a page, each with the words below its heading.
func (p *page) passages() (out []passage) {
	var last *passage
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, isHeading := n.(*ast.Heading)
		if !isHeading {
			if last != nil {
				last.Text += plain(n, p.source) + " "
			}
			continue
		}
		at := p.Path
		if id, ok := h.AttributeString("id"); ok {
			at += "#" + string(id.([]byte))
		}
		out = append(out, passage{Path: at, Page: p.Title, Heading: plain(h, p.source)})
		last = &out[len(out)-1]
	}
	return out
}

// plain is the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it gives no error
		switch {
		case !entering:
			if n.Type() == ast.TypeBlock {
				out.WriteByte(' ')
			}
		case n.Kind() == ast.KindText:
			out.Write(n.(*ast.Text).Segment.Value(source))
			if n.(*ast.Text).SoftLineBreak() {
				out.WriteByte(' ')
			}
		case n.Kind() == ast.KindFencedCodeBlock:
			out.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(out.String())
}
