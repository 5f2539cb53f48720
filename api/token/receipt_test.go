package token

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// ofErasure is a receipt of member 4097, before it is signed.
func ofErasure() *Receipt {
	return &Receipt{
		Member: 4097, Account: 1, Application: 2, Erased: now.Add(-time.Hour), Position: "AQ", GoneBy: now.Add(8 * 24 * time.Hour),
	}
}

// signReceipt is the jwt of the receipt.
func (t *Tokens) signReceipt(test *testing.T, keys []*domain.SigningKey, at time.Time) string {
	test.Helper()
	raw, err := t.SignReceipt(ofErasure(), keys, at)
	if err != nil {
		test.Fatal(err)
	}
	return raw
}

// published are the keys of the key set at a time.
func published(t *testing.T, keys []*domain.SigningKey, at time.Time) PublicKeys {
	t.Helper()
	set, err := ParseKeySet(new(Tokens).KeySet(keys, at))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// A receipt is read as it was signed, by the key set alone, years later too. The same receipt has
// the same bytes whenever and wherever it is signed with a key.
func TestReceipt_ReadAsSigned(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour), from("b", 50*time.Hour)}
	raw := newTokens(t, "a", "b").signReceipt(t, keys, now)
	got, err := ReadReceipt(raw, published(t, keys, now.AddDate(9, 0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	want := ofErasure()
	want.Issuer, want.KID = issuer, "b"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if again := newTokens(t, "b").signReceipt(t, keys, now.Add(time.Hour)); again != raw {
		t.Errorf("%s\n%s", raw, again)
	}
	rotated := append(keys, from("c", 2*time.Hour))
	if _, err := ReadReceipt(raw, published(t, rotated, now)); err != nil {
		t.Errorf("after one rotation: %v", err)
	}
	again := append(rotated, from("d", time.Hour))
	if _, err := ReadReceipt(raw, published(t, again, now)); err == nil || !strings.Contains(err.Error(), `no key "b"`) {
		t.Errorf("after two rotations: %v", err)
	}
	if _, err := newTokens(t, "z").SignReceipt(ofErasure(), keys, now); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("signed without a key: %v", err)
	}
	if newTokens(t, "z").Signs(keys, now) || !newTokens(t, "a").Signs(keys, now) {
		t.Error("Signs")
	}
}

// A receipt that does not say when the last bytes are gone has no such claim.
func TestReceipt_WithoutGoneBy(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour)}
	r := ofErasure()
	r.GoneBy = time.Time{}
	raw, err := newTokens(t, "a").SignReceipt(r, keys, now)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(raw, ".")[1])
	if err != nil || strings.Contains(string(claims), "gone_by") {
		t.Errorf("%s %v", claims, err)
	}
	got, err := ReadReceipt(raw, published(t, keys, now))
	if err != nil || !got.GoneBy.IsZero() || !got.Erased.Equal(r.Erased) {
		t.Errorf("%+v %v", got, err)
	}
}

// forgeReceipt signs the claims of a receipt in another way.
func forgeReceipt(t *testing.T, method jwt.SigningMethod, key any, header map[string]any, change func(jwt.MapClaims)) string {
	t.Helper()
	c := jwt.MapClaims{
		"iss": issuer, "sub": "4097", "aud": []string{receiptAudience}, "iat": now.Unix(), "account": "1", "application": "2",
		"erased_at": now.Unix(), "position": "AQ", "gone_by": now.Add(8 * 24 * time.Hour).Unix(),
	}
	change(c)
	made := jwt.NewWithClaims(method, c)
	made.Header["kid"], made.Header["typ"] = "a", receiptType
	for name, v := range header {
		if made.Header[name] = v; v == nil {
			delete(made.Header, name)
		}
	}
	raw, err := made.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A receipt that is forged or spoiled is refused with a sentence that says why; the claims as
// they are signed here are good otherwise.
func TestReceipt_RefusesForgeries(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour)}
	own := private("a").Key
	public := []byte(own.Public().(ed25519.PublicKey))
	same := func(jwt.MapClaims) {}
	set := published(t, keys, now)
	good := forgeReceipt(t, jwt.SigningMethodEdDSA, own, nil, same)
	if _, err := ReadReceipt(good, set); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	changed := base64.RawURLEncoding.EncodeToString(bytes.Replace(payload, []byte("4097"), []byte("4098"), 1))
	with := func(name string, v any) string {
		return forgeReceipt(t, jwt.SigningMethodEdDSA, own, nil, func(c jwt.MapClaims) { c[name] = v })
	}
	header := func(name string, v any) string {
		return forgeReceipt(t, jwt.SigningMethodEdDSA, own, map[string]any{name: v}, same)
	}
	for name, c := range map[string]struct{ raw, want string }{
		"alg none":             {forgeReceipt(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, same), `by "none"`},
		"HMAC with the key":    {forgeReceipt(t, jwt.SigningMethodHS256, public, nil, same), `by "HS256"`},
		"an unknown alg":       {header("alg", "XX"), `by "XX"`},
		"no alg":               {header("alg", nil), `by ""`},
		"another key":          {forgeReceipt(t, jwt.SigningMethodEdDSA, private("b").Key, nil, same), string(errSignature)},
		"another kid":          {header("kid", "b"), `no key "b"`},
		"no kid":               {header("kid", nil), `no key ""`},
		"another type":         {header("typ", "JWT"), string(errNoReceipt)},
		"no type":              {header("typ", nil), string(errNoReceipt)},
		"a demand":             {header("crit", []string{"exp"}), string(errCritical)},
		"a changed payload":    {parts[0] + "." + changed + "." + parts[2], string(errSignature)},
		"a changed signature":  {parts[0] + "." + parts[1] + "." + strings.Repeat("A", 86), string(errSignature)},
		"no signature":         {parts[0] + "." + parts[1] + ".", string(errSignature)},
		"another audience":     {with("aud", "2"), string(errAudience)},
		"no audience":          {with("aud", nil), string(errIncomplete)},
		"no member":            {with("sub", nil), string(errIncomplete)},
		"member 0":             {with("sub", "0"), string(errIncomplete)},
		"a great account":      {with("account", "4294967296"), string(errIncomplete)},
		"no time":              {with("erased_at", nil), string(errIncomplete)},
		"a time in words":      {with("gone_by", "soon"), string(errNoJWT)},
		"no position":          {with("position", ""), string(errIncomplete)},
		"expired":              {with("exp", now.Add(-99*time.Hour).Unix()), string(errIncomplete)},
		"nothing":              {"", string(errNoJWT)},
		"no dots":              {"x", string(errNoJWT)},
		"binary":               {"\xff\xfe.\x00.", string(errNoJWT)},
		"too long":             {good + strings.Repeat("A", maxToken), string(errNoJWT)},
		"a line end behind it": {good + "\n", string(errNoJWT)},
	} {
		r, err := ReadReceipt(c.raw, set)
		if err == nil || r != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "4097") {
			t.Errorf("%s: the error quotes the receipt: %v", name, err)
		}
	}
}

