package ingest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// commands are all kinds of records that carry a command.
var commands = []domain.Command{
	&domain.RegisterMember{}, &domain.AttachService{}, &domain.OptIn{}, &domain.OptOut{}, &domain.DeleteAction{}, &domain.Claim{}, &domain.Usage{}, &domain.Published{}, &domain.Tick{}, &domain.Expire{}, &domain.Rules{},
	&domain.Layout{}, &domain.CreateApplication{}, &domain.CreateKey{}, &domain.RevokeKey{}, &domain.PutBrand{}, &domain.DeleteBrand{},
	&domain.PutDefinition{}, &domain.DeleteDefinition{}, &domain.SetAside{}, &domain.AcceptGap{}, &domain.PutSegment{}, &domain.DeleteSegment{},
}

// records calls f with an empty record of each kind.
func records(f func(name string, r *domain.Record)) {
	f("Activity", &domain.Record{Kind: domain.KindActivity})
	f("Forward", &domain.Record{Kind: domain.KindForward})
	for _, c := range commands {
		typ := reflect.TypeOf(c).Elem()
		f(typ.Name(), &domain.Record{Kind: c.Kind(), Command: reflect.New(typ).Interface().(domain.Command)})
	}
}

// fill sets everything a record has in the log's bytes, by reflection: a field that is
// added to the domain and not to the format fails the tests.
func fill(r *domain.Record, leaf func(path string, v reflect.Value), count func() int) {
	v := reflect.ValueOf(r).Elem()
	for _, name := range []string{"Account", "Origin", "Request", "Application", "BodyHash"} {
		fillValue(name, v.FieldByName(name), leaf, count)
	}
	if r.Command != nil {
		fillValue("Command", reflect.ValueOf(r.Command).Elem(), leaf, count)
	} else {
		fillValue("Activity", v.FieldByName("Activity"), leaf, count)
	}
}

func fillValue(path string, v reflect.Value, leaf func(string, reflect.Value), count func() int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() == reflect.TypeFor[domain.Content]() && v.Type().Field(i).Name == "Recorded" {
				continue // is the shard's to say
			}
			if v.Type() == reflect.TypeFor[domain.Definition]() && v.Type().Field(i).Name == "Former" {
				continue // is the catalog's to say
			}
			fillValue(path+"."+v.Type().Field(i).Name, v.Field(i), leaf, count)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), count(), 9))
		for i := range v.Len() {
			fillValue(fmt.Sprint(path, i), v.Index(i), leaf, count)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range count() {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillValue(fmt.Sprint(path, "key", i), key, leaf, count)
			fillValue(fmt.Sprint(path, "value", i), elem, leaf, count)
			v.SetMapIndex(key, elem)
		}
	default:
		leaf(path, v)
	}
}

// random is a leaf of any value, often zero.
func random(r *rand.Rand) func(string, reflect.Value) {
	return func(_ string, v reflect.Value) {
		if r.IntN(4) == 0 {
			return
		}
		n := r.Uint64() >> r.IntN(64)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int32, reflect.Int64:
			v.SetInt(int64(n) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
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
}

// byName is a leaf whose value follows from its path: the golden files hold it.
func byName(path string, v reflect.Value) {
	h := fnv.New64a()
	h.Write([]byte(path))
	n := h.Sum64() | 1
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n >> 20))
	case reflect.Int32:
		v.SetInt(int64(int32(n)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(n << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	case reflect.String:
		v.SetString(path)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(n >> (i % 8) & 0xff)
		}
	}
}

func TestEveryKindOfRecordIsReadBackAsItWasWritten(t *testing.T) {
	const seed = 17
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	records(func(name string, rec *domain.Record) {
		for i := range 60 {
			fill(rec, random(r), func() int { return r.IntN(4) })
			before := append([]byte("before"), make([]byte, r.IntN(3))...)
			b := AppendRecord(before, rec)
			if string(b[:len(before)]) != string(before) {
				t.Fatalf("%s: what stood before was changed", name)
			}
			b = b[len(before):]
			got := domain.Record{Offset: 5, Time: 6, Account: 99, Command: &domain.Tick{}, Activity: domain.Activity{Detail: "left over"}}
			if err := DecodeRecord(&got, b); err != nil {
				t.Fatalf("%s %d: %v\n%+v", name, i, err, rec)
			}
			want := *rec
			want.Offset, want.Time = 5, 6
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s %d: (-want +got)\n%s", name, i, diff)
			}
			if again := AppendRecord(nil, &got); string(again) != string(b) {
				t.Fatalf("%s %d: two sets of bytes for one record", name, i)
			}
		}
	})
}

const journalGolden = "journal.v1.golden"

