package api

import (
	"bytes"
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/wire"
)

// jwtOf is the token in the envelope of a member, made with the key of an application.
func (h *fixture) jwtOf(id domain.MemberID, key string) string {
	h.t.Helper()
	e := answered[wire.Envelope](h, h.do(http.MethodGet, keyed("/v1.1/member/"+wire.Number(id), key), ""))
	if e.JWT == "" {
		h.t.Fatal("an envelope without a token")
	}
	return e.JWT
}

// as is the header of a member's token.
func as(raw string) []string { return []string{"Authorization", "Bearer " + raw} }

// withOther is a fixture with a second member, 8194, and a third of another account, 12290.
func withOther(t *testing.T) *fixture {
	h := newFixture(t)
	for id, account := range map[domain.MemberID]domain.AccountID{8194: 1, 12290: 2} {
		other := *h.engine.members[4097]
		other.ID, other.Account = id, account
		h.engine.members[id] = &other
	}
	return h
}

// spoiled are tokens of member 4097 for the application of keyAdvanced that are not good.
func spoiled(t *testing.T) map[string]string {
	t.Helper()
	sign := func(method jwt.SigningMethod, key any, kid string, change func(jwt.MapClaims)) string {
		c := jwt.MapClaims{
			"iss": "https://api.example", "aud": []string{"2"}, "sub": "4097", "iat": now.Unix(), "exp": now.Add(token.Life).Unix(),
		}
		change(c)
		made := jwt.NewWithClaims(method, c)
		made.Header["kid"] = kid
		raw, err := made.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	as := func(name string, value any) func(jwt.MapClaims) { return func(c jwt.MapClaims) { c[name] = value } }
	same := func(jwt.MapClaims) {}
	public := []byte(signingKey.Key.Public().(ed25519.PublicKey))
	stranger := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32))
	return map[string]string{
		"alg none":                    sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "k1", same),
		"HMAC with the public key":    sign(jwt.SigningMethodHS256, public, "k1", same),
		"another key under the kid":   sign(jwt.SigningMethodEdDSA, stranger, "k1", same),
		"an unknown kid":              sign(jwt.SigningMethodEdDSA, stranger, "k9", same),
		"expired":                     sign(jwt.SigningMethodEdDSA, signingKey.Key, "k1", as("exp", now.Add(-time.Second).Unix())),
		"another audience":            sign(jwt.SigningMethodEdDSA, signingKey.Key, "k1", as("aud", "somebody")),
		"another issuer":              sign(jwt.SigningMethodEdDSA, signingKey.Key, "k1", as("iss", "https://other.example")),
		"an expiry in another format": sign(jwt.SigningMethodEdDSA, signingKey.Key, "k1", as("exp", "2030-01-01")),
		"no token":                    "",
		"no dots":                     "x",
		"binary":                      "\xff\xfe.\x00.",
	}
}

// bearerTargets are the operations that take a member's token, of member 4097.
func bearerTargets() map[*serve.Operation]string {
	out := map[*serve.Operation]string{}
	for _, o := range Operations() {
		if o.Access.TakesBearer {
			target, params := exampled(o)
			out[o] = target + "?" + params.Encode()
		}
	}
	return out
}

// A forged, an expired and a foreign token beside a good key are error 2, in every operation,
// also in those that take none; the member's own is good.
func TestBearer_ForgedIsInvalidKey(t *testing.T) {
	h := withOther(t)
	h.api.Config.Logger = discarded
	raw, bad := h.jwtOf(4097, keyAdvanced), spoiled(t)
	for _, o := range Operations() {
		target, params := exampled(o)
		target = keyed(target+"?"+params.Encode(), keyAdvanced)
		for name, text := range bad {
			w := h.do(o.Method, target, "", as(text)...)
			wants(t, o.Name()+" with "+name, w, domain.InvalidKey, "Authorization")
			if text != "" && len(text) > 9 && strings.Contains(w.Body.String(), text) {
				t.Errorf("%s: the answer quotes the token", o.Name())
			}
		}
		if w := h.do(o.Method, target, "", as(raw)...); !o.Access.TakesBearer {
			wants(t, o.Name()+" with a good token", w, domain.WrongApplication, "Authorization")
		}
	}
	for o, target := range bearerTargets() {
		h := newFixture(t)
		body := ""
		if w := h.do(o.Method, keyed(target, keyAdvanced), body, as(raw)...); w.Code != http.StatusOK {
			t.Errorf("%s with the member's own token: %d %s", o.Name(), w.Code, w.Body)
		}
	}
	if strings.Contains(h.log.String(), raw[:20]) {
		t.Error("a token is logged")
	}
}

