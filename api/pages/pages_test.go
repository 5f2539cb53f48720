package pages

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/avatar"
	"github.com/ovation-analytics/ovation/api/compress"
	"github.com/ovation-analytics/ovation/api/problem"
)

const base = "https://api.example"

// fixture is a Set, and how often its document and its keys were made.
type fixture struct {
	*Set
	documents []string // the base addresses asked for
	keys      int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := new(fixture)
	set, err := New(Config{
		Base: base,
		Document: func(base string) []byte {
			f.documents = append(f.documents, base)
			return []byte(`{"base":"` + base + `"}`)
		},
		Keys: func() []byte { f.keys++; return []byte(`{"keys":` + strconv.Itoa(f.keys) + `}`) },
		Files: []File{
			{Path: "/docs", Kind: "text/html", Policy: "default-src 'self'", Body: []byte("<p>")},
			{Path: "/app.js", Kind: "text/javascript", Together: true, Body: []byte("import './b.js'")},
			{Path: "/docs/page.js", Kind: "text/javascript", Body: bytes.Repeat([]byte("let x\n"), 1000)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Set = set
	return f
}

// find is a document that there is.
func (f *fixture) find(t *testing.T, route string, ask Ask) *Document {
	t.Helper()
	d, err := f.Find(route, ask)
	if err != nil {
		t.Fatal(route, err)
	}
	return d
}

// The document has the base address that the client reaches the node under. That of the configuration is made once,
// and so is that of another one that is asked for again.
func TestSet_DocumentByBase(t *testing.T) {
	f := newFixture(t)
	for _, at := range []string{base, "https://a.example", "https://a.example", "https://b.example", base, "https://a.example"} {
		d := f.find(t, "/openapi.json", Ask{Base: at})
		if want := `{"base":"` + at + `"}`; string(d.Body) != want || d.Kind != "application/json" || !d.Lasts {
			t.Errorf("%s: %s %s, want %s", at, d.Kind, d.Body, want)
		}
	}
	if got := strings.Join(f.documents, " "); got != base+" https://a.example https://b.example https://a.example" {
		t.Errorf("made for %s", got)
	}
}

// A browser keeps a file for a while; one that goes with others it asks for each time, by its tag.
func TestSet_FilesThatGoTogether(t *testing.T) {
	f := newFixture(t)
	if d := f.find(t, "/app.js", Ask{}); d.Cache != "public, no-cache" || d.Tag == "" {
		t.Errorf("%s %s", d.Cache, d.Tag)
	}
	if d := f.find(t, "/docs/page.js", Ask{}); d.Cache != "public, max-age=300" {
		t.Error(d.Cache)
	}
}

// The key set is that of each request, with its own tag.
func TestSet_KeysOfNow(t *testing.T) {
	f := newFixture(t)
	first, second := f.find(t, "/.well-known/jwks.json", Ask{}), f.find(t, "/.well-known/jwks.json", Ask{})
	if string(first.Body) != `{"keys":1}` || string(second.Body) != `{"keys":2}` || first.Tag == second.Tag {
		t.Errorf("%s %s, then %s %s", first.Body, first.Tag, second.Body, second.Tag)
	}
	if first.Kind != "application/jwk-set+json" || first.Cache != "public, max-age=300" {
		t.Errorf("%s %s", first.Kind, first.Cache)
	}
}

// Each type of problem has a page, as JSON and for a browser.
func TestSet_Errors(t *testing.T) {
	f := newFixture(t)
	for _, code := range problem.Codes() {
		path := "/errors/" + problem.Slug(code)
		d := f.find(t, errorsPath, Ask{Path: path})
		var got errorPage
		if err := json.Unmarshal(d.Body, &got); err != nil {
			t.Fatal(err)
		}
		want := errorPage{path, problem.Title(code), problem.Status(code), int(code), problem.When(code)}
		if got != want || d.Kind != "application/json" || d.Policy != "" {
			t.Errorf("%+v as %s, want %+v", got, d.Kind, want)
		}
		d = f.find(t, errorsPath, Ask{Path: path, Accept: []string{"text/html,*/*;q=0.8"}})
		for _, part := range []string{want.Title, strconv.Itoa(want.Code), strconv.Itoa(want.Status), path} {
			if !bytes.Contains(d.Body, []byte(part)) {
				t.Errorf("%s: the page lacks %q: %s", path, part, d.Body)
			}
		}
		if d.Kind != "text/html; charset=utf-8" || d.Policy != nothingElse {
			t.Errorf("%s: %s, policy %q", path, d.Kind, d.Policy)
		}
	}
	for _, p := range All {
		if NegotiatesKind(p.Path) != (p.Path == errorsPath) {
			t.Errorf("%s: %v", p.Path, NegotiatesKind(p.Path))
		}
	}
}

// A browser gets HTML, and a client that takes JSON as much, or anything, does not.
func TestPrefersHTML(t *testing.T) {
	for accept, want := range map[string]bool{
		"":          false,
		"*/*":       false,
		"text/*":    false,
		"text/html": true,
		"TEXT/HTML": true,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
		"application/json":                          false,
		"text/html;q=0.5, application/json":         false,
		"text/html, application/json":               true,
		"application/json, text/html;q=0.9":         false,
		"text/html;q=0":                             false,
		"text/html;q=nonsense, application/json":    true,
		"text/html;q=2, application/json;q=0.9":     true,
		"text/html;q=0.3, */*;q=0.2":                true,
		"text/html;q=0.3, */*;q=0.4":                false,
		"text/html;q=0.3, application/*;q=0.4":      false,
		"*/*;q=0.9, application/*;q=0.1, text/html": true,
		"text/html, ;;;":                            true,
	} {
		if got := prefersHTML([]string{accept}); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
	if !prefersHTML([]string{"application/json;q=0.1", "text/html"}) {
		t.Error("a header on two lines is not read as one")
	}
}

// Files have the kind and the policy they come with; what is large enough is compressed once.
func TestSet_Files(t *testing.T) {
	f := newFixture(t)
	page := f.find(t, "/docs", Ask{Path: "/docs"})
	if page.Kind != "text/html" || page.Policy != "default-src 'self'" || string(page.Body) != "<p>" {
		t.Errorf("%+v", page)
	}
	script := f.find(t, docsFilePath, Ask{Path: "/docs/page.js"})
	if script.Kind != "text/javascript" || script.Policy != "" || len(script.Body) != 6000 {
		t.Errorf("%s %q, %d bytes", script.Kind, script.Policy, len(script.Body))
	}
	for c, smaller := range map[compress.Coding]bool{compress.Identity: false, compress.Gzip: true, compress.Zstd: true} {
		if small := page.Packed(c); small != nil {
			t.Errorf("3 bytes are %d in %v", len(small), c)
		}
		first, second := script.Packed(c), script.Packed(c)
		if smaller != (first != nil) || len(first) >= len(script.Body) {
			t.Errorf("%v: %d bytes", c, len(first))
		}
		if smaller && &first[0] != &second[0] {
			t.Errorf("%v is made twice", c)
		}
	}
}

// A picture is that of its number; it is of one request and loads nothing.
func TestSet_Pictures(t *testing.T) {
	f := newFixture(t)
	d := f.find(t, avatarPath, Ask{Path: "/avatar/4097.svg"})
	if !bytes.Equal(d.Body, avatar.Of(4097)) || d.Kind != avatar.ContentType || d.Policy != nothingElse || d.Lasts || d.Cache != "public, max-age=604800" {
		t.Errorf("%+v", d)
	}
	if other := f.find(t, avatarPath, Ask{Path: "/avatar/4098.svg"}); other.Tag == d.Tag {
		t.Error("two pictures have one tag")
	}
}

// What there is not is not found.
func TestSet_NotFound(t *testing.T) {
	f := newFixture(t)
	for _, ask := range [][2]string{
		{errorsPath, "/errors/nothing"},
		{errorsPath, "/errors/html"},
		{docsFilePath, "/docs/nothing"},
		{docsFilePath, "/docs/"},
		{avatarPath, "/avatar/0.svg"},
		{avatarPath, "/avatar/x.svg"},
		{avatarPath, "/avatar/1.png"},
	} {
		d, err := f.Find(ask[0], Ask{Path: ask[1]})
		if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code != domain.NotFound || d != nil {
			t.Errorf("%s: %v %v", ask[1], d, err)
		}
	}
}
