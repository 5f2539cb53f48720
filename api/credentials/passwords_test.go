package credentials

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/argon2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// cheap is what a hash costs in tests.
var cheap = HashCost{Passes: 1, MemoryKiB: 8, Lanes: 1}

// A hash has at least the cost that OWASP advises.
func TestPasswords_Cost(t *testing.T) {
	p := NewPasswords(HashCost{}, [16]byte{1})
	hash, err := p.Hash(t.Context(), "correct horse", "")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != "v=19" || parts[3] != "m=19456,t=2,p=1" {
		t.Fatal(hash)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil || len(salt) != 16 {
		t.Fatalf("salt of %d bytes: %v", len(salt), err)
	}
	mac := hmac.New(sha256.New, p.pepper[:])
	mac.Write(argon2.IDKey([]byte("correct horse"), salt, 2, 19456, 1, 32))
	if parts[5] != base64.RawStdEncoding.EncodeToString(mac.Sum(nil)) {
		t.Fatal("another hash")
	}
	if n := cap(p.slots); n < 1 || n > passwordsAtOnce {
		t.Fatalf("%d at once", n)
	}
}

// A password is hashed under the salt and the cost of the hash in use.
func TestPasswords_KnownSalt(t *testing.T) {
	p := NewPasswords(cheap, [16]byte{1})
	hash := func(password, known string) string {
		t.Helper()
		h, err := p.Hash(t.Context(), password, known)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	one := hash("a", "")
	p.cost = HashCost{Passes: 2, MemoryKiB: 16, Lanes: 2} // what is in use keeps its parameters
	two := hash("a", "")
	if one == two || hash("a", one) != one || hash("a", two) != two || hash("b", one) == one {
		t.Fatal("hashes are not those of password, salt and parameters")
	}
	if !strings.HasPrefix(two, "$argon2id$v=19$m=16,t=2,p=2$") {
		t.Fatal(two)
	}
}

// A stored hash that cannot be read is a bug; the error does not quote it.
func TestPasswords_UnreadableHash(t *testing.T) {
	p := NewPasswords(cheap, [16]byte{1})
	for _, known := range []string{
		"x", "$2b$10$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=16$m=8,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=19$m=8,t=0,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=0$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=300$AAAA$AAAA",
		"$argon2id$v=19$m=9999999,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=99,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$?$AAAA",
		"$argon2id$v=19$m=8,t=1,p=1,x=2$AAAA$AAAA", "$argon2id$v=19$m=08,t=1,p=1$AAAA$AAAA",
	} {
		_, err := p.Hash(t.Context(), "a", known)
		if domain.CodeOf(err) != domain.Internal || strings.Contains(err.Error(), known) {
			t.Errorf("%s: %v", known, err)
		}
	}
}

// A burst is refused before it takes memory; a request that is cancelled leaves the queue.
func TestI8_PasswordsWaitInABoundedQueue(t *testing.T) {
	p := NewPasswords(cheap, [16]byte{1})
	for range cap(p.slots) { // all turns are taken
		p.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	errs := make(chan error, passwordsWaiting)
	for range passwordsWaiting {
		wg.Go(func() {
			_, err := p.Hash(ctx, "a", "")
			errs <- err
		})
	}
	for p.waiting.Load() < passwordsWaiting {
		select {
		case err := <-errs:
			t.Fatalf("one did not wait: %v", err)
		default:
		}
	}
	if _, err := p.Hash(t.Context(), "a", ""); !errors.Is(err, domain.ErrUnavailable) {
		t.Fatalf("one more than may wait: %v", err)
	}
	cancel()
	wg.Wait()
	for range passwordsWaiting {
		if err := <-errs; !errors.Is(err, domain.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	for range cap(p.slots) {
		<-p.slots
	}
	if _, err := p.Hash(t.Context(), "a", ""); err != nil || p.waiting.Load() != 0 {
		t.Fatalf("after it: %v, %d wait", err, p.waiting.Load())
	}
}

// A hash that comes from elsewhere is one that this program would write, or refused.
func FuzzPHC_AcceptsOnlyItsOwnForm(f *testing.F) {
	f.Add("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA")
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$$")
	f.Add("$argon2i$v=19$m=1,t=1,p=1$YQ$YQ")
	f.Add("$argon2id$v=19$m=1,t=1,p=1 $YQ==$YQ$")
	f.Fuzz(func(t *testing.T, text string) {
		c, salt, err := parsePHC(text)
		if err != nil {
			return
		}
		if c.MemoryKiB > maxMemoryKiB || c.Passes < 1 || c.Passes > maxPasses || c.Lanes < 1 || !strings.HasPrefix(text, phcHead(c, salt)) {
			t.Fatalf("%q is %+v", text, c)
		}
	})
}
