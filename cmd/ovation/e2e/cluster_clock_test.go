//go:build full

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// shifted builds the program with a wall clock that is wrong by so much. The monotonic clock is right. All packages are
// compiled again for it, the standard library's too: that takes minutes.
func shifted(t *testing.T, by time.Duration) string {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	of := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(of)
	if err != nil {
		t.Fatal(err)
	}
	const now = "\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), now) != 1 {
		t.Fatalf("%s reads the clock in another way", of)
	}
	changed := filepath.Join(dir, "time.go")
	text = []byte(strings.Replace(string(text), now, now+fmt.Sprintf("\tsec += %d\n", int64(by/time.Second)), 1))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {of: changed}})
	for name, b := range map[string][]byte{changed: text, filepath.Join(dir, "overlay.json"): overlay} {
		if err == nil {
			err = os.WriteFile(name, b, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "ovation")
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", path, "github.com/ovation-analytics/ovation/cmd/ovation")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// TestCluster_WallClockOfOneNode runs three nodes of which one has a wall clock that is 26 hours ahead, or late: what
// collectors and clients send to all of them counts as the model says at each, and all come to one state.
func TestCluster_WallClockOfOneNode(t *testing.T) {
	for _, by := range []time.Duration{26 * time.Hour, -26 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			wrong := shifted(t, by)
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			c := startClusterOf(t, 3, func(i int, h *harness.Node) {
				if i == 1 {
					h.Binary = wrong
				}
			})
			l := c.newLoad(seed, loadSize{fans: 60, clients: 3, asked: 50, activities: 1_000, writers: 4, written: 20})
			l.begin()
			l.more(1_000)
			l.end()
			l.tell()
			l.replayed()
			c.answerAlike(seed, l.told, l.toldKey, rand.New(rand.NewPCG(seed, 0)), 500)
		})
	}
}
