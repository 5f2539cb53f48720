package api

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/crypto/argon2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// fields are fields with their values, in turn.
func fields(all ...any) (out domain.Fields) {
	for i := 0; i < len(all); i += 2 {
		out = append(out, domain.FieldValue{Field: all[i].(domain.Field), Value: all[i+1].(string)})
	}
	return out
}

// A registration carries everything of it that is random, hashed or read from the clock.
func TestI6_RegistrationIsComplete(t *testing.T) {
	h := newFixture(t)
	w := h.do("POST", keyed("/v1.1/member/register", keyStandard), `{"service":"Spotify","uid":"u-9","authtoken":"tok","authsecret":"","firstname":"Ada",
		"username":"ada","email":" Ada@Example.com ","birthdate":"24-12-1990","gender":"other","city":"Köln","country":"de","region":"NW","postcode":"50667",
		"avatarurl":"https://x.y/a.png","partner":"p","code":"acme","sourceuid":77,"userurl":"https://x.y/ada","followers":12,"likes":0,
		"paidaccount":true,"expires":"soon","activity_sharing_enabled":false,"domain":"https://WWW.Example.com/page","ip":"::1",
		"useragent":"Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130.0.0.0 Mobile","webpath":"/join?x","referring_url":"from","visitor":"v"}`)
	h.status(w, http.StatusOK)
	equal(t, 0, len(w.Header().Values("Warning")), "warnings")
	s := h.engine.submitted[0]
	m := s.Command.(*domain.RegisterMember)
	want := &domain.RegisterMember{
		Application: 1, Service: domain.Spotify, Identity: testHasher{}.Identity(1, domain.ByService, "spotify", "u-9"),
		Email: testHasher{}.Identity(1, domain.ByEmail, "Ada@Example.com"), Username: testHasher{}.Identity(1, domain.ByUsername, "spotify", "ada"),
		Partner: testHasher{}.Identity(1, domain.ByPartner, "acme", "77"), PartnerCode: "acme", Domain: "example.com", At: now.UnixMilli(),
		Visit: domain.Visit{Page: "example.com/join", Device: domain.Phone},
		Given: fields(domain.Gender, "Other", domain.Region, "NW", domain.Country, "DE"),
		Record: fields(
			domain.RecordExpires, "soon", domain.RecordPaid, "1", domain.RecordSharing, "0",
			domain.RecordFollowers, "12", domain.RecordLikes, "0",
		),
	}
	personal := h.personalOf(&m.Personal)
	wantPersonal := &domain.Personal{
		Profile: fields(
			domain.FirstName, "Ada", domain.Username, "ada", domain.EmailAddress, "Ada@Example.com", domain.City, "Köln",
			domain.PostCode, "50667", domain.AvatarURL, "https://x.y/a.png", domain.Birthdate, "1990-12-24",
		),
		Services: []domain.PersonalService{{
			Application: 1, Identity: m.Identity, UID: "u-9", PartnerID: "77",
			Fields: fields(domain.RecordUsername, "ada", domain.RecordURL, "https://x.y/ada", domain.RecordToken, "tok"),
		}},
	}
	if d := cmp.Diff(wantPersonal, personal, cmpopts.IgnoreFields(domain.Personal{}, "TokenRandom")); d != "" {
		t.Error(d)
	}
	if m.Personal.Has != wantPersonal.Profile.Bits() || m.Personal.Born != 33230 || m.Personal.Base != 0 {
		t.Errorf("%+v", m.Personal)
	}
	if d := cmp.Diff(want, m, cmpopts.IgnoreFields(domain.RegisterMember{}, "UUID", "TokenHash", "Personal", "Visit.Key", "Visit.Details")); d != "" {
		t.Error(d)
	}
	details := domain.VisitDetails{
		IP: "::1", WebPath: "/join?x", ReferringURL: "from", Visitor: "v", UserAgent: "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130.0.0.0 Mobile",
	}
	equal(t, details, h.detailsOf(&m.Visit), "details")
	equal(t, m.Personal.Key, m.Visit.Details.Key, "data key")
	if m.UUID[6]>>4 != 4 || m.UUID[8]>>6 != 2 {
		t.Errorf("%x is no UUID of version 4", m.UUID)
	}
	if personal.TokenRandom == ([10]byte{}) || !bytes.Equal(m.TokenHash[:], keyedHash(keyedHash(h.config.TokenKey[:], []byte("access token hash")), personal.TokenRandom[:])[:16]) {
		t.Error("the token's hash is not that of its random bits")
	}
	if s.Slot != m.Identity.Slot() || s.Durable || s.Account != 1 || s.Application != 1 {
		t.Errorf("%+v", s)
	}
	h.do("POST", keyed("/v1.1/member/register", keyStandard), "service=spotify&uid=u-9&authtoken=tok")
	again := h.engine.submitted[1].Command.(*domain.RegisterMember)
	if again.UUID == m.UUID || h.personalOf(&again.Personal).TokenRandom == personal.TokenRandom || again.Visit.Key == m.Visit.Key {
		t.Error("two registrations share random values")
	}
	if len(again.Given) != 0 || len(again.Record) != 0 || !again.Partner.IsZero() {
		t.Errorf("what was not given is carried: %+v", again)
	}
}

