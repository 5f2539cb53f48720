package geoiptest

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// Place is what a file says of a network. What is empty is left out.
type Place struct {
	Country, Subdivision, City string
	Lat, Lon                   float64
}

// Write writes a file of networks (in CIDR notation) and their places, and gives its path.
func Write(t testing.TB, places map[string]Place) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "GeoLite2-City", IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	for network, place := range places {
		_, cidr, err := net.ParseCIDR(network)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Insert(cidr, place.record()); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "city.mmdb")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// record is the place as the file has it.
func (p Place) record() mmdbtype.Map {
	m := mmdbtype.Map{"continent": mmdbtype.Map{"code": mmdbtype.String("EU")}}
	if p.Country != "" {
		m["country"] = mmdbtype.Map{"iso_code": mmdbtype.String(p.Country), "geoname_id": mmdbtype.Uint32(7)}
	}
	if p.Subdivision != "" {
		m["subdivisions"] = mmdbtype.Slice{
			mmdbtype.Map{"iso_code": mmdbtype.String(p.Subdivision)}, mmdbtype.Map{"iso_code": mmdbtype.String("inner")},
		}
	}
	if p.City != "" {
		m["city"] = mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String(p.City), "de": mmdbtype.String("other")}}
	}
	if p.Lat != 0 || p.Lon != 0 {
		m["location"] = mmdbtype.Map{"latitude": mmdbtype.Float64(p.Lat), "longitude": mmdbtype.Float64(p.Lon)}
	}
	return m
}
