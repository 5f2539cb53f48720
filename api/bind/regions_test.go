package bind

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A region is found by code and by name, in any case.
func TestRegions_CodeAndName(t *testing.T) {
	for _, c := range []struct {
		country Country
		given   string
		want    []string
	}{
		{"DE", "BY", []string{"bavaria", "bayern", "by"}},
		{"DE", " bAYern ", []string{"bavaria", "bayern", "by"}},
		{"DE", "Bavaria", []string{"bavaria", "bayern", "by"}},
		{"DE", "Baviera", []string{"baviera"}}, // no name of the table: as members gave it
		{"US", "ny", []string{"new york", "ny"}},
		{"FR", "ny", []string{"ny"}},
		{"IT", "Valle d'Aosta, Vallée d'Aoste", []string{"23", "aosta valley", "valle d'aosta, vallée d'aoste"}},
		{"VA", "x", []string{"x"}}, // a country without regions
	} {
		if d := cmp.Diff(c.want, Regions(c.country, c.given)); d != "" {
			t.Errorf("%s of %s: %s", c.given, c.country, d)
		}
	}
}

// Each country's regions have a code and a name.
func TestRegions_TableIsWhole(t *testing.T) {
	n := 0
	for country, all := range regions() {
		if CountryName()[string(country)] == "" {
			t.Errorf("%s is no country", country)
		}
		for _, r := range all {
			if r.code == "" || len(r.code) > 3 || r.name == "" {
				t.Errorf("%s: %+v", country, r)
			}
		}
		n += len(all)
	}
	if n != 5070 {
		t.Errorf("%d regions", n)
	}
}
