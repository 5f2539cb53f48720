package page

import (
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A cursor of a stream opens for the account, question, journal and installation that it was sealed for, unaltered, and
// never as one of a list; one of a list never opens as one of a stream.
func TestStreamCursor_OpensForItsOwnStreamOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 15))
	key, other := NewSealer([16]byte{1}), NewSealer([16]byte{2})
	journal := domain.TopicID{9}
	for range 300 {
		at := make([]uint64, r.IntN(65))
		for i := range at {
			at[i] = r.Uint64() >> r.IntN(64)
		}
		token := key.SealStream(at, 7, "a=1", journal)
		if got, ok := key.OpenStream(token, 7, "a=1", journal); !ok || !slices.Equal(got, at) || !IsStream(token) {
			t.Fatalf("%v comes back as %v", at, got)
		}
		body, _ := base64.RawURLEncoding.DecodeString(token)
		body[r.IntN(len(body))] ^= 1 << r.IntN(8)
		altered, list := base64.RawURLEncoding.EncodeToString(body), key.Seal(randomCursor(r), 7, "a=1")
		for name, open := range map[string]func() ([]uint64, bool){
			"another account":      func() ([]uint64, bool) { return key.OpenStream(token, 8, "a=1", journal) },
			"another question":     func() ([]uint64, bool) { return key.OpenStream(token, 7, "a=2", journal) },
			"another journal":      func() ([]uint64, bool) { return key.OpenStream(token, 7, "a=1", domain.TopicID{8}) },
			"another installation": func() ([]uint64, bool) { return other.OpenStream(token, 7, "a=1", journal) },
			"an altered byte":      func() ([]uint64, bool) { return key.OpenStream(altered, 7, "a=1", journal) },
			"a cut":                func() ([]uint64, bool) { return key.OpenStream(token[:r.IntN(len(token))], 7, "a=1", journal) },
			"a list's cursor":      func() ([]uint64, bool) { return key.OpenStream(list, 7, "a=1", journal) },
		} {
			if got, ok := open(); ok {
				t.Errorf("%s opens %q: %v", name, token, got)
			}
		}
		if c, ok := key.Open(token, 7, "a=1"); ok || IsStream(list) {
			t.Errorf("%q is a list's cursor %+v, or %q one of a stream", token, c, list)
		}
	}
	if !IsStream(StreamNow) || !IsStream(StreamBegin) || IsStream("") || IsStream("AAAA") {
		t.Error("words are not told from tokens")
	}
}

// The bytes of a token stay: clients keep them.
func TestStreamCursor_Bytes(t *testing.T) {
	key := NewSealer([16]byte{1})
	got := key.SealStream([]uint64{0, 1, 300, 1 << 40}, 7, "a=1", domain.TopicID{9})
	if want := "AgABrAKAgICAgCDvmrDMFjkj5AaMfCYFMK4J"; got != want {
		t.Errorf("a token is %q, want %q", got, want)
	}
}
