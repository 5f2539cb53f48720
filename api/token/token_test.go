package token

import (
	"bytes"
	"crypto/aes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

const issuer = "https://api.example"

// private is a private key of a fixed seed.
func private(kid string) PrivateKey {
	return PrivateKey{kid, ed25519.NewKeyFromSeed(bytes.Repeat([]byte(kid[:1]), 32))}
}

// from is the public half of a key that signs from so long before now on.
func from(kid string, before time.Duration) *domain.SigningKey {
	public := private(kid).Key.Public().(ed25519.PublicKey)
	return &domain.SigningKey{KID: kid, Public: [32]byte(public), From: now.Add(-before).UnixMilli()}
}

func newTokens(t *testing.T, kids ...string) *Tokens {
	t.Helper()
	c := Config{AccessKey: [16]byte{1, 2, 3}, Issuer: issuer}
	for _, kid := range kids {
		c.Signing = append(c.Signing, private(kid))
	}
	tokens, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func (t *Tokens) must(test *testing.T, keys []*domain.SigningKey, at time.Time) string {
	test.Helper()
	raw, err := t.Sign(Subject{Member: 4097, Service: domain.Spotify, Brands: []string{"1"}, Segments: []string{}}, 2, keys, at)
	if err != nil {
		test.Fatal(err)
	}
	return raw
}

// kidOf is the key that a token names.
func kidOf(t *testing.T, raw string) string {
	t.Helper()
	token, _, err := jwt.NewParser().ParseUnverified(raw, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Header["kid"].(string)
}

// In force are the key that signs, those that will, the one before, and others as long as a
// token of theirs lives; ended ones are not. Where none has begun, the first signs.
func TestInForce_ByTime(t *testing.T) {
	ended := from("e", time.Minute)
	ended.Ended = 1
	for name, c := range map[string]struct {
		keys  []*domain.SigningKey
		want  string
		signs int
	}{
		"none":                          {nil, "", -1},
		"one":                           {[]*domain.SigningKey{from("a", 0)}, "a", 0},
		"none has begun":                {[]*domain.SigningKey{from("a", -time.Hour), from("b", -2*time.Hour)}, "ab", 0},
		"rotated":                       {[]*domain.SigningKey{from("a", 99*time.Hour), from("b", 50*time.Hour)}, "ab", 1},
		"rotated twice":                 {[]*domain.SigningKey{from("a", 99*time.Hour), from("b", 50*time.Hour), from("c", 2*time.Hour)}, "bc", 1},
		"rotated twice within the hour": {[]*domain.SigningKey{from("a", 99*time.Hour), from("b", 59*time.Minute), from("c", time.Minute)}, "abc", 2},
		"the hour is over":              {[]*domain.SigningKey{from("a", 99*time.Hour), from("b", time.Hour), from("c", time.Minute)}, "bc", 1},
		"one is to come":                {[]*domain.SigningKey{from("a", 99*time.Hour), from("b", 50*time.Hour), from("c", -time.Minute)}, "abc", 1},
		"ended":                         {[]*domain.SigningKey{from("a", 99*time.Hour), ended}, "a", 0},
		"all ended":                     {[]*domain.SigningKey{ended}, "", -1},
	} {
		all, signs := InForce(c.keys, now)
		var got strings.Builder
		for _, k := range all {
			got.WriteString(k.KID)
		}
		if got.String() != c.want || signs != c.signs {
			t.Errorf("%s: %q, %d signs; want %q, %d", name, got.String(), signs, c.want, c.signs)
		}
	}
}

// The key set has the keys in force, that which signs first, in the form of RFC 8037.
func TestKeySet_KeysInForce(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour), from("b", 50*time.Hour), from("c", 3*time.Hour), from("d", -time.Minute)}
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal(newTokens(t, "a").KeySet(keys, now), &set); err != nil {
		t.Fatal(err)
	}
	var kids []string
	for _, k := range set.Keys {
		kids = append(kids, k["kid"])
		if k["kty"] != "OKP" || k["crv"] != "Ed25519" || k["alg"] != "EdDSA" || k["use"] != "sig" || len(k["x"]) != 43 || len(k) != 6 {
			t.Errorf("%v", k)
		}
	}
	if d := cmp.Diff([]string{"c", "b", "d"}, kids); d != "" {
		t.Error(d)
	}
}

// A node signs with the newest key that has begun and that it holds, and with none that is not
// in force.
func TestSign_NewestHeldKey(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour), from("b", 50*time.Hour), from("c", 3*time.Hour), from("d", -time.Minute)}
	for held, want := range map[string]string{"abcd": "c", "abd": "b", "c": "c", "bd": "b"} {
		raw := newTokens(t, strings.Split(held, "")...).must(t, keys, now)
		if got := kidOf(t, raw); got != want {
			t.Errorf("of %s signed with %s, want %s", held, got, want)
		}
	}
	tokens := newTokens(t, "a", "d")
	if _, err := tokens.Sign(Subject{Member: 1}, 1, keys, now); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("signed without a key in force: %v", err)
	}
	if err := tokens.Add(private("c")); err != nil || !tokens.Holds("c") || tokens.Holds("x") {
		t.Fatal(err)
	}
	if got := kidOf(t, tokens.must(t, keys, now)); got != "c" {
		t.Errorf("signed with %s after c was added", got)
	}
}

