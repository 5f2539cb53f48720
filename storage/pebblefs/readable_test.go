package pebblefs

import (
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// What Readable gives is what asking for each number gives, wherever the blocks of tables are damaged.
func TestReadable_IsWhatEachKeyAskedForGives(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	met := 0
	for round := range 60 {
		r, fs := rand.New(rand.NewPCG(seed, uint64(round))), vfs.NewMem()
		open := func() *DB {
			p := Defaults()
			p.DisableAutomaticCompactions = true
			d, err := Open("db", Options{
				FS: fs, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Name: "db", Own: errOwn, CheckBlocks: true,
			}, p)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		d, prefixes, most := open(), []string{"a", "b", "c"}, uint64(0)
		for range 1 + r.IntN(4) {
			for range r.IntN(400) {
				most += 1 + r.Uint64N(3)
				value := make([]byte, r.IntN(3000))
				if err := d.Set(numbered([]byte(prefixes[r.IntN(3)]), most), value, pebble.NoSync); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		names, err := fs.List("db")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".sst") {
				flip(t, r, fs, "db/"+name)
			}
		}
		d = open()
		for range 20 {
			prefix, from, to := []byte(prefixes[r.IntN(3)]), r.Uint64N(most+2), most+2
			has := func(n uint64) bool {
				_, done, err := d.Get(numbered(prefix, n))
				if err != nil && !errors.Is(err, pebble.ErrNotFound) {
					met++
				}
				return err == nil && done.Close() == nil
			}
			want := from
			for want < to && !has(want) {
				want++
			}
			if got, err := d.Readable(prefix, from, to, has); err != nil || got != want {
				t.Fatalf("round %d: from %d on %s%d can be read, want %d, %v", round, from, prefix, got, want, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if met == 0 {
		t.Error("no damage was met: the test shows nothing")
	}
}

// flip flips up to three bits of a table.
func flip(t *testing.T, r *rand.Rand, fs vfs.FS, name string) {
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for range r.IntN(4) {
		place := r.Int64N(info.Size())
		if place >= info.Size()-2500 { // what Pebble's own work reads again and again
			continue
		}
		var b [1]byte
		_, err := f.ReadAt(b[:], place)
		b[0] ^= 4
		_, err2 := f.WriteAt(b[:], place)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
