package storage

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// checkContents compares what the rows say, read many at once.
func (m *model) checkContents(t *testing.T, snap *Snapshot) {
	t.Helper()
	var rows []domain.Row
	for seq, r := range m.rows { // in no order
		if seq%m.sample == 0 {
			rows = append(rows, r.row)
		}
	}
	rows = append(rows, rows[:len(rows)/3]...) // asked for twice
	got := must[[]*domain.Content](t)(snap.Contents(rows))
	said := make([]bool, len(rows))
	ok(t, snap.Says(rows, func(i int, recorded int64, content []byte) {
		if want := m.rows[rows[i].Seq].content; said[i] || recorded != want.Recorded || string(content) != want.Content {
			t.Fatalf("row %d was recorded at %d and says %q, want %+v", rows[i].Seq, recorded, content, want)
		}
		said[i] = true
	}))
	for i := range rows {
		want := m.rows[rows[i].Seq].content
		if rows[i].Flags.Dead() {
			want = nil
		}
		if c := got[i]; (c == nil) != (want == nil) || said[i] != (want != nil) || c != nil && *c != *want {
			t.Fatalf("content of row %d is %+v, want %+v", rows[i].Seq, c, want)
		}
	}
}
