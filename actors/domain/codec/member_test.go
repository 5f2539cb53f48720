package codec

import (
	"encoding/hex"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

var update = flag.Bool("update", false, "write testdata/member.txt anew")

// deterministic is how the generated code writes.
var deterministic = proto.MarshalOptions{Deterministic: true}

// encode is the bytes of a member, which the generated code has to read without an unknown
// field and write again as they are.
func encode(t testing.TB, m *domain.Member) []byte {
	t.Helper()
	b, err := AppendMember(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	var generated schema.Member
	if err := proto.Unmarshal(b, &generated); err != nil {
		t.Fatalf("%x: %v", b, err)
	}
	noUnknown(t, generated.ProtoReflect())
	again, err := deterministic.Marshal(&generated)
	if err != nil || !slices.Equal(b, again) {
		t.Fatalf("the generated code writes\n%x\nnot\n%x: %v", again, b, err)
	}
	return b
}

func noUnknown(t testing.TB, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Fatalf("%s has unknown fields %x", m.Descriptor().Name(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				noUnknown(t, v.List().Get(i).Message())
			}
		default:
			noUnknown(t, v.Message())
		}
		return true
	})
}

// randomMember has any values in any of its fields.
func randomMember(rnd *rand.Rand) *domain.Member {
	m := new(domain.Member)
	fill(rnd, reflect.ValueOf(m).Elem(), true)
	m.Profile = randomFields(rnd, domain.FirstName, domain.GeoLong)
	for i := range m.Services {
		m.Services[i].Fields = randomFields(rnd, domain.RecordUsername, domain.RecordLikes)
	}
	for i := range m.Pending {
		m.Pending[i].Register.Given = randomFields(rnd, domain.FirstName, domain.GeoLong)
		m.Pending[i].Register.Record = randomFields(rnd, domain.RecordUsername, domain.RecordLikes)
	}
	return m
}

func randomFields(rnd *rand.Rand, first, last domain.Field) (f domain.Fields) {
	for c := first; c <= last; c++ {
		if rnd.IntN(2) == 0 {
			f = append(f, domain.FieldValue{Field: c, Value: randomText(rnd)})
		}
	}
	return f
}

func randomText(rnd *rand.Rand) string {
	return strings.Repeat(string(rune(rnd.IntN(0x300)))+"\xff", rnd.IntN(3)*rnd.IntN(60))
}

// fill sets every field, or, some of the time, any.
func fill(rnd *rand.Rand, v reflect.Value, some bool) {
	if some && rnd.IntN(3) == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(rnd, field, some)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[domain.Fields]() {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1+rnd.IntN(3), 3))
		for i := range v.Len() {
			fill(rnd, v.Index(i), some)
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(1 + rnd.Uint64N(255))
		}
	case reflect.String:
		v.SetString("t" + randomText(rnd))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(rnd.Int64() - rnd.Int64())
	default:
		v.SetUint(1 + rnd.Uint64()>>(66-v.Type().Bits()))
	}
}

func TestMember_IsWhatItWas(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	for range 3000 {
		want, got := randomMember(rnd), new(domain.Member)
		b := encode(t, want)
		if err := DecodeMember(b, got); err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
		got = new(domain.Member)
		if cut := rnd.IntN(len(b) + 1); cut < len(b) {
			_ = DecodeMember(b[:cut], got) // no panic
		}
	}
}