// The answer is an array of one envelope.
func TestRegister_Answer(t *testing.T) {
	h := newFixture(t)
	out := answered[[]wire.Envelope](h, h.post("/v1.1/member/register", "service=spotify&uid=u-9&authtoken=tok&country=DE&followers=3"))
	if len(out) != 1 {
		t.Fatalf("%d envelopes", len(out))
	}
	e := out[0]
	if e.Data.ID == 0 || *e.Data.CountryCode != "DE" || *e.Data.Country != "Germany" || e.OptIns == nil || len(e.Services) != 1 ||
		e.Services[0].Token != "tok" || e.Services[0].Followers != "3" || e.Services[0].ActivitySharing != "1" || e.JWT == "" {
		t.Errorf("%+v", e)
	}
}

// The token is signed with a published key and names member, application and service.
func TestMemberToken_Claims(t *testing.T) {
	h := newFixture(t)
	e := answered[wire.Envelope](h, h.get("/v1.1/member/4097"))
	var set struct {
		Keys []struct{ Kty, Crv, Kid, X, Alg string }
	}
	h.ok(h.do("GET", "/.well-known/jwks.json", ""), &set)
	if len(set.Keys) != 2 || set.Keys[0].Kty != "OKP" || set.Keys[0].Crv != "Ed25519" || set.Keys[0].Alg != "EdDSA" {
		t.Fatalf("%+v", set)
	}
	public, err := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Parse(e.JWT, func(token *jwt.Token) (any, error) {
		equal(t, set.Keys[0].Kid, token.Header["kid"])
		return ed25519.PublicKey(public), nil
	}, jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithIssuedAt())
	if err != nil {
		t.Fatal(err)
	}
	want := jwt.MapClaims{
		"iss": "https://api.example", "aud": []any{"2"}, "sub": "4097", "iat": float64(now.Unix()), "exp": float64(now.Unix() + 3600),
		"svc": "spotify", "optins": []any{}, "segments": []any{},
	}
	equal(t, want, token.Claims.(jwt.MapClaims))
}

// keyedHash is HMAC-SHA-256.
func keyedHash(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

const byEmail = "service=email&email=+Ada@Example.com+&password=correct+horse"

// addressOf is the identity of a login email.
func addressOf(email string) domain.IdentityHash {
	return testHasher{}.Identity(1, domain.ByLogin, email)
}

// hashed is a password's hash under the salt of another hash, at the cost of tests.
func (h *fixture) hashed(password, known string) string {
	parts := strings.Split(known, "$")
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		panic(err)
	}
	key := argon2.IDKey([]byte(password), salt, cheap.Passes, cheap.MemoryKiB, cheap.Lanes, 32)
	return "$argon2id$v=19$m=8,t=1,p=1$" + parts[4] + "$" + base64.RawStdEncoding.EncodeToString(keyedHash(keyedHash(h.config.TokenKey[:], []byte("password")), key))
}

