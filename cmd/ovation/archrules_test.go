package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rules are what the project holds itself to. Each gives its violations, with the
// place and what to do.
var rules = []struct {
	name  string
	check func(*tree) []string
}{
	{"rooms never import each other", roomsApart},
	{"what supports tests is imported by tests", testSupportApart},
	{"a foreign library has one home", foreignHomes},
	{"pure packages import the standard library and the domain", pureImports},
	{"pure packages have no clock, no chance, no goroutine", pureCode},
	{"what applies records knows no actor", appliesWithoutActors},
	{"what applies records has no clock and no goroutine", appliesAsFunction},
	{"what applies records imports what is below it", appliersPointDown},
	{"a package has one comment, in doc.go", packageComments},
	{"an exported name is documented", exportsDocumented},
	{"the top level holds only what it should", topLevel},
	{"nothing is left to do", nothingLeftToDo},
	{"unclear sentences are gone", saidClearly},
	{"the tree stands alone", standsAlone},
}

var rooms = []string{"ingest", "actors", "api", "storage"}

// The packages that every room may import.
const (
	domainPath = module + "/actors/domain"
	codecPath  = domainPath + "/codec"
	sealPath   = domainPath + "/seal"
	valuePath  = domainPath + "/jsonvalue"
	cachePath  = domainPath + "/twogen"
	formPath   = domainPath + "/composed"
	tracePath  = domainPath + "/trace"
)

var shared = []string{domainPath, codecPath, sealPath, valuePath, cachePath, formPath, tracePath}

// lent are packages of a room that one package of another room may import: the log opens
// its Pebble as the store does.
var lent = map[string]string{"storage/pebblefs": "ingest/broker/log"}

// within reports that a path is prefix or below it.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

func roomsApart(t *tree) (bad []string) {
	for _, s := range t.sources {
		if s.test {
			continue
		}
		s.imports(func(path, at string) {
			local, ok := strings.CutPrefix(path, module+"/")
			if !ok || slices.Contains(shared, path) {
				return
			}
			to, _, _ := strings.Cut(local, "/")
			switch {
			case to == "cmd" && s.room() != "cmd":
				bad = append(bad, fmt.Sprintf("%s: %s imports %s: only the program sees the program", at, s.room(), local))
			case slices.Contains(rooms, s.room()) && to != s.room() && lent[local] != s.dir():
				bad = append(bad, fmt.Sprintf("%s: room %s imports %s: rooms meet in actors/domain, its codec, its seal, its jsonvalue, its twogen, its composed, its trace and their ports", at, s.room(), local))
			}
		})
	}
	return bad
}

// testSupport reports that a package is for tests: the reference model, and the harnesses that
// are named so.
func testSupport(dir string) bool {
	return path.Base(dir) == "reference" || strings.HasSuffix(dir, "test")
}

func testSupportApart(t *tree) (bad []string) {
	t.code(func(s *source) {
		if testSupport(s.dir()) {
			return
		}
		s.imports(func(path, at string) {
			if local, ok := strings.CutPrefix(path, module+"/"); ok && testSupport(local) {
				bad = append(bad, fmt.Sprintf("%s: %s is for tests alone", at, local))
			}
		})
	})
	return bad
}

