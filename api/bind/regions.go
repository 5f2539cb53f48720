package bind

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
)

//go:embed regions.tsv
var regionsTable string

// region is a subdivision of a country, in lower case: its ISO 3166-2 code without
// the country's part, its name in its own language and, where it is another one, in
// English.
type region struct{ code, name, english string }

// regions are the subdivisions by country.
var regions = sync.OnceValue(func() map[Country][]region {
	out := map[Country][]region{}
	for line := range strings.Lines(regionsTable) {
		code, names, ok := strings.Cut(strings.TrimSpace(line), "\t")
		name, english, _ := strings.Cut(names, "\t")
		country, part, of := strings.Cut(code, "-")
		if strings.HasPrefix(line, "#") || !ok || !of {
			continue
		}
		out[Country(country)] = append(out[Country(country)], region{domain.RegionValue(part), domain.RegionValue(name), domain.RegionValue(english)})
	}
	return out
})

// Regions are the values that members of a country's region are filtered by, sorted:
// the region as given and, where it is one of ISO 3166-2, its code and its names, since
// members have the one or the other.
func Regions(country Country, given string) []string {
	v := domain.RegionValue(given)
	out := []string{v}
	for _, r := range regions()[country] {
		if r.code != v && r.name != v && r.english != v {
			continue
		}
		if out = append(out, r.code, r.name); r.english != "" {
			out = append(out, r.english)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