// registrations are the commands submitted.
func (h *fixture) registrations() (out []*domain.RegisterMember) {
	for _, s := range h.engine.submitted {
		switch c := s.Command.(type) {
		case *domain.RegisterMember:
			out = append(out, c)
		case *domain.AttachService:
			out = append(out, &c.Register)
		}
	}
	return out
}

// A registration by email carries a hash with a salt of its own, and no password.
func TestRegister_EmailHash(t *testing.T) {
	h := newFixture(t)
	out := answered[[]wire.Envelope](h, h.post("/v1.1/member/register", byEmail+"&uid=x&authtoken=secret-token&authsecret=secret-secret&segmentid=1"))
	c := h.registrations()[0]
	if c.Service != domain.Email || h.personalOf(&c.Personal).Services[0].UID != "ada@example.com" || c.Identity != addressOf("ada@example.com") || c.Segment != 1 ||
		h.personalOf(&c.Personal).Profile.Get(domain.EmailAddress) != "Ada@Example.com" || c.Email != (testHasher{}).Identity(1, domain.ByEmail, "Ada@Example.com") || len(c.Record) != 0 {
		t.Errorf("%+v", c)
	}
	if s := h.engine.submitted[0]; s.Slot != c.Identity.Slot() {
		t.Errorf("slot %d", s.Slot)
	}
	equal(t, h.hashed("correct horse", c.Password), c.Password, c.Password)
	if e := out[0]; e.Services[0].Service != "email" || e.Services[0].UserID != "ada@example.com" || e.Services[0].Token != "" || *e.Data.Email != "Ada@Example.com" {
		t.Errorf("%+v", e)
	}
	h.post("/v1.1/member/register", byEmail)
	if two := h.registrations()[1]; two.Password == c.Password {
		t.Error("two registrations share their salt")
	}
}

// No secret of a registration is logged or answered, whatever the outcome.
func TestRegister_NoSecretInLogOrAnswer(t *testing.T) {
	h := newFixture(t)
	const params = "service=email&email=secret@example.com&password=secret-password&authtoken=secret-token&firstname=secret-name"
	for _, code := range []domain.Code{domain.OK, domain.Conflict, domain.Locked, domain.Internal} {
		h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
			if code == domain.Internal {
				panic("secret-panic")
			}
			return domain.Outcome{Code: code, Message: "so it is", Member: 4097}, nil
		}
		w := h.post("/v1.1/member/register", params)
		if strings.Contains(h.log.String(), "secret") || strings.Contains(h.log.String(), "argon2") {
			t.Fatalf("logged: %s", h.log)
		}
		if strings.Contains(w.Body.String(), "secret-") || strings.Contains(w.Body.String(), "argon2") {
			t.Fatalf("shown: %s", w.Body)
		}
	}
}

