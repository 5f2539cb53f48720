package codec

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

var update = flag.Bool("update", false, "write the golden file")

// What is written is read back as it was, and has one form.
func TestCodec_RoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	f := random(rand.New(rand.NewPCG(seed, 1)))
	all := stored()
	for _, name := range names(all) {
		t.Run(name, func(t *testing.T) {
			for range 40 {
				f.fill(all[name])
				b := encode(all[name])
				got, err := decode(all[name], b)
				if err != nil {
					t.Fatalf("%v\n%+v", err, all[name])
				}
				if diff := cmp.Diff(all[name], got, cmpopts.EquateEmpty()); diff != "" {
					t.Fatal("(-want +got)\n", diff)
				}
				if again := encode(got); !slices.Equal(again, b) {
					t.Fatalf("two sets of bytes for one value:\n%x\n%x", b, again)
				}
			}
		})
	}
}

const goldenFile = "testdata/golden.txt"

// The bytes of every field of every structure are those of the golden file. Logs and stores
// hold them: a change here is another format.
func TestCodec_GoldenBytes(t *testing.T) {
	all := stored()
	var b strings.Builder
	b.WriteString("# Each structure with values that follow from the names of its fields.\n")
	for _, name := range names(all) {
		byName().fill(all[name])
		fmt.Fprintf(&b, "%s = %x\n", name, encode(all[name]))
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Error(diff)
	}
	for line := range strings.Lines(string(want)) {
		name, text, found := strings.Cut(strings.TrimSpace(line), " = ")
		if !found {
			continue
		}
		v, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(all[name], v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(all[name], got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// The schema declares every field that is written, by hand too, and no other.
func TestCodec_SchemaIsTheFormat(t *testing.T) {
	seen := map[protoreflect.FullName]bool{}
	all := stored()
	for _, name := range names(all) {
		byName().fill(all[name])
		if r, ok := all[name].(*domain.Record); ok {
			b := AppendRecord(nil, r)[len(magic):]
			m := new(schema.Record)
			if err := proto.Unmarshal(b, m); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			fields(t, seen, m.ProtoReflect())
			if again, err := encoder.Marshal(m); err != nil || !slices.Equal(b, again) {
				t.Errorf("%s: the generated code writes\n%x, not\n%x: %v", name, again, b, err)
			}
		}
	}
	for _, m := range []proto.Message{
		accountToWire(all["Account"].(*domain.Account)),
		applicationToWire(all["Application"].(*domain.Application)),
		keyToWire(all["Key"].(*domain.Key)),
		brandToWire(all["Brand"].(*domain.Brand)),
		acceptedGapToWire(all["AcceptedGap"].(*domain.AcceptedGap)),
		signingKeyToWire(all["SigningKey"].(*domain.SigningKey)),
		nodeToWire(all["Node"].(*domain.Node)),
		linkToWire(all["Link"].(*domain.Link)),
		sessionToWire(all["Session"].(*domain.Session)),
		deedToWire(all["Deed"].(*domain.Deed)),
		memberToWire(all["Member"].(*domain.Member)),
		personalToWire(all["Personal"].(*domain.Personal)),
		detailsToWire(all["VisitDetails"].(*domain.VisitDetails)),
		requestToWire(all["Request"].(*domain.Request)),
		outgoingToWire(all["Outgoing"].(*domain.Outgoing)),
		outgoingToWire(all["Outgoing dead"].(*domain.Outgoing)),
		outgoingToWire(all["Outgoing keys"].(*domain.Outgoing)),
		parkedToWire(all["Parked"].(*domain.Parked)),
	} {
		fields(t, seen, m.ProtoReflect())
	}
	for _, file := range []protoreflect.FileDescriptor{
		schema.File_activity_proto, schema.File_catalog_proto, schema.File_commands_proto,
		schema.File_lend_proto, schema.File_member_proto, schema.File_record_proto, schema.File_store_proto,
	} {
		for i := range file.Messages().Len() {
			for fs, j := file.Messages().Get(i).Fields(), 0; j < fs.Len(); j++ {
				if name := fs.Get(j).FullName(); !seen[name] {
					t.Errorf("%s is declared and never written", name)
				}
			}
		}
	}
}

// fields adds the fields of a message that are set, and fails on unknown ones.
func fields(t *testing.T, seen map[protoreflect.FullName]bool, m protoreflect.Message) {
	t.Helper()
	visit(m, func(m protoreflect.Message) {
		if len(m.GetUnknown()) > 0 {
			t.Fatalf("%s has unknown fields %x", m.Descriptor().Name(), m.GetUnknown())
		}
		m.Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
			seen[f.FullName()] = true
			return true
		})
	})
}

// visit calls f with a message and every message within it.
func visit(m protoreflect.Message, f func(protoreflect.Message)) {
	f(m)
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := range v.List().Len() {
				visit(v.List().Get(i).Message(), f)
			}
		default:
			visit(v.Message(), f)
		}
		return true
	})
}

