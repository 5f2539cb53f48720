package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/serve"
)

// The golden answers: requests to every operation of the API of a whole installation, and
// their answers byte for byte, in testdata/golden. A file is script and record in one, its
// blocks separated by a blank line:
//
//	# The brands whose name has a text.
//	> GET /v1.1/brands?keyword=moon
//	200 usual
//	X-Range: …
//	{"totalSize":"1", …
//
// Lines with > are the request: method and target (10x before them repeats it), then
// headers, then the body. Blanks in a target and a form are encoded. The key "advanced" is
// added where no apikey occurs (?no=apikey sends none). Variables: $next and $prev (Link),
// $etag, $position and $id (the first ID) of the answer before; $cursor (next of a page of a stream), $token (AccessToken), $jwt, $receipt and
// $record (the first service record's ID) of the latest answer that has one; $m1 … $m60, the members of
// the fixture; texts of a size (vars in startInstallation). The rest of a block is the answer, its
// JSON folded into lines; "usual" are the headers of all answers to a key (see head).
//
// The fixture files run first, on an empty installation. Every other file runs on a copy of
// the installation that they leave: its entries do not change the answers of other files. A
// new entry is a request without an answer;
//
//	go test ./cmd/ovation -run TestGolden -update
//
// writes the answers. Tokens and times of waiting have a placeholder: later entries, or the
// session itself, use the real ones.
var updateGolden = flag.Bool("update", false, "write the golden answers")

const goldenDir = "testdata/golden"

// Every answer is as recorded; each operation has one with a success and one with an error.
func TestGolden_AnswersAreUnchanged(t *testing.T) {
	if underRace {
		t.Skip("one goroutine: run without -race")
	}
	g := newGolden()
	var disk *vfs.MemFS
	synctest.Test(t, func(t *testing.T) { disk = g.fixture(t) })
	files, err := filepath.Glob(filepath.Join(goldenDir, "*.txt"))
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "index.txt" })
	must(t, err)
	if disk == nil {
		return // there is no fixture
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		if strings.HasPrefix(name, "fixture") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(0, 0))}
				l := startInstallation(t, disk.CrashClone(all), goldenNow)
				g.run(l.session, name)
				l.stop(t)
			})
		})
	}
	if len(g.counts) == len(files) { // all ran
		g.complete(t)
	}
}

// golden is one run over all files.
type golden struct {
	counts     map[string]int  // of entries, by file
	operations *http.ServeMux  // the API's, by method and path
	seen       map[string]bool // by pattern and whether the answer was a success
	members    []string        // of the fixture, in order of registration
}

var inPath = regexp.MustCompile(`:(\w+)`)

// patternOf is an operation's method and path as a ServeMux writes them.
func patternOf(o *serve.Operation) string {
	return o.Method + " " + inPath.ReplaceAllString(o.Path, "{$1}")
}

func newGolden() *golden {
	g := &golden{counts: map[string]int{}, operations: http.NewServeMux(), seen: map[string]bool{}}
	for _, o := range api.Operations() {
		g.operations.Handle(patternOf(o), http.NotFoundHandler())
	}
	return g
}

// run sends the requests of a file and compares the answers, or writes them.
func (g *golden) run(s *session, name string) {
	s.Helper()
	for i, id := range g.members {
		s.vars[fmt.Sprint("m", i+1)] = id
	}
	file := filepath.Join(goldenDir, name+".txt")
	b, err := os.ReadFile(file)
	must(s.T, err)
	blocks := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n\n")
	for i, want := range blocks {
		e := parseEntry(want)
		if e.method == "" {
			continue
		}
		g.counts[name]++
		r, answer := s.entry(e)
		_, pattern := g.operations.Handler(r.Request)
		if r.StatusCode < 300 || r.StatusCode >= 400 {
			g.seen[fmt.Sprint(pattern, r.StatusCode < 300)] = true
		}
		blocks[i] = e.head + answer
		if d := cmp.Diff(want, blocks[i]); d != "" && !*updateGolden {
			s.Errorf("%s, entry %d: %s", file, g.counts[name], d)
		}
	}
	write(s.T, file, strings.Join(blocks, "\n\n")+"\n")
}

// write writes a file where files are to be written.
func write(t *testing.T, file, text string) {
	if *updateGolden {
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
}

// entry is one request of a file.
type entry struct {
	head           string // its lines, comments too
	times          int
	method, target string // no method: the block has no request
	headers        [][2]string
	body           string
}

func parseEntry(block string) (e entry) {
	var request []string
	for line := range strings.Lines(block + "\n") {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ">") {
			break
		}
		e.head += line
		if r, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> "); ok {
			request = append(request, r)
		}
	}
	if len(request) == 0 {
		return e
	}
	first := strings.Fields(request[0])[0]
	if n, err := fmt.Sscanf(first, "%dx", &e.times); n == 1 && err == nil {
		request[0] = request[0][len(first)+1:]
	}
	e.times = max(e.times, 1)
	e.method, e.target, _ = strings.Cut(request[0], " ")
	for request = request[1:]; len(request) > 0; request = request[1:] {
		name, value, ok := strings.Cut(request[0], ": ")
		if !ok || strings.ContainsAny(name, "={[ \"") {
			break
		}
		e.headers = append(e.headers, [2]string{name, value})
	}
	e.body = strings.Join(request, "\n")
	return e
}

// complete checks the number of entries of each file, so that none is lost unnoticed, and
// that each operation has one with a success and one with an error. A success of a stream does not end.
func (g *golden) complete(t *testing.T) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(g.counts)) {
		fmt.Fprintf(&b, "%s %d\n", name, g.counts[name])
	}
	file := filepath.Join(goldenDir, "index.txt")
	write(t, file, b.String())
	want, err := os.ReadFile(file)
	if d := cmp.Diff(string(want), b.String()); d != "" || err != nil {
		t.Errorf("files and their entries, run with -update where it is meant: %s%v", d, err)
	}
	for _, o := range api.Operations() {
		for _, success := range []bool{true, false} {
			if success && o.Outcomes[0].Events {
				continue
			}
			if !g.seen[fmt.Sprint(patternOf(o), success)] {
				t.Errorf("%s has no entry with success %v", o.ID, success)
			}
		}
	}
}
