package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

const docOf = "// Package p is one.\n"

// TestArchitecture_EachRuleCanFail gives each rule small trees: what must be refused, with the
// place, and what must pass.
func TestArchitecture_EachRuleCanFail(t *testing.T) {
	imports := func(paths ...string) string {
		var b strings.Builder
		b.WriteString("package p\n")
		for _, p := range paths {
			b.WriteString("import _ \"" + p + "\"\n")
		}
		return b.String()
	}
	type files = map[string]string
	const (
		apart, home, pureIn, pureDo = "rooms never import each other", "a foreign library has one home", "pure packages import the standard library and the domain", "pure packages have no clock, no chance, no goroutine"
		comment, forTests, noActor  = "a package has one comment, in doc.go", "what supports tests is imported by tests", "what applies records knows no actor"
		function, down              = "what applies records has no clock and no goroutine", "what applies records imports what is below it"
		exported, top, left, alone  = "an exported name is documented", "the top level holds only what it should", "nothing is left to do", "the tree stands alone"
		unclearSays                 = "unclear sentences are gone"
	)
	seen := map[string]bool{}
	for _, c := range []struct {
		rule  string
		files files
		want  []string // the beginning of each violation
	}{
		{apart, files{"api/a.go": imports(module + "/storage")}, []string{"api/a.go:2: room api imports storage"}},
		{apart, files{"storage/pebblefs/a.go": imports(module + "/ingest/kafka")}, []string{"storage/pebblefs/a.go:2: room storage imports ingest/kafka"}},
		{apart, files{"ingest/broker/log/a.go": imports(module + "/storage"), "ingest/broker/wire/a.go": imports(module + "/storage/pebblefs")}, []string{"ingest/broker/log/a.go:2: room ingest imports storage", "ingest/broker/wire/a.go:2: room ingest imports storage/pebblefs"}},
		{apart, files{"ingest/a.go": imports(module + "/actors")}, []string{"ingest/a.go:2: room ingest imports actors"}},
		{apart, files{"actors/a.go": imports(module + "/cmd/ovation")}, []string{"actors/a.go:2: actors imports cmd/ovation"}},
		{apart, files{"deploy/bench/a.go": imports(module+"/cmd/ovation", module+"/api/client")}, []string{"deploy/bench/a.go:2: deploy imports cmd/ovation"}},
		{apart, files{
			"api/a.go": imports(module+"/actors/domain", module+"/api/wire"), "api/a_test.go": imports(module + "/storage"), "ingest/broker/log/a.go": imports(module + "/storage/pebblefs"),
			"cmd/ovation/a.go": imports(module+"/storage", module+"/api"), "actors/a.go": imports(module + "/actors/brand"),
		}, nil},

		{home, files{"api/a.go": imports("github.com/cockroachdb/pebble/v2/vfs")}, []string{"api/a.go:2: github.com/cockroachdb/pebble/v2/vfs is at home in storage"}},
		{home, files{"cmd/ovation/a.go": imports("github.com/segmentio/kafka-go")}, []string{"cmd/ovation/a.go:2:"}},
		{home, files{"storage/pebblefs/a.go": imports("github.com/twmb/franz-go/pkg/kmsg")}, []string{"storage/pebblefs/a.go:2:"}},
		{home, files{"ingest/a.go": imports("github.com/asynkron/protoactor-go/actor", "github.com/golang-jwt/jwt/v5", "github.com/julienschmidt/httprouter")}, []string{"ingest/a.go:2:", "ingest/a.go:3:", "ingest/a.go:4:"}},
		{home, files{
			"ingest/broker/log/a.go": imports("github.com/cockroachdb/pebble/v2"), "ingest/broker/wire/a.go": imports("github.com/twmb/franz-go/pkg/kmsg"),
			"actors/a.go": imports("github.com/asynkron/protoactor-go/actor"), "api/a_test.go": imports("github.com/segmentio/kafka-go"),
			"api/b.go": imports("github.com/cockroachdb/pebbles"),
		}, nil},

		{forTests, files{"api/a.go": imports(module + "/actors/query/reference"), "actors/a.go": imports(module + "/ingest/walk/walktest")}, []string{"actors/a.go:2: ingest/walk/walktest is", "api/a.go:2: actors/query/reference is"}},
		{forTests, files{"api/a_test.go": imports(module + "/actors/query/reference"), "api/x/apitest/a.go": imports(module + "/ingest/walk/walktest")}, nil},

		{pureIn, files{"actors/domain/a.go": imports("golang.org/x/text", module+"/actors/member")}, []string{"actors/domain/a.go:2: the domain", "actors/domain/a.go:3: the domain"}},
		{pureIn, files{"actors/brand/a.go": imports(module+"/actors/member", "github.com/zeebo/xxh3")}, []string{"actors/brand/a.go:2: actors/brand is pure", "actors/brand/a.go:3: actors/brand is pure"}},
		{pureIn, files{"actors/member/a.go": imports("slices", "encoding/binary", module+"/actors/domain"), "actors/member/a_test.go": imports("github.com/google/go-cmp/cmp"), "actors/a.go": imports("github.com/zeebo/xxh3")}, nil},

		{pureDo, files{"actors/query/shape/a.go": "package p\n\nimport \"time\"\n\nvar a = time.Now()\n"}, []string{"actors/query/shape/a.go:5: actors/query/shape is pure and asks the clock: time.Now"}},
		{pureDo, files{"actors/member/a.go": imports("math/rand/v2", "os", "net/http", "log/slog", "math/rand")}, []string{"actors/member/a.go:2:", "actors/member/a.go:3:", "actors/member/a.go:4:", "actors/member/a.go:5:", "actors/member/a.go:6:"}},
		{pureDo, files{"actors/domain/a.go": "package p\n\nfunc f() {\n\tgo f()\n\tselect {}\n}\n"}, []string{"actors/domain/a.go:4: actors/domain is pure and starts a goroutine", "actors/domain/a.go:5:"}},
		{pureDo, files{"actors/brand/a.go": "package p\n\nimport \"sync\"\n\nfunc f(wg *sync.WaitGroup) {\n\twg.Go(func() {})\n}\n"}, []string{"actors/brand/a.go:6:"}},
		{pureDo, files{"actors/brand/a.go": "package p\n\nimport \"time\"\n\nvar a = time.Unix(0, 0).Add(time.Second)\n", "actors/brand/a_test.go": "package p\n\nimport \"time\"\n\nvar b = time.Now()\n", "actors/a.go": "package p\n\nfunc f() { go f() }\n"}, nil},

		{noActor, files{"actors/shard/core/a.go": imports("github.com/asynkron/protoactor-go/actor", module+"/actors/internal/mailbox")}, []string{"actors/shard/core/a.go:2: actors/shard/core applies", "actors/shard/core/a.go:3: actors/shard/core applies"}},
		{noActor, files{
			"actors/shard/a.go": imports("github.com/asynkron/protoactor-go/actor"), "actors/shard/children/a.go": imports(module + "/actors/internal/mailbox"),
			"actors/shard/members/a.go": imports(module + "/actors/shard/children"), "actors/shard/members/a_test.go": imports(module + "/actors/internal/mailbox"),
		}, nil},

		{function, files{"actors/shard/merge/a.go": "package p\n\nimport \"time\"\n\nvar a = time.Now()\n\nfunc f() { go f() }\n"}, []string{"actors/shard/merge/a.go:5: actors/shard/merge applies", "actors/shard/merge/a.go:7:"}},
		{function, files{"actors/shard/accounts/a.go": "package p\n\nimport \"time\"\n\nvar a = time.Now()\n", "actors/shard/a.go": "package p\n\nfunc f() { go f() }\n"}, nil},

		{down, files{
			"actors/shard/merge/a.go": imports(module+"/actors/shard/identity", module+"/actors/shard"),
			"actors/shard/tx/a.go":    imports(module + "/actors/shard/core"),
		}, []string{"actors/shard/merge/a.go:2: actors/shard/identity is", "actors/shard/merge/a.go:3: actors/shard is", "actors/shard/tx/a.go:2:"}},
		{down, files{
			"actors/shard/core/a.go": imports(module+"/actors/shard/identity", module+"/actors/shard/tx", module+"/actors/shard/outbox"),
			"actors/shard/a.go":      imports(module + "/actors/shard/core"), "actors/shard/tx/a_test.go": imports(module + "/actors/shard/merge"),
		}, nil},

		{comment, files{"api/a.go": "package p\n"}, []string{"api: no package comment"}},
		{comment, files{"api/a.go": docOf + "package p\n"}, []string{"api/a.go: the package comment belongs into doc.go"}},
		{comment, files{"api/doc.go": docOf + "package p\n", "api/a.go": docOf + "package p\n"}, []string{"api/a.go: the package comment belongs"}},
		{comment, files{"api/doc.go": "// What it is.\npackage p\n"}, []string{`api/doc.go: the comment begins with "Package p "`}},
		{comment, files{"api/doc.go": docOf + "package p\n", "api/a.go": "// A note.\n\npackage p\n", "api/a_test.go": "package p_test\n", "api/testdata/x/a.go": "package x\n", "cmd/x/doc.go": "// Command x is one.\npackage main\n"}, nil},

		{exported, files{"api/a.go": "package p\n\nfunc F() {}\n\ntype T struct{}\n\nfunc (*T) M() {}\n\nconst C = 1\n\nvar V, v int\n"}, []string{"api/a.go:3: F is", "api/a.go:5: T is", "api/a.go:7: M is", "api/a.go:9: C is", "api/a.go:11: V is"}},
		{exported, files{"api/a.go": "package p\n\ntype (\n\tA int // a\n\tB int\n)\n\n// G is one.\ntype G[K, V any] struct{}\n\nfunc (G[K, V]) M() {}\n"}, []string{"api/a.go:5: B is", "api/a.go:11: M is"}},
		{exported, files{"api/a.go": "package p\n\n// F does.\nfunc F() {}\n\n// The codes.\nconst (\n\tA = 1\n\tB = 2\n)\n\ntype t struct{}\n\nfunc (t) String() string { return \"\" }\n", "api/a_test.go": "package p\n\nfunc TestX() {}\n"}, nil},

		{top, files{"notes.txt": "", "pkg/a.go": "package p\n"}, []string{"notes.txt:", "pkg:"}},
		{top, files{"go.mod": "", "go.sum": "", "README.md": "", "LICENSE": "", "Makefile": "", ".ci/run": "", ".gitignore": "/bin/\n/out\n", "bin/x": "", "out": "", "deploy/x": ""}, nil},

		{left, files{"api/a.go": "package p\n\n// TO" + "DO: all of it\n", "deploy/run.sh": "# FIX" + "ME\n"}, []string{"api/a.go:3:", "deploy/run.sh:1:"}},
		{left, files{"api/a.go": "package p\n\nvar toDoList, TO" + "DOS int\n", "api/b.bin": "\x00 TO" + "DO"}, nil},

		{unclearSays, files{"README.md": "Brokers to\nsta" + "rt from.\n"}, []string{"README.md: "}},
		{unclearSays, files{"README.md": "Bootstrap brokers.\n"}, nil},

		{alone, files{"README.md": "see\n/wo" + "rk/x\n", "api/a.go": "package p // as in sha" + "red/design\n"}, []string{"README.md:2:", "api/a.go:1:"}},
		{alone, files{"deploy/pom.xml": "<url>https://repo1.maven" + ".org/maven2</url>\n", ".ci/run": "GOPROXY=https://proxy.go" + "lang.org\n"}, []string{".ci/run:1:", "deploy/pom.xml:1:"}},
		{alone, files{"api/a.go": "package p // design" + ".md section 4, proto" + "types/kx\n"}, []string{"api/a.go:1:", "api/a.go:1:"}},
		{alone, files{"README.md": "the work/life balance of unsha" + "red/things and an object's prototype\n", "bin/x": "/wo" + "rk/", ".gitignore": "/bin/\n", "api/web/vendor/x.js": "/wo" + "rk/"}, nil},
	} {
		seen[c.rule] = true
		tree := treeOf(t, c.files)
		got := check(t, c.rule, tree)
		ok := len(got) == len(c.want)
		for i := 0; ok && i < len(got); i++ {
			ok = strings.HasPrefix(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: %v\n got %q\nwant %q", c.rule, c.files, got, c.want)
		}
	}
	for _, rule := range rules {
		if !seen[rule.name] {
			t.Errorf("rule %q is not tested", rule.name)
		}
	}
}

func check(t *testing.T, name string, tree *tree) []string {
	t.Helper()
	for _, rule := range rules {
		if rule.name == name {
			return rule.check(tree)
		}
	}
	t.Fatalf("there is no rule %q", name)
	return nil
}

func treeOf(t *testing.T, files map[string]string) *tree {
	t.Helper()
	root := fstest.MapFS{}
	for path, text := range files {
		root[path] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestArchitecture_UnparsableFileFails(t *testing.T) {
	if _, err := readTree(fstest.MapFS{"api/a.go": &fstest.MapFile{Data: []byte("pack age p")}}); err == nil {
		t.Error("read")
	}
}