// homes are the folders in which a library may be imported.
var homes = []struct {
	library string
	homes   []string
}{
	{"github.com/segmentio/kafka-go", []string{"ingest"}},
	{"github.com/twmb/franz-go", []string{"ingest"}},
	{"github.com/asynkron/protoactor-go", []string{"actors"}},
	{"github.com/hashicorp/memberlist", []string{"actors"}},
	{"google.golang.org/protobuf", []string{"actors/domain/codec", "ingest", "cmd/ovation/tracing/tracingtest"}},
	{"github.com/julienschmidt/httprouter", []string{"api"}},
	{"github.com/golang-jwt/jwt", []string{"api"}},
	{"golang.org/x/oauth2", []string{"api/networks", "api/console/oidc"}},
	{"github.com/coreos/go-oidc", []string{"api/console/oidc"}},
	{"golang.org/x/text/encoding", []string{"cmd/ovation/collect/input"}},
	{"golang.org/x/text/transform", []string{"cmd/ovation/collect/input"}},
	{"golang.org/x/text/unicode", []string{"api/mailaddress", "actors/domain/composed"}},
	{"github.com/expr-lang/expr", []string{"cmd/ovation/collect/input"}},
	{"github.com/gorilla/feeds", []string{"api/feed"}},
	{"github.com/yuin/goldmark", []string{"api/docs"}},
	{"github.com/getkin/kin-openapi", []string{"api/openapi/openapitest"}},
	{"github.com/cockroachdb/pebble", []string{"storage", "ingest/broker/log", "cmd/ovation/collect/runs", "cmd/ovation/export/state"}},
	{"github.com/parquet-go/parquet-go", []string{"cmd/ovation/export/table"}},
	{"go.opentelemetry.io", []string{"cmd/ovation/tracing"}},
	{"github.com/alecthomas/kong", []string{"cmd/ovation"}},
	{"github.com/therootcompany/xz", []string{"cmd/ovation/collect/input"}},
	{"github.com/oschwald/maxminddb-golang", []string{"cmd/ovation/geoip"}},
	{"github.com/maxmind/mmdbwriter", []string{"cmd/ovation/geoip/geoiptest"}},
}

func foreignHomes(t *tree) (bad []string) {
	for _, s := range t.sources {
		if s.test {
			continue
		}
		s.imports(func(path, at string) {
			for _, h := range homes {
				here := func(home string) bool { return within(s.dir(), home) }
				if within(path, h.library) && !slices.ContainsFunc(h.homes, here) {
					bad = append(bad, fmt.Sprintf("%s: %s is at home in %s", at, path, strings.Join(h.homes, " and ")))
				}
			}
		})
	}
	return bad
}

// The pure packages, and what of the standard library is not pure.
var (
	pure = []string{"actors/domain", "actors/member", "actors/brand", "actors/query/shape", "actors/internal/cow"}

	impureImports = []string{"os", "io/fs", "net", "syscall", "log", "testing", "math/rand", "crypto/rand", "runtime/debug", "time/tzdata"}

	impureTime = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
)

// pureSources are the code of the pure packages.
func pureSources(t *tree, f func(*source)) {
	t.code(func(s *source) {
		if slices.ContainsFunc(pure, func(p string) bool { return within(s.dir(), p) }) {
			f(s)
		}
	})
}

func pureImports(t *tree) (bad []string) {
	pureSources(t, func(s *source) {
		inDomain := within(s.dir(), "actors/domain")
		s.imports(func(path, at string) {
			first, _, _ := strings.Cut(path, "/")
			standard := !strings.Contains(first, ".")
			own := slices.ContainsFunc(pure, func(p string) bool { return within(s.dir(), p) && within(path, module+"/"+p) })
			array := !inDomain && path == module+"/actors/internal/cow"
			coded := within(s.dir(), "actors/domain/codec") && (path == domainPath || within(path, "google.golang.org/protobuf"))
			formed := s.dir() == "actors/domain/composed" && path == "golang.org/x/text/unicode/norm"
			switch {
			case standard || own || coded || formed || array || path == domainPath && !inDomain:
			case inDomain:
				bad = append(bad, fmt.Sprintf("%s: the domain imports the standard library alone, not %s", at, path))
			default:
				bad = append(bad, fmt.Sprintf("%s: %s is pure: it imports the standard library and actors/domain, not %s", at, s.dir(), path))
			}
		})
	})
	return bad
}

func pureCode(t *tree) (bad []string) {
	pureSources(t, func(s *source) {
		s.imports(func(path, at string) {
			if slices.ContainsFunc(impureImports, func(p string) bool { return within(path, p) }) {
				bad = append(bad, fmt.Sprintf("%s: %s is pure and imports %s", at, s.dir(), path))
			}
		})
		bad = append(bad, impureIn(s, "is pure")...)
	})
	return bad
}