// The token of another member, or one made for another application, is error 15; also where the
// parameters name a member in another way.
func TestBearer_AnotherMemberOrApplication(t *testing.T) {
	h := withOther(t)
	other, foreign := h.jwtOf(8194, keyAdvanced), h.jwtOf(4097, keyStandard)
	stranger := h.jwtOf(12290, keyStranger)
	for o, target := range bearerTargets() {
		if o.ID == "registerMember" {
			continue // a registration is of the identity's member: see below
		}
		target = keyed(target, keyAdvanced)
		for name, raw := range map[string]string{"another member": other, "another application": foreign, "another account": stranger} {
			wants(t, o.Name()+" with the token of "+name, h.do(o.Method, target, "", as(raw)...), domain.WrongApplication, "Authorization")
		}
	}
	const social = "service=spotify&uid=u&authtoken=t"
	h.refused(h.post("/v1.1/member/register?id=4097", social, as(other)...), domain.WrongApplication, "Authorization")
	h.refused(h.get("/v1.1/member?email=ada@example.com", as(other)...), domain.WrongApplication, "Authorization")
	h.refused(h.get("/v1.1/member/1", as(other)...), domain.WrongApplication, "Authorization")
	h.refused(h.get("/v1.1/member/x", as(other)...), domain.InvalidParameter, "memberid")
}

// Without an id member show is that of the Bearer's member, and its poll is no other member's.
func TestBearer_ShowsItsMember(t *testing.T) {
	h := withOther(t)
	ada, other := h.jwtOf(4097, keyAdvanced), h.jwtOf(8194, keyAdvanced)
	first := h.get("/v1.1/member", as(ada)...)
	equal(t, uint64(4097), answered[wire.Envelope](h, first).Data.ID)
	equal(t, uint64(8194), answered[wire.Envelope](h, h.get("/v1.1/member", as(other)...)).Data.ID)
	equal(t, uint64(4097), answered[wire.Envelope](h, h.get("/v1.1/member/4097", as(ada)...)).Data.ID)
	h.refused(h.get("/v1.1/member"), domain.MissingParameter, "email")
	h.refused(h.get("/v1.1/member?partnerCode=x", as(ada)...), domain.MissingParameter, "partnerID")

	h.engine.unchanged = func(domain.AccountID, domain.Versions, *domain.ReadSet, []domain.Range) (domain.Position, bool) {
		return domain.Position{}, true
	}
	tag := first.Header().Get("Etag")
	h.status(h.get("/v1.1/member", append(as(ada), "If-None-Match", tag)...), http.StatusNotModified)
	w := h.get("/v1.1/member", append(as(other), "If-None-Match", tag)...)
	equal(t, uint64(8194), answered[wire.Envelope](h, w).Data.ID)
	h.refused(h.get("/v1.1/member/4097", append(as(other), "If-None-Match", tag)...), domain.WrongApplication, "Authorization")
	h.refused(h.get("/v1.1/member", append(as(ada+"x"), "If-None-Match", tag)...), domain.InvalidKey, "Authorization")
	h.refused(h.get("/v1.1/member", "If-None-Match", tag), domain.MissingParameter, "email")
}