// A password is hashed under the salt that the address has; where another one was stored meanwhile, it is
// hashed again under an id derived from the request's.
func TestRegister_HashesAgainUnderTheSaltInUse(t *testing.T) {
	h := newFixture(t)
	salted := h.hashed("another", "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$")
	address := addressOf("ada@example.com")
	tries := 0
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if tries++; tries == 1 { // another registration came first
			m := *h.engine.members[4097]
			m.Passwords = []domain.Password{{Address: address, Hash: salted}}
			h.engine.members[4097], h.engine.names[address] = &m, 4097
			return domain.Outcome{Again: true, Position: domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: 3, Next: 99}}}}, nil
		}
		return domain.Outcome{Code: domain.Conflict, Parameter: "password", Message: "another password"}, nil
	}
	h.refused(h.post("/v1.1/member/register", byEmail, "Idempotency-Key", "k"), domain.Conflict, "password")
	c := h.registrations()
	if len(c) != 2 {
		t.Fatalf("%d attempts", len(c))
	}
	head := salted[:strings.LastIndex(salted, "$")]
	if strings.HasPrefix(c[0].Password, head) || !strings.HasPrefix(c[1].Password, head) || c[1].Password == salted {
		t.Errorf("%s, then %s under %s", c[0].Password, c[1].Password, salted)
	}
	if c[0].UUID != c[1].UUID {
		t.Error("another attempt is another registration")
	}
	ids := []domain.RequestID{h.engine.submitted[0].Request, h.engine.submitted[1].Request}
	if ids[0] == ids[1] || h.engine.submitted[0].BodyHash != h.engine.submitted[1].BodyHash {
		t.Errorf("requests %v", ids)
	}
	if w := h.engine.waited[len(h.engine.waited)-1]; w.Next(3) != 99 {
		t.Errorf("the second attempt did not wait for the first: %+v", w)
	}
	tries = 0
	h.post("/v1.1/member/register", byEmail, "Idempotency-Key", "k")
	if got := []domain.RequestID{h.engine.submitted[2].Request, h.engine.submitted[3].Request}; !slices.Equal(got, ids) {
		t.Errorf("a repeat asks for %v, not %v", got, ids)
	}
}

// A registration that never settles is Unavailable after 128 attempts.
func TestRegister_AttemptsAreBounded(t *testing.T) {
	h := newFixture(t)
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return domain.Outcome{Again: true}, nil }
	h.refused(h.post("/v1.1/member/register", "service=spotify&uid=1&authtoken=t"), domain.Unavailable, "")
	if n := len(h.engine.submitted); n != 128 {
		t.Errorf("%d attempts", n)
	}
}

// A lock has its time in Retry-After.
func TestRegister_Locked(t *testing.T) {
	h := newFixture(t)
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Code: domain.Locked, Parameter: "email", Message: "locked", RetryAfter: 840}, nil
	}
	w := h.post("/v1.1/member/register", byEmail)
	h.refused(w, domain.Locked, "email")
	if got := w.Header().Values("Retry-After"); !slices.Equal(got, []string{"840"}) {
		t.Errorf("%q", got)
	}
}

// The command of an attached service goes to the member's slot.
func TestAttach_GoesToTheMember(t *testing.T) {
	for _, target := range []string{"/v1.1/member/4097/register?", "/v1.1/member/register?id=4097&", "/v1.1/member/4097/register?id=4097&"} {
		h := newFixture(t)
		out := answered[[]wire.Envelope](h, h.post(target+"service=deezer&uid=d-1&authtoken=t", ""))
		s := h.engine.submitted[0]
		c := s.Command.(*domain.AttachService)
		if c.Member != 4097 || c.Met || !c.Asked.IsZero() || s.Slot != domain.MemberID(4097).Slot() || c.Register.Service != domain.Deezer ||
			c.Register.Identity != (testHasher{}).Identity(1, domain.ByService, "deezer", "d-1") {
			t.Errorf("%s: %+v", target, s)
		}
		if len(out) != 1 || out[0].Data.ID != 4097 || len(out[0].Services) != 2 {
			t.Errorf("%s: %+v", target, out)
		}
	}
}

// The hash of the parameters is in the log: it is keyed, or a password could be guessed from it.
func TestSubmission_KeyedBodyHash(t *testing.T) {
	h := newFixture(t)
	h.post("/v1.1/member/register", byEmail)
	h.post("/v1.1/member/register", byEmail)
	h.post("/v1.1/member/register", byEmail+"x")
	s := h.engine.submitted
	if s[0].BodyHash != s[1].BodyHash || s[0].BodyHash == s[2].BodyHash {
		t.Error("the hash does not distinguish requests")
	}
	h.api.Config.Hasher = otherHasher{}
	h.post("/v1.1/member/register", byEmail)
	if h.engine.submitted[3].BodyHash == s[0].BodyHash {
		t.Error("the hash does not depend on the installation's secret")
	}
}

