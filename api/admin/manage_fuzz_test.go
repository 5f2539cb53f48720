package admin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/admin/admintest"
)

// Any request to the admin port gets an answer, in JSON where it is one of ours, and never an
// internal error.
func FuzzManage_NeverInternal(f *testing.F) {
	paths := []string{"/applications", "/keys", "/keys/1/revoke", "/gaps/accept", "/log-level", "/nodes/00000000000000000000000000000001/remove", "/verify", "/verify/cancel", "/rebuild", "/rebuild/cancel", "/status", "/"}
	for i := range paths {
		f.Add(uint8(i), "POST", `{"account":"a","name":"n","plan":"advanced"}`, "")
		f.Add(uint8(i), "POST", `{"topic":"journal","partition":0}`, "")
		f.Add(uint8(i), "POST", `{"application":1,"scope":"global"}`, "/../keys/x/revoke")
		f.Add(uint8(i), "GET", "", "")
	}
	f.Fuzz(func(t *testing.T, which uint8, method, body, more string) {
		target := "http://127.0.0.1:8081" + paths[int(which)%len(paths)] + more
		r, err := http.NewRequest(method, target, nil)
		if err != nil {
			return
		}
		h := admintest.Port(t, &admintest.Catalog{State: map[string]any{}}, "")
		w := serveTo(h, request("POST", "/", body, func(to *http.Request) { to.Method, to.URL, to.RequestURI = r.Method, r.URL, r.URL.RequestURI() }))
		if w.Code >= 500 && w.Code != http.StatusNotImplemented && w.Code != http.StatusServiceUnavailable {
			t.Fatalf("%s %s %q: %d %s", method, target, body, w.Code, w.Body)
		}
		if strings.HasSuffix(w.Header().Get("Content-Type"), "json") && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %s %q: %s", method, target, body, w.Body)
		}
	})
}