// impureIn are the places where a source starts a goroutine or asks the clock.
func impureIn(s *source, is string) (bad []string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		what := ""
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "starts a goroutine"
		case *ast.SelectStmt:
			what = "waits in a select"
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(impureTime, n.Sel.Name) {
				what = "asks the clock: time." + n.Sel.Name
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && len(n.Args) == 1 {
				what = "starts a goroutine by Go"
			}
		}
		if what != "" {
			bad = append(bad, fmt.Sprintf("%s: %s %s and %s: time and chance come in as values", s.at(n.Pos()), s.dir(), is, what))
		}
		return true
	})
	return bad
}

// appliers are the packages in which a shard applies records, the highest first; those of a row do not know each
// other. Members and brands are actors by package children alone.
var appliers = [][]string{{"core"}, {"activity", "identity", "merge"}, {"tx"}, {"accounts", "members"}}

// level is the row of appliers that a package is in, -1: of none.
func level(dir string) int {
	name, ok := strings.CutPrefix(dir, "actors/shard/")
	if !ok {
		return -1
	}
	return slices.IndexFunc(appliers, func(row []string) bool { return slices.Contains(row, name) })
}

// applying calls f with the code of the appliers.
func applying(t *tree, f func(*source)) {
	t.code(func(s *source) {
		if level(s.dir()) >= 0 {
			f(s)
		}
	})
}

// The accounts note when a view was published and a brand was fed, for the cache of columns: no record is applied
// otherwise for it.
func appliesAsFunction(t *tree) (bad []string) {
	applying(t, func(s *source) {
		if s.dir() != "actors/shard/accounts" {
			bad = append(bad, impureIn(s, "applies records")...)
		}
	})
	return bad
}

func appliersPointDown(t *tree) (bad []string) {
	applying(t, func(s *source) {
		s.imports(func(path, at string) {
			local, _ := strings.CutPrefix(path, module+"/")
			to := level(local)
			if local == "actors/shard" || to >= 0 && to <= level(s.dir()) {
				bad = append(bad, fmt.Sprintf("%s: %s is not below %s", at, local, s.dir()))
			}
		})
	})
	return bad
}

func appliesWithoutActors(t *tree) (bad []string) {
	applying(t, func(s *source) {
		s.imports(func(path, at string) {
			if within(path, "github.com/asynkron/protoactor-go") || path == module+"/actors/internal/mailbox" {
				bad = append(bad, fmt.Sprintf("%s: %s applies records and knows no actor: %s", at, s.dir(), path))
			}
		})
	})
	return bad
}

func packageComments(t *tree) (bad []string) {
	documented := map[string][]*source{}
	t.code(func(s *source) {
		sources := documented[s.dir()]
		if s.file.Doc != nil {
			sources = append(sources, s)
		}
		documented[s.dir()] = sources
	})
	for dir, sources := range documented {
		if len(sources) == 0 {
			bad = append(bad, dir+": no package comment: write doc.go (purpose, picture, what is promised and what not, who may call)")
		}
		for _, s := range sources {
			if s.path != dir+"/doc.go" {
				bad = append(bad, s.path+": the package comment belongs into doc.go alone")
			}
			if name := s.file.Name.Name; name != "main" && !strings.HasPrefix(s.file.Doc.Text(), "Package "+name+" ") {
				bad = append(bad, s.path+`: the comment begins with "Package `+name+` "`)
			}
		}
	}
	slices.Sort(bad)
	return bad
}

func exportsDocumented(t *tree) (bad []string) {
	t.code(func(s *source) {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d.Recv) {
					bad = append(bad, fmt.Sprintf("%s: %s is exported and says nothing", s.at(d.Pos()), d.Name.Name))
				}
			case *ast.GenDecl:
				for _, name := range undocumented(d) {
					bad = append(bad, fmt.Sprintf("%s: %s is exported and says nothing", s.at(name.Pos()), name.Name))
				}
			}
		}
	})
	return bad
}

// exportedReceiver reports that a function has no receiver, or one that others can
// name.
func exportedReceiver(recv *ast.FieldList) bool {
	if recv == nil {
		return true
	}
	x := recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// undocumented are the exported names of a declaration without a comment of their
// own or of their group.
func undocumented(d *ast.GenDecl) (names []*ast.Ident) {
	if d.Doc != nil || d.Tok == token.IMPORT {
		return nil
	}
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
				names = append(names, spec.Name)
			}
		case *ast.ValueSpec:
			for _, n := range spec.Names {
				if spec.Doc == nil && spec.Comment == nil && n.IsExported() {
					names = append(names, n)
				}
			}
		}
	}
	return names
}

