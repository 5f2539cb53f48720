package codec

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// stored are the structures of a test by name: a record of each kind, and each value.
func stored() map[string]any {
	all := map[string]any{
		"Record Activity": &domain.Record{Kind: domain.KindActivity},
		"Record Forward":  &domain.Record{Kind: domain.KindForward},
	}
	for kind, m := range kinds {
		c := reflect.New(m.typ).Interface().(domain.Command)
		all["Record "+m.typ.Name()] = &domain.Record{Kind: kind, Command: c}
	}
	for typ := range values {
		v := reflect.New(typ).Interface()
		if o, ok := v.(*domain.Outgoing); ok { // each form is one of its own
			o.Forward = &domain.Record{Kind: domain.KindForward}
			dead := &domain.Outgoing{Dead: new(domain.DeadLetter)}
			claim := &domain.Outgoing{Forward: &domain.Record{Kind: domain.KindClaim, Command: new(domain.Claim)}}
			all["Outgoing dead"] = dead
			all["Outgoing claim"] = claim
			all["Outgoing keys"] = new(domain.Outgoing)
		}
		all[typ.Name()] = v
	}
	return all
}

func names(all map[string]any) []string { return slices.Sorted(maps.Keys(all)) }

// encode is the bytes of a structure.
func encode(v any) []byte {
	if r, ok := v.(*domain.Record); ok {
		return AppendRecord(nil, r)
	}
	b, err := Append(nil, v)
	if err != nil {
		panic(err)
	}
	return b
}

// decode reads bytes into a new structure of v's type.
func decode(v any, b []byte) (any, error) {
	into := reflect.New(reflect.TypeOf(v).Elem()).Interface()
	if r, ok := into.(*domain.Record); ok {
		return into, DecodeRecord(r, b)
	}
	return into, Decode(b, into)
}

// elsewhere are the fields that the bytes do not have: the log or the key has them, a record's
// kind decides about them, only an opened member has them, or they are true of one answer only.
var elsewhere = []string{
	"Record.Offset", "Record.Time", "Record.Epoch", "Record.Kind", "Outgoing.Forward.Epoch", "Outgoing.Forward.Kind",
	"Record.Activity.Content.Recorded", "Outgoing.Forward.Activity.Content.Recorded", "Parked.Activity.Content.Recorded",
	"Record.Activity.Content.Action", "Outgoing.Forward.Activity.Content.Action", "Parked.Activity.Content.Action",
	"Member.TokenRandom", "Member.Services0.UID", "Member.Services1.UID", "Member.Services2.UID",
	"Member.Services0.PartnerID", "Member.Services1.PartnerID", "Member.Services2.PartnerID",
	"Parked.Account", "Parked.Ord", "Parked.Number", "Request.Outcome.Replayed", "Request.Outcome.Position",
}

// filler sets everything that the bytes of a structure have, by reflection: a field that the
// domain has and the codec has not fails the tests.
type filler struct {
	leaf  func(path string, v reflect.Value)
	count func() int // elements of a list
}

func (f filler) fill(v any) {
	e := reflect.ValueOf(v).Elem()
	f.value(e.Type().Name(), e)
}

func (f filler) value(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		f.fields(path, v)
	case reflect.Pointer, reflect.Interface:
		switch {
		case v.Type() == reflect.TypeFor[*domain.Member]() && !v.IsNil():
			return
		case !v.IsNil() || f.count() < 2:
		case v.Type() == reflect.TypeFor[*domain.UpdateMember]():
			v.Set(reflect.ValueOf(new(domain.UpdateMember)))
		case v.Type() == reflect.TypeFor[*domain.Loan]():
			v.Set(reflect.ValueOf(new(domain.Loan)))
		case v.Type() == reflect.TypeFor[*domain.Member](): // of a lender: its fields are a member's
			v.Set(reflect.ValueOf(&domain.Member{ID: 7, Services: []domain.ServiceRecord{{ID: 8}}}))
			return
		}
		if !v.IsNil() {
			f.value(path, v.Elem())
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[domain.Fields]() {
			v.Set(reflect.ValueOf(f.profile(path)))
			return
		}
		n := f.count()
		if path == "Outgoing.Keys" {
			n = max(n, 1)
		}
		v.Set(reflect.MakeSlice(v.Type(), n, 9))
		for i := range v.Len() {
			f.value(fmt.Sprint(path, i), v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range f.count() {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.value(fmt.Sprint(path, "key", i), key)
			f.value(fmt.Sprint(path, "value", i), elem)
			v.SetMapIndex(key, elem)
		}
	default:
		f.leaf(path, v)
	}
}

func (f filler) fields(path string, v reflect.Value) {
	r, isRecord := v.Addr().Interface().(*domain.Record)
	o, isEntry := v.Addr().Interface().(*domain.Outgoing)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		unused := isRecord && r.Command != nil && name == "Activity" ||
			isEntry && (o.Forward != nil || o.Dead != nil) && name == "Keys"
		if at := path + "." + name; !unused && !slices.Contains(elsewhere, at) {
			f.value(at, v.Field(i))
		}
	}
}

// profile is some fields of a profile or of a service record in ascending order: personal ones
// of a Personal, others elsewhere.
func (f filler) profile(path string) (fields domain.Fields) {
	for code := domain.FirstName; code <= domain.RecordVerifiedAt; code++ {
		value := domain.FieldValue{Field: code}
		if code.Personal() != strings.HasPrefix(path, "Personal.") {
			continue
		}
		f.leaf(fmt.Sprint(path, code), reflect.ValueOf(&value.Value).Elem())
		if f.count() > 1 {
			fields = append(fields, value)
		}
	}
	return fields
}

// byteOf is n as a byte, and as a reason one that is known.
func byteOf(v reflect.Value, n uint64) uint8 {
	if v.Type() == reflect.TypeFor[domain.Reason]() {
		return uint8(1 + n%uint64(domain.Reasons-1))
	}
	return uint8(n)
}

// random fills with any values, often zero.
func random(r *rand.Rand) filler {
	leaf := func(_ string, v reflect.Value) {
		if r.IntN(4) == 0 {
			v.SetZero()
			return
		}
		n := r.Uint64() >> r.IntN(64)
		switch v.Kind() {
		case reflect.Uint8:
			v.SetUint(uint64(byteOf(v, n)))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int32, reflect.Int64:
			v.SetInt(int64(n) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		case reflect.Uint16, reflect.Uint32, reflect.Uint64:
			v.SetUint(n << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		case reflect.String:
			b := make([]byte, n%300)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			v.SetString(string(b))
		case reflect.Array:
			for i := range v.Len() {
				v.Index(i).SetUint(uint64(r.Uint32() & 0xff))
			}
		default:
			panic(v.Kind().String())
		}
	}
	return filler{leaf, func() int { return r.IntN(4) }}
}

// byName fills with values that follow from the names of the fields: the golden file holds
// them.
func byName() filler {
	leaf := func(path string, v reflect.Value) {
		h := fnv.New64a()
		h.Write([]byte(path))
		n := h.Sum64() | 1
		switch v.Kind() {
		case reflect.Uint8:
			v.SetUint(uint64(byteOf(v, n)))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int64:
			v.SetInt(int64(n >> 20))
		case reflect.Int32:
			v.SetInt(int64(int32(n)))
		case reflect.Uint16, reflect.Uint32, reflect.Uint64:
			v.SetUint(n << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		case reflect.String:
			v.SetString(path)
		case reflect.Array:
			for i := range v.Len() {
				v.Index(i).SetUint(n >> (i % 8) & 0xff)
			}
		}
	}
	return filler{leaf, func() int { return 2 }}
}
