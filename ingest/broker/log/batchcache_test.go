package log

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// What is kept in memory is what the store would give, for every offset, end and limit; or
// it is not kept.
func TestRecent_ReadsAsFromTheStore(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	type stored struct {
		base, next int64
		bytes      []byte
	}
	var (
		r    recent
		all  []stored
		next int64
		kept int
	)
	read := func(offset, end int64, limit int, whole bool) (out []byte, at int64) {
		at = offset
		for _, b := range all {
			if b.next <= offset || b.next > end {
				continue
			}
			if len(out)+len(b.bytes) > limit && !whole {
				break
			}
			whole, out, at = false, append(out, b.bytes...), b.next
		}
		return out, at
	}
	for range 3000 {
		batch := make([]byte, 1+rng.IntN(600))
		if rng.IntN(300) == 0 {
			batch = make([]byte, recentBatch+1)
		}
		for i := range batch {
			batch[i] = byte(rng.Uint32())
		}
		b := stored{next, next + 1 + rng.Int64N(5), batch}
		all, next = append(all, b), b.next
		r.add(b.base, b.next, batch)

		durable := all[max(0, len(all)-1-rng.IntN(3))].next
		offset := max(0, durable-1-rng.Int64N(1+rng.Int64N(600)))
		limit, whole := rng.IntN(20_000), rng.IntN(2) == 0
		got, at, ok := r.read(offset, durable, limit, whole, []byte("before"))
		if !ok {
			if at != offset || string(got) != "before" {
				t.Fatalf("not kept, and yet %d bytes to %d", len(got), at)
			}
			continue
		}
		kept++
		want, to := read(offset, durable, limit, whole)
		if at != to || !bytes.Equal(got, append([]byte("before"), want...)) {
			t.Fatalf("from %d of %d, %d bytes at most: %d bytes to %d, want %d to %d", offset, durable, limit, len(got), at, len(want), to)
		}
	}
	if kept < 1000 || kept == 3000 {
		t.Errorf("%d of 3000 reads were of what is kept", kept)
	}
}

// A partition keeps no more than two generations, and appending allocates nothing then.
func TestRecent_TakesBoundedMemory(t *testing.T) {
	var r recent
	batch := make([]byte, 1000)
	add := func() {
		for i := range int64(1000) {
			r.add(i, i+1, batch)
		}
	}
	add()
	if n := testing.AllocsPerRun(10, add); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := cap(r.now.bytes) + cap(r.before.bytes); n > 2*2*recentBytes {
		t.Errorf("%d bytes", n)
	}
}
