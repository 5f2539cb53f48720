package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The token of the admin port is private and long.
func TestAdminPort_Token(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
		err  string
	}{
		{"0123456789abcdef\n", 0o600, "0123456789abcdef", ""},
		{"0123456789abcde\n", 0o600, "", "at least 16"},
		{"", 0o600, "", "at least 16"},
		{"0123456789 abcdef", 0o600, "", "visible ASCII"},
		{"0123456789abcdef", 0o644, "", "0644"},
		{strings.Repeat("a", 5000), 0o600, "", "longer than 4KiB"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := (&AdminPort{AdminToken: path}).Token()
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: token %q, %v; want %q, error with %q", c.text, got, err, c.want, c.err)
		}
	}
	if got, err := new(AdminPort).Token(); got != "" || err != nil {
		t.Errorf("without a file: %q, %v", got, err)
	}
}
