package nametable

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Names have the ids that were put last, whatever their number: also those that are in memory no more, and those of a table
// that grew; a name that was not put has none. Nothing is left in the folder.
func TestTable_EveryNameHasItsID(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for _, room := range []int64{0, 100_000} {
		dir := t.TempDir()
		table, err := New(dir, room)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		const n = 4 * recent
		want := map[string]uint32{}
		for range n {
			name, id := strconv.Itoa(rnd.IntN(n)), rnd.Uint32()
			want[name] = id
			if err := table.Put("member", name, id); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 2 * n {
			name := strconv.Itoa(i)
			id, there, err := table.Get("member", name)
			if is, known := want[name]; err != nil || there != known || id != is {
				t.Fatalf("seed %d: %s is %d %v %v, want %d %v", seed, name, id, there, err, is, known)
			}
		}
		if _, there, _ := table.Get("brand", "1"); there {
			t.Error("a name of another kind")
		}
		if table.used != uint64(len(want)) || table.slots < 2*uint64(len(want)) || table.recent.Len() > 2*recent {
			t.Errorf("%d of %d slots for %d names, %d in memory", table.used, table.slots, len(want), table.recent.Len())
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Error(left, err)
		}
	}
}

// Names whose slots are at the end of the table go on at its beginning.
func TestTable_EndsAtItsBeginning(t *testing.T) {
	t.Parallel()
	table, err := New(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	const n = 3 * window
	for i := range uint32(n) {
		k := key{0, 0, 0, 0, 0, 0, 0x0f, 0xfe, byte(i), 0, 0, 1}
		if err := table.put(k, i); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint32(n) {
		at, id, there, err := table.find(key{0, 0, 0, 0, 0, 0, 0x0f, 0xfe, byte(i), 0, 0, 1})
		if want := (uint64(least-2) + uint64(i)) % least; err != nil || !there || id != i || at != want {
			t.Errorf("%d: slot %d, want %d; %d %v %v", i, at, want, id, there, err)
		}
	}
}

func BenchmarkTable_Get(b *testing.B) {
	table, err := New(b.TempDir(), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	const n = 300_000
	for i := range n {
		if err := table.Put("member", strconv.Itoa(i), 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		if _, _, err := table.Get("member", strconv.Itoa(i*7919%n)); err != nil {
			b.Fatal(err)
		}
	}
}
