package admin

import (
	"net/http"
	"testing"
)

// An answer that is no problem is an error by its text, as that of a probe, or by its status.
func TestClient_Failure(t *testing.T) {
	for _, c := range []struct{ status, kind, body, want string }{
		{"502 Bad Gateway", "text/html", "<html>", "the admin port answered 502 Bad Gateway"},
		{"502 Bad Gateway", "text/plain", "", "the admin port answered 502 Bad Gateway"},
		{"500 Internal Server Error", "application/json", "{}", "the admin port answered 500 Internal Server Error"},
		{"404 Not Found", "application/problem+json", `{"error":{"code":5,"message":"no such key"}}`, "no such key"},
		{"503 Service Unavailable", "text/plain; charset=utf-8", "not ready: shard 3 replays\n", "not ready: shard 3 replays"},
	} {
		r := &http.Response{Status: c.status, Header: http.Header{"Content-Type": {c.kind}}}
		if err := failure(r, []byte(c.body)); err.Error() != c.want {
			t.Errorf("%s: %v", c.status, err)
		}
	}
}

// A node that listens on every interface is dialled on this machine.
func TestClient_DialAddress(t *testing.T) {
	for address, want := range map[string]string{
		"0.0.0.0:8081": "127.0.0.1:8081", ":8081": "127.0.0.1:8081", "[::]:8081": "127.0.0.1:8081",
		"10.0.0.1:8081": "10.0.0.1:8081", "node-1:8081": "node-1:8081", "[::1]:8081": "[::1]:8081",
		"localhost:8081": "localhost:8081",
	} {
		if got := dialAddress(address); got != want {
			t.Errorf("%s is dialled as %s, want %s", address, got, want)
		}
	}
}
