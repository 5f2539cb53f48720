package docs

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/pages"
)

const root = "../.."

// texts are README and the guides, by their path in the repository.
func texts(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	read := func(file string) {
		source, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		out[file] = source
	}
	read("README.md")
	for _, name := range guideNames(t) {
		read("api/docs/guide/" + name + ".md")
	}
	return out
}

// guideNames are the files below guide, without .md.
func guideNames(t *testing.T) (names []string) {
	t.Helper()
	err := fs.WalkDir(guides, "guide", func(at string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(at, "guide/"), ".md"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// walk visits the nodes of a text.
func walk(t *testing.T, source []byte, visit func(ast.Node)) {
	t.Helper()
	err := ast.Walk(markdown.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anchors are the ids of a text's headings.
func anchors(t *testing.T, source []byte) (ids []string) {
	t.Helper()
	walk(t, source, func(n ast.Node) {
		if id, ok := n.AttributeString("id"); ok && n.Kind() == ast.KindHeading {
			ids = append(ids, string(id.([]byte)))
		}
	})
	return ids
}

// Every link of README and of the guides leads to a file of the repository, and its anchor to a heading there. A guide
// links to guides alone, since a node serves nothing else of the repository.
func TestGuides_Links(t *testing.T) {
	all, links := texts(t), 0
	for file, source := range all {
		walk(t, source, func(n ast.Node) {
			destination := destinationOf(n)
			if destination == "" || strings.HasPrefix(destination, "https://") {
				return
			}
			links++
			to, anchor, anchored := strings.Cut(destination, "#")
			at := path.Join(path.Dir(file), to)
			if to == "" {
				at = file
			}
			if _, err := os.Stat(filepath.Join(root, at)); err != nil {
				t.Errorf("%s: %s: %v", file, destination, err)
			}
			if file != "README.md" && all[at] == nil && at != "api/docs/overview.svg" {
				t.Errorf("%s: %s is no guide", file, destination)
			}
			if anchored && !slices.Contains(anchors(t, all[at]), anchor) {
				t.Errorf("%s: %s: no such heading", file, destination)
			}
		})
	}
	if links < 30 {
		t.Errorf("%d links", links)
	}
}

// destinationOf is where a link leads or what a picture is, empty for any other node.
func destinationOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Link:
		return string(n.Destination)
	case *ast.Image:
		return string(n.Destination)
	}
	return ""
}

// No paragraph is longer than five lines, and each text begins with its title.
func TestGuides_Paragraphs(t *testing.T) {
	for file, source := range texts(t) {
		walk(t, source, func(n ast.Node) {
			if n.Kind() == ast.KindParagraph && n.Lines().Len() > 5 {
				t.Errorf("%s: a paragraph of %d lines: %s", file, n.Lines().Len(), n.Lines().Value(source))
			}
		})
		if !regexp.MustCompile(`^# \w`).Match(source) {
			t.Errorf("%s has no title", file)
		}
	}
}

// The table of dead letters has each reason, in the order of the code.
func TestGuides_Reasons(t *testing.T) {
	_, rest, _ := strings.Cut(string(texts(t)["api/docs/guide/publish.md"]), "\n## Dead letters\n")
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| \\S.* \\| \\S.* \\|$").FindAllStringSubmatch(rest, -1) {
		got = append(got, row[1])
	}
	if want := domain.ReasonWords(); !slices.Equal(got, want) {
		t.Errorf("the table has %v, want %v", got, want)
	}
}

// Each guide is in the list, is served with its links to where the others are served, and is searched.
func TestGuides_Served(t *testing.T) {
	files, err := Files(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]pages.File{}
	for _, f := range files {
		byPath[f.Path] = f
	}
	var index []passage
	if err := json.Unmarshal(byPath["/docs/guides.json"].Body, &index); err != nil {
		t.Fatal(err)
	}
	for _, name := range guideNames(t) {
		f, ok := byPath[served(name)]
		if !ok || f.Policy != policy || f.Kind != "text/html; charset=utf-8" {
			t.Errorf("%s is not served as a page: %v %s %s", name, ok, f.Policy, f.Kind)
		}
		body := string(f.Body)
		for _, at := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
			to, anchor, anchored := strings.Cut(at[1], "#")
			if strings.HasPrefix(to, "https://") || to == "data:," {
				continue
			}
			if to == "" {
				to = served(name)
			}
			other, ok := byPath[to]
			if !ok {
				t.Errorf("%s links to %s", name, at[1])
			}
			if anchored && !strings.Contains(string(other.Body), ` id="`+anchor+`"`) {
				t.Errorf("%s links to %s: no such heading", name, at[1])
			}
		}
		if regexp.MustCompile(`src="https?:|<style|<script>|\son\w+=|style="`).MatchString(body) {
			t.Errorf("%s has what the policy forbids, or loads from elsewhere", name)
		}
		if !strings.Contains(body, `<a href="`+served(name)+`" aria-current="page">`) {
			t.Errorf("%s is not marked in its list", name)
		}
		if !slices.ContainsFunc(index, func(p passage) bool { return strings.HasPrefix(p.Path, served(name)+"#") && p.Text != "" }) {
			t.Errorf("%s is not searched", name)
		}
	}
}

// A link works in the repository as it is, and on the server as it is served.
func TestTarget(t *testing.T) {
	for _, c := range [][3]string{
		{"start", "publish.md", "/docs/publish"},
		{"start", "operate/install.md#build", "/docs/operate-install#build"},
		{"operate/health", "../import.md#exit-codes", "/docs/import#exit-codes"},
		{"operate/health", "disk.md", "/docs/operate-disk"},
		{"start", "#first-session", "#first-session"},
		{"start", "https://example.com/a.md", "https://example.com/a.md"},
	} {
		if got := target(c[0], c[1]); got != c[2] {
			t.Errorf("%s from %s: %s, want %s", c[1], c[0], got, c[2])
		}
	}
}
