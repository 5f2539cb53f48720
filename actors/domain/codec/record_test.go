package codec

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

// A record that ends too early is malformed, and foreign without its magic.
func TestDecodeRecord_CutOff(t *testing.T) {
	all := stored()
	for _, name := range names(all) {
		if _, ok := all[name].(*domain.Record); !ok {
			continue
		}
		byName().fill(all[name])
		b := encode(all[name])
		for n := range b {
			want := ErrMalformed
			if n < len(magic) {
				want = domain.ErrForeign
			}
			if _, err := decode(all[name], b[:n:n]); !errors.Is(err, want) {
				t.Fatalf("%s, %d bytes of %d: %v", name, n, len(b), err)
			}
		}
	}
}

// Offset, Time and Epoch are the log's; what dst and r held before does not matter.
func TestDecodeRecord_KeepsThePlace(t *testing.T) {
	b := AppendRecord([]byte("before"), typicalActivity())
	got := domain.Record{
		Offset: 5, Time: 6, Epoch: 7,
		Account: 99, Command: &domain.Tick{}, Activity: domain.Activity{Detail: "left over"},
	}
	if err := DecodeRecord(&got, b[len("before"):]); err != nil {
		t.Fatal(err)
	}
	want := *typicalActivity()
	want.Offset, want.Time, want.Epoch = 5, 6, 7
	if diff := cmp.Diff(want, got); diff != "" || string(b[:len("before")]) != "before" {
		t.Fatal(diff)
	}
}

