package wire

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// A list of members is encoded to the bytes that its items encode themselves to.
func TestEncode_ListsOfMembers(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	whole := 0
	for range 200 {
		var l ActiveMembers
		fill(rnd, reflect.ValueOf(&l).Elem())
		got, err := Encode(&l)
		if err != nil {
			t.Fatal(err)
		}
		type alone ActiveMembers
		want, err := Encode((*alone)(&l))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("%s\n%s", got, want)
		}
		if _, ok := wholeItems(l.Items); ok {
			whole++
		}
	}
	if whole == 0 || whole == 200 {
		t.Errorf("%d of 200 lists show all fields: the test shows little", whole)
	}
}

// Times and UUIDs are in their usual forms.
func TestMillis_AndUUID(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 10_000 {
		ms := rnd.Int64N(1<<48) - 1<<47
		if got, want := Millis(ms), time.UnixMilli(ms).UTC().Format(time.DateTime); got != want {
			t.Fatalf("%d is %s, want %s", ms, got, want)
		}
	}
	for _, unix := range []int64{0, -1, 951_782_399, 253_402_300_799, 253_402_300_800, -62_167_219_200, -62_167_219_201, math.MaxUint32} {
		if got, want := Seconds(unix), time.Unix(unix, 0).UTC().Format(time.DateTime); got != want {
			t.Errorf("%d is %s, want %s", unix, got, want)
		}
	}
	var u [16]byte
	for i := range u {
		u[i] = byte(rnd.Uint32())
	}
	h := hex.EncodeToString(u[:])
	if got, want := UUID(u), h[:8]+"-"+h[8:12]+"-"+h[12:16]+"-"+h[16:20]+"-"+h[20:]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// BenchmarkEncode_Members is a list of 1,000 members.
func BenchmarkEncode_Members(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	items := make([]MemberItem, 1000)
	for i := range items {
		for field, at := range reflect.ValueOf(&items[i]).Elem().Fields() {
			if field.IsExported() && field.Name != "Extended" {
				fill(rnd, at)
			}
		}
	}
	type alone Members
	l := &Members{Items: items}
	for name, v := range map[string]any{"as one": l, "each by itself": (*alone)(l)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Encode(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMillis is a time as answers show it.
func BenchmarkMillis(b *testing.B) {
	b.Run("millis", func(b *testing.B) {
		for b.Loop() {
			_ = Millis(1_764_000_000_123)
		}
	})
	b.Run("format", func(b *testing.B) {
		for b.Loop() {
			_ = time.UnixMilli(1_764_000_000_123).UTC().Format(time.DateTime)
		}
	})
}
