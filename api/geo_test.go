package api

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// geography is places by address.
type geography map[string]domain.Geo

func (l geography) Locate(address netip.Addr) domain.Geo { return l[address.String()] }

var somewhere = geography{
	"192.0.2.7":    {Country: "DE", Region: "DE-BE", City: "Berlin", Lat: "52.5", Lon: "13.4"},
	"198.51.100.1": {Country: "FR"},
	"127.0.0.1":    {Country: "US"},
}

// A registration has where its ip is: country, region and city in clear, coordinates sealed. Without a
// place it has none of the fields.
func TestRegister_Located(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.Geo = somewhere })
	const body = "service=spotify&uid=u-9&authtoken=tok&city=Köln&country=AT"
	h.post("/v1.1/member/register", body+"&ip=::ffff:192.0.2.7")
	m := h.engine.submitted[0].Command.(*domain.RegisterMember)
	want := fields(domain.Country, "AT", domain.GeoCountry, "DE", domain.GeoRegion, "DE-BE")
	wantSealed := fields(domain.City, "Köln", domain.GeoCity, "Berlin", domain.GeoLat, "52.5", domain.GeoLong, "13.4")
	equal(t, "DE", m.Visit.Country, "the visit's country")
	equal(t, "192.0.2.7", h.detailsOf(&m.Visit).IP, "the visit's address")
	if d := cmp.Diff(want, m.Given); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(wantSealed, h.personalOf(&m.Personal).Profile); d != "" {
		t.Error(d)
	}
	for _, address := range []string{"", "&ip=203.0.113.9"} { // not that of the connection
		h.post("/v1.1/member/register", body+address)
		m := h.engine.submitted[len(h.engine.submitted)-1].Command.(*domain.RegisterMember)
		if len(m.Given) != 1 || m.Visit.Country != "" {
			t.Errorf("%q: %+v from %q", address, m.Given, m.Visit.Country)
		}
	}
	h.refused(h.post("/v1.1/member/register", body+"&ip=192.0.2"), domain.InvalidParameter, "ip")
}

// A login moves the member to where its ip is, as a whole; from the same place, or an unknown one, it
// changes nothing of the member.
func TestLogin_Located(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.Geo = somewhere })
	known(h, "correct horse")
	ada := *h.engine.members[4097]
	ada.Services = append(slices.Clone(ada.Services), domain.ServiceRecord{
		ID: 6, Application: 2, Service: domain.Email, Identity: addressOf("ada@example.com"), UID: "ada@example.com", Created: 1e12,
	})
	h.engine.members[4097] = &ada
	login := func(ip string) *domain.LogIn {
		t.Helper()
		h.status(h.post("/v1.1/member/login", "service=email&email=ada@example.com&password=correct+horse&ip="+ip), 200, ip)
		l := h.logins()
		return l[len(l)-1]
	}
	l := login("192.0.2.7")
	want := fields(domain.GeoCountry, "DE", domain.GeoRegion, "DE-BE")
	if d := cmp.Diff(want, l.Given); d != "" || l.Renewed || l.Visit.Country != "DE" {
		t.Errorf("%s %+v", d, l)
	}
	equal(t, "52.5", h.personalOf(&l.Personal).Profile.Get(domain.GeoLat), "latitude")
	equal(t, "Berlin", h.personalOf(&l.Personal).Profile.Get(domain.GeoCity), "city")
	equal(t, l.Personal.Key, l.Visit.Details.Key, "data key")

	m := *h.engine.members[4097] // as the login has left it
	m.Profile = m.Profile.With(l.Given)
	m.Personal = domain.PersonalPart{Sealed: l.Personal.Sealed, Version: l.Personal.Base + 1, Has: l.Personal.Has}
	h.engine.members[4097] = &m
	for _, ip := range []string{"192.0.2.7", "203.0.113.9"} {
		l := login(ip)
		if len(l.Given) > 0 || l.Personal.Data != "" || l.Visit.Details.Key != m.Personal.Key {
			t.Errorf("from %s: %+v", ip, l)
		}
	}
	l = login("198.51.100.1")
	want = fields(domain.GeoCountry, "FR", domain.GeoRegion, "")
	if d := cmp.Diff(want, l.Given); d != "" || l.Personal.Base != m.Personal.Version {
		t.Errorf("%s %+v", d, l)
	}
	equal(t, "", h.personalOf(&l.Personal).Profile.Get(domain.GeoLat), "latitude")
	equal(t, "", h.personalOf(&l.Personal).Profile.Get(domain.GeoCity), "city")

	e := answered[wire.Envelope](h, h.get("/v1.1/member/4097"))
	if *e.Data.GeoCountry != "DE" || *e.Data.GeoRegion != "DE-BE" || *e.Data.GeoCity != "Berlin" || *e.Data.GeoLat != "52.5" || *e.Data.GeoLong != "13.4" {
		t.Errorf("%+v", e.Data)
	}
}
