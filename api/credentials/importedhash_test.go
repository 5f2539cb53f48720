package credentials

import (
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// A password that was imported is right and others are wrong; nothing of the hash is stored in
// clear.
func TestImportedHash_Check(t *testing.T) {
	made, err := bcrypt.GenerateFromPassword([]byte("correct horse"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	salt := []byte("0123456789abcdef")
	argon := phcHead(cheap, salt) + base64.RawStdEncoding.EncodeToString(
		argon2.IDKey([]byte("correct horse"), salt, cheap.Passes, cheap.MemoryKiB, cheap.Lanes, keyLen))
	p, other := NewPasswords(cheap, [16]byte{1}, Memory{}), NewPasswords(cheap, [16]byte{2}, Memory{})
	for _, text := range []string{string(made), argon} {
		var h ImportedHash
		if err := h.ParseParam(text); err != nil {
			t.Fatal(err)
		}
		stored, sealed, err := p.Imported(h)
		if err != nil {
			t.Fatal(err)
		}
		if end := text[len(text)-20:]; strings.Contains(stored, end) || WasImported(stored) != (sealed == text) {
			t.Fatalf("stored is %s, sealed %s", stored, sealed)
		}
		check := func(by *Passwords, password, sealed string) bool {
			t.Helper()
			got, err := by.Check(t.Context(), 1, password, stored, sealed)
			if err != nil {
				t.Fatal(err)
			}
			if got != stored && (got[:strings.LastIndexByte(got, '$')+1] != stored[:strings.LastIndexByte(stored, '$')+1]) {
				t.Fatalf("%s and %s have other salts", got, stored)
			}
			return got == stored
		}
		if !check(p, "correct horse", sealed) || check(p, "correct horsf", sealed) || check(other, "correct horse", sealed) {
			t.Fatalf("%s is not checked", stored)
		}
		if WasImported(stored) && check(p, "correct horse", "") {
			t.Fatal("a password is right without the hash that it was imported with")
		}
	}
}

// Hashes of other kinds and of too great a cost are refused; the error does not quote them.
func TestImportedHash_Refused(t *testing.T) {
	for _, text := range []string{
		"", "x", "$2b$10$short", "$2b$15$IVe9mG/q1BRyqU./d7YaYeonR53mvrisRSFy2uskZ9RFfqTP1oLjq",
		"$1$salt$hash", "$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAA", "5f4dcc3b5aa765d61d8327deb882cf99",
	} {
		var h ImportedHash
		if err := h.ParseParam(text); err == nil || text != "" && text != "x" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
