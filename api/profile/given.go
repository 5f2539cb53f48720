package profile

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// PastDay refuses a birth date that is not past; nil: none is given.
func PastDay(req *serve.Request, date *bind.Birthdate) error {
	if date != nil && string(*date) >= req.Clock.Now.UTC().Format(time.DateOnly) {
		return domain.Bad(domain.InvalidParameter, "birthdate", "birthdate must be a past day")
	}
	return nil
}

// Given collects the fields that a request gives.
type Given domain.Fields

// Put collects a field if it is given.
func Put[T ~string](g *Given, f domain.Field, v *T) {
	if v != nil {
		*g = append(*g, domain.FieldValue{Field: f, Value: string(*v)})
	}
}

// PutNumber collects a number if it is given.
func PutNumber(g *Given, f domain.Field, v *int64) {
	if v != nil {
		*g = append(*g, domain.FieldValue{Field: f, Value: strconv.FormatInt(*v, 10)})
	}
}

// PutFlag collects a flag if it is given.
func PutFlag(g *Given, f domain.Field, v *bool) {
	if v != nil {
		*g = append(*g, domain.FieldValue{Field: f, Value: wire.Flag(*v)})
	}
}

// Fields are the fields collected, ascending.
func (g Given) Fields() domain.Fields {
	slices.SortFunc(g, func(a, b domain.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
	return domain.Fields(g)
}
