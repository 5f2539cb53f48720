package activity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// naiveIdentity is the definition, written down once more.
func naiveIdentity(pepper []byte, account uint32, kind byte, parts ...string) string {
	mac := hmac.New(sha256.New, pepper)
	binary.Write(mac, binary.BigEndian, account)
	mac.Write([]byte{kind})
	for _, p := range parts {
		binary.Write(mac, binary.BigEndian, uint32(len(p)))
		mac.Write([]byte(p))
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

func TestHasher_IdentityIsTheHMACOfItsCanonicalForm(t *testing.T) {
	pepper := []byte("a pepper that is only used in tests")
	h := testHasher(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		a, b := strings.Repeat("x", r.IntN(300)), fmt.Sprint(r.Uint64())
		account, kind := r.Uint32(), domain.ByPartner
		if got, want := h.Identity(domain.AccountID(account), kind, a, b).String(), naiveIdentity(pepper, account, byte(kind), a, b); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// Every installation has stored such values.
func TestHasher_ValuesAreFrozen(t *testing.T) {
	h := testHasher(t)
	check := h.Check()
	for i, c := range []struct{ got, want string }{
		{h.Identity(1, domain.ByService, "spotify", "u").String(), "e99d461d8d41dad599ce07ec59daf0ab"},
		{h.Identity(1, domain.ByPartner, "c", "1").String(), "c6069ab3b2582d3fe6c3c3be43813ac0"},
		{h.Identity(1, domain.ByLogin, "fan@example.org").String(), "e80f7b68d84f15c9ece8d90e37ee1273"},
		{h.Identity(1, domain.ByVerifiedEmail, "fan@example.org").String(), "c33924df195067755399d9b6e312f5fa"},
		{h.Identity(1, domain.ByEmail, "fan@example.org").String(), "ebcacfea9f2526fc775e764c34affc9d"},
		{h.Identity(1, domain.ByUsername, "twitter", "Fan").String(), "7c0dc808e1944c6f965c8ecd91d90e6f"},
		{fmt.Sprintf("%016x", h.ID("//collector", "e-1")), "422246a517646488"},
		{hex.EncodeToString(check[:]), "32add0b30e829db3cb146dc9bb608b6c"},
	} {
		if c.got != c.want {
			t.Errorf("hash %d: %s, want %s", i, c.got, c.want)
		}
	}
}

func TestHasher_IdentityOfTwoSpellings(t *testing.T) {
	h := testHasher(t)
	same := func(kind domain.IdentityKind, a, b []string) {
		t.Helper()
		if h.Identity(1, kind, a...) != h.Identity(1, kind, b...) {
			t.Errorf("%d: %q and %q differ", kind, a, b)
		}
	}
	other := func(kind domain.IdentityKind, a, b []string) {
		t.Helper()
		if h.Identity(1, kind, a...) == h.Identity(1, kind, b...) {
			t.Errorf("%d: %q and %q are the same", kind, a, b)
		}
	}
	same(domain.ByService, []string{"LastFM", "u"}, []string{"lastfm", "u"})
	same(domain.ByService, []string{"The Service", "u"}, []string{"spotify", "u"})
	same(domain.ByUsername, []string{"Twitter", "u"}, []string{"twitter", "u"})
	same(domain.ByLogin, []string{" Fan@Example.ORG\t"}, []string{"fan@example.org"})
	same(domain.ByEmail, []string{"FäN@example.org"}, []string{"fän@example.org"})
	for _, kind := range []domain.IdentityKind{domain.ByLogin, domain.ByEmail, domain.ByVerifiedEmail} {
		other(kind, []string{"FÄN@example.org"}, []string{"fän@example.org"})
		other(kind, []string{"\u212aate@example.com"}, []string{"kate@example.com"})
		other(kind, []string{"t\u0130m@example.com"}, []string{"tim@example.com"})
	}
	other(domain.ByService, []string{"lastfm", "U"}, []string{"lastfm", "u"})
	other(domain.ByService, []string{"lastfm", " u"}, []string{"lastfm", "u"})
	other(domain.ByPartner, []string{"C", "1"}, []string{"c", "1"})
	other(domain.ByPartner, []string{"c1", ""}, []string{"c", "1"})
	other(domain.ByPartner, []string{"", "c1"}, []string{"c1", ""})
	const apart, whole = "Zoe\u0308", "Zo\u00eb"
	same(domain.ByService, []string{"lastfm", apart}, []string{"lastfm", whole})
	same(domain.ByUsername, []string{"twitter", apart}, []string{"twitter", whole})
	same(domain.ByPartner, []string{apart, apart}, []string{whole, whole})
	for s := domain.Email; s <= domain.Custom; s++ {
		same(domain.ByService, []string{strings.ToUpper(s.String()), "u"}, []string{s.String(), "u"})
	}
}

func TestHasher_DifferentThingsDiffer(t *testing.T) {
	h := testHasher(t)
	seen := map[domain.IdentityHash]string{}
	for account := range domain.AccountID(20) {
		for kind := domain.ByService; kind <= domain.ByUsername; kind++ {
			for _, parts := range [][]string{{}, {""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "a"}, {"aa"}} {
				name := fmt.Sprint(account, kind, len(parts), parts)
				id := h.Identity(account, kind, parts...)
				if was, ok := seen[id]; ok {
					t.Fatalf("%s and %s", was, name)
				}
				seen[id] = name
			}
		}
	}
	if h.ID("ab", "c") == h.ID("a", "bc") || h.ID("", "a") == h.ID("a", "") {
		t.Error("where source ends and id begins does not count")
	}
}

func TestHasher_AnotherPepperChangesEverything(t *testing.T) {
	a := testHasher(t)
	b, err := NewHasher([]byte("another pepper, as good as the first"))
	if err != nil {
		t.Fatal(err)
	}
	if a.Check() == b.Check() || a.ID("s", "1") == b.ID("s", "1") || a.Identity(1, domain.ByLogin, "x") == b.Identity(1, domain.ByLogin, "x") {
		t.Error("something is the same")
	}
	if _, err := NewHasher(make([]byte, MinPepper-1)); err == nil {
		t.Error("a short pepper is taken")
	}
}

func TestHasher_CopiesThePepper(t *testing.T) {
	pepper := []byte("a pepper that is only used in tests")
	h, err := NewHasher(pepper)
	if err != nil {
		t.Fatal(err)
	}
	clear(pepper)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if h.Identity(1, domain.ByPartner, "c", "1") != testHasher(t).Identity(1, domain.ByPartner, "c", "1") {
					t.Error("another hash")
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkIdentity(b *testing.B) {
	h := testHasher(b)
	b.ReportAllocs()
	for b.Loop() {
		h.Identity(1, domain.ByService, "spotify", "fan-0008726351")
	}
}

func BenchmarkID(b *testing.B) {
	h := testHasher(b)
	b.ReportAllocs()
	for b.Loop() {
		h.ID("//collector-3.eu", "6f2c1f6e-5a2f-4f0e-9d0a-1f6a2b3c4d5e")
	}
}
