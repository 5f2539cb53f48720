package credentials

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/argon2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// cheap is what a hash costs in tests.
var cheap = HashCost{Passes: 1, MemoryKiB: 8, Lanes: 1}

// A hash has at least the cost that OWASP advises.
func TestPasswords_Cost(t *testing.T) {
	p := NewPasswords(HashCost{}, [16]byte{1}, Memory{})
	hash, err := p.Hash(t.Context(), 1, "correct horse", "")
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
}

// A password is hashed under the salt and the cost of the hash in use.
func TestPasswords_KnownSalt(t *testing.T) {
	p := NewPasswords(cheap, [16]byte{1}, Memory{})
	hash := func(password, known string) string {
		t.Helper()
		h, err := p.Hash(t.Context(), 1, password, known)
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

// Before a hash allocates, its bytes are made known, by the cost that a stored hash names; of bcrypt, which
// allocates little, nothing is.
func TestPasswords_MemoryIsMadeKnown(t *testing.T) {
	var known []int64
	p := NewPasswords(cheap, [16]byte{1}, Memory{Before: func(bytes int64) { known = append(known, bytes) }})
	if _, err := p.Hash(t.Context(), 1, "a", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Hash(t.Context(), 1, "a", "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Check(t.Context(), 1, "a", bcryptHead+"AAAA$AAAA", ""); err != nil {
		t.Fatal(err)
	}
	if want := []int64{int64(cheap.MemoryKiB) << 10, 64 << 10}; !slices.Equal(known, want) {
		t.Fatalf("%v, want %v", known, want)
	}
}

// A stored hash that cannot be read is a bug; the error does not quote it.
func TestPasswords_UnreadableHash(t *testing.T) {
	p := NewPasswords(cheap, [16]byte{1}, Memory{})
	for _, known := range []string{
		"x", "$2b$10$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=16$m=8,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=19$m=8,t=0,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=0$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=300$AAAA$AAAA",
		"$argon2id$v=19$m=65537,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=65536,t=4,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$?$AAAA",
		"$argon2id$v=19$m=8,t=24577,p=1$AAAA$AAAA", "$argon2id$v=19$m=64,t=1,p=5$AAAA$AAAA",
		"$argon2id$v=19$m=8,t=1,p=1,x=2$AAAA$AAAA", "$argon2id$v=19$m=08,t=1,p=1$AAAA$AAAA",
	} {
		_, err := p.Hash(t.Context(), 1, "a", known)
		if domain.CodeOf(err) != domain.Internal || strings.Contains(err.Error(), known) {
			t.Errorf("%s: %v", known, err)
		}
	}
}

// A burst of one account is refused before it takes memory, and as that account's; another account
// gets the next core. A request that is cancelled leaves the queue.
func TestI8_PasswordsWaitInABoundedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPasswords(cheap, [16]byte{1}, Memory{})
		all := func() context.Context { return t.Context() }
		busy, err := p.cores.Acquire(all, 9, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, waitersOfOne)
		for range waitersOfOne {
			go func() {
				_, err := p.Hash(ctx, 1, "a", "")
				errs <- err
			}()
		}
		synctest.Wait()
		if _, err := p.Hash(t.Context(), 1, "a", ""); domain.CodeOf(err) != domain.RateLimited {
			t.Fatalf("one more than may wait: %v", err)
		}
		honest := make(chan error)
		go func() {
			_, err := p.Hash(t.Context(), 2, "a", "")
			honest <- err
		}()
		synctest.Wait()
		cancel()
		for range waitersOfOne {
			if err := <-errs; err == nil {
				t.Fatal("one that was cancelled got a hash")
			}
		}
		busy.Release()
		if err := <-honest; err != nil {
			t.Fatal(err)
		}
	})
}

// The cost of an imported hash has a bound of memory, of work and of lanes, each to the last value.
func TestPHC_CostIsBounded(t *testing.T) {
	for _, c := range []struct {
		cost HashCost
		good bool
	}{
		{HashCost{Passes: 3, MemoryKiB: 65536, Lanes: 4}, true},
		{HashCost{Passes: 4, MemoryKiB: 49152, Lanes: 1}, true},
		{HashCost{Passes: 16, MemoryKiB: 12288, Lanes: 1}, true},
		{HashCost{Passes: 1, MemoryKiB: 65537, Lanes: 1}, false},
		{HashCost{Passes: 4, MemoryKiB: 49153, Lanes: 1}, false},
		{HashCost{Passes: 1 << 31, MemoryKiB: 8, Lanes: 1}, false},
		{HashCost{Passes: 1, MemoryKiB: 64, Lanes: 5}, false},
	} {
		text := phcHead(c.cost, []byte("0123456789abcdef")) + base64.RawStdEncoding.EncodeToString(make([]byte, keyLen))
		var h ImportedHash
		if err := h.ParseParam(text); (err == nil) != c.good {
			t.Errorf("%s: %v", text, err)
		}
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
		if !c.bounded() || !strings.HasPrefix(text, phcHead(c, salt)) {
			t.Fatalf("%q is %+v", text, c)
		}
	})
}
