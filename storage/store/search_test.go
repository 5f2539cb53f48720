package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// What a search rules out by its filters is not read again; a seal that adds to a slot has it
// read, an older snapshot reads what it always did.
func TestSearch_SkipsSlotsThatItKnows(t *testing.T) {
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
		sought.Finder = func(text []byte, filter []uint64) func(int) int {
			texts++
			return near(text, filter)
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
	expect("all slots", second, 'z', 1, 10)
	expect("the slot that has it", second, 'z', 1, 1)
	expect("slots that have another", second, 'x', 10, 10)
	expect("none", second, 'q', 0, 0)
	expect("the tail once more", first, 'z', 1, 21)
	say(7, "z")
	seal()
	third := sh.Snapshot()
	expect("the slot written to, older", second, 'z', 1, 2)
	expect("the slot written to", third, 'z', 2, 2)
	expect("the slots known again", third, 'z', 2, 2)
	expect("an older snapshot", second, 'z', 1, 2)
	expect("none, of the newest", third, 'q', 0, 0)
	for _, snap := range []*Snapshot{first, second, third} {
		check.OK(t, snap.Close())
	}
	closeBoth(t, s, sh)
}