// A token made before a reset, in its second, too, reads until it expires and writes nothing; it is not exchanged
// for one that does. A token made after the reset is good.
func TestBearer_BeforeAReset(t *testing.T) {
	for o, target := range bearerTargets() {
		h := newFixture(t)
		if o.Path == "/v1.1/auth" {
			target = o.Path + "?" // by the Bearer, not by an access token
		}
		before := h.jwtOf(4097, keyAdvanced)
		reset := *h.engine.members[4097]
		reset.TokenMade = now.Unix()
		h.engine.members[4097] = &reset
		after := h.jwtOf(4097, keyAdvanced)
		old, fresh := h.do(o.Method, keyed(target, keyAdvanced), "", as(before)...), h.do(o.Method, keyed(target, keyAdvanced), "", as(after)...)
		h.status(fresh, http.StatusOK)
		if o.Method == http.MethodPost {
			wants(t, o.Name(), old, domain.InvalidKey, "Authorization")
			continue
		}
		h.status(old, http.StatusOK)
		access := h.api.Tokens.Access(4097, [10]byte{}, now.Unix())
		for name, gives := range map[string]string{"a token that writes": after, "the access token": access} {
			if strings.Contains(old.Body.String(), gives) {
				t.Errorf("%s: a token of before the reset gets %s", o.Name(), name)
			}
		}
		if !strings.Contains(old.Body.String(), before) {
			t.Errorf("%s: %s", o.Name(), old.Body)
		}
	}
	h := newFixture(t)
	before := h.jwtOf(4097, keyAdvanced)
	tag := h.get("/v1.1/member", as(before)...).Header().Get("Etag")
	reset := *h.engine.members[4097]
	reset.TokenMade = now.Unix()
	h.engine.members[4097] = &reset
	h.engine.unchanged = func(domain.AccountID, domain.Versions, *domain.ReadSet, []domain.Range) (domain.Position, bool) {
		return domain.Position{}, true
	}
	tag = h.get("/v1.1/member", append(as(before), "If-None-Match", tag)...).Header().Get("Etag")
	h.status(h.get("/v1.1/member", append(as(h.jwtOf(4097, keyAdvanced)), "If-None-Match", tag)...), http.StatusOK)
}

// The header is the scheme Bearer in any case, once; another scheme is not looked at. A key is
// needed beside it.
func TestBearer_Header(t *testing.T) {
	h := newFixture(t)
	raw := h.jwtOf(4097, keyAdvanced)
	h.status(h.get("/v1.1/member", "Authorization", "bEARER  "+raw+" "), http.StatusOK)
	h.status(h.get("/v1.1/member/4097", "Authorization", "Basic eDp5"), http.StatusOK)
	h.refused(h.get("/v1.1/member/4097", "Authorization", "Bearer"), domain.InvalidKey, "Authorization")
	h.refused(h.do("GET", "/v1.1/member/4097", "", as(raw)...), domain.MissingKey, "apiKey")
	h.refused(h.do("GET", "/v1.1/member/4097?apiKey="+keyRevoked, "", as(raw)...), domain.InvalidKey, "apiKey")
	r := httptest.NewRequest(http.MethodGet, "https://api.example/v1.1/member/4097?apiKey="+keyAdvanced, nil)
	r.Header["Authorization"] = []string{"Bearer " + raw, "Bearer " + raw}
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, r)
	h.refused(w, domain.InvalidKey, "Authorization")
}

// A token signed before a rotation stays good while its key is in force; the key set has both.
// One whose key was ended is error 2.
func TestBearer_RotatedKey(t *testing.T) {
	h := newFixture(t)
	raw := h.jwtOf(4097, keyAdvanced)
	next := PrivateKey{ID: "k2", Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, 32))}
	if err := h.api.Tokens.Add(next); err != nil {
		t.Fatal(err)
	}
	h.engine.signs = append(h.engine.signs, published(next, now))
	h.status(h.get("/v1.1/member", as(raw)...), http.StatusOK)
	h.status(h.get("/v1.1/member", as(h.jwtOf(4097, keyAdvanced))...), http.StatusOK)
	var set struct{ Keys []struct{ Kid string } }
	h.ok(h.do("GET", "/.well-known/jwks.json", ""), &set)
	if len(set.Keys) != 2 || set.Keys[0].Kid != "k2" || set.Keys[1].Kid != "k1" {
		t.Errorf("%+v", set)
	}
	ended := *h.engine.signs[1]
	ended.Ended = now.UnixMilli()
	h.engine.signs[1] = &ended
	h.refused(h.get("/v1.1/member", as(raw)...), domain.InvalidKey, "Authorization")
	h.engine.signs = nil // the node holds no key in force
	h.refused(h.get("/v1.1/member/4097"), domain.Unavailable, "")
}

// The member of a token that was erased is gone; one merged or unknown likewise has its own error.
func TestBearer_MemberThatIsGone(t *testing.T) {
	h := newFixture(t)
	raw := h.jwtOf(4097, keyAdvanced)
	delete(h.engine.members, 4097)
	h.refused(h.get("/v1.1/member", as(raw)...), domain.NotFound, "")
	h.refused(h.get("/v1.1/auth", as(raw)...), domain.NotFound, "")
}

