package api

import (
	"net/http"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// The information of an application has its addresses, an entry for each service of register.
func TestApplication_Information(t *testing.T) {
	h := newFixture(t)
	a := answered[wire.Application](h, h.get("/v1.1/app/info"))
	if a.ID != "2" || a.Name != "advanced" || a.Account.ID != "1" || a.Account.Name != "Night Label" || a.Plan != "advanced" ||
		a.Domains == nil || a.LogoutURL != nil || a.Widget.URL != nil || len(a.Urls) != 12 {
		t.Errorf("%+v", a)
	}
	app := *h.engine.apps[2]
	app.Addresses = domain.Addresses{
		domain.AddressLogout: "https://x.example/out", domain.AddressWidget: "https://x.example/w",
		domain.LoginAddress(domain.Spotify): "https://x.example/in", domain.RegisterAddress(domain.Email): "https://x.example/join",
	}
	h.engine.apps[2] = &app
	a = answered[wire.Application](h, h.get("/v1.1/app/info"))
	equal(t, "https://x.example/out", *a.LogoutURL)
	equal(t, "https://x.example/w", *a.Widget.URL)
	for _, u := range a.Urls {
		equal(t, u.Name == "spotify", u.LoginURL != nil, u.Name)
		equal(t, u.Name == "email", u.RegisterURL != nil, u.Name)
		if u.Name == "rdio" || u.Name == "beatsmusic" || u.Name == "custom" {
			t.Errorf("no member registers by %s", u.Name)
		}
	}
}

// The allowlist has each domain once, in one form, ascending; its aliases do the same.
func TestApplication_Allowlist(t *testing.T) {
	h := newFixture(t)
	change := func(path, of string, want ...string) {
		t.Helper()
		got := answered[wire.Allowlist](h, h.post("/v1.1/app/"+path, "domain="+of))
		equal(t, append([]string{}, want...), got.Domains, path, of)
	}
	change("allowlist", "https://www.Example.com:8080/path?x#y", "example.com")
	change("whitelist", "EXAMPLE.com", "example.com")
	change("allowlist", "bücher.example", "example.com", "xn--bcher-kva.example")
	change("whitelist", "a.example.com", "a.example.com", "example.com", "xn--bcher-kva.example")
	change("unwhitelist", "www.a.example.com", "example.com", "xn--bcher-kva.example")
	change("unallowlist", "nobody.example", "example.com", "xn--bcher-kva.example")
	equal(t, []string{"example.com", "xn--bcher-kva.example"}, answered[wire.Application](h, h.get("/v1.1/app/info")).Domains)
	equal(t, []string{}, answered[wire.Application](h, h.do("GET", keyed("/v1.1/app/info", keyStandard), "")).Domains)
	change("unallowlist", "example.com", "xn--bcher-kva.example")
	change("unallowlist", "bücher.example")
	for _, path := range []string{"allowlist", "unallowlist", "whitelist", "unwhitelist"} {
		h.refused(h.do("POST", keyed("/v1.1/app/"+path, keyStandard), "domain=x.example"), domain.PlanRequired, "")
		h.refused(h.post("/v1.1/app/"+path, ""), domain.MissingParameter, "domain")
		h.refused(h.post("/v1.1/app/"+path, "domain=a+b"), domain.InvalidParameter, "domain")
		h.refused(h.do("POST", keyed("/v1.1/app/"+path, keyGlobal), "domain=x.example"), domain.WrongApplication, "")
		h.status(h.do("GET", keyed("/v1.1/app/"+path, keyAdvanced), ""), http.StatusMethodNotAllowed)
	}
}
