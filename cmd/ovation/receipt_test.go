package main

import (
	"bytes"
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/token"
)

// A receipt is checked with the key set of an address; one that does not answer with a key set is
// named with what it answered. What is too long is not read to its end.
func TestReceipt_KeySetOfAnAddress(t *testing.T) {
	private := token.PrivateKey{ID: "k", Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))}
	tokens, err := token.New(token.Config{Signing: []token.PrivateKey{private}, AccessKey: [16]byte{1}, Issuer: "https://api.example"})
	must(t, err)
	keys := []*domain.SigningKey{{KID: "k", Public: [32]byte(private.Key.Public().(ed25519.PublicKey)), From: 1}}
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	raw, err := tokens.SignReceipt(&token.Receipt{Member: 9, Account: 1, Application: 2, Erased: now, Position: "AQ", GoneBy: now}, keys, now)
	must(t, err)
	file := filepath.Join(t.TempDir(), "receipt")
	must(t, os.WriteFile(file, []byte("\n "+raw+"\n"), 0o600))
	raw, err = tokens.SignReceipt(&token.Receipt{Member: 9, Account: 1, Application: 2, Erased: now, Position: "AQ"}, keys, now)
	must(t, err)
	endless := filepath.Join(t.TempDir(), "endless")
	must(t, os.WriteFile(endless, []byte(raw), 0o600))
	long := filepath.Join(t.TempDir(), "long")
	must(t, os.WriteFile(long, bytes.Repeat([]byte(" "), maxReceipt+1), 0o600))
	served := map[string]string{"/keys": string(tokens.KeySet(keys, now)), "/text": "x", "/long": strings.Repeat(" ", maxKeySet+1)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := served[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	for file, gone := range map[string]string{file: "gone by      2026-03-15 12:00:00 UTC\n", endless: "gone by      not known: "} {
		var out bytes.Buffer
		if err := (&ReceiptVerify{File: file, JWKS: server.URL + "/keys"}).Run(t.Context(), &out); err != nil || !strings.Contains(out.String(), gone) {
			t.Errorf("%v\n%s", err, &out)
		}
	}
	for _, c := range []struct{ file, path, want string }{
		{file, "/keys", ""},
		{file, "/text", "it is no JSON Web Key Set"},
		{file, "/long", "it is too long"},
		{file, "/none", "the answer is 404 Not Found"},
		{long, "/keys", "it is too long"},
	} {
		var out bytes.Buffer
		err := (&ReceiptVerify{File: c.file, JWKS: server.URL + c.path}).Run(t.Context(), &out)
		switch {
		case c.want == "" && (err != nil || !strings.Contains(out.String(), "member       9\n")):
			t.Errorf("%v: %v %s", c, err, &out)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0):
			t.Errorf("%v: %v %s", c, err, &out)
		}
	}
}
