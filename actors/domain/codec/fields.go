package codec

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

// personal reports that a field names, locates or authenticates a member.
func personal(f domain.Field) bool {
	switch f {
	case domain.FirstName, domain.Surname, domain.Username, domain.EmailAddress, domain.Bio,
		domain.PostCode, domain.AvatarURL, domain.GeoLat, domain.GeoLong,
		domain.RecordUsername, domain.RecordURL, domain.RecordToken, domain.RecordSecret:
		return true
	}
	return false
}

// fieldsToWire is those of fields that are personal, or those that are not.
func fieldsToWire(fields domain.Fields, wantPersonal bool) []*schema.Field {
	n := 0
	for i := range fields {
		if personal(fields[i].Field) == wantPersonal {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	all := make([]schema.Field, 0, n)
	out := make([]*schema.Field, 0, n)
	for i := range fields {
		if f := &fields[i]; personal(f.Field) == wantPersonal {
			all = append(all, schema.Field{Field: uint32(f.Field), Value: f.Value})
			out = append(out, &all[len(all)-1])
		}
	}
	return out
}

// fieldsFromWire reads fields in ascending order, all of which are personal, or none.
func fieldsFromWire(c *checker, all []*schema.Field, wantPersonal bool) domain.Fields {
	if len(all) == 0 {
		return nil
	}
	fields := make(domain.Fields, len(all))
	for i, m := range all {
		f := small[domain.Field](c, m.Field)
		if personal(f) != wantPersonal || i > 0 && f <= fields[i-1].Field {
			c.bad = true
		}
		fields[i] = domain.FieldValue{Field: f, Value: m.Value}
	}
	return fields
}

// addPersonal is fields, none of which is personal, with the personal ones.
func addPersonal(c *checker, fields domain.Fields, all []*schema.Field) domain.Fields {
	fields = append(fields, fieldsFromWire(c, all, true)...)
	slices.SortFunc(fields, func(a, b domain.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
	return fields
}
