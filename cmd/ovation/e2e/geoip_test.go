package e2e

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/geoip/geoiptest"
)

// With a file a registration and a login have where their ip is, and filters go by that country and
// region; coordinates are sealed. A node without the file keeps what was found, and finds no more.
func TestGeoIP_RegisterAndLogin(t *testing.T) {
	t.Parallel()
	n := (site{}).start(t)
	n.Kill()
	n.Args = append(n.Args, "--geoip", geoiptest.Write(t, map[string]geoiptest.Place{
		"192.0.2.0/24":  {Country: "DE", Subdivision: "BE", City: "Berlin", Lat: 52.519654, Lon: 13.406954},
		"2001:db8::/32": {Country: "FR", Subdivision: "IDF", City: "Paris", Lat: 48.85, Lon: 2.35},
	}))
	n.start()
	_, key := n.account("located")
	api := n.api(key)
	ask := func(e wire.Envelope, m client.Meta, err error) wire.Member {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		api = api.At(m.Position)
		return e.Data
	}
	account := client.Params{"service": "spotify", "uid": "u", "authtoken": "t", "country": "AT", "ip": "192.0.2.7"}
	ada := ask(client.Do(ctx(t), api, client.RegisterMember{More: account}))
	want := [...]string{"DE", "DE-BE", "Berlin", "52.519654", "13.406954"}
	if got := [...]string{*ada.GeoCountry, *ada.GeoRegion, *ada.GeoCity, *ada.GeoLat, *ada.GeoLong}; got != want {
		t.Fatalf("registered in %v, want %v", got, want)
	}
	found := func(p client.Params) string {
		t.Helper()
		list, _, err := client.Do(ctx(t), api, client.ListLoggedInMembers{More: p})
		if err != nil {
			t.Fatal(err)
		}
		return list.TotalSize
	}
	for _, region := range []string{"BE", "berlin"} {
		if got := found(client.Params{"country": "DE", "region": region}); got != "1" {
			t.Fatalf("%s members in %s", got, region)
		}
	}
	account = client.Params{"service": "spotify", "uid": "u", "authtoken": "t", "ip": "2001:db8::9"}
	if ada = ask(client.Do(ctx(t), api, client.LoginMember{More: account})); *ada.GeoRegion != "FR-IDF" || *ada.CountryCode != "AT" {
		t.Fatalf("logged in from %+v", ada)
	}
	if de, fr := found(client.Params{"country": "DE"}), found(client.Params{"country": "FR", "region": "idf"}); de+fr != "01" {
		t.Fatalf("%s members in DE, %s in FR", de, fr)
	}
	for what, folders := range n.written() {
		if files := holding(t, folders, "52.519654"); files > 0 {
			t.Fatalf("%d files of %s hold a coordinate", files, what)
		}
	}
	n.Kill()
	n.Args = n.Args[:len(n.Args)-2]
	n.start()
	api = n.api(key)
	account["ip"] = "192.0.2.7"
	if ada = ask(client.Do(ctx(t), api, client.LoginMember{More: account})); *ada.GeoRegion != "FR-IDF" {
		t.Fatalf("without the file: %+v", ada)
	}
	visits, _, err := client.Do(ctx(t), api, client.GetMemberLogins{MemberID: domain.MemberID(ada.ID)})
	if err != nil || visits.Total != 3 {
		t.Fatalf("%v %+v", err, visits)
	}
	by := map[string]int{} // without the file the member's
	for _, v := range visits.Registrations {
		by[*v.Country]++
	}
	if by["FR"] != 2 || by["DE"] != 1 {
		t.Errorf("visits by country: %v", by)
	}
}
