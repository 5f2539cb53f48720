package admin_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/admin"
)

// A closed gate answers probes, and everything else with what the node waits for.
func TestGate_SaysWhatTheNodeWaitsFor(t *testing.T) {
	const starting = `{"type":"/errors/unavailable","title":"Unavailable","status":503,"detail":"not ready: the node is starting",` +
		`"error":{"code":11,"message":"not ready: the node is starting"}}`
	var g admin.Gate
	ask := func(path string) string {
		w := serveTo(&g, request(http.MethodGet, path, ""))
		return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
	}
	for _, c := range []struct {
		do                        func()
		livez, readyz, everywhere string
	}{
		{func() {}, "200 ok", "503 not ready: the node is starting", "503 " + starting},
		{func() { g.Wait(errors.New("a broker")) }, "200 ok", "503 not ready: a broker", "503 " + strings.ReplaceAll(starting, "the node is starting", "a broker")},
		{func() { g.Open(http.NotFoundHandler()) }, "404 404 page not found", "404 404 page not found", "404 404 page not found"},
	} {
		c.do()
		if got := [3]string{ask("/livez"), ask("/readyz"), ask("/applications")}; got != [3]string{c.livez, c.readyz, c.everywhere} {
			t.Errorf("%q", got)
		}
	}
}