// otherHasher has another secret.
type otherHasher struct{ testHasher }

func (otherHasher) ID(source, id string) uint64 { return testHasher{}.ID("other "+source, id) }

// A member is found by each name; of an email that of the login comes first.
func TestFindMember_ByEachName(t *testing.T) {
	h := newFixture(t)
	hash := testHasher{}.Identity
	other := *h.engine.members[4097]
	other.ID = 8193
	h.engine.members[8193] = &other
	name := func(id domain.MemberID, kind domain.IdentityKind, parts ...string) {
		h.engine.names[hash(1, kind, parts...)] = id
	}
	name(8193, domain.ByLogin, "both@x.y")
	name(4097, domain.ByEmail, "both@x.y")
	name(4097, domain.ByVerifiedEmail, "v@x.y")
	name(4097, domain.ByPartner, "acme", "77")
	name(8193, domain.ByUsername, "spotify", "ada")
	name(77, domain.ByLogin, "gone@x.y") // the member is gone
	name(4097, domain.ByEmail, "gone@x.y")
	for query, want := range map[string]uint64{
		"email=both@x.y": 8193, "email=ada@example.com": 4097, "verified_email=v@x.y": 4097, "partnerID=77&partnerCode=acme": 4097,
		"service=Spotify&username=ada": 8193, "email=gone@x.y": 4097,
	} {
		e := answered[wire.Envelope](h, h.get("/v1.1/member?"+query))
		if e.Data.ID != want || len(e.Services) != 1 || e.JWT == "" {
			t.Errorf("%s: %+v", query, e)
		}
	}
	h.engine.waited = nil
	h.get("/v1.1/member?email=ada@example.com&wait_for=" + wire.EncodePosition(domain.Position{Catalog: 3}))
	for _, p := range h.engine.waited {
		if p.Catalog < 3 {
			t.Errorf("a look-up did not wait: %+v", h.engine.waited)
		}
	}
}

// An opt-in or opt-out goes to the member, however it is named.
func TestOptIn_Commands(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct {
		path, who string
		want      domain.Command
	}{
		{"/v1.1/brand/2/optin", "id=4097", &domain.OptIn{Member: 4097, Opt: domain.Opt{Kind: domain.OptBrand, ID: 2}, At: now.UnixMilli()}},
		{"/v1.1/brand/2/optout", "email=ada@example.com", &domain.OptOut{Member: 4097, Opt: domain.Opt{Kind: domain.OptBrand, ID: 2}, At: now.UnixMilli()}},
		{"/v1.1/segment/1/optin", "id=4097", &domain.OptIn{Member: 4097, Opt: domain.Opt{Kind: domain.OptSegment, ID: 1}, At: now.UnixMilli()}},
		{"/v1.1/segment/1/optout", "email=Ada@Example.com", &domain.OptOut{Member: 4097, Opt: domain.Opt{Kind: domain.OptSegment, ID: 1}, At: now.UnixMilli()}},
		{"/v1.1/optin", "id=4097", &domain.OptIn{Member: 4097, Opt: domain.Opt{Kind: domain.OptGlobal}, At: now.UnixMilli()}},
		{"/v1.1/optout", "id=4097", &domain.OptOut{Member: 4097, Opt: domain.Opt{Kind: domain.OptGlobal}, At: now.UnixMilli()}},
	} {
		w := h.post(c.path, c.who)
		e := answered[wire.Envelope](h, w)
		s := h.engine.submitted[len(h.engine.submitted)-1]
		if d := cmp.Diff(c.want, s.Command); d != "" || s.Slot != domain.MemberID(4097).Slot() || e.Data.ID != 4097 {
			t.Errorf("%s: %s", c.path, d)
		}
	}
}
