package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/registration"
	"github.com/ovation-analytics/ovation/api/serve"
)

// wrongly has each login be one with a wrong password.
func (h *fixture) wrongly() {
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Code: domain.WrongPassword, Parameter: "password", Message: "wrong"}, nil
	}
}

// A public key, which everybody may have, says nothing of a registration that only the account may know:
// error 15, before what else is wrong with it, and nothing is submitted.
func TestPublicKey_WithheldOfARegistration(t *testing.T) {
	values := map[string]string{
		"partner": "acme", "code": "acme", "sourceuid": "CRM-2", "segmentid": "1", "paidaccount": "1", "followers": "9", "likes": "9",
		"ip": "203.0.113.7",
	}
	for _, name := range registration.Withheld {
		for _, value := range []string{values[name], ""} {
			h := newFixture(t)
			params := "service=email&email=new@example.com&password=correct+horse&" + name + "=" + value
			h.refused(h.do("POST", keyed("/v1.1/member/register", keyPublic), params), domain.WrongApplication, name)
			h.refused(h.do("POST", keyed("/v1.1/member/register", keyPublic), "service=nonsense&"+name+"="+value), domain.WrongApplication, name)
			h.refused(h.do("POST", keyed("/v1.1/member/4097/register", keyPublic), params, "Authorization", "Bearer "+h.jwtOf(4097, keyEnterprise)),
				domain.WrongApplication, name)
			if len(h.engine.submitted) > 0 {
				t.Errorf("%s=%s: %d submissions", name, value, len(h.engine.submitted))
			}
		}
		if values[name] == "" {
			t.Errorf("%s has no value", name)
		}
	}
	h := newFixture(t)
	h.refused(h.do("POST", keyed("/v1.1/member/register", keyPublic), "service=email&email=new@example.com&password=correct+horse&segment=1"),
		domain.WrongApplication, "segment")
}

// With a public key wrong passwords count for the address of the connection, whatever ip says, and the visit
// is from nowhere else.
func TestPublicKey_DoesNotChooseTheAddress(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	locked := 0
	for i := range 150 {
		w := h.do("POST", keyed("/v1.1/member/login", keyPublic), fmt.Sprintf("service=email&email=ada@example.com&password=wrong-horse&ip=203.0.113.%d", i))
		if w.Code == http.StatusTooManyRequests {
			locked++
		}
	}
	if locked != 50 {
		t.Errorf("of 150 wrong passwords over one connection %d are locked", locked)
	}
	for _, l := range h.logins() {
		if l.Visit.Details.Data != "" && h.detailsOf(&l.Visit).IP != "" {
			t.Fatal("the visit has the address that a public key gave")
		}
	}
}

// Wrong passwords for the members of one account lock an address for that account alone.
func TestLocked_AddressIsOfTheAccount(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	h.wrongly()
	const where = "&ip=203.0.113.7"
	for range 100 {
		h.do("POST", keyed("/v1.1/member/login", keyStranger), "service=email&email=ada@example.com&password=wrong-horse"+where)
	}
	w := h.do("POST", keyed("/v1.1/member/login", keyStranger), "service=email&email=ada@example.com&password=wrong-horse"+where)
	h.refused(w, domain.Locked, "ip")
	h.engine.outcome = nil
	h.status(h.post("/v1.1/member/login", "service=email&email=ada@example.com&password=correct+horse"+where), http.StatusOK)
}

// Of IPv6 wrong passwords count for the /64 around an address.
func TestLocked_NetworkOfIPv6(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	h.wrongly()
	login := func(ip string) int {
		return h.post("/v1.1/member/login", "service=email&email=ada@example.com&password=wrong-horse&ip="+ip).Code
	}
	for i := range 100 {
		login(fmt.Sprintf("2001:db8:1:2::%x", i+1))
	}
	for ip, want := range map[string]int{
		"2001:db8:1:2:ffff::1": http.StatusTooManyRequests, "2001:db8:1:3::1": http.StatusUnauthorized, "::ffff:192.0.2.1": http.StatusUnauthorized,
	} {
		if got := login(ip); got != want {
			t.Errorf("%s: %d, want %d", ip, got, want)
		}
	}
}

// The Idempotency-Keys of pages are apart from those of the account's servers: one that a page used first is
// free for a server, and the other way round. A repeat by the same key is the same request.
func TestPublicKey_IdempotencyKeysAreApart(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	ids := map[domain.RequestID]string{}
	for _, key := range []string{keyPublic, keyEnterprise, keyPublic, keyEnterprise} {
		before := len(h.engine.submitted)
		h.status(h.do("POST", keyed("/v1.1/member/login", key), "service=email&email=ada@example.com&password=correct+horse", "Idempotency-Key", "order-1"), http.StatusOK)
		for _, s := range h.engine.submitted[before:] {
			if by, there := ids[s.Request]; there && by != key {
				t.Errorf("%s and %s are one request", by, key)
			}
			ids[s.Request] = key
		}
	}
	if len(ids) != 2 {
		t.Errorf("%d requests", len(ids))
	}
}

// Behind a proxy wrong passwords count for the client that the proxy names; a header that another connection
// has, or that the client wrote itself, changes nothing.
func TestPublicKey_ClientOfAProxy(t *testing.T) {
	for name, c := range map[string]struct {
		remote, header string // %d: of each try another one
		locks          bool
	}{
		"clients of the proxy":        {"10.0.0.1:1", "203.0.113.%d", false},
		"one client of the proxy":     {"10.0.0.1:1", "203.0.113.7", true},
		"what the client wrote":       {"10.0.0.1:1", "198.51.100.%d, 203.0.113.7", true},
		"a connection from elsewhere": {"192.0.2.1:1", "203.0.113.%d", true},
	} {
		h := newFixture(t)
		h.renew(func(c *Config) {
			c.Proxies = serve.Proxies{Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Header: "X-Forwarded-For"}
		})
		known(h, "correct horse")
		h.wrongly()
		locked := 0
		for i := range 110 {
			r := httptest.NewRequest("POST", keyed("https://api.example/v1.1/member/login", keyPublic)+
				"&service=email&email=ada@example.com&password=wrong-horse", nil)
			r.RemoteAddr = c.remote
			r.Header.Set("X-Forwarded-For", strings.ReplaceAll(c.header, "%d", strconv.Itoa(i)))
			w := httptest.NewRecorder()
			if h.api.ServeHTTP(w, r); w.Code == http.StatusTooManyRequests {
				locked++
			}
		}
		if locked > 0 != c.locks {
			t.Errorf("%s: %d of 110 are locked", name, locked)
		}
	}
}
