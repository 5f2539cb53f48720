package console

import (
	"bytes"
	"compress/gzip"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/pages"
)

// packed is how many bytes a file takes on its way.
func packed(t *testing.T, f pages.File) int {
	t.Helper()
	if f.Kind == kinds[".woff2"] {
		return len(f.Body) // is compressed
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(f.Body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// later are the files that app.js loads when somebody opens their page.
func later(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, f := range Files() {
		if f.Path == "/web/app.js" {
			for _, m := range regexp.MustCompile(`import\('(\.[^']+)'\)`).FindAllSubmatch(f.Body, -1) {
				found[joined(f.Path, string(m[1]))] = true
			}
		}
	}
	return found
}

// What everybody loads of the project's own code takes at most 60 KB on its way, what pages add when they are opened 30 KB, and
// what the first page loads 150 KB. The outlines of the world come where a map is.
func TestFiles_Budgets(t *testing.T) {
	ours, opened, first := 0, 0, 0
	lazy := later(t)
	for _, f := range Files() {
		n := packed(t, f)
		switch {
		case lazy[f.Path]:
			opened += n
			continue
		case own(f.Path):
			ours += n
		}
		if f.Path != "/web/vendor/world.json" && f.Kind != kinds[".txt"] {
			first += n
		}
	}
	t.Logf("own code %d bytes, pages that are opened %d, first load %d", ours, opened, first)
	if ours > 60<<10 || opened > 30<<10 || first > 150<<10 || len(lazy) == 0 {
		t.Errorf("own code takes %d bytes, %d pages that are opened %d, the first load %d", ours, len(lazy), opened, first)
	}
}

// Each file has a media type and the policy, and none names another host, sets markup, or has a script or style within.
func TestFiles_KeepToThePolicy(t *testing.T) {
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function`)
	within := regexp.MustCompile(`<script>|<style|\son[a-z]+="|style="`)
	host := regexp.MustCompile(`https?://[a-z0-9][a-z0-9.]*`)
	for _, f := range Files() {
		if code := strings.HasSuffix(f.Path, ".js") || strings.HasSuffix(f.Path, ".css") || f.Path == "/"; code != f.Together {
			t.Errorf("%s is kept by itself: %t", f.Path, !f.Together)
		}
	}
	if len(Files()) < 20 {
		t.Fatalf("%d files", len(Files()))
	}
	for _, f := range Files() {
		if f.Kind == "" || f.Policy != policy {
			t.Errorf("%s: kind %q, policy %q", f.Path, f.Kind, f.Policy)
		}
		if !own(f.Path) {
			continue
		}
		for what, form := range map[string]*regexp.Regexp{"sets markup": markup, "names a host": host} {
			if at := form.Find(f.Body); at != nil && !bytes.HasSuffix(at, []byte("//www.w3.org")) {
				t.Errorf("%s %s: %s", f.Path, what, at)
			}
		}
		if at := within.Find(f.Body); f.Path == "/" && at != nil {
			t.Errorf("%s has %s within", f.Path, at)
		}
	}
}

// Every module that a file imports is there.
func TestFiles_ImportsAreThere(t *testing.T) {
	files := map[string]bool{}
	for _, f := range Files() {
		files[f.Path] = true
	}
	from := regexp.MustCompile(`(?:from |import\()'(\.[^']+)'`)
	found := 0
	for _, f := range Files() {
		if !strings.HasSuffix(f.Path, ".js") || !own(f.Path) {
			continue
		}
		for _, m := range from.FindAllSubmatch(f.Body, -1) {
			at := joined(f.Path, string(m[1]))
			if found++; !files[at] {
				t.Errorf("%s imports %s, which is not there", f.Path, at)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d imports", found)
	}
}

// What app.js imports, and what that imports, is loaded at once: the page names each module.
func TestFiles_ModulesArePreloaded(t *testing.T) {
	bodies := map[string][]byte{}
	for _, f := range Files() {
		bodies[f.Path] = f.Body
	}
	needs := map[string]bool{}
	var walk func(file string)
	walk = func(file string) {
		for _, m := range regexp.MustCompile(`from '(\.[^']+)'`).FindAllSubmatch(bodies[file], -1) {
			if at := joined(file, string(m[1])); !needs[at] {
				needs[at] = true
				walk(at)
			}
		}
	}
	walk("/web/app.js")
	for _, m := range regexp.MustCompile(`"modulepreload" href="([^"]+)"`).FindAllSubmatch(bodies["/"], -1) {
		if at := string(m[1]); !needs[at] {
			t.Errorf("%s is named, and not imported or twice", at)
		} else {
			delete(needs, at)
		}
	}
	for at := range needs {
		t.Errorf("%s is imported, and not named", at)
	}
}

// joined is the path of a module that is named relative to another one's.
func joined(file, name string) string { return path.Join(path.Dir(file), name) }