// A value of another program, a record of a newer version, of an older one and a damaged one
// are four different errors.
func TestDecodeRecord_ForeignNewerOlderOrDamaged(t *testing.T) {
	tick := func(version, kind uint64) []byte {
		b := protowire.AppendVarint(append([]byte(magic), 1<<3), version)
		b = protowire.AppendVarint(append(b, 2<<3), kind)
		b = protowire.AppendTag(b, protowire.Number(16+kind%1000), protowire.BytesType)
		return append(b, 2, 1<<3, 42)
	}
	after := func(rest []byte, first ...byte) []byte { return slices.Concat([]byte(magic), first, rest) }
	added := tick(RecordVersion, uint64(domain.KindTick))
	added = protowire.AppendTag(added, 12, protowire.BytesType)
	added = protowire.AppendString(added, "a field of a later version")
	for _, c := range []struct {
		name string
		b    []byte
		want error
	}{
		{"as it is", tick(RecordVersion, 7), nil},
		{"with an unknown field", added, ErrMalformed},
		{"a later version", tick(RecordVersion+1, 7), domain.ErrNewer},
		{"an earlier version", tick(RecordVersion-1, 7), domain.ErrOlder},
		{"version 0", tick(0, 7), ErrMalformed},
		{"kind 63", tick(RecordVersion, 63), domain.ErrNewer},
		{"kind 63", tick(RecordVersion, 63), domain.ErrNewer},
		{"kind 76", tick(RecordVersion, 76), domain.ErrNewer},
		{"kind 0", tick(RecordVersion, 0), ErrMalformed},
		{"kind 263", tick(RecordVersion, 263), domain.ErrNewer},
		{"no value", nil, domain.ErrForeign},
		{"empty", []byte{}, domain.ErrForeign},
		{"half a magic", []byte(magic[:3]), domain.ErrForeign},
		{"a record without the magic", tick(RecordVersion, 7)[len(magic):], domain.ErrForeign},
		{"a record behind a byte", append([]byte{0}, tick(RecordVersion, 7)...), domain.ErrForeign},
		{"text", []byte(`{"memberID":4097}`), domain.ErrForeign},
		{"the magic alone", []byte(magic), ErrMalformed},
		{"kind first", after(tick(RecordVersion, 7)[len(magic):], 2<<3, 7), ErrMalformed},
		{"no kind", after(nil, 1<<3, RecordVersion, 3<<3, 1), ErrMalformed},
		{"no payload", after(nil, 1<<3, RecordVersion, 2<<3, 7), ErrMalformed},
		{"payload of another kind", after(tick(RecordVersion, 8)[len(magic)+4:], 1<<3, RecordVersion, 2<<3, 7), ErrMalformed},
		{"account above 32 bits", after(tick(RecordVersion, 7)[len(magic)+4:], 1<<3, RecordVersion, 2<<3, 7, 3<<3, 0xff, 0xff, 0xff, 0xff, 0x7f), ErrMalformed},
		{"request of 3 bytes", after(tick(RecordVersion, 7)[len(magic)+4:], 1<<3, RecordVersion, 2<<3, 7, 5<<3|2, 3, 1, 2, 3), ErrMalformed},
		{"account as text", after(tick(RecordVersion, 7)[len(magic)+4:], 1<<3, RecordVersion, 2<<3, 7, 3<<3|2, 1, 1), ErrMalformed},
		{"field 0", append(tick(RecordVersion, 7), 0), ErrMalformed},
		{"length beyond the end", append(tick(RecordVersion, 7), 12<<3|2, 0xff, 0xff, 0xff, 0xff, 0x0f), ErrMalformed},
	} {
		var r domain.Record
		err := DecodeRecord(&r, c.b)
		for _, kind := range []error{nil, ErrMalformed, domain.ErrForeign, domain.ErrNewer, domain.ErrOlder} {
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

func TestRecord_ActivityWithoutAllocations(t *testing.T) {
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

func BenchmarkRecord(b *testing.B) {
	b.Run("append", benchmarkAppendRecord)
	b.Run("decode", benchmarkDecodeRecord)
}

func benchmarkAppendRecord(b *testing.B) {
	r := typicalActivity()
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendRecord(buf[:0], r)
	}
	b.SetBytes(int64(len(buf)))
}

func benchmarkDecodeRecord(b *testing.B) {
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

// BenchmarkRecord_Generated is what the generated code takes for an activity's record.
func BenchmarkRecord_Generated(b *testing.B) {
	m := new(schema.Record)
	if err := proto.Unmarshal(AppendRecord(nil, typicalActivity())[len(magic):], m); err != nil {
		b.Fatal(err)
	}
	in, err := encoder.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, 1024)
		for b.Loop() {
			if _, err := encoder.MarshalAppend(buf, m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := parser.Unmarshal(in, new(schema.Record)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// An activity refused for a reason of a later version is not applied: this binary cannot count it.
func TestDecodeRecord_UnknownReasonIsNewer(t *testing.T) {
	for _, reason := range []domain.Reason{domain.Reason(domain.Reasons), 255} {
		rec := domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{Definition: 100, Refusal: reason}}
		var got domain.Record
		if err := DecodeRecord(&got, AppendRecord(nil, &rec)); !errors.Is(err, domain.ErrNewer) || errors.Is(err, ErrMalformed) {
			t.Errorf("reason %d: %v", reason, err)
		}
	}
}

// The personal part that a command puts is found in each command that has one, wherever it is: the
// data keys that a journal needs are told by it.
func TestPersonalOf_EveryCommand(t *testing.T) {
	found := 0
	for name, v := range stored() {
		r, ok := v.(*domain.Record)
		if !ok || r.Command == nil {
			continue
		}
		want := putIn(reflect.ValueOf(r.Command).Elem())
		if got := domain.PersonalOf(r.Command); got != want {
			t.Errorf("%s: %p, want %p", name, got, want)
		}
		if want != nil {
			found++
		}
	}
	if found < 6 {
		t.Errorf("%d commands have a personal part", found)
	}
}

// putIn is the personal part that a structure, or one in it, has; nil: none.
func putIn(v reflect.Value) *domain.PersonalPut {
	if p, ok := v.Addr().Interface().(*domain.PersonalPut); ok {
		return p
	}
	if v.Kind() == reflect.Struct {
		for _, field := range v.Fields() {
			if !field.CanInterface() {
				continue
			}
			if p := putIn(field); p != nil {
				return p
			}
		}
	}
	return nil
}
