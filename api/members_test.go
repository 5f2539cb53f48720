package api

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

func TestRegistrationCarriesAllThatIsRandomHashedOrTimed(t *testing.T) {
	h := newHouse(t)
	w := h.do("POST", keyed("/v1.1/member/register", keyStandard), `{"service":"Spotify","uid":"u-9","authtoken":"tok","authsecret":"","firstname":"Ada",
		"username":"ada","email":" Ada@Example.com ","birthdate":"24-12-1990","gender":"other","city":"Köln","country":"de","region":"NW","postcode":"50667",
		"avatarurl":"https://x.y/a.png","partner":"p","code":"acme","sourceuid":77,"userurl":"https://x.y/ada","followers":12,"likes":0,
		"paidaccount":true,"expires":"soon","activity_sharing_enabled":false,"domain":"https://WWW.Example.com/page","ip":"::1","useragent":"x"}`)
	if w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	if got := w.Header().Values("Warning"); len(got) != 2 || !strings.Contains(got[0], "ip is not available yet") {
		t.Errorf("warnings %q", got)
	}
	s := h.engine.submitted[0]
	m := s.Command.(*domain.RegisterMember)
	want := &domain.RegisterMember{
		Application: 1, Service: domain.Spotify, UID: "u-9", Identity: testHasher{}.Identity(1, domain.ByService, "spotify", "u-9"),
		Email: testHasher{}.Identity(1, domain.ByEmail, "Ada@Example.com"), Username: testHasher{}.Identity(1, domain.ByUsername, "spotify", "ada"),
		Partner: testHasher{}.Identity(1, domain.ByPartner, "acme", "77"), PartnerCode: "acme", PartnerID: "77", Domain: "example.com", At: now.UnixMilli(),
		Given: domain.Fields{
			{Field: domain.FirstName, Value: "Ada"},
			{Field: domain.Username, Value: "ada"},
			{Field: domain.EmailAddress, Value: "Ada@Example.com"},
			{Field: domain.Gender, Value: "Other"},
			{Field: domain.City, Value: "Köln"},
			{Field: domain.Region, Value: "NW"},
			{Field: domain.Country, Value: "DE"},
			{Field: domain.PostCode, Value: "50667"},
			{Field: domain.AvatarURL, Value: "https://x.y/a.png"},
			{Field: domain.Birthdate, Value: "1990-12-24"},
		},
		Record: domain.Fields{
			{Field: domain.RecordUsername, Value: "ada"},
			{Field: domain.RecordURL, Value: "https://x.y/ada"},
			{Field: domain.RecordToken, Value: "tok"},
			{Field: domain.RecordSecret, Value: ""},
			{Field: domain.RecordExpires, Value: "soon"},
			{Field: domain.RecordPaid, Value: "1"},
			{Field: domain.RecordSharing, Value: "0"},
			{Field: domain.RecordFollowers, Value: "12"},
			{Field: domain.RecordLikes, Value: "0"},
		},
	}
	if d := cmp.Diff(want, m, cmpopts.IgnoreFields(domain.RegisterMember{}, "UUID", "TokenRandom", "TokenHash")); d != "" {
		t.Error(d)
	}
	if m.UUID[6]>>4 != 4 || m.UUID[8]>>6 != 2 {
		t.Errorf("%x is no UUID of version 4", m.UUID)
	}
	if m.TokenRandom == ([10]byte{}) || !bytes.Equal(m.TokenHash[:], keyedHash(keyedHash(h.config.TokenKey[:], []byte("access token hash")), m.TokenRandom[:])[:16]) {
		t.Error("the token's hash is not that of its random bits")
	}
	if s.Slot != m.Identity.Slot() || s.Durable || s.Account != 1 || s.Application != 1 {
		t.Errorf("%+v", s)
	}
	h.do("POST", keyed("/v1.1/member/register", keyStandard), "service=spotify&uid=u-9&authtoken=tok")
	again := h.engine.submitted[1].Command.(*domain.RegisterMember)
	if again.UUID == m.UUID || again.TokenRandom == m.TokenRandom {
		t.Error("two registrations share random values")
	}
	if len(again.Given) != 0 || len(again.Record) != 1 || !again.Partner.IsZero() {
		t.Errorf("what was not given is carried: %+v", again)
	}
}

func TestRegisterAnswersAnArrayOfOneEnvelope(t *testing.T) {
	h := newHouse(t)
	var out []wire.Envelope
	h.ok(h.post("/v1.1/member/register", "service=spotify&uid=u-9&authtoken=tok&country=DE&followers=3"), &out)
	if len(out) != 1 {
		t.Fatalf("%d envelopes", len(out))
	}
	e := out[0]
	if e.Data.ID == 0 || *e.Data.CountryCode != "DE" || *e.Data.Country != "Germany" || e.OptIns == nil || len(e.Services) != 1 ||
		e.Services[0].Token != "tok" || e.Services[0].Followers != "3" || e.Services[0].ActivitySharing != "1" || e.JWT == "" {
		t.Errorf("%+v", e)
	}
}

func TestMemberTokenIsSignedAndNamesMemberAndApplication(t *testing.T) {
	h := newHouse(t)
	var e wire.Envelope
	h.ok(h.get("/v1.1/member/4097"), &e)
	var set struct {
		Keys []struct{ Kty, Crv, Kid, X, Alg string }
	}
	h.ok(h.do("GET", "/.well-known/jwks.json", ""), &set)
	if len(set.Keys) != 1 || set.Keys[0].Kty != "OKP" || set.Keys[0].Crv != "Ed25519" || set.Keys[0].Alg != "EdDSA" {
		t.Fatalf("%+v", set)
	}
	public, err := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Parse(e.JWT, func(token *jwt.Token) (any, error) {
		if token.Header["kid"] != set.Keys[0].Kid {
			t.Errorf("kid %v", token.Header["kid"])
		}
		return ed25519.PublicKey(public), nil
	}, jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithIssuedAt())
	if err != nil {
		t.Fatal(err)
	}
	want := jwt.MapClaims{
		"iss": "https://api.example", "aud": []any{"2"}, "sub": "4097", "iat": float64(now.Unix()), "exp": float64(now.Unix() + 3600),
		"svc": "spotify", "optins": []any{}, "segments": []any{},
	}
	if d := cmp.Diff(want, token.Claims.(jwt.MapClaims)); d != "" {
		t.Error(d)
	}
}

// keyedHash is HMAC-SHA-256.
func keyedHash(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