// A public key is for information on the application, for auth and for a registration by email,
// and with the member's Bearer for what is that member's; anything else is error 15.
func TestPublicKey_Operations(t *testing.T) {
	open := map[string]bool{"getApplication": true, "getAuth": true, "authenticate": true}
	for _, o := range Operations() {
		h := withOther(t)
		target, params := exampled(o)
		target = keyed(target+"?"+params.Encode(), keyPublic)
		w := h.do(o.Method, target, "")
		switch {
		case open[o.ID]:
			h.status(w, http.StatusOK, o.Name())
		case o.Each != nil:
			h.refused(h.do(o.Method, target, exampleRecord(o)), domain.WrongApplication, "")
		default:
			if p, ok := problemOf(w); !ok || p.Error.Code != int(domain.WrongApplication) {
				t.Errorf("%s: %d %s", o.Name(), w.Code, w.Body)
			}
		}
		if len(h.engine.submitted) > 0 {
			t.Errorf("%s: submitted %T", o.Name(), h.engine.submitted[0].Command)
		}
		if !o.Access.OfMember || o.ID == "attachService" { // a service is social there
			continue
		}
		h.status(h.do(o.Method, target, "", as(h.jwtOf(4097, keyEnterprise))...), http.StatusOK, o.Name())
		wants(t, o.Name(), h.do(o.Method, target, "", as(h.jwtOf(8194, keyEnterprise))...), domain.WrongApplication, "Authorization")
	}
}

// A public key registers by email, not by a network, and attaches to the Bearer's member alone.
// It does not learn whether another member is there.
func TestPublicKey_RegistersByEmail(t *testing.T) {
	h := withOther(t)
	const email = "service=email&email=new@example.com&password=correct+horse"
	post := func(target, body string, headers ...string) *httptest.ResponseRecorder {
		return h.do(http.MethodPost, keyed(target, keyPublic), body, headers...)
	}
	h.status(post("/v1.1/member/register", email), http.StatusOK)
	h.refused(post("/v1.1/member/register", "service=spotify&uid=1&authtoken=t"), domain.WrongApplication, "service")
	h.refused(post("/v1.1/member/register", email+"&id=4097"), domain.WrongApplication, "id")
	h.refused(post("/v1.1/member/4097/register", email), domain.WrongApplication, "Authorization")
	ada := as(h.jwtOf(4097, keyEnterprise))
	h.status(post("/v1.1/member/4097/register", email, ada...), http.StatusOK)
	h.refused(post("/v1.1/member/8194/register", email, ada...), domain.WrongApplication, "Authorization")
	h.refused(post("/v1.1/member/4097/register", "service=spotify&uid=1&authtoken=t", ada...), domain.WrongApplication, "service")
	for _, name := range []string{"email=nobody@example.com", "service=spotify&username=x", "partnerCode=x&partnerID=1"} {
		h.refused(h.do("GET", keyed("/v1.1/member?"+name, keyPublic), "", ada...), domain.WrongApplication, "Authorization")
		h.refused(post("/v1.1/optin", name, ada...), domain.WrongApplication, "Authorization")
	}
	h.status(h.do("GET", keyed("/v1.1/member?email=ada@example.com", keyPublic), "", ada...), http.StatusOK)
	h.status(h.do("GET", keyed("/v1.1/member", keyPublic), "", ada...), http.StatusOK)
	h.refused(h.do("GET", keyed("/v1.1/member", keyPublic), ""), domain.WrongApplication, "Authorization")
	// It comes before what is missing, malformed or not there.
	for _, target := range []string{"/v1.1/members/active?limit=x", "/v1.1/account/usage", "/v1.1/brand/77", "/v1.1/brand/x/stats/activity", "/v1.1/member/99"} {
		if w := h.do("GET", keyed(target, keyPublic), ""); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

// A Bearer of another application of the account is error 15 where it alone names the member.
func TestBearer_OfAnotherApplicationNamesNobody(t *testing.T) {
	h := newFixture(t)
	foreign := as(h.jwtOf(4097, keyStandard))
	for _, target := range []string{"/v1.1/member", "/v1.1/auth", "/v1.1/member?fields=ID", "/v1.1/auth?details=1"} {
		h.refused(h.get(target, foreign...), domain.WrongApplication, "Authorization")
	}
	h.refused(h.post("/v1.1/auth", "", foreign...), domain.WrongApplication, "Authorization")
	h.refused(h.do("GET", keyed("/v1.1/member", keyPublic), "", foreign...), domain.WrongApplication, "Authorization")
	h.refused(h.get("/v1.1/member?refresh=x", foreign...), domain.InvalidParameter, "refresh")
}
