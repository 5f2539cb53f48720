package store

import (
	"bytes"
	"iter"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// checkContents compares what the rows say, read many at once.
func checkContents(t *testing.T, m *storetest.Model, snap *Snapshot) {
	t.Helper()
	var rows []domain.Row
	for seq, r := range m.Rows { // in no order
		if seq%m.Sample == 0 {
			rows = append(rows, r.Row)
		}
	}
	rows = append(rows, rows[:len(rows)/3]...) // asked for twice
	got := check.Must[[]*domain.Content](t)(snap.Contents(rows))
	said := make([]bool, len(rows))
	check.OK(t, snap.RawContents(rows, func(i int, recorded int64, content []byte) {
		if want := m.Rows[rows[i].Seq].Content; said[i] || recorded != want.Recorded || string(content) != want.Content {
			t.Fatalf("row %d was recorded at %d and says %q, want %+v", rows[i].Seq, recorded, content, want)
		}
		said[i] = true
	}))
	for i := range rows {
		want := m.Rows[rows[i].Seq].Content
		if rows[i].Flags.Dead() {
			want = nil
		}
		if c := got[i]; (c == nil) != (want == nil) || said[i] != (want != nil) || c != nil && *c != *want {
			t.Fatalf("content of row %d is %+v, want %+v", rows[i].Seq, c, want)
		}
	}
}

// checkSearch looks for words in what a brand's rows say.
func checkSearch(t *testing.T, m *storetest.Model, snap *Snapshot, k [2]uint32, rows []domain.Row) {
	t.Helper()
	at := rows[len(rows)/2].Time
	for i, r := range []domain.Range{{To: 1<<32 - 1}, {From: at, To: at + 20*86400}, {From: at, To: at + 1}} {
		word, met := byte('0'+(int(at)+i)%7), map[uint64]bool{}
		sought := wordSought(word)
		sought.Found = func(seq uint64, content []byte, in domain.Range) {
			want := m.Rows[seq]
			if met[seq] || want.Content == nil || want.Content.Content != string(content) {
				t.Fatalf("the search meets row %d, which says %q, want %+v", seq, content, want.Content)
			}
			if want.Row.Time < in.From || want.Row.Time >= in.To {
				t.Fatalf("row %d of %d is found at %v", seq, want.Row.Time, in)
			}
			met[seq] = true
		}
		check.OK(t, snap.Search(domain.AccountID(k[0]), domain.BrandID(k[1]), r, sought))
		for i := range rows {
			c := m.Rows[rows[i].Seq].Content
			if inside := rows[i].Time >= r.From && rows[i].Time < r.To; inside && c != nil && strings.IndexByte(c.Content, word) >= 0 && !met[rows[i].Seq] {
				t.Fatalf("the search of %v for %c passes over row %d, which says %q", r, word, rows[i].Seq, c.Content)
			}
		}
	}
}

// wordSought looks for contents that have a byte; its filters are a bit for each.
func wordSought(word byte) *domain.ContentSearch {
	return &domain.ContentSearch{
		Finder: func(text []byte, filter []uint64) func(int) int {
			if filter != nil && filter[word>>6]>>(word&63)&1 == 0 {
				return func(int) int { return -1 }
			}
			return func(from int) int {
				if i := bytes.IndexByte(text[from:], word); i >= 0 {
					return from + i
				}
				return -1
			}
		},
		FilterOf: func(contents iter.Seq[[]byte]) []uint64 {
			filter := make([]uint64, 4)
			for c := range contents {
				for _, b := range c {
					filter[b>>6] |= 1 << (b & 63)
				}
			}
			return filter
		},
		MayContain: func(filter []uint64) bool { return filter[word>>6]>>(word&63)&1 == 1 },
	}
}