// A field of the domain that the codec does not know would be lost: each, set alone, comes
// back.
func TestMember_HasEveryFieldOfTheDomain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	want, got := new(domain.Member), new(domain.Member)
	fill(rnd, reflect.ValueOf(want).Elem(), false)
	everyField(t, reflect.ValueOf(want).Elem(), "Member")
	if err := DecodeMember(encode(t, want), got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

func everyField(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	for i := range v.NumField() {
		f, at := v.Field(i), name+"."+v.Type().Field(i).Name
		if f.Type() == reflect.TypeFor[domain.Fields]() {
			continue
		}
		if f.IsZero() {
			t.Errorf("%s is not set: the test shows nothing of it", at)
		}
		switch {
		case f.Kind() == reflect.Struct:
			everyField(t, f, at)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
			everyField(t, f.Index(0), at)
		}
	}
}

// What is sealed later is in one message: no other bytes of a member have it.
func TestMember_PersonalFieldsAreApart(t *testing.T) {
	m := examples()["all"]
	b := encode(t, m)
	var generated schema.Member
	if err := proto.Unmarshal(b, &generated); err != nil {
		t.Fatal(err)
	}
	generated.Personal = nil
	rest, err := deterministic.Marshal(&generated)
	if err != nil {
		t.Fatal(err)
	}
	personal := 0
	for _, word := range []string{"first", "surname", "username", "@", "bio", "12345", "avatar", "50.94", "6.96", "uid", "partner-id", "token", "secret", "https"} {
		if strings.Contains(string(rest), word) {
			t.Errorf("%q is outside of the personal message", word)
		}
		if strings.Contains(string(b), word) {
			personal++
		}
	}
	if personal < 14 {
		t.Errorf("the example has %d of 14 personal values", personal)
	}
}

func TestMember_RefusesWhatItDoesNotKnow(t *testing.T) {
	good := encode(t, examples()["all"])
	for name, b := range map[string][]byte{
		"an unknown field":                slices.Concat(good, []byte{0x98, 0x06, 1}),
		"a field of another type":         {0x0a, 1, 1},
		"a number that is too large":      {0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"a hash of another length":        {0x3a, 1, 1},
		"a personal field in the profile": {0x52, 3, 0x0a, 1, 'x'},
		"a field twice":                   {0x52, 6, 0x2a, 1, 'F', 0x2a, 1, 'M'},
		"a service without its personal":  {0x5a, 0, 0x82, 0x01, 0},
		"a length beyond the end":         {0x62, 200},
	} {
		if err := DecodeMember(b, new(domain.Member)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, f := range []domain.Fields{{{Field: 99, Value: "x"}}, {{Field: domain.City, Value: "x"}, {Field: domain.Gender, Value: "F"}}} {
		if _, err := AppendMember(nil, &domain.Member{Profile: f}); err == nil {
			t.Errorf("%v was written", f)
		}
	}
}

// examples are the members of the golden file.
func examples() map[string]*domain.Member {
	hash := func(b byte) domain.IdentityHash { return domain.IdentityHash{b, 15: b} }
	profile := func(from domain.Field, words ...string) (f domain.Fields) {
		for i, w := range words {
			f = append(f, domain.FieldValue{Field: from + domain.Field(i), Value: w})
		}
		return f
	}
	given := profile(domain.FirstName, "first", "surname", "username", "a@b.de", "F", "bio", "Köln", "nw", "DE", "12345", "avatar", "1990-02-03", "DE", "NW", "Cologne", "50.94", "6.96")
	record := profile(domain.RecordUsername, "username", "https://x", "token", "secret", "1700000000", "1", "0", "10", "20")
	return map[string]*domain.Member{
		"empty": {},
		"usual": {
			ID: domain.MemberIDOf(3, 5), Account: 1, Ord: 2, Application: 4, State: domain.MemberActive, Created: 1717200000123,
			UUID: [16]byte{1, 15: 2}, TokenRandom: [10]byte{3, 9: 4}, TokenHash: [16]byte{5, 15: 6}, TokenMade: 1717200000,
			Profile:  domain.Fields{{Field: domain.City, Value: "Köln"}},
			Services: []domain.ServiceRecord{{ID: 8, Application: 4, Service: domain.Spotify, UID: "u\xff", Identity: hash(9), Fields: domain.Fields{{Field: domain.RecordPaid, Value: "1"}}, Created: 1717200000123, Updated: 1717200000123, LastLogin: 1717200000123}},
		},
		"all": {
			ID: domain.MemberIDOf(3, 5), Account: 1, Ord: 2, Application: 4, State: domain.MemberPending, Created: 5,
			UUID: [16]byte{1, 15: 2}, TokenRandom: [10]byte{3, 9: 4}, TokenHash: [16]byte{5, 15: 6}, TokenMade: -7, Profile: given, Email: hash(7),
			Services:  []domain.ServiceRecord{{ID: 8, Application: 4, Service: domain.Spotify, UID: "uid", Identity: hash(9), Partner: hash(10), Username: hash(11), Fields: record, PartnerCode: "acme", PartnerID: "partner-id", Domains: []string{"a.de", ""}, Created: 12, Updated: 13, LastLogin: 14, Invalid: true}, {}},
			Passwords: []domain.Password{{Address: hash(15), Hash: "$argon2id$x", Wrong: []int64{0, 16, 1 << 40}, Locked: 17}},
			Opts:      []domain.OptState{{Opt: domain.Opt{Kind: domain.OptBrand, ID: 18}, In: true, Out: true, Listed: true, At: 19}},
			Pending: []domain.PendingRegistration{{
				Ticket: 20, Asked: domain.RequestID{21, 15: 21}, Claims: []domain.PendingClaim{{Identity: hash(22), Type: domain.ByPartner, Granted: true}, {}},
				Register: domain.RegisterMember{
					Application: 4, Identity: hash(23), Service: domain.Email, UID: "uid@", Partner: hash(24), PartnerCode: "acme", PartnerID: "partner-id", Email: hash(25), Username: hash(26),
					Given: append(slices.Clone(given[:3]), domain.FieldValue{Field: domain.Region}), Record: record[:2], Domain: "a.de", Password: "$argon2id$y", Segment: 27, At: 28,
					UUID: [16]byte{29, 15: 29}, TokenRandom: [10]byte{30, 9: 30}, TokenHash: [16]byte{31, 15: 31},
				},
			}},
		},
	}
}

// TestMember_GoldenBytes: what is on disks stays readable; a change here is another format.
func TestMember_GoldenBytes(t *testing.T) {
	const file = "testdata/member.txt"
	all := examples()
	var b strings.Builder
	for _, name := range []string{"empty", "usual", "all"} {
		b.WriteString(name + " = " + hex.EncodeToString(encode(t, all[name])) + "\n")
		got := new(domain.Member)
		if err := DecodeMember(encode(t, all[name]), got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(all[name], got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}

func FuzzMember(f *testing.F) {
	for _, m := range examples() {
		f.Add(encode(f, m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(domain.Member)
		if DecodeMember(b, m) != nil {
			return
		}
		again := new(domain.Member)
		if err := DecodeMember(encode(t, m), again); err != nil {
			t.Fatal(err)
		}
		same, err := AppendMember(nil, again)
		if err != nil || !slices.Equal(same, encode(t, m)) {
			t.Fatalf("%x: another member: %v", b, err)
		}
	})
}

func BenchmarkMember(b *testing.B) {
	m := examples()["usual"]
	v, err := AppendMember(nil, m)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(len(v)), "bytes")
		for b.Loop() {
			if err := DecodeMember(v, new(domain.Member)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode generated", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := proto.Unmarshal(v, new(schema.Member)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		dst := make([]byte, 0, 4096)
		for b.Loop() {
			if _, err := AppendMember(dst[:0], m); err != nil {
				b.Fatal(err)
			}
		}
	})
}
