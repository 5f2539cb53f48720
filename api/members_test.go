package api

import (
	"crypto/aes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/activities"
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
	if m.TokenRandom == ([10]byte{}) || m.TokenHash != h.api.members.tokens.hash(m.TokenRandom) || m.TokenHash == h.api.members.tokens.hash([10]byte{}) {
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

func TestPreviousKeysArePublished(t *testing.T) {
	old := ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey)
	tokens, err := newTokens(Signer{ID: "k2", Key: ed25519.NewKeyFromSeed(make([]byte, 32)), Previous: []PublicKey{{"k1", old}}}, [16]byte{1}, "x")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(tokens.keySet()); strings.Count(got, `"kid"`) != 2 || !strings.Contains(got, `"kid":"k1"`) {
		t.Error(got)
	}
}

func TestAccessTokenTellsItsMemberUnderTheKey(t *testing.T) {
	h := newHouse(t)
	const id = domain.MemberID(0xabcdef012345)
	random := [10]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	token := h.api.members.tokens.access(id, random, 1234567890)
	digits, made, _ := strings.Cut(token, "_")
	block, err := hex.DecodeString(digits)
	if err != nil || len(block) != 16 || made != "1234567890" {
		t.Fatalf("%s: %v", token, err)
	}
	key := [16]byte{1, 2, 3}
	cipher, _ := aes.NewCipher(key[:])
	cipher.Decrypt(block, block)
	want := []byte{0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if d := cmp.Diff(want, block); d != "" {
		t.Error(d)
	}
}

func TestEmailRecordShowsNoSecret(t *testing.T) {
	s := &domain.ServiceRecord{Service: domain.Email, UID: "a@b.c", Fields: domain.Fields{{Field: domain.RecordToken, Value: "hash"}, {Field: domain.RecordSecret, Value: "salt"}}}
	if out := recordOf(s); out.Token != "" || out.TokenSecret != "" {
		t.Errorf("%+v", out)
	}
	s.Service = domain.Deezer
	if out := recordOf(s); out.Token != "hash" || out.TokenSecret != "salt" {
		t.Errorf("%+v", out)
	}
}

func TestEnvelopeShowsRecordsByIDAndTheServiceSignedInWith(t *testing.T) {
	m := &domain.Member{Services: []domain.ServiceRecord{
		{ID: 9, Service: domain.Deezer, LastLogin: 5}, {ID: 2, Service: domain.Spotify, LastLogin: 7, Invalid: true}, {ID: 4, Service: domain.LastFM, LastLogin: 7},
	}}
	var ids []string
	for _, r := range recordsOf(m) {
		ids = append(ids, r.ID+r.Valid)
	}
	if d := cmp.Diff([]string{"20", "41", "91"}, ids); d != "" {
		t.Error(d)
	}
	if got := signedIn(m); got != domain.Spotify {
		t.Errorf("signed in by %s", got)
	}
	if got := signedIn(&domain.Member{}); got != domain.NoService {
		t.Errorf("without a record signed in by %s", got)
	}
}

// recorded records an action and gives its submission.
func (h *house) recorded(params string, headers ...string) (domain.Submission, *wire.Accepted) {
	h.t.Helper()
	w := h.post("/v1.1/activity/record", params, headers...)
	var out wire.Accepted
	h.ok(w, &out)
	return h.engine.submitted[len(h.engine.submitted)-1], &out
}

func TestRecordIsStampedWithWhatTheCatalogSays(t *testing.T) {
	h := newHouse(t)
	s, _ := h.recorded(`{"activityid":101,"id":4097,"content":{"b": 1, "a":[ 2 ]},"link":"https://x.y","marker":"m","timestamp":"2026-01-02 03:04:05","country":"de","city":"Köln"}`)
	want := &domain.Activity{
		Member: 4097, Definition: 101, Brand: 1, Service: domain.Spotify, Points: 5, OneTime: true, Time: 1767323045,
		Hash:    testHasher{}.ID("app/2", "m"),
		Content: domain.Content{Marker: "m", Content: `{"b":1,"a":[2]}`, Link: "https://x.y", Geo: domain.Geo{Country: "DE", City: "Köln"}},
	}
	if d := cmp.Diff(want, s.Activity, cmpopts.IgnoreFields(domain.Activity{}, "Raw")); d != "" {
		t.Error(d)
	}
	if s.Slot != domain.MemberID(4097).Slot() || !s.Durable {
		t.Errorf("%+v", s)
	}
	var event map[string]any
	if err := json.Unmarshal([]byte(s.Activity.Raw), &event); err != nil {
		t.Fatal(err)
	}
	wantEvent := map[string]any{
		"id": "m", "source": "app/2", "time": "2026-01-02T03:04:05Z", "account": 1.0, "memberID": 4097.0, "activityID": 101.0,
		"content": map[string]any{"b": 1.0, "a": []any{2.0}}, "link": "https://x.y", "geo": map[string]any{"country": "DE", "city": "Köln"},
	}
	if d := cmp.Diff(wantEvent, event); d != "" {
		t.Errorf("as a dead letter: %s", d)
	}
}

func TestRecordGoesToTheSlotOfItsAddress(t *testing.T) {
	h := newHouse(t)
	s, _ := h.recorded("activityid=100&brandid=2&service=spotify&uid=u-1")
	if want := (testHasher{}).Identity(1, domain.ByService, "spotify", "u-1"); s.Activity.Identity != want || s.Slot != want.Slot() || s.Activity.Member != 0 {
		t.Errorf("%+v", s.Activity)
	}
	s, _ = h.recorded("activityid=100&brandid=2&partnercode=acme&partnerid=77")
	if want := (testHasher{}).Identity(1, domain.ByPartner, "acme", "77"); s.Activity.Identity != want || s.Slot != want.Slot() || s.Activity.Brand != 2 {
		t.Errorf("%+v", s.Activity)
	}
	if !s.Activity.Defaulted {
		t.Error("a record without a timestamp has one")
	}
}

func TestRecordWithoutMarkerIsTheRequestsOwn(t *testing.T) {
	h := newHouse(t)
	const params = "activityid=100&brandid=1&id=4097"
	a, accepted := h.recorded(params)
	b, _ := h.recorded(params)
	if a.Activity.Hash == b.Activity.Hash || a.Activity.Hash != (testHasher{}).ID("request", a.Request.String()) {
		t.Error("two records without a marker share their dedup key")
	}
	if accepted.Marker != "2026-03-15 12:34:56.789000" || a.Activity.Content.Marker != accepted.Marker || !accepted.Accepted {
		t.Errorf("accepted as %q, kept as %q", accepted.Marker, a.Activity.Content.Marker)
	}
	c, _ := h.recorded(params + "&async=0")
	if c.Durable || c.Activity.Content.Marker != "" || c.Activity.Raw != "" {
		t.Errorf("a record that is waited for: %+v", c)
	}
}

func TestRecordAnswersByAsync(t *testing.T) {
	h := newHouse(t)
	for params, want := range map[string]struct {
		status  int
		durable bool
	}{
		"": {202, true}, "&async=1": {202, true}, "&async=0": {200, false}, "&async=": {200, false},
	} {
		w := h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097&marker=m"+params)
		s := h.engine.submitted[len(h.engine.submitted)-1]
		if w.Code != want.status || s.Durable != want.durable || !strings.Contains(w.Body.String(), `"Marker":"m"`) {
			t.Errorf("%q: %d, durable %v: %s", params, w.Code, s.Durable, w.Body)
		}
	}
}

func TestRecordUnderAnIdempotencyKeyWaitsForItsOutcome(t *testing.T) {
	h := newHouse(t)
	w := h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097", "Idempotency-Key", "k")
	if w.Code != http.StatusAccepted || h.engine.submitted[0].Durable {
		t.Errorf("%d %+v", w.Code, h.engine.submitted[0])
	}
	// What the catalog no longer knows travels as a refusal: only the shard knows whether it is a repeat.
	h.refused(h.post("/v1.1/activity/record", "activityid=777&brandid=1&id=4097&async=0", "Idempotency-Key", "k2"), domain.NotFound, "")
	s := h.engine.submitted[1]
	if s.Activity.Refusal != domain.UnknownActivity || s.Activity.Definition != 777 {
		t.Errorf("%+v", s.Activity)
	}
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Member: 4097, Replayed: true, Row: domain.Row{Seq: 3, Slot: 1, Definition: 777, Brand: 9, Time: 1e9, Service: domain.Custom}}, nil
	}
	h.engine.content = &domain.Content{Recorded: 1e12, Marker: "m1"}
	w = h.post("/v1.1/activity/record", "activityid=777&brandid=9&id=4097&async=0", "Idempotency-Key", "k3")
	var item wire.FeedItem
	h.ok(w, &item)
	if item.Marker != "m1" || item.ActivityID != "777" || item.BrandName != nil || w.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v", item)
	}
	// An outcome of success for what the catalog does not know, and no repeat, is refused all the same.
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) { return domain.Outcome{Member: 4097}, nil }
	h.refused(h.post("/v1.1/activity/record", "activityid=100&brandid=9&id=4097", "Idempotency-Key", "k4"), domain.NotFound, "brandid")
}

func TestContentOverItsLimitIsRefused(t *testing.T) {
	h := newHouse(t)
	for _, v := range []string{strings.Repeat("x", activities.MaxContent+1), `{"a":"` + strings.Repeat("x", activities.MaxContent) + `"}`} {
		body, _ := json.Marshal(map[string]any{"activityid": 100, "brandid": 1, "id": 4097, "content": v})
		h.refused(h.post("/v1.1/activity/record", string(body)), domain.InvalidParameter, "content")
	}
	if w := h.post("/v1.1/activity/record", `{"activityid":100,"brandid":1,"id":4097,"content":[1]}`); w.Code != http.StatusBadRequest {
		t.Errorf("an array as content: %d", w.Code)
	}
}
