package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// A tail whose contents are large is sealed before it is full, and its contents read as
// before, also when the shard was reopened in between.
func TestTail_LargeContentsSealItEarly(t *testing.T) {
	o := smallOptions(vfs.NewMem())
	o.SealRows = 100_000
	s, sh := openSmall(t, o.FS, o)
	member := &domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1, State: domain.MemberActive}
	check.OK(t, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: member}}))
	says := func(seq int) string { return fmt.Sprintf("%d %s", seq, strings.Repeat("word ", 10_000)) }
	var rows []domain.Row
	sealed := false
	for seq := 1; !sealed; seq++ {
		if seq > 400 {
			t.Fatal("20 MB of contents, and the tail was not sealed")
		}
		row := domain.Row{Hash: uint64(seq), Seq: uint64(seq), Account: 1, Time: domain.FirstSecond + domain.Second(1000-seq), Brand: 3, Definition: 100, Slot: 7}
		rows = append(rows, row)
		check.OK(t, sh.Stage([]domain.Change{{Kind: domain.RowAdded, Row: row, Content: &domain.Content{Content: says(seq)}}}))
		if seq%20 == 0 {
			check.OK(t, sh.Commit(domain.ShardState{Sequence: uint64(seq)}, nil))
			sealed = sh.tailRows.Load() == 0
		}
		if seq == 60 {
			closeBoth(t, s, sh)
			s, sh = openSmall(t, o.FS, o)
		}
	}
	const maxTail = 8 << 20 // as Options says
	if n := len(rows) * 50_000; n < maxTail || n > 2*maxTail {
		t.Errorf("sealed after %d bytes", n)
	}
	snap := sh.Snapshot()
	contents, err := snap.Contents(rows)
	check.OK(t, err)
	for i, c := range contents {
		if c == nil || c.Content != says(int(rows[i].Seq)) {
			t.Fatalf("row %d says something else", rows[i].Seq)
		}
	}
	check.OK(t, snap.Close())
	closeBoth(t, s, sh)
}
