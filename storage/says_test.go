package storage

import (
	"bytes"
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

// checkSearch looks for a word in what a brand's rows say.
func (m *model) checkSearch(t *testing.T, snap *Snapshot, k [2]uint32, rows []domain.Row) {
	t.Helper()
	word := []byte("1")
	near := func(text []byte) func(int) int {
		return func(from int) int {
			if i := bytes.Index(text[from:], word); i >= 0 {
				return from + i
			}
			return -1
		}
	}
	at := rows[len(rows)/2].Time
	for _, r := range []domain.Range{{To: 1<<32 - 1}, {From: at, To: at + 20*86400}, {From: at, To: at + 1}} {
		met := map[uint64]bool{}
		ok(t, snap.Search(domain.AccountID(k[0]), domain.BrandID(k[1]), r, near, func(seq uint64, content []byte) {
			if want := m.rows[seq].content; met[seq] || want == nil || want.Content != string(content) {
				t.Fatalf("the search meets row %d, which says %q, want %+v", seq, content, want)
			}
			met[seq] = true
		}))
		for i := range rows {
			c := m.rows[rows[i].Seq].content
			if inside := rows[i].Time >= r.From && rows[i].Time < r.To; inside && c != nil && bytes.Contains([]byte(c.Content), word) && !met[rows[i].Seq] {
				t.Fatalf("the search of %v passes over row %d, which says %q", r, rows[i].Seq, c.Content)
			}
		}
	}
}
