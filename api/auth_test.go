package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// adasToken is the access token of member 4097.
const adasToken = "74a2c3d6bbebb0fef7962275bd97ca2d_1000000000"

// Auth answers a member in short, or its envelope, by an access token or by a Bearer, of which the
// answer has the fields that were asked for.
func TestAuth_Forms(t *testing.T) {
	h := newFixture(t)
	raw := h.jwtOf(4097, keyAdvanced)
	for query, want := range map[string]string{
		"":                                     `{"ID":4097,"Username":null,"Email":null,"jwt":"…"}`,
		"details=0&extended=0":                 `{"ID":4097,"Username":null,"Email":null,"jwt":"…"}`,
		"fields=EMAIL":                         `{"ID":4097,"Email":null}`,
		"fields=jwt":                           `{"ID":4097,"jwt":"…"}`,
		"fields=id":                            `{"ID":4097}`,
		"fields=FirstName":                     `{"ID":4097}`,
		"details=1&fields=firstname,jwt":       `{"data":{"ID":4097,"FirstName":"Ada"},"jwt":"…"}`,
		"details=1&fields=Surname,OptIns":      `{"data":{"ID":4097,"Surname":"Fan"},"optins":[]}`,
		"extended=1&fields=Gender,CountryCode": `{"data":{"ID":4097,"Gender":null,"CountryCode":"DE"}}`,
		"extended=1&fields=Surname,extended.GivenName,Extended.primaryAddress.Country,EXTENDED.none": `{"data":{"ID":4097,"Surname":"Fan","Extended":{"givenName":"Ada","primaryAddress":{"country":"Germany"}}}}`,
		"details=1&fields=Extended.profiles.identifier,extended.profiles.accessCredentials.UID":      `{"data":{"ID":4097,"Extended":{"profiles":[{"accessCredentials":{"uid":"u-1"},"identifier":"u-1"}]}}}`,
	} {
		for name, w := range map[string]string{
			"token": h.post("/v1.1/auth", "accessToken="+adasToken+"&"+query).Body.String(),
			"get":   h.get("/v1.1/auth?accesstoken=" + adasToken + "&" + query).Body.String(),
			"jwt":   h.get("/v1.1/auth?"+query, as(raw)...).Body.String(),
			"both":  h.post("/v1.1/auth?accessToken="+adasToken, query, as(raw)...).Body.String(),
		} {
			equal(t, want, strings.TrimSpace(fresh.ReplaceAllString(w, `"$1$2":"…"`)), name+" "+query)
		}
	}
	for query, show := range map[string]string{
		"details=1": "", "extended=1": "?extended=1", "details=1&fields=data,optins,services,jwt": "",
		"extended=1&fields=data,optins,services,jwt": "?extended=1", "details=1&fields=data,optins,services,jwt,extended": "?extended=1",
	} {
		envelope := h.get("/v1.1/member/4097" + show)
		w := h.get("/v1.1/auth?"+query, as(raw)...)
		equal(t, fresh.ReplaceAllString(envelope.Body.String(), `"$1$2":"…"`), fresh.ReplaceAllString(w.Body.String(), `"$1$2":"…"`), query)
	}
	if w := h.get("/v1.1/auth?fields=nothing,Extended.bio", as(raw)...); len(w.Header().Values("Warning")) != 2 {
		t.Errorf("%q", w.Header().Values("Warning"))
	}
	// The token that auth gives is as good as the one it was given.
	made := answered[wire.Authenticated](h, h.post("/v1.1/auth", "accessToken="+adasToken))
	equal(t, uint64(4097), answered[wire.Authenticated](h, h.get("/v1.1/auth", as(made.JWT)...)).ID)
}

// An access token that is no member's of the account, or is not any more, is error 13: nothing
// tells why. One beside another member's Bearer is 15.
func TestAuth_Refused(t *testing.T) {
	h := withOther(t)
	auth := func(token string, headers ...string) {
		t.Helper()
		h.refused(h.post("/v1.1/auth", "accessToken="+token, headers...), domain.NoAccount, "accessToken")
		h.refused(h.get("/v1.1/auth?accessToken="+token, headers...), domain.NoAccount, "accessToken")
	}
	auth(strings.Replace(adasToken, "74", "75", 1))      // of another member, most likely of none
	auth(strings.Replace(adasToken, "_1", "_2", 1))      // of another time
	auth(h.api.Tokens.Access(4097, [10]byte{9: 1}, 1e9)) // of an earlier token
	auth(h.api.Tokens.Access(12290, [10]byte{}, 1e9))    // of another account's member
	auth(h.api.Tokens.Access(1, [10]byte{}, 1e9))        // of no member
	h.refused(h.do("GET", keyed("/v1.1/auth?accessToken="+adasToken, keyStranger), ""), domain.NoAccount, "accessToken")
	h.refused(h.get("/v1.1/auth?accessToken="+adasToken, as(h.jwtOf(8194, keyAdvanced))...), domain.WrongApplication, "Authorization")
	h.refused(h.get("/v1.1/auth"), domain.MissingParameter, "accessToken")
	h.refused(h.post("/v1.1/auth", "accessToken="), domain.MissingParameter, "accessToken")
	h.refused(h.get("/v1.1/auth?details=x"), domain.MissingParameter, "accessToken")
	h.refused(h.do("POST", keyed("/v1.1/auth", keyGlobal), "accessToken="+adasToken), domain.WrongApplication, "")
	h.status(h.do("GET", keyed("/v1.1/auth?accessToken="+adasToken, keyGlobal), ""), http.StatusOK)

	changed := *h.engine.members[4097] // reset
	changed.TokenHash = h.api.Tokens.Hash([10]byte{5})
	h.engine.members[4097] = &changed
	auth(adasToken)
	delete(h.engine.members, 4097)
	auth(adasToken)
	if strings.Contains(h.log.String(), adasToken[:16]) {
		t.Error("a token is logged")
	}
}
