package codec

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// fieldSet is the fields that one message of fields has, a bit each. The number of a field
// is its code.
type fieldSet [2]uint64

func fieldsOf(codes ...domain.Field) (s fieldSet) {
	for _, c := range codes {
		s[c>>6] |= 1 << (c & 63)
	}
	return s
}

func (s *fieldSet) has(num protowire.Number) bool {
	return num > 0 && num < 128 && s[num>>6]>>(num&63)&1 == 1
}

// The four messages. What is personal is apart: a data key seals it.
var (
	clearProfile = fieldsOf(domain.Gender, domain.City, domain.Region, domain.Country, domain.Birthdate,
		domain.GeoCountry, domain.GeoRegion, domain.GeoCity)
	personalProfile = fieldsOf(domain.FirstName, domain.Surname, domain.Username, domain.EmailAddress, domain.Bio,
		domain.PostCode, domain.AvatarURL, domain.GeoLat, domain.GeoLong)
	clearService = fieldsOf(domain.RecordExpires, domain.RecordPaid, domain.RecordSharing,
		domain.RecordFollowers, domain.RecordLikes)
	personalService = fieldsOf(domain.RecordUsername, domain.RecordURL, domain.RecordToken, domain.RecordSecret)
)

// knownFields fails on a field of neither set, and on fields that are not in order.
func knownFields(f domain.Fields, a, b fieldSet) error {
	for i := range f {
		num := protowire.Number(f[i].Field)
		if !a.has(num) && !b.has(num) || i > 0 && f[i-1].Field >= f[i].Field {
			return fmt.Errorf("field %d has no place in the schema", num)
		}
	}
	return nil
}

// fields writes those of a set; none of them: nothing.
func (w *writer) fields(num protowire.Number, f domain.Fields, in fieldSet) {
	at := -1
	for i := range f {
		if n := protowire.Number(f[i].Field); in.has(n) {
			if at < 0 {
				at = w.open(num)
			}
			w.element(n, f[i].Value)
		}
	}
	if at >= 0 {
		w.close(at)
	}
}

// fields reads those of a set into to, which keeps its order.
func (r *reader) fields(to domain.Fields, in fieldSet) domain.Fields {
	f := r.message()
	if to == nil {
		to = make(domain.Fields, 0, 1+len(f.b)/8) // a field has about so many bytes
	}
	for f.next() {
		if !in.has(f.num) {
			f.fail()
			break
		}
		v := domain.FieldValue{Field: domain.Field(f.num), Value: f.text()}
		if n := len(to); n == 0 || to[n-1].Field < v.Field {
			to = append(to, v)
			continue
		}
		at, there := slices.BinarySearchFunc(to, v.Field, func(x domain.FieldValue, c domain.Field) int { return int(x.Field) - int(c) })
		if there {
			f.fail()
			break
		}
		to = slices.Insert(to, at, v)
	}
	return to
}
