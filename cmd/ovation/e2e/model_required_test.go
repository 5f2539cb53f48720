package e2e

import (
	"math/rand/v2"
	"slices"
)

// fieldsOfAll are fields of a list's items of which a question may want some to have a
// value. Nobody says a surname.
var fieldsOfAll = []string{"Email", "state", "CountryCode", "country", "OptIns", "LastActivity", "BrandName", "ID", "Services", "Email", "State", "OptIns", "Surname"}

// someRequired makes up what a list requires.
func someRequired(rnd *rand.Rand) []string {
	some := several(rnd, fieldsOfAll)
	return some[:min(len(some), 1+rnd.IntN(2))]
}

// hasAll reports that the fan has a value in each of the fields; in a list of those who
// did something, all have a latest action, and its brand.
func (p *model) hasAll(fields []string, fan int) bool {
	f := &p.fans[fan]
	opted := false
	for i, in := range f.optsIn {
		opted = opted || in && !f.optsOut[i]
	}
	return !slices.ContainsFunc(fields, func(field string) bool {
		switch field {
		case "Email":
			return f.email == ""
		case "State", "state":
			return f.region == ""
		case "CountryCode", "country":
			return f.country == ""
		case "OptIns":
			return !opted
		}
		return field == "Surname"
	})
}
