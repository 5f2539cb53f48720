package format

import (
	"runtime/metrics"
	"strings"
	"testing"
)

// allocates fails the test when f takes more bytes of memory than most, what others take
// meanwhile left out as far as three tries can tell.
func allocates(t *testing.T, maxBytes int, f func()) {
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

// FuzzEntries_DumpedOrRefused reads any bytes as a key with any as its value, of a node's store and of the
// catalog's: a line of text, or an error, and memory only as the bytes are.
func FuzzEntries_DumpedOrRefused(f *testing.F) {
	all := golden(f)
	for name, text := range all {
		what, isValue := strings.CutPrefix(name, "value ")
		if !isValue {
			continue
		}
		key, there := all["key "+what]
		if !there {
			key = all["key "+what[:1]]
		}
		f.Add(unhex(f, key), unhex(f, text))
	}
	for kind := entityAccount; kind <= entityDeed; kind++ {
		f.Add([]byte{FamilyEntity, byte(kind), 0, 0, 0, 1}, []byte(`{}`))
	}
	f.Fuzz(func(t *testing.T, key, value []byte) {
		if len(key) == 0 {
			return
		}
		maxBytes := 256<<10 + 600*(len(key)+len(value)) // a packed row is a bit at least
		allocates(t, maxBytes, func() {
			_, _ = Text(key, value)
			_, _ = CatalogText(key, value)
		})
	})
}
