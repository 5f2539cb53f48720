package storage

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// A page's gist is known only where it is that of what the snapshot has there: a model
// keeps when each page was written. What is kept takes no more than was allowed.
func TestAGistIsThatOfItsSnapshot(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	const shards, slotsOf = 2, 9
	for range 100 {
		g := &gists{limit: 2000 + r.IntN(20_000)}
		written := map[format.SlotKey][]uint64{} // seals of the shard with which the page was written
		at := func(i int, slot uint16) format.SlotKey {
			return format.SlotKey{Shard: uint16(i), Of: format.BrandMonth{Account: 1, Brand: domain.BrandID(r.IntN(2)), Month: 600}, Class: format.ClassDay, Slot: slot}
		}
		asOf := func(p format.SlotKey, seals uint64) (n uint64) {
			for _, w := range written[p] {
				if w <= seals {
					n++
				}
			}
			return n
		}
		known := 0
		for range 300 {
			shard := r.IntN(shards)
			now := g.seals(uint16(shard))
			switch r.IntN(4) {
			case 0:
				g.sealing(uint16(shard))
				for range r.IntN(4) {
					p := at(shard, uint16(r.IntN(slotsOf)))
					g.forget(p)
					written[p] = append(written[p], now+1)
				}
			case 1, 2:
				seals, p := now-min(now, r.Uint64N(3)), at(shard, 0)
				made := map[uint16][]uint64{}
				for slot := range uint16(slotsOf) {
					if p.Slot = slot; r.IntN(3) == 0 {
						made[slot] = append(make([]uint64, r.IntN(20)), asOf(p, seals))
					}
				}
				p.Slot = 0
				g.keep(p, made, seals)
			default:
				seals, p := now-min(now, r.Uint64N(3)), at(shard, 0)
				var sums []uint64
				read, have := g.look(p, slotsOf-1, seals, func(_ uint16, sum []uint64) bool {
					sums = append(sums, sum[len(sum)-1])
					return len(sums)%2 == 0
				})
				for slot, i := have.from(0), 0; slot < slotsOf; slot, i = have.from(slot+1), i+1 {
					if p.Slot = slot; sums[i] != asOf(p, seals) || read.has(slot) != (i%2 == 1) {
						t.Fatalf("seed %d: page %v is read: %v, by a gist of version %d, want %d", seed, p, read.has(slot), sums[i], asOf(p, seals))
					}
					known++
				}
				for slot := range uint16(slotsOf) {
					if !have.has(slot) && !read.has(slot) {
						t.Fatalf("seed %d: slot %d without a gist is not read", seed, slot)
					}
				}
			}
			taken := 0
			for _, half := range []map[format.SlotKey]gist{g.young, g.old} {
				for _, e := range half {
					taken += e.bytes()
				}
			}
			if taken > g.limit {
				t.Fatalf("seed %d: %d bytes of %d", seed, taken, g.limit)
			}
		}
		if known == 0 {
			t.Fatalf("seed %d: no gist was ever known", seed)
		}
	}
}

// What a search rules out by its gists is not read again; a seal that adds to a page has it
// read, an older snapshot reads what it always did.
func TestASearchPassesOverPagesThatItKnows(t *testing.T) {
	t.Parallel()
	o := smallOptions(vfs.NewMem())
	o.SealRows, o.widths = 40, format.Widths{Day: 1, Hour: 1 << 40}
	s, sh := openSmall(t, o.FS, o)
	member := &domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1, State: domain.MemberActive}
	check.OK(t, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: member}}))
	seq := uint64(0)
	start := domain.Month(600).Start()
	say := func(day int, content string) {
		seq++
		row := domain.Row{Hash: seq, Seq: seq, Account: 1, Time: start + domain.Second(day)*86400 + domain.Second(seq), Brand: 3, Definition: 100, Slot: 7}
		check.OK(t, sh.Stage([]domain.Change{{Kind: domain.RowAdded, Row: row, Content: &domain.Content{Content: content}}}))
	}
	seal := func() {
		for n := 0; n == 0 || sh.tailRows.Load() > 0; n++ {
			say(20, "a")
			check.OK(t, sh.Commit(domain.ShardState{Sequence: seq}, nil))
		}
	}
	search := func(snap *Snapshot, word byte) (found, read int) {
		texts, n := 0, 0
		sought := wordSought(word)
		near := sought.Finder
		sought.Finder = func(text []byte, gist []uint64) func(int) int {
			texts++
			return near(text, gist)
		}
		sought.Found = func(uint64, []byte, domain.Range) { n++ }
		check.OK(t, snap.Search(1, 3, domain.Range{From: start, To: start + 15*86400}, sought))
		return n, texts
	}
	expect := func(what string, snap *Snapshot, word byte, found, read int) {
		t.Helper()
		if f, r := search(snap, word); f != found || r != read {
			t.Errorf("%s: found %d, read %d, want %d and %d", what, f, r, found, read)
		}
	}
	for day := range 10 {
		say(day, "x")
		say(day, "y")
	}
	say(4, "z")
	check.OK(t, sh.Commit(domain.ShardState{Sequence: seq}, nil))
	first := sh.Snapshot()
	expect("the tail", first, 'z', 1, 21)
	seal()
	second := sh.Snapshot()
	expect("all pages", second, 'z', 1, 10)
	expect("the page that has it", second, 'z', 1, 1)
	expect("pages that have another", second, 'x', 10, 10)
	expect("none", second, 'q', 0, 0)
	expect("the tail once more", first, 'z', 1, 21)
	say(7, "z")
	seal()
	third := sh.Snapshot()
	expect("the page written to, older", second, 'z', 1, 2)
	expect("the page written to", third, 'z', 2, 2)
	expect("the pages known again", third, 'z', 2, 2)
	expect("an older snapshot", second, 'z', 1, 2)
	expect("none, of the newest", third, 'q', 0, 0)
	for _, snap := range []*Snapshot{first, second, third} {
		check.OK(t, snap.Close())
	}
	closeBoth(t, s, sh)
}