// A value that is cut off, has an unknown field or a value out of range is refused; nothing
// panics, and what damaged bytes decode to can be written.
func TestCodec_RefusesDamage(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	all := stored()
	for _, name := range names(all) {
		v := all[name]
		byName().fill(v)
		whole := encode(v)
		unknown := protowire.AppendVarint(protowire.AppendTag(slices.Clone(whole), 3000, protowire.VarintType), 1)
		if _, err := decode(v, unknown); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s with an unknown field: %v", name, err)
		}
		for range 300 {
			b := slices.Clone(whole)
			for range 1 + rnd.IntN(3) {
				b[rnd.IntN(len(b))] ^= byte(1 + rnd.IntN(255))
			}
			if got, err := decode(v, b); err == nil {
				encode(got)
			}
			_, _ = decode(v, whole[:rnd.IntN(len(whole))]) // no panic: a message may end at any field
		}
	}
}

// Values that the domain's types or the order of fields do not allow are refused.
func TestDecode_RefusesValuesOutOfRange(t *testing.T) {
	one := []*schema.Field{{Field: uint32(domain.Region), Value: "x"}}
	for name, m := range map[string]*schema.Member{
		"a state above 8 bits":            {State: 256},
		"a hash of another length":        {Uuid: []byte{1}},
		"a personal field in the profile": {Profile: []*schema.Field{{Field: uint32(domain.Surname), Value: "x"}}},
		"a field twice":                   {Profile: append(one, one...)},
		"fields in another order":         {Profile: append(one, &schema.Field{Field: uint32(domain.Gender)})},
	} {
		b, err := encoder.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := Decode(b, new(domain.Member)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := encoder.Marshal(&schema.Personal{Profile: one})
	if err != nil {
		t.Fatal(err)
	}
	if err := Decode(b, new(domain.Personal)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a field that is not personal in the personal part: %v", err)
	}
	if err := Decode(nil, new(domain.Outgoing)); !errors.Is(err, ErrMalformed) {
		t.Errorf("an outbox entry of neither kind: %v", err)
	}
	if _, err := Append(nil, new(domain.Row)); err == nil {
		t.Error("a row was written, of which the store keeps none")
	}
}

// A personal field is written in a Personal only: an opened member, and a registration that gives
// one in clear, leave no trace of it.
func TestCodec_PersonalFieldsAreApart(t *testing.T) {
	const secret = "secret-value"
	var all domain.Fields
	for code := domain.FirstName; code <= domain.RecordLikes; code++ {
		if code.Personal() {
			all = append(all, domain.FieldValue{Field: code, Value: secret})
		}
	}
	random := [10]byte([]byte(secret))
	service := domain.ServiceRecord{UID: secret, PartnerID: secret, Fields: all}
	for _, v := range []any{
		&domain.Member{TokenRandom: random, Profile: all, Services: []domain.ServiceRecord{service}},
		&domain.Record{Kind: domain.KindRegister, Command: &domain.RegisterMember{Given: all, Record: all}},
	} {
		if b := encode(v); strings.Contains(string(b), secret[:10]) {
			t.Errorf("%T is written with a personal value", v)
		}
	}
	p := &domain.Personal{Profile: all, TokenRandom: random, Services: []domain.PersonalService{{UID: secret, PartnerID: secret, Fields: all}}}
	if n := strings.Count(string(encode(p)), secret[:10]); n != 2*len(all)+3 {
		t.Errorf("%d values are in the personal part, want %d", n, 2*len(all)+3)
	}
}

// usualMember is a member of one service.
func usualMember() *domain.Member {
	return &domain.Member{
		ID: domain.MemberIDOf(3, 5), Account: 1, Ord: 2, Application: 4, State: domain.MemberActive, Created: 1717200000123,
		UUID: [16]byte{1, 15: 2}, TokenHash: [16]byte{5, 15: 6}, TokenMade: 1717200000,
		Profile: domain.Fields{{Field: domain.Region, Value: "Köln"}},
		Services: []domain.ServiceRecord{{
			ID: 8, Application: 4, Service: domain.Spotify, Identity: domain.IdentityHash{9, 15: 9},
			Fields:  domain.Fields{{Field: domain.RecordPaid, Value: "1"}},
			Created: 1717200000123, Updated: 1717200000123, LastLogin: 1717200000123,
		}},
	}
}

func BenchmarkMember(b *testing.B) {
	m := usualMember()
	v := encode(m)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(len(v)), "bytes")
		for b.Loop() {
			if err := Decode(v, new(domain.Member)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		dst := make([]byte, 0, 4096)
		for b.Loop() {
			if _, err := Append(dst[:0], m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func FuzzDecode_AnyBytes(f *testing.F) {
	all := stored()
	for i, name := range names(all) {
		byName().fill(all[name])
		f.Add(i, encode(all[name]))
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		v := all[names(all)[uint(i)%uint(len(all))]]
		one, err := decode(v, b)
		if err != nil {
			return
		}
		two, err := decode(v, encode(one))
		if err != nil || !cmp.Equal(one, two, cmpopts.EquateEmpty()) {
			t.Fatalf("%v %s", err, cmp.Diff(one, two))
		}
	})
}
