package api

import (
	"bytes"
	"encoding/base64"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/bind"
)

func randomCursor(r *rand.Rand) *cursor {
	wild := func() int64 { return int64(r.Uint64() >> r.IntN(64)) }
	return &cursor{
		minute: wild() / 60, span: bind.Span{From: -wild(), To: wild()},
		row: rowKey{rank: r.Uint64() >> r.IntN(64), id: r.Uint64() >> r.IntN(64), text: strings.Repeat("né", r.IntN(300))},
	}
}

func TestACursorIsOpenToItsOwnQuestionOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 15))
	key, other := newCursorKey([16]byte{1}), newCursorKey([16]byte{2})
	for range 300 {
		c := randomCursor(r)
		token := key.seal(c, 7, "GET /x\na=1")
		if got, ok := key.open(token, 7, "GET /x\na=1"); !ok || *got != *c {
			t.Fatalf("%+v comes back as %+v", c, got)
		}
		if len(token) > maxCursor || strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%q does not fit into an address", token)
		}
		body, _ := base64.RawURLEncoding.DecodeString(token)
		body[r.IntN(len(body))] ^= 1 << r.IntN(8)
		for name, open := range map[string]func() (*cursor, bool){
			"another account":      func() (*cursor, bool) { return key.open(token, 8, "GET /x\na=1") },
			"another question":     func() (*cursor, bool) { return key.open(token, 7, "GET /x\na=2") },
			"another installation": func() (*cursor, bool) { return other.open(token, 7, "GET /x\na=1") },
			"an altered byte":      func() (*cursor, bool) { return key.open(base64.RawURLEncoding.EncodeToString(body), 7, "GET /x\na=1") },
			"a cut":                func() (*cursor, bool) { return key.open(token[:r.IntN(len(token))], 7, "GET /x\na=1") },
			"a line end":           func() (*cursor, bool) { return key.open(token[:9]+"\n"+token[9:], 7, "GET /x\na=1") },
			"padding":              func() (*cursor, bool) { return key.open(token+"=", 7, "GET /x\na=1") },
			"something behind":     func() (*cursor, bool) { return key.open(token+"AAAA", 7, "GET /x\na=1") },
		} {
			if got, ok := open(); ok {
				t.Errorf("%s opens %q: %+v", name, token, got)
			}
		}
	}
}

// No two bodies are one cursor, and none is more than a page can begin with.
func FuzzCursorBodiesAreOfOneForm(f *testing.F) {
	f.Add((&cursor{}).encode())
	f.Add((&cursor{minute: math.MaxInt64 / 60, span: bind.Span{From: math.MinInt64, To: math.MaxInt64}, row: rowKey{math.MaxUint64, math.MaxUint64, "x"}}).encode())
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
		key := newCursorKey([16]byte{1})
		if _, ok := key.open(string(body), 1, ""); ok {
			t.Errorf("%q opens", body)
		}
	})
}
