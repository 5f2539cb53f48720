package sealed

import (
	"strings"
	"testing"
)

// A value opens with the secret, the purpose and the bound that it was sealed with alone, on any node, and where no byte of it was changed.
func TestSealer(t *testing.T) {
	s := New([16]byte{1}, "a")
	text := s.Seal([]byte("a value"), "here")
	if plain, ok := New([16]byte{1}, "a").Open(text, "here", len(text)); !ok || string(plain) != "a value" {
		t.Fatalf("another node opens %q, %t", plain, ok)
	}
	if strings.Contains(text, "value") || text == s.Seal([]byte("a value"), "here") {
		t.Error("it is not sealed, or twice the same")
	}
	open := func(what string, s Sealer, text, bound string, most int) {
		t.Helper()
		if plain, ok := s.Open(text, bound, most); ok {
			t.Errorf("%s opens %q", what, plain)
		}
	}
	open("another secret", New([16]byte{2}, "a"), text, "here", 1000)
	open("another purpose", New([16]byte{1}, "b"), text, "here", 1000)
	open("another bound", s, text, "there", 1000)
	open("one that is too long", s, text, "here", len(text)-1)
	open("nothing", s, "", "here", 1000)
	open("no base64", s, text+"!", "here", 1000)
	for i := range text {
		other := byte('A')
		if text[i] == other {
			other = 'B'
		}
		open("a changed one", s, text[:i]+string(other)+text[i+1:], "here", 1000)
	}
}
