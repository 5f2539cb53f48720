package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
)

const (
	runbookFile = "../../api/docs/guide/operate/runbook.md"
	rulesFile   = "../../deploy/compose/watch/ovation.rules.yaml"
)

// runbookEntry is an entry of the runbook: its heading, and what is below it.
type runbookEntry struct{ name, body string }

// runbook is the runbook's entries, by chapter.
func runbook(t *testing.T) map[string][]runbookEntry {
	t.Helper()
	entries := map[string][]runbookEntry{}
	chapters := strings.Split(fileText(t, runbookFile), "\n## ")
	for _, chapter := range chapters[1:] {
		parts := strings.Split(chapter, "\n### ")
		title, _, _ := strings.Cut(parts[0], "\n")
		for _, p := range parts[1:] {
			name, body, _ := strings.Cut(p, "\n")
			entries[title] = append(entries[title], runbookEntry{name, body})
		}
	}
	return entries
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each alert, each cause of a stop, each operation that is retried, each sign in status and each reason of a refusal has
// its entry in the runbook, and the runbook has no other.
func TestRunbook_Complete(t *testing.T) {
	t.Parallel()
	source := parseSources(t)
	got := runbook(t)
	want := map[string][]string{
		"Alerts":                  alertNames(t),
		"What stopped":            stopEntries(t, source),
		"What is retried":         source.retried,
		"Other signs in status":   statusSigns(t),
		"Why a record is refused": domain.ReasonWords(),
	}
	for chapter, names := range want {
		if len(names) < 5 {
			t.Errorf("%s: the code has only %q", chapter, names)
		}
		var has []string
		for _, e := range got[chapter] {
			has = append(has, e.name)
		}
		for _, name := range names {
			if !slices.Contains(has, name) {
				t.Errorf("%s: no entry %q", chapter, name)
			}
		}
		for i, name := range has {
			if !slices.Contains(names, name) {
				t.Errorf("%s: the entry %q is about nothing that the code has", chapter, name)
			}
			if slices.Contains(has[:i], name) {
				t.Errorf("%s: two entries %q", chapter, name)
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d chapters, want %d", len(got), len(want))
	}
}

// An entry says what it means, how to see it, what to do and what happens otherwise.
func TestRunbook_Shape(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^\n- \*\*Means\*\*: \S.*\n- \*\*See\*\*: \S.*\n- \*\*Do\*\*: \S.*\n- \*\*Otherwise\*\*: \S.*\n*$`)
	for _, entries := range runbook(t) {
		for _, e := range entries {
			if !shape.MatchString(e.body) {
				t.Errorf("%s has not the shape of an entry:%s", e.name, e.body)
			}
		}
	}
}

// The program takes each command of the runbook.
func TestRunbook_Commands(t *testing.T) {
	t.Parallel()
	commands := regexp.MustCompile("`ovation ([^`]+)`").FindAllStringSubmatch(fileText(t, runbookFile), -1)
	if len(commands) < 50 {
		t.Errorf("%d commands", len(commands))
	}
	for _, c := range commands {
		p, err := newParser(io.Discard, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Parse(strings.Fields(c[1])); err != nil {
			t.Errorf("ovation %s: %v", c[1], err)
		}
	}
}

// Each alert links to its entry.
func TestRunbook_Links(t *testing.T) {
	t.Parallel()
	rules := fileText(t, rulesFile)
	urls := regexp.MustCompile(`(?m)^ +runbook_url: https://github\.com/ovation-analytics/ovation/blob/main/(\S+)#(\S+)$`).FindAllStringSubmatch(rules, -1)
	names := alertNames(t)
	if len(urls) != len(names) {
		t.Fatalf("%d links of %d alerts", len(urls), len(names))
	}
	for i, u := range urls {
		if filepath.Join("../..", u[1]) != runbookFile || u[2] != strings.ToLower(names[i]) {
			t.Errorf("%s links to %s#%s", names[i], u[1], u[2])
		}
	}
}

func alertNames(t *testing.T) (names []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(fileText(t, rulesFile), -1) {
		names = append(names, m[1])
	}
	return names
}

// stopEntries are the entries that advice names, those of the kinds of gaps among them.
func stopEntries(t *testing.T, s sources) []string {
	t.Helper()
	if s.literalEntries > 0 {
		t.Errorf("%d pieces of advice name an entry that is no constant of package remedy", s.literalEntries)
	}
	names := slices.Clone(s.entries)
	for k := domain.GapRetention; k.String() != "unknown"; k++ {
		names = append(names, "log-gap-"+k.String())
	}
	return names
}

// sources is what the source says of what may be wrong.
type sources struct {
	retried        []string // retry.State.What
	entries        []string // constants of package remedy
	literalEntries int      // of remedy.Advice
}

func parseSources(t *testing.T) (s sources) {
	t.Helper()
	files := token.NewFileSet()
	constants := map[string]string{}
	var whats []ast.Expr
	for _, room := range []string{"actors", "api", "cmd", "ingest", "storage"} {
		err := filepath.WalkDir(filepath.Join("../..", room), func(path string, e fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			found := s.collect(f, constants)
			whats = append(whats, found...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range whats {
		what := stringOf(w, constants)
		if what == "" {
			t.Errorf("%s: what is retried has no name that a test can read", files.Position(w.Pos()))
		}
		if !slices.Contains(s.retried, what) {
			s.retried = append(s.retried, what)
		}
	}
	return s
}

// collect reads a file: its string constants, and what it names as retried.
func (s *sources) collect(f *ast.File, constants map[string]string) (whats []ast.Expr) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				text := stringOf(v, nil)
				if text == "" || i >= len(n.Names) {
					continue
				}
				constants[f.Name.Name+"."+n.Names[i].Name] = text
				if f.Name.Name == "remedy" && !strings.Contains(text, " ") {
					s.entries = append(s.entries, text)
				}
			}
		case *ast.CompositeLit:
			of := typeName(n.Type)
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				switch key, _ := kv.Key.(*ast.Ident); {
				case key == nil:
				case of == "State" && key.Name == "What":
					whats = append(whats, inPackage(f, kv.Value))
				case of == "Advice" && key.Name == "Entry" && stringOf(kv.Value, nil) != "":
					s.literalEntries++
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if field, ok := left.(*ast.SelectorExpr); ok && field.Sel.Name == "What" && i < len(n.Rhs) {
					whats = append(whats, n.Rhs[i])
				}
			}
		}
		return true
	})
	return whats
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// inPackage is a name with that of its package.
func inPackage(f *ast.File, e ast.Expr) ast.Expr {
	if name, ok := e.(*ast.Ident); ok {
		return &ast.SelectorExpr{X: ast.NewIdent(f.Name.Name), Sel: name}
	}
	return e
}

// stringOf is the text of a literal, of a constant or of a format without its verbs; empty: it is none.
func stringOf(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			return constants[of.Name+"."+e.Sel.Name]
		}
	case *ast.CallExpr:
		if len(e.Args) > 0 && typeName(e.Fun) == "Sprintf" {
			return strings.ReplaceAll(stringOf(e.Args[0], nil), "%d ", "")
		}
	}
	return ""
}

// harmlessKeys are the keys of status that are there only at times and show nothing wrong.
var harmlessKeys = []string{
	"why", "degraded", // the causes of others, which have entries
	"stopping", "waiting", // the value names its entry
	"log", "keys", "next", "clock", "awayMs", "zone", "program", "duties", "self", "by", "taken", "takenOver",
	"do", "members", "refusedRequests",
	"deadLetters", "refused", "foreign", "failures", // counts: each reason has its entry
	"unstamped", // of refusing
}

// statusSigns are the keys of status that are there only when something is wrong; each such key of the type has to be
// an entry, or harmless. Verify and rebuild are there after a run.
func statusSigns(t *testing.T) (names []string) {
	t.Helper()
	absent := map[string]bool{}
	optionalKeys(reflect.TypeFor[status.Node](), absent)
	absent["unopened"], absent["clockAheadMs"] = true, true
	for _, key := range harmlessKeys {
		if !absent[key] {
			t.Errorf("status has no key %q", key)
		}
		delete(absent, key)
	}
	for key := range absent {
		names = append(names, key)
	}
	return names
}

// optionalKeys are the keys below a type that are absent at times, but those of runs of verify and rebuild.
func optionalKeys(of reflect.Type, into map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		optionalKeys(of.Elem(), into)
	case reflect.Struct:
		for f := range of.Fields() {
			key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if strings.HasPrefix(options, "omit") {
				into[key] = true
			}
			if key != "verify" && key != "rebuild" {
				optionalKeys(f.Type, into)
			}
		}
	}
}