// What is in the log is read for ever: each line was written once, and what it says
// follows from the names of the fields.
func TestJournalBytesAreFrozen(t *testing.T) {
	lines := golden(t, journalGolden, func() string {
		var b strings.Builder
		b.WriteString("# A record of each kind, its values made from the names of its fields. FROZEN: lines are only added.\n")
		records(func(name string, r *domain.Record) {
			fill(r, byName, func() int { return 2 })
			fmt.Fprintf(&b, "%s %x\n", name, AppendRecord(nil, r))
		})
		return b.String()
	})
	wants := map[string]*domain.Record{}
	records(func(name string, r *domain.Record) {
		fill(r, byName, func() int { return 2 })
		wants[name] = r
	})
	seen := map[string]bool{}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, " ")
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		var got domain.Record
		if err := DecodeRecord(&got, b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		seen[name] = true
		if again := AppendRecord(nil, &got); string(again) != string(b) {
			t.Errorf("%s: written as\n%x, was\n%x", name, again, b)
		}
		within(t, name, reflect.ValueOf(got), reflect.ValueOf(*wants[name]))
	}
	if len(seen) != len(wants) {
		t.Errorf("%d kinds of %d", len(seen), len(wants))
	}
}

// within checks that whatever is set in got is the same in want: want may have fields
// that were added since got was written.
func within(t *testing.T, path string, got, want reflect.Value) {
	switch {
	case got.IsZero():
	case got.Kind() == reflect.Interface || got.Kind() == reflect.Pointer:
		within(t, path, got.Elem(), want.Elem())
	case got.Kind() == reflect.Struct:
		for i := range got.NumField() {
			within(t, path+"."+got.Type().Field(i).Name, got.Field(i), want.Field(i))
		}
	case got.Kind() == reflect.Slice && want.Len() == got.Len():
		for i := range got.Len() {
			within(t, fmt.Sprint(path, i), got.Index(i), want.Index(i))
		}
	case !reflect.DeepEqual(got.Interface(), want.Interface()):
		t.Errorf("%s: %v, want %v", path, got, want)
	}
}

func TestARecordCutOffIsMalformed(t *testing.T) {
	records(func(name string, r *domain.Record) {
		fill(r, byName, func() int { return 1 })
		b := AppendRecord(nil, r)
		for n := range b {
			var got domain.Record
			want := errMalformed
			if n < len(magic) {
				want = domain.ErrForeign
			}
			if err := DecodeRecord(&got, b[:n:n]); !errors.Is(err, want) {
				t.Fatalf("%s, %d bytes of %d: %v", name, n, len(b), err)
			}
		}
	})
}

func TestDamagedRecordsNeverPanic(t *testing.T) {
	const seed = 23
	r := rand.New(rand.NewPCG(seed, 1))
	records(func(name string, rec *domain.Record) {
		fill(rec, byName, func() int { return 1 })
		whole := AppendRecord(nil, rec)
		for range 500 {
			b := append([]byte(nil), whole...)
			for range 1 + r.IntN(3) {
				b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
			}
			var got domain.Record
			if err := DecodeRecord(&got, b); err == nil {
				AppendRecord(nil, &got)
			}
		}
	})
}

