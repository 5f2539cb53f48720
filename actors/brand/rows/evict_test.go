package rows

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A brand that is cold already, and is named again, keeps the set that readers hold: its outline, which has room
// for more rows, is not packed where it stands.
func TestEvictSmall_LeavesWhatReadersHold(t *testing.T) {
	table := NewTable(Options{Promote: 4})
	for seq := uint64(1); seq <= 5; seq++ {
		table.Append(1, []domain.Row{{Seq: seq, Brand: 1, Time: 1000, Definition: 100}})
	}
	table.Append(2, []domain.Row{{Seq: 6, Brand: 2, Time: 1000, Definition: 100}})
	table.Commit(nil)
	if !table.Evict(1) {
		t.Fatal("brand 1 has no columns of its own")
	}
	table.Append(1, []domain.Row{{Seq: 7, Brand: 1, Time: 1001, Definition: 100}})
	v := table.Commit(nil)
	held := v.SetOf(1)
	before := held.Outline.Bytes()
	table.EvictSmall([]Cold{{Dense: 1, Brand: 1}, {Dense: 2, Brand: 2}, {Dense: 2, Brand: 2}, {Dense: 3, Brand: 3}})
	if after := held.Outline.Bytes(); after != before {
		t.Errorf("the outline of a committed set was %d bytes and is %d", before, after)
	}
	v = table.Commit(nil)
	in := domain.Range{From: 0, To: 5000}
	for dense, want := range []uint64{0, 6, 1, 0} {
		if got := v.RowsIn(uint32(dense), in); got != want {
			t.Errorf("brand %d: %d rows, want %d", dense, got, want)
		}
	}
	if s := v.SetOf(2); s == nil || !s.Cold {
		t.Error("brand 2 is not cold")
	}
	if v.SetOf(3) != nil {
		t.Error("brand 3, which has no rows, got a set")
	}
}