// A token is good for its application until it expires, on every node that has the catalog,
// also after its key was rotated; not once its key has ended or is old.
func TestVerify_GoodTokens(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour)}
	raw := newTokens(t, "a").must(t, keys, now)
	other := newTokens(t, "z")
	verified := func(keys []*domain.SigningKey, after time.Duration, want domain.Code) {
		t.Helper()
		id, err := other.Verify(raw, 2, keys, now.Add(after))
		if domain.CodeOf(err) != want || want == domain.OK && id != 4097 {
			t.Errorf("%d, %v; want code %d", id, err, want)
		}
	}
	verified(keys, 0, domain.OK)
	verified(keys, Life-time.Second, domain.OK)
	verified(keys, Life, domain.InvalidKey)
	rotated := append(keys, from("b", -time.Minute))
	verified(rotated, 2*time.Minute, domain.OK)
	again := append(rotated, from("c", -2*time.Minute))
	verified(again, 59*time.Minute, domain.OK)
	ended := *keys[0]
	ended.Ended = now.UnixMilli()
	verified([]*domain.SigningKey{&ended, from("b", 0)}, time.Minute, domain.InvalidKey)
	verified([]*domain.SigningKey{from("b", 9*time.Hour), from("c", 8*time.Hour)}, 0, domain.InvalidKey)
	if _, err := other.Verify(raw, 3, keys, now); domain.CodeOf(err) != domain.WrongApplication {
		t.Errorf("for another application: %v", err)
	}
}

// forge signs claims with a method and a key, under a kid.
func forge(t *testing.T, method jwt.SigningMethod, key any, kid any, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = kid
	raw, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A token that another one made, or that says something else than this installation would, is
// InvalidKey; no error quotes it.
func TestVerify_ForgedTokens(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour)}
	tokens, a, z := newTokens(t, "a"), private("a").Key, private("z").Key
	good := jwt.MapClaims{"iss": issuer, "aud": []string{"2"}, "sub": "4097", "iat": now.Unix(), "exp": now.Add(Life).Unix()}
	with := func(name string, value any) jwt.MapClaims {
		c := jwt.MapClaims{}
		maps.Copy(c, good)
		if c[name] = value; value == nil {
			delete(c, name)
		}
		return c
	}
	eddsa := jwt.SigningMethodEdDSA
	if _, err := tokens.Verify(forge(t, eddsa, a, "a", good), 2, keys, now); err != nil {
		t.Fatalf("the token to be spoiled: %v", err)
	}
	public := []byte(a.Public().(ed25519.PublicKey))
	raw := forge(t, eddsa, a, "a", good)
	head, rest, _ := strings.Cut(raw, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	for name, raw := range map[string]string{
		"alg none":                     forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "a", good),
		"HMAC with the public key":     forge(t, jwt.SigningMethodHS256, public, "a", good),
		"HMAC 512 with the public key": forge(t, jwt.SigningMethodHS512, public, "a", good),
		"HMAC with the public x":       forge(t, jwt.SigningMethodHS256, fmt.Appendf(nil, "%x", public), "a", good),
		"another key under the kid":    forge(t, eddsa, z, "a", good),
		"an unknown kid":               forge(t, eddsa, z, "z", good),
		"no kid":                       forge(t, eddsa, a, nil, good),
		"a kid that is no text":        forge(t, eddsa, a, 1, good),
		"another issuer":               forge(t, eddsa, a, "a", with("iss", "https://other.example")),
		"no issuer":                    forge(t, eddsa, a, "a", with("iss", nil)),
		"expired":                      forge(t, eddsa, a, "a", with("exp", now.Add(-time.Second).Unix())),
		"expires now":                  forge(t, eddsa, a, "a", with("exp", now.Unix())),
		"never expires":                forge(t, eddsa, a, "a", with("exp", nil)),
		"an expiry that is no number":  forge(t, eddsa, a, "a", with("exp", "tomorrow")),
		"not yet":                      forge(t, eddsa, a, "a", with("nbf", now.Add(time.Minute).Unix())),
		"another audience":             forge(t, eddsa, a, "a", with("aud", "somebody")),
		"audience 0":                   forge(t, eddsa, a, "a", with("aud", "0")),
		"audience 02":                  forge(t, eddsa, a, "a", with("aud", "02")),
		"a large audience":             forge(t, eddsa, a, "a", with("aud", "4294967298")),
		"two audiences":                forge(t, eddsa, a, "a", with("aud", []string{"2", "3"})),
		"no audience":                  forge(t, eddsa, a, "a", with("aud", nil)),
		"no subject":                   forge(t, eddsa, a, "a", with("sub", nil)),
		"a subject that is no id":      forge(t, eddsa, a, "a", with("sub", "ada")),
		"subject 0":                    forge(t, eddsa, a, "a", with("sub", "0")),
		"a number as subject":          forge(t, eddsa, a, "a", with("sub", 4097)),
		"without signature":            head + "." + payload + ".",
		"without its end":              raw[:len(raw)-4],
		"with an end":                  raw + "A",
		"padded":                       raw + "==",
		"two parts":                    head + "." + payload,
		"four parts":                   raw + "." + signature,
		"another payload":              head + "." + payload[:len(payload)-2] + "AA." + signature,
		"nothing":                      "",
		"dots":                         "..",
		"long":                         strings.Repeat("A", 1<<20),
		"no JSON":                      "AAAA.AAAA.AAAA",
		"NUL":                          "\x00.\x00.\x00",
	} {
		id, err := tokens.Verify(raw, 2, keys, now)
		if domain.CodeOf(err) != domain.InvalidKey || id != 0 {
			t.Errorf("%s: %d, %v", name, id, err)
		}
		if err != nil && len(raw) > 9 && strings.Contains(err.Error(), raw[:9]) {
			t.Errorf("%s is quoted: %v", name, err)
		}
	}
}

