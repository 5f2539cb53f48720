package api

import (
	"net/url"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// notAddresses are texts that no operation takes for an address.
var notAddresses = []string{"ann@@example.com", "ann@exam..ple.com", "Ann <ann@example.com>", "an n@example.com", "ann@", "ann"}

// Each operation that takes an address takes it in all of its spellings as one identity.
func TestAddress_OneIdentity(t *testing.T) {
	for _, address := range []string{"ann@xn--mnchen-3ya.de", " Ann@MÜNCHEN.de ", "ANN@münchen.de.", "ann@mu\u0308nchen.de"} {
		h := newFixture(t)
		want := addressOf("ann@xn--mnchen-3ya.de")
		given := url.Values{"service": {"email"}, "email": {address}, "password": {"correct horse"}}
		h.status(h.post("/v1.1/member/register", given.Encode()), 200, address)
		registered := h.registrations()[0]
		equal(t, want, registered.Identity, address)
		equal(t, "ann@xn--mnchen-3ya.de", h.personalOf(&registered.Personal).Services[0].UID, address)
		h.post("/v1.1/member/login", given.Encode())
		equal(t, want, h.logins()[0].Identity, address)
		u := h.change(url.Values{"email": {address}}.Encode())
		if len(u.Records) != 1 || u.Records[0].Login != want {
			t.Errorf("%s: %+v", address, u.Records)
		}
	}
}

// A letter beyond ASCII makes another identity: who has that mailbox is a stranger.
func TestAddress_Strangers(t *testing.T) {
	h := newFixture(t)
	for _, address := range []string{"\u212aate@example.com", "t\u0130m@example.com"} {
		h.post("/v1.1/member/register", url.Values{"service": {"email"}, "email": {address}, "password": {"correct horse"}}.Encode())
	}
	for _, r := range h.registrations() {
		if r.Identity == addressOf("kate@example.com") || r.Identity == addressOf("tim@example.com") {
			t.Error("a stranger's address")
		}
	}
}

// What is no address is error 4 in every operation that takes one.
func TestAddress_Refused(t *testing.T) {
	h := newFixture(t)
	for _, address := range notAddresses {
		value := url.QueryEscape(address)
		for target, c := range map[string][2]string{
			"/v1.1/member/register":    {"service=email&password=correct+horse&email=" + value, "email"},
			"/v1.1/member/login":       {"service=email&password=correct+horse&email=" + value, "email"},
			"/v1.1/member/4097/verify": {"service=spotify&verified_email=" + value, "verified_email"},
			"/v1.1/member/4097/update": {"email=" + value, "email"},
			"/v1.1/member/4097/reset":  {"password=correct+horse&email=" + value, "email"},
			"/v1.1/optin":              {"email=" + value, "email"},
			"/v1.1/brand/1/optout":     {"email=" + value, "email"},
		} {
			h.refused(h.post(target, c[0]), domain.InvalidParameter, c[1])
		}
		out := h.register([]string{`{"service":"email","password":"correct horse","email":"` + address + `"}`})
		if w := out.Body.String(); !strings.Contains(w, `"rejected":1`) {
			t.Errorf("%q: %s", address, w)
		}
	}
	if len(h.engine.submitted) > 0 {
		t.Errorf("%d submissions", len(h.engine.submitted))
	}
}
