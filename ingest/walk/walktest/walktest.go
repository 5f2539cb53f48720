package walktest

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"runtime/metrics"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Allocates fails the test when f takes more bytes of memory than most, what others take
// meanwhile left out as far as three tries can tell.
func Allocates(t testing.TB, maxBytes int, f func()) {
	t.Helper()
	taken := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	least := uint64(1 << 62)
	for range 3 {
		metrics.Read(taken)
		before := taken[0].Value.Uint64()
		f()
		metrics.Read(taken)
		if least = min(least, taken[0].Value.Uint64()-before); least <= uint64(maxBytes) {
			return
		}
	}
	t.Fatalf("%d bytes were allocated, at most %d may be", least, maxBytes)
}

// Fill sets every field of a message to something random: texts and arrays short, null now
// and then, unknown tags among them.
func Fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "Version" && v.Field(i).CanSet() {
				Fill(r, v.Field(i))
			}
		}
	case reflect.Slice:
		n := r.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			Fill(r, v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			Fill(r, v.Index(i))
		}
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			Fill(r, v.Elem())
		}
	case reflect.String:
		v.SetString(string(bytes.Repeat([]byte{'s'}, r.IntN(200))))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64() >> r.IntN(63))
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(256)))
	}
	if tags, ok := v.Addr().Interface().(*kmsg.Tags); ok && r.IntN(4) == 0 {
		tags.Set(100+uint32(r.IntN(1000)), []byte("unknown"))
	}
}
