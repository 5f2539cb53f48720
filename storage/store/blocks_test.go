package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/contents"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// burst stores rows of one brand in one day, which all stand in one slot: its contents are
// about 100 bytes each.
func burst(t testing.TB, rows int, o Options) (*Store, *Shard, func(seq uint64) domain.Row) {
	const members = 1000
	o.widths = format.Widths{Day: 1, Hour: 1 << 40}
	s := check.Must[*Store](t)(Open("store", o))
	sh := check.Must[*Shard](t)(s.Shard(2))
	for m := range members {
		check.OK(t, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(uint64(m+1), 3), Account: 1, Ord: domain.Ordinal(m)}}}))
	}
	r := rand.New(rand.NewPCG(1, 2))
	row := func(seq uint64) domain.Row {
		at := domain.Second(1_717_200_000 + seq*80_000/uint64(rows+1))
		return domain.Row{Hash: seq * 77, Seq: seq, Account: 1, Ord: domain.Ordinal(seq % members), Time: at, Brand: 1, Definition: 100, Slot: 3}
	}
	for seq := uint64(1); seq <= uint64(rows); seq++ {
		content := fmt.Sprintf(`{"TrackName":"Song %d","ArtistName":"Band %d","AlbumName":"Record %d"}`, r.IntN(1<<20), r.IntN(1<<12), r.IntN(1<<14))
		check.OK(t, sh.Stage([]domain.Change{{Kind: domain.RowAdded, Row: row(seq), Content: &domain.Content{Recorded: 1_717_200_000_000 + int64(seq), Content: content}}}))
		if seq%10_000 == 0 {
			check.OK(t, sh.Commit(domain.ShardState{Next: int64(seq), Sequence: seq}, nil))
		}
	}
	return s, sh, row
}

// Ten rows of a day with 610,000 read at most 64 KiB of contents, wherever they stand and
// whether they are sealed, and no stored value of contents has more, so that no merge
// has.
func TestContents_PageOfABurstReadsLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("610,000 rows")
	}
	const maxBytes = 64 << 10
	rows := uint64(610_000)
	if underRace {
		rows = 60_000
	}
	s, sh, row := burst(t, int(rows), Options{FS: vfs.NewMem(), CacheBytes: 64 << 20})
	snap := sh.Snapshot()
	read := func(seqs ...uint64) int {
		t.Helper()
		var page []domain.Row
		for _, seq := range seqs {
			page = append(page, row(seq))
		}
		found := 0
		bytes := check.Must[int](t)(snap.Read(page, func(i int, e *format.Entry) error {
			found++
			if e.Recorded != 1_717_200_000_000+page[i].Seq {
				t.Errorf("row %d was recorded at %d", page[i].Seq, e.Recorded)
			}
			return nil
		}))
		if found != len(page) {
			t.Errorf("%d contents of %v", found, page)
		}
		return bytes
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		seqs := make([]uint64, 10)
		at := 1 + rnd.Uint64N(rows-10)
		for i := range seqs {
			if seqs[i] = at + uint64(i); n%2 > 0 { // anywhere
				seqs[i] = 1 + rnd.Uint64N(rows)
			}
		}
		if n == 0 {
			for i := range seqs { // the newest, which are not sealed
				seqs[i] = rows - uint64(i)
			}
		}
		if got := read(seqs...); got > maxBytes {
			t.Fatalf("%d bytes of contents are read for %v", got, seqs)
		}
	}
	for _, family := range []byte{format.FamilyContent, format.FamilyTailContent} {
		values := 0
		check.OK(t, scan.Range(s.db, []byte{family}, []byte{family + 1}, func(_, v []byte) (bool, error) {
			if values++; len(v) > maxBytes/10 {
				t.Fatalf("a value of %c has %d bytes", family, len(v))
			}
			return true, nil
		}))
		if values < 100 {
			t.Errorf("%d values of %c", values, family)
		}
	}
	check.OK(t, snap.Close())
	closeBoth(t, s, sh)
}

// A content that is larger than a block has one of its own, and those beside it are found.
func TestContents_LargeOneHasABlockOfItsOwn(t *testing.T) {
	s := check.Must[*Store](t)(Open("store", Options{FS: vfs.NewMem(), CacheBytes: 1 << 20, SealRows: 7}))
	sh := check.Must[*Shard](t)(s.Shard(2))
	check.OK(t, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(1, 3), Account: 1}}}))
	var rows []domain.Row
	var want []*domain.Content
	for seq := uint64(1); seq <= 60; seq++ {
		c := &domain.Content{Recorded: int64(seq), Content: fmt.Sprint(seq)}
		if seq%5 == 0 {
			c.Content = fmt.Sprintf("%0*d", 3*contents.BlockBytes, seq)
		}
		row := domain.Row{Hash: seq, Seq: seq, Account: 1, Time: domain.Second(1_717_200_000 + seq), Brand: 1, Definition: 100, Slot: 3}
		rows, want = append(rows, row), append(want, c)
		check.OK(t, sh.Stage([]domain.Change{{Kind: domain.RowAdded, Row: row, Content: c}}))
		check.OK(t, sh.Commit(domain.ShardState{Next: int64(seq), Sequence: seq}, nil))
		snap := sh.Snapshot()
		got := check.Must[[]*domain.Content](t)(snap.Contents(rows))
		for i := range got {
			if got[i] == nil || *got[i] != *want[i] {
				t.Fatalf("of %d rows, row %d has %.40v", seq, i+1, got[i])
			}
		}
		check.OK(t, snap.Close())
	}
	closeBoth(t, s, sh)
}

// BenchmarkPage reads the contents of ten rows, adjacent or anywhere in a day of 600,000 of
// one brand, from blocks and from one value for the slot; and reports the disk size of a
// row's contents.
func BenchmarkPage(b *testing.B) {
	const rows = 600_000
	for name, bytes := range map[string]int{"blocks": 0, "whole": 1 << 40} {
		s, sh, row := burst(b, rows, Options{FS: vfs.NewMem(), CacheBytes: 256 << 20, narrow: narrow{blockBytes: bytes}})
		compact := func() float64 {
			check.OK(b, s.db.Flush())
			check.OK(b, s.db.Compact(b.Context(), []byte{0}, []byte{255}, true))
			return float64(check.Must[Stats](b)(s.Stats()).Families[format.FamilyContent]) / rows
		}
		for _, settled := range []bool{false, true} {
			disk := 0.0
			if settled {
				disk = compact()
			}
			snap := sh.Snapshot()
			rnd := rand.New(rand.NewPCG(3, 4))
			for _, anywhere := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/settled=%t/anywhere=%t", name, settled, anywhere), func(b *testing.B) {
					page, read := make([]domain.Row, 10), 0
					for b.Loop() {
						at := 1 + rnd.Uint64N(rows/2)
						for i := range page {
							if page[i] = row(at + uint64(i)); anywhere {
								page[i] = row(1 + rnd.Uint64N(rows/2))
							}
						}
						read += check.Must[int](b)(snap.Read(page, func(int, *format.Entry) error { return nil }))
					}
					b.ReportMetric(float64(read)/float64(b.N), "bytes/page")
					if settled {
						b.ReportMetric(disk, "C-B/row")
					}
				})
			}
			check.OK(b, snap.Close())
		}
		closeBoth(b, s, sh)
	}
}
