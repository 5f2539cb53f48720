package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// flipTables flips a bit at some places of every table.
func flipTables(t *testing.T, fs vfs.FS, at func(size int64) []int64) (tables int) {
	t.Helper()
	names, err := fs.List("log")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		tables++
		f, err := fs.OpenReadWrite("log/"+name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		st, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range at(st.Size()) {
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
	return tables
}

// readAll reads a partition to its end in pieces of a random size, and gives every whole
// batch by its base, and the offsets that are lost.
func readAll(t *testing.T, l *Log, rnd *rand.Rand, id domain.TopicID, partition int32) (whole map[int64][]byte, lost [][2]int64) {
	t.Helper()
	whole = map[int64][]byte{}
	_, end, err := part(t, l, id, partition).Bounds()
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(0); at < end; {
		out, next, err := part(t, l, id, partition).Read(at, 1+rnd.IntN(20_000), true, nil)
		if err != nil || next <= at {
			t.Fatalf("read at %d: next %d, %v", at, next, err)
		}
		for len(out) > 0 {
			n := 12 + int(binary.BigEndian.Uint32(out[8:]))
			b := out[:n]
			out = out[n:]
			base := int64(binary.BigEndian.Uint64(b))
			after := base + int64(binary.BigEndian.Uint32(b[23:])) + 1
			if base != at || len(b) == recordbatch.HeaderSize && len(out) > 0 {
				t.Fatalf("a batch at %d, want %d; %d bytes after it", base, at, len(out))
			}
			at = after
			if recordbatch.Sound(b) {
				whole[base] = bytes.Clone(b)
			} else {
				lost = append(lost, [2]int64{base, after})
			}
		}
		if at != next {
			t.Fatalf("the batches end at %d, next is %d", at, next)
		}
	}
	return whole, lost
}

// Blocks whose checksum is wrong are read as batches whose checksum is wrong, over the
// offsets that are lost; every other batch is read, and what is appended after is.
func TestDamage_IsReadAsACorruptBatchAndNothingElseIsLost(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round, shown := 0, 0; round < 12 || shown < 3; round++ { // what is flipped may be in memory
		if round == 100 {
			t.Fatalf("something was lost in %d rounds: the test shows nothing", shown)
		}
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			rnd, fs, said := rand.New(rand.NewPCG(seed, uint64(round))), vfs.NewMem(), &bytes.Buffer{}
			open := func() *Log {
				l, err := Open("log", Options{FS: fs, Logger: slog.New(slog.NewTextHandler(said, nil))})
				if err != nil {
					t.Fatal(err)
				}
				return l
			}
			l := open()
			ids := []domain.TopicID{created(t, l, "t", 2), created(t, l, "u", 1)}
			batch := func() []byte {
				times, values := []int64{}, []string{}
				for range 1 + rnd.IntN(5) {
					times, values = append(times, 1), append(values, strings.Repeat("x", rnd.IntN(900)))
				}
				return built{producer: -1, times: times, values: values}.batch()
			}
			grow := func(n int) {
				for range n {
					id, p := ids[rnd.IntN(2)], int32(0)
					if id == ids[0] {
						p = int32(rnd.IntN(2))
					}
					if _, _, err := appendWait(l, id, p, batch()); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 1 + rnd.IntN(3) {
				grow(150)
				if err := l.db.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			grow(30) // these are in the WAL
			type place struct {
				topic int
				part  int32
			}
			all := []place{{0, 0}, {0, 1}, {1, 0}}
			before := map[place]map[int64][]byte{}
			for _, p := range all {
				var lost [][2]int64
				if before[p], lost = readAll(t, l, rnd, ids[p.topic], p.part); lost != nil {
					t.Fatal(lost)
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			l = open()
			flipped := 2 * rnd.IntN(3) // places in each table
			tables := flipTables(t, fs, func(size int64) (at []int64) {
				for range flipped {
					at = append(at, size/5+rnd.Int64N(size*2/5)) // the end has the index of the blocks
				}
				return at
			})
			lostAny, missing := false, 0
			for _, p := range all {
				whole, lost := readAll(t, l, rnd, ids[p.topic], p.part)
				lostAny = lostAny || lost != nil
				gone := func(base int64) bool {
					for _, s := range lost {
						if base >= s[0] && base < s[1] {
							return true
						}
					}
					return false
				}
				for base, b := range before[p] {
					if got := whole[base]; !gone(base) && !bytes.Equal(got, b) || gone(base) && got != nil {
						t.Fatalf("%v: the batch at %d is another one; lost %v", p, base, lost)
					}
				}
				missing += len(before[p]) - len(whole)
			}
			if blocks := missing / 8; blocks > flipped*tables { // of 4 KiB, a batch has some 1,500 bytes
				t.Errorf("%d batches are missing for %d bits in %d tables", missing, flipped, tables)
			}
			if st := l.Stats(); lostAny != (len(st.Corrupt) > 0) || l.Err() != nil || strings.Count(said.String(), "a file is corrupt") != len(st.Corrupt) {
				t.Errorf("lost %v, corrupt %v, err %v:\n%s", lostAny, st.Corrupt, l.Err(), said)
			}
			if lostAny {
				shown++
			}
			b := batch()
			base, _, err := appendWait(l, ids[0], 0, b)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := part(t, l, ids[0], 0).Read(base, 1, true, nil); err != nil || len(got) != len(b) {
				t.Errorf("what was appended after: %d of %d bytes, %v", len(got), len(b), err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// readCount is a disk that counts how often each place of each table is read.
type readCount struct {
	mu    sync.Mutex
	reads map[pebblefs.BadBlock]int
}

func (c *readCount) MaybeError(op errorfs.Op) error {
	if op.Kind == errorfs.OpFileReadAt && strings.HasSuffix(op.Path, ".sst") {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reads[pebblefs.BadBlock{File: path.Base(op.Path), Offset: op.Offset}]++
	}
	return nil
}

func (c *readCount) String() string { return "reads" }

// A block that cannot be read is read from the disk once, however large it is and however
// often it is asked for; other partitions are read as ever.
func TestDamage_ABadBlockIsReadOnce(t *testing.T) {
	fs := vfs.NewMem()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	l, err := Open("log", Options{FS: fs, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	id := created(t, l, "t", 2)
	value := make([]byte, 700_000)
	for i := range value {
		value[i] = byte(rand.Uint32())
	}
	for p := range int32(2) {
		for range 6 {
			if _, _, err := appendWait(l, id, p, built{producer: -1, times: []int64{1}, values: []string{string(value)}}.batch()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(l.db.Flush(), l.Close()); err != nil {
		t.Fatal(err)
	}
	flipTables(t, fs, func(size int64) []int64 { return []int64{size / 5} }) // in partition 0, of one table
	count := &readCount{reads: map[pebblefs.BadBlock]int{}}
	if l, err = Open("log", Options{FS: errorfs.Wrap(fs, count), Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		whole, lost := readAll(t, l, rnd, id, 0)
		if len(whole) != 5 || len(lost) != 1 {
			t.Fatalf("%d batches, lost %v", len(whole), lost)
		}
		if other, lost := readAll(t, l, rnd, id, 1); len(other) != 6 || lost != nil {
			t.Fatalf("the other partition: %d batches, lost %v", len(other), lost)
		}
		_, _, _ = part(t, l, id, 0).Find(2)
		if file := part(t, l, id, 0).CorruptFile(lost[0][0]); !strings.HasSuffix(file, ".sst") || part(t, l, id, 1).CorruptFile(lost[0][0]) != "" || part(t, l, id, 0).CorruptFile(lost[0][1]) != "" {
			t.Fatalf("the file is %q", file)
		}
	}
	bad := l.db.BadBlocks()
	if len(bad) != 1 || len(l.Stats().Corrupt) != 1 {
		t.Fatalf("%v, %v", bad, l.Stats().Corrupt)
	}
	if n := count.reads[bad[0]]; n != 1 {
		t.Errorf("%v: read %d times", bad[0], n)
	}
}

// What lies after damage is found without a look at every lost offset, however many there are; single
// batches among those that are lost are found, and what is in memory alone.
func TestDamage_WhatIsBehindManyLostOffsetsIsFoundBySeeking(t *testing.T) {
	const batches, each = 120, 10_000
	for name, c := range map[string]struct {
		behind [][]byte // batches in another table
		flips  func(size int64) []int64
		lost   int // about so many batches, if not 0: all of one table
	}{
		"all blocks":           {[][]byte{plain(3, 1)}, func(size int64) []int64 { return across(size, 0, 9) }, batches},
		"blocks on both sides": {[][]byte{plain(3, 1)}, func(size int64) []int64 { return append(across(size, 0, 4), across(size, 5, 9)...) }, 0},
		"nothing in a table":   {nil, func(size int64) []int64 { return across(size, 0, 9) }, batches},
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
			l := opened(t, fs, Options{Logger: quiet})
			id := created(t, l, "t", 2)
			many := plain(each, 1)
			for range batches {
				mustAppend(t, l, id, bytes.Clone(many))
			}
			if _, _, err := appendWait(l, id, 1, plain(2, 1)); err != nil { // the table ends in another partition
				t.Fatal(err)
			}
			if err := l.db.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := l.db.Compact(t.Context(), []byte{0}, []byte{255}, false); err != nil { // compactions would meet it
				t.Fatal(err)
			}
			for _, b := range c.behind {
				mustAppend(t, l, id, bytes.Clone(b))
			}
			if err := l.db.Flush(); err != nil {
				t.Fatal(err)
			}
			flipTables(t, fs, func(size int64) []int64 {
				if size < each {
					return nil
				}
				return c.flips(size)
			})
			mustAppend(t, l, id, plain(5, 1)) // in memory alone
			checked := func() int64 {         // each look at a key asks for a filter or for a block
				m := l.db.Metrics()
				return m.Filter.Hits + m.Filter.Misses + m.BlockCache.Hits + m.BlockCache.Misses
			}
			before := checked()
			whole, lost := readAll(t, l, rand.New(rand.NewPCG(1, 1)), id, 0)
			if asked := checked() - before; asked > 5*maxRecords*int64(len(lost)) { // those after the first are few
				t.Errorf("%d filters and blocks were asked for", asked)
			}
			missing := int64(0)
			for _, s := range lost {
				missing += s[1] - s[0]
			}
			if missing%each != 0 || len(whole) != batches+len(c.behind)+1-int(missing/each) {
				t.Errorf("%d batches are whole, %v is lost", len(whole), lost)
			}
			if c.lost > 0 && missing < 9*batches/10*each || c.lost == 0 && (len(lost) != 2 || missing > 9*batches/10*each) {
				t.Errorf("%v is lost", lost)
			}
		})
	}
}

// across are places of a table of a size, one in each of its blocks, from one tenth of it to another.
func across(size, from, to int64) (at []int64) {
	const apart = 20_000
	for place := max(apart/2, size*from/10); place < size*to/10; place += apart {
		at = append(at, place)
	}
	return at
}
