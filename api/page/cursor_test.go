package page

import (
	"bytes"
	"encoding/base64"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/bind"
)

func randomCursor(r *rand.Rand) *Cursor {
	wild := func() int64 { return int64(r.Uint64() >> r.IntN(64)) }
	return &Cursor{
		Minute: wild() / 60, Span: bind.Span{From: -wild(), To: wild()},
		Row: Row{Rank: r.Uint64() >> r.IntN(64), ID: r.Uint64() >> r.IntN(64), Text: strings.Repeat("né", r.IntN(300))},
	}
}

// A cursor opens for the account, question and installation that it was sealed for, unaltered.
func TestCursor_OpensForItsOwnQuestionOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 15))
	key, other := NewSealer([16]byte{1}), NewSealer([16]byte{2})
	for range 300 {
		c := randomCursor(r)
		token := key.Seal(c, 7, "GET /x\na=1")
		if got, ok := key.Open(token, 7, "GET /x\na=1"); !ok || *got != *c {
			t.Fatalf("%+v comes back as %+v", c, got)
		}
		if len(token) > MaxCursor || strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%q does not fit into an address", token)
		}
		body, _ := base64.RawURLEncoding.DecodeString(token)
		body[r.IntN(len(body))] ^= 1 << r.IntN(8)
		for name, open := range map[string]func() (*Cursor, bool){
			"another account":      func() (*Cursor, bool) { return key.Open(token, 8, "GET /x\na=1") },
			"another question":     func() (*Cursor, bool) { return key.Open(token, 7, "GET /x\na=2") },
			"another installation": func() (*Cursor, bool) { return other.Open(token, 7, "GET /x\na=1") },
			"an altered byte":      func() (*Cursor, bool) { return key.Open(base64.RawURLEncoding.EncodeToString(body), 7, "GET /x\na=1") },
			"a cut":                func() (*Cursor, bool) { return key.Open(token[:r.IntN(len(token))], 7, "GET /x\na=1") },
			"a line end":           func() (*Cursor, bool) { return key.Open(token[:9]+"\n"+token[9:], 7, "GET /x\na=1") },
			"padding":              func() (*Cursor, bool) { return key.Open(token+"=", 7, "GET /x\na=1") },
			"something behind":     func() (*Cursor, bool) { return key.Open(token+"AAAA", 7, "GET /x\na=1") },
		} {
			if got, ok := open(); ok {
				t.Errorf("%s opens %q: %+v", name, token, got)
			}
		}
	}
}

// No two bodies are one cursor, and none is more than a page can begin with.
func FuzzCursor_BodiesHaveOneForm(f *testing.F) {
	f.Add((&Cursor{}).encode())
	f.Add((&Cursor{Minute: math.MaxInt64 / 60, Span: bind.Span{From: math.MinInt64, To: math.MaxInt64}, Row: Row{math.MaxUint64, math.MaxUint64, "x"}}).encode())
	f.Add([]byte{cursorVersion, 0x80, 0x00, 0, 0, 0, 0, 0})
	f.Add([]byte{cursorVersion, 0, 0, 0, 0, 0, 200})
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		c, ok := decodeCursor(body)
		if ok != (c != nil) {
			t.Fatalf("%x: %v %v", body, c, ok)
		}
		if ok && !bytes.Equal(c.encode(), body) {
			t.Errorf("%x is %x", body, c.encode())
		}
		key := NewSealer([16]byte{1})
		if _, ok := key.Open(string(body), 1, ""); ok {
			t.Errorf("%q opens", body)
		}
	})
}