// A receipt is no member token, and a member token no receipt, whatever application asks.
func TestReceipt_IsNoMemberToken(t *testing.T) {
	keys := []*domain.SigningKey{from("a", 99*time.Hour)}
	tokens := newTokens(t, "a")
	for application := range domain.ApplicationID(4) {
		if id, err := tokens.Verify(tokens.signReceipt(t, keys, now), application, keys, now); domain.CodeOf(err) != domain.InvalidKey {
			t.Errorf("a receipt is a token of member %d: %v", id, err)
		}
	}
	if r, err := ReadReceipt(tokens.must(t, keys, now), published(t, keys, now)); err != errNoReceipt {
		t.Errorf("%+v, %v", r, err)
	}
	// Each alone tells them apart: the type, and the audience.
	likeToken := forgeReceipt(t, jwt.SigningMethodEdDSA, private("a").Key, nil, func(c jwt.MapClaims) {
		c["aud"], c["exp"] = []string{"2"}, now.Add(time.Hour).Unix()
	})
	if _, err := tokens.Verify(likeToken, 2, keys, now); domain.CodeOf(err) != domain.InvalidKey {
		t.Errorf("a receipt with an application as audience: %v", err)
	}
	typed := forgeReceipt(t, jwt.SigningMethodEdDSA, private("a").Key, map[string]any{"typ": memberType}, func(c jwt.MapClaims) {
		c["exp"] = now.Add(time.Hour).Unix()
	})
	if _, err := tokens.Verify(typed, 2, keys, now); domain.CodeOf(err) != domain.InvalidKey {
		t.Errorf("a receipt of the type of member tokens: %v", err)
	}
}

// A key set is read with the keys that signatures are checked with; one that has none is refused.
func TestParseKeySet(t *testing.T) {
	good := new(Tokens).KeySet([]*domain.SigningKey{from("a", time.Hour)}, now)
	var set map[string][]map[string]string
	if err := json.Unmarshal(good, &set); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]string{"kty": "EC", "crv": "X25519", "use": "enc", "alg": "HS256", "x": "AA"} {
		was := set["keys"][0][name]
		set["keys"][0][name] = v
		b, _ := json.Marshal(set)
		if _, err := ParseKeySet(b); err == nil {
			t.Errorf("%s %s: taken", name, v)
		}
		set["keys"][0][name] = was
	}
	for _, text := range []string{"", "x", "null", "[]", "{}", `{"keys":null}`, `{"keys":[]}`, `{"keys":1}`} {
		if _, err := ParseKeySet([]byte(text)); err == nil {
			t.Errorf("%q: taken", text)
		}
	}
	mixed := `{"keys":[{"kty":"RSA","kid":"r","n":"AA","e":"AQAB"},` + strings.TrimPrefix(string(good), `{"keys":[`)
	if keys, err := ParseKeySet([]byte(mixed)); err != nil || len(keys) != 1 || keys["a"] == nil {
		t.Errorf("%v %v", keys, err)
	}
}