// A value of another program, a record of a newer release and a damaged one are three
// different errors; fields added later are skipped.
func TestDecodeRecord_SaysForeignNewerOrDamaged(t *testing.T) {
	tick := func(version, kind uint64) []byte {
		b := protowire.AppendVarint(append([]byte(magic), 1<<3), version)
		b = protowire.AppendVarint(append(b, 2<<3), kind)
		b = protowire.AppendTag(b, protowire.Number(16+kind%1000), protowire.BytesType)
		return append(b, 2, 1<<3, 42)
	}
	after := func(rest []byte, first ...byte) []byte { return slices.Concat([]byte(magic), first, rest) }
	added := tick(1, uint64(domain.KindTick))
	added = protowire.AppendTag(added, 12, protowire.BytesType)
	added = protowire.AppendString(added, "a field added later")
	added = protowire.AppendTag(added, 3000, protowire.Fixed32Type)
	added = protowire.AppendFixed32(added, 7)
	for _, c := range []struct {
		name string
		b    []byte
		want error
	}{
		{"as it is", tick(1, 7), nil},
		{"with fields added", added, nil},
		{"version 2", tick(2, 7), domain.ErrNewer},
		{"version 0", tick(0, 7), errMalformed},
		{"kind 14", tick(1, 14), domain.ErrNewer},
		{"kind 63", tick(1, 63), domain.ErrNewer},
		{"kind 76", tick(1, 76), domain.ErrNewer},
		{"kind 0", tick(1, 0), errMalformed},
		{"kind 263", tick(1, 263), domain.ErrNewer},
		{"no value", nil, domain.ErrForeign},
		{"empty", []byte{}, domain.ErrForeign},
		{"half a magic", []byte(magic[:3]), domain.ErrForeign},
		{"a record without the magic", tick(1, 7)[len(magic):], domain.ErrForeign},
		{"a record behind a byte", append([]byte{0}, tick(1, 7)...), domain.ErrForeign},
		{"text", []byte(`{"memberID":4097}`), domain.ErrForeign},
		{"the magic alone", []byte(magic), errMalformed},
		{"kind first", after(tick(1, 7)[len(magic):], 2<<3, 7), errMalformed},
		{"no kind", after(nil, 1<<3, 1, 3<<3, 1), errMalformed},
		{"no payload", after(nil, 1<<3, 1, 2<<3, 7), errMalformed},
		{"payload of another kind", after(tick(1, 8)[len(magic)+4:], 1<<3, 1, 2<<3, 7), errMalformed},
		{"account above 32 bits", after(tick(1, 7)[len(magic)+4:], 1<<3, 1, 2<<3, 7, 3<<3, 0xff, 0xff, 0xff, 0xff, 0x7f), errMalformed},
		{"request of 3 bytes", after(tick(1, 7)[len(magic)+4:], 1<<3, 1, 2<<3, 7, 5<<3|2, 3, 1, 2, 3), errMalformed},
		{"account as text", after(tick(1, 7)[len(magic)+4:], 1<<3, 1, 2<<3, 7, 3<<3|2, 1, 1), errMalformed},
		{"field 0", append(tick(1, 7), 0), errMalformed},
		{"length beyond the end", append(tick(1, 7), 12<<3|2, 0xff, 0xff, 0xff, 0xff, 0x0f), errMalformed},
	} {
		var r domain.Record
		err := DecodeRecord(&r, c.b)
		for _, kind := range []error{nil, errMalformed, domain.ErrForeign, domain.ErrNewer} {
			if is := errors.Is(err, kind); is != (kind == c.want) {
				t.Errorf("%s: %v, is %v: %v", c.name, err, kind, is)
			}
		}
		if c.want == domain.ErrNewer && !strings.Contains(err.Error(), "needs a newer ovation") {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && !cmp.Equal(r.Command, domain.Command(&domain.Tick{Hour: 42})) {
			t.Errorf("%s: %+v", c.name, r.Command)
		}
	}
}

// typicalActivity is a listen as the router passes it on.
func typicalActivity() *domain.Record {
	return &domain.Record{
		Kind: domain.KindActivity, Account: 12, Origin: domain.Origin{Topic: domain.TopicID{1, 15: 9}, Partition: 5, Epoch: 2, Offset: 8_812_345},
		Activity: domain.Activity{
			Member: 87_263_510, Definition: 104, Brand: 2031, Service: domain.Spotify, Points: 5, Time: 1_795_255_200, Hash: 0x1234567890abcdef,
			Content: domain.Content{
				Content: `{"TrackName":"Paranoid Android","TrackArtist":"Radiohead","ISRC":"GBAYE9701274"}`,
				Link:    "https://open.example.com/track/6LgJvl0Xdtc73RJ1mmpotq",
				Geo:     domain.Geo{Country: "GB", City: "London", Lat: "51.5", Lon: "-0.1"},
			},
		},
	}
}

func TestAnActivityIsWrittenAndReadWithoutAllocating(t *testing.T) {
	r := typicalActivity()
	buf := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { AppendRecord(buf, r) }); n != 0 {
		t.Errorf("written: %v allocations", n)
	}
	b := AppendRecord(nil, r)
	var got domain.Record
	if n := testing.AllocsPerRun(100, func() {
		if err := DecodeRecord(&got, b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("read: %v allocations", n)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	records(func(_ string, r *domain.Record) {
		f.Add(AppendRecord(nil, r))
		fill(r, byName, func() int { return 1 })
		f.Add(AppendRecord(nil, r))
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		var one, two domain.Record
		if err := DecodeRecord(&one, b); err != nil {
			return
		}
		if err := DecodeRecord(&two, AppendRecord(nil, &one)); err != nil || !cmp.Equal(one, two, cmpopts.EquateEmpty()) {
			t.Fatalf("%v %s", err, cmp.Diff(one, two))
		}
	})
}

func BenchmarkAppendRecord(b *testing.B) {
	r := typicalActivity()
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendRecord(buf[:0], r)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecodeRecord(b *testing.B) {
	in := AppendRecord(nil, typicalActivity())
	var r domain.Record
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if err := DecodeRecord(&r, in); err != nil {
			b.Fatal(err)
		}
	}
}
