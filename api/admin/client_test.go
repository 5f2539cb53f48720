package admin

import (
	"strings"
	"testing"
)

// An answer that is no problem is an error by its status.
func TestClient_Failure(t *testing.T) {
	for _, c := range []struct{ status, body, want string }{
		{"502 Bad Gateway", "<html>", "answered 502 Bad Gateway"},
		{"500 Internal Server Error", "{}", "answered 500"},
		{"404 Not Found", `{"error":{"code":5,"message":"no such key"}}`, "no such key"},
	} {
		if err := failure(c.status, []byte(c.body)); !strings.Contains(err.Error(), c.want) {
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
