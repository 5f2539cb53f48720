package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// A running node logs requests from when its level is changed, and no more when it is changed back.
func TestLogLevel_OfARunningNode(t *testing.T) {
	n := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Args: []string{"--memory", "256MiB"}})
	n.start()
	level := func(l string) {
		t.Helper()
		if _, err := n.Ask(t.Context(), "/log-level", map[string]string{"level": l}); err != nil {
			t.Fatal(err)
		}
	}
	requests := func() int { return strings.Count(n.Log(), "level=DEBUG msg=request ") }
	ask := func() {
		t.Helper()
		res, err := http.Get("http://" + n.HTTP + "/v1.1/brands")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	ask()
	level("debug")
	ask()
	n.eventually("line of a request", func() bool { return requests() == 1 })
	level("info")
	ask()
	level("debug")
	ask()
	n.eventually("second line of a request", func() bool { return requests() == 2 })
}
