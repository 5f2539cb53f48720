package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// A client that a generator of others makes of the document, all operations of it, compiles, and
// registers, records and reads: JSON and form bodies, parameters, headers and problems.
func TestForeignClient_MadeOfTheDocument(t *testing.T) {
	t.Parallel()
	n := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data")})
	n.start()
	_, key := n.account("foreign")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/foreign")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "client"), 0o700); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(ctx(t), "go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	base := "http://" + n.HTTP
	n.download("/openapi.json", filepath.Join(dir, "openapi.json"))
	command("tool", "oapi-codegen", "-package", "client", "-generate", "types,client", "-o", "client/client.go", "openapi.json")
	command("build", "-o", "foreign", ".")
	program := exec.CommandContext(ctx(t), filepath.Join(dir, "foreign"), base, key)
	got, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	want := `feed: Ada played a track by The Moons, map[TrackName:Lantern], value 3
tally: 1 by 1
member: Ada in DE, 1 actions
error: 5 of brandid
`
	if diff := gocmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// download keeps what a path answers in a file.
func (n *node) download(path, file string) {
	n.t.Helper()
	res, err := http.Get("http://" + n.HTTP + path)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil {
		err = os.WriteFile(file, b, 0o600)
	}
	if err != nil {
		n.t.Fatal(err)
	}
}
