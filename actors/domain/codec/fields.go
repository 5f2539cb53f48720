package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

// fieldsToWire is those of fields that are personal, or those that are not: a personal field
// is never written but in a Personal.
func fieldsToWire(fields domain.Fields, personal bool) []*schema.Field {
	n := 0
	for i := range fields {
		if fields[i].Field.Personal() == personal {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	all := make([]schema.Field, 0, n)
	out := make([]*schema.Field, 0, n)
	for i := range fields {
		if f := &fields[i]; f.Field.Personal() == personal {
			all = append(all, schema.Field{Field: uint32(f.Field), Value: f.Value})
			out = append(out, &all[len(all)-1])
		}
	}
	return out
}

// fieldsFromWire reads fields in ascending order, all of which are personal, or none.
func fieldsFromWire(c *checker, all []*schema.Field, personal bool) domain.Fields {
	if len(all) == 0 {
		return nil
	}
	fields := make(domain.Fields, len(all))
	for i, m := range all {
		f := small[domain.Field](c, m.Field)
		if f.Personal() != personal || i > 0 && f <= fields[i-1].Field {
			c.bad = true
		}
		fields[i] = domain.FieldValue{Field: f, Value: m.Value}
	}
	return fields
}