func topLevel(t *tree) (bad []string) {
	allowed := []string{
		"actors", "ingest", "api", "storage", "cmd", "deploy", "go.mod", "go.sum", "README.md", "LICENSE", "Makefile",
		"CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
	}
	for _, name := range t.top {
		if !slices.Contains(allowed, name) && !strings.HasPrefix(name, ".") {
			bad = append(bad, name+": does not belong at the top level")
		}
	}
	return bad
}

// The words are concatenated here, or this file would break its own rules. A word
// counts where no letter or digit precedes it.
var (
	leftToDo = []string{"TO" + "DO", "FIX" + "ME"}

	// Paths of the machines it was written on, pages that are no part of it, and the
	// hosts that packages came from: those are the toolchain's business.
	foreign = []string{
		"/wo" + "rk/", "sha" + "red/", "proto" + "type/", "proto" + "types/", "design" + ".md",
		"proxy.go" + "lang.org", "sum.go" + "lang.org", "go" + "proxy.", "registry.np" + "mjs.", "registry.yarn" + "pkg.",
		"repo.ma" + "ven.", "repo1.ma" + "ven.", "py" + "pi.org", "files.python" + "hosted.", "cra" + "tes.io", "ruby" + "gems.org",
		"deb.deb" + "ian.org", "archive.ubu" + "ntu.com",
	}
)

// Sentences of earlier versions that readers did not understand. Nothing says them again, in a text or in a comment.
var unclear = []string{
	"takes none of them, but is " + "a hit", "know of each other's requests " + "a second late", "cannot be used leave " + "the one before",
	"the least that it " + "can be", "may not write gets the key " + "by hand", "ends all other keys, and " + "every token of theirs",
	"the id of the other " + "answers", "it is in no list and no number " + "any more", "answers that are of " + "no use",
	"stands in store.rebuild " + "in --data", "the copy may be all " + "there is", "words stand in " + "the catalog", "the word on " + "`catalog`",
	"an activity is known " + "for ever", "while that cannot " + "be right", "whose key stays is " + "met exactly once",
	"who follows paging.next or " + "a Link", "every log's end then seen has since " + "been applied.", "brokers to " + "start from",
	"comes of the " + "secrets", "by their " + "beginnings", "in front of those in the file " + "of secrets",
}

func saidClearly(t *tree) (bad []string) {
	for p, text := range t.texts {
		plain := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(text, "\n//", " ")), " "))
		for _, sentence := range unclear {
			if strings.Contains(plain, strings.ToLower(sentence)) {
				bad = append(bad, fmt.Sprintf("%s: %q: say it in the field's words", p, sentence))
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// grep gives each place in the tree's texts that has one of the words: a whole one,
// or the beginning of anything.
func grep(t *tree, words []string, whole bool, why string) (bad []string) {
	for _, p := range slices.Sorted(maps.Keys(t.texts)) {
		text := t.texts[p]
		for _, word := range words {
			for from := 0; ; {
				i := strings.Index(text[from:], word)
				if i < 0 {
					break
				}
				i += from
				from = i + len(word)
				if wordy(text[:i], utf8.DecodeLastRuneInString) || whole && wordy(text[from:], utf8.DecodeRuneInString) {
					continue
				}
				bad = append(bad, fmt.Sprintf("%s:%d: %q: %s", p, strings.Count(text[:i], "\n")+1, word, why))
			}
		}
	}
	return bad
}

// wordy reports that the text goes on with a letter or a digit at the end that
// decode looks at.
func wordy(text string, decode func(string) (rune, int)) bool {
	r, _ := decode(text)
	return text != "" && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

func nothingLeftToDo(t *tree) []string {
	return grep(t, leftToDo, true, "do it, or open an issue")
}

func standsAlone(t *tree) []string {
	return grep(t, foreign, false, "the tree must stand alone, on any machine")
}