// An access token is one AES block over the member's id and the random bits: the member is
// found from it, and it is that member's token alone.
func TestAccess_NamesItsMember(t *testing.T) {
	tokens, random := newTokens(t, "a"), [10]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	text := tokens.Access(0xabcdef012345, random, 1234567890)
	digits, made, _ := strings.Cut(text, "_")
	block, err := hex.DecodeString(digits)
	if err != nil || len(block) != 16 || made != "1234567890" {
		t.Fatalf("%s: %v", text, err)
	}
	cipher, _ := aes.NewCipher([]byte{1, 2, 3, 15: 0})
	cipher.Decrypt(block, block)
	if d := cmp.Diff([]byte{0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, block); d != "" {
		t.Error(d)
	}
	a, ok := ParseAccess(text)
	m := &domain.Member{ID: 0xabcdef012345, TokenHash: tokens.Hash(random), TokenMade: 1234567890}
	if !ok || tokens.Member(a) != m.ID || !tokens.Is(a, m) {
		t.Errorf("%+v", a)
	}
	for name, spoil := range map[string]func(*domain.Member){
		"another member": func(m *domain.Member) { m.ID++ }, "another token": func(m *domain.Member) { m.TokenHash[15]++ },
		"another time": func(m *domain.Member) { m.TokenMade++ }, "no token": func(m *domain.Member) { m.TokenHash = [16]byte{} },
	} {
		other := *m
		if spoil(&other); tokens.Is(a, &other) {
			t.Errorf("it is the token of %s", name)
		}
	}
	for _, text := range []string{"", "_", digits, digits + "_", digits[1:] + "_1", digits + "_-1", digits + "_+1", digits + "_01", digits + "_1_", digits + "0_1", "x" + digits[1:] + "_1"} {
		if _, ok := ParseAccess(text); ok {
			t.Errorf("%q was read", text)
		}
	}
}

// What is no key is refused.
func TestNew_Incomplete(t *testing.T) {
	good := []PrivateKey{private("a")}
	for name, c := range map[string]Config{
		"no key": {AccessKey: [16]byte{1}}, "no access key": {Signing: good}, "no kid": {AccessKey: [16]byte{1}, Signing: []PrivateKey{{Key: good[0].Key}}},
		"half a key": {AccessKey: [16]byte{1}, Signing: []PrivateKey{{ID: "a", Key: good[0].Key[:32]}}},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("made of %s", name)
		}
	}
}

// FuzzVerify_AnyText gives InvalidKey for any text that is not signed.
func FuzzVerify_AnyText(f *testing.F) {
	tokens, err := New(Config{Signing: []PrivateKey{private("a")}, AccessKey: [16]byte{1}, Issuer: issuer})
	if err != nil {
		f.Fatal(err)
	}
	keys := []*domain.SigningKey{from("a", time.Hour)}
	raw, err := tokens.Sign(Subject{Member: 1}, 2, keys, now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw[:len(raw)-1])
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Fuzz(func(t *testing.T, text string) {
		if text == raw {
			return
		}
		if id, err := tokens.Verify(text, 2, keys, now); domain.CodeOf(err) != domain.InvalidKey || id != 0 {
			t.Errorf("%q: %d, %v", text, id, err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	tokens, err := New(Config{Signing: []PrivateKey{private("a")}, AccessKey: [16]byte{1}, Issuer: issuer})
	if err != nil {
		b.Fatal(err)
	}
	keys := []*domain.SigningKey{from("a", time.Hour)}
	raw, err := tokens.Sign(Subject{Member: 4097, Service: domain.Spotify, Brands: []string{"1"}, Segments: []string{"2"}}, 2, keys, now)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tokens.Verify(raw, 2, keys, now); err != nil {
			b.Fatal(err)
		}
	}
}
