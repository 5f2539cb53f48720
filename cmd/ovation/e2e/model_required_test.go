package e2e

import (
	"math/rand/v2"
)

// fieldsOfAll are fields of a list's items of which a question may require some to have a
// value. No member has a surname.
var fieldsOfAll = []string{"Email", "state", "CountryCode", "country", "OptIns", "LastActivity", "BrandName", "ID", "Services", "Email", "State", "OptIns", "Surname"}

// someRequired makes up what a list requires.
func someRequired(rnd *rand.Rand) []string {
	some := several(rnd, fieldsOfAll)
	return some[:min(len(some), 1+rnd.IntN(2))]
}
