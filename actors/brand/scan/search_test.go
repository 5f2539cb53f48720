package scan

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// findIn calls found with each of the contents that the finder does not pass over.
func findIn(contents [][]byte, sought *domain.ContentSearch, found func(i int, content []byte)) {
	for i, c := range contents {
		if sought.Finder(c, nil)(0) >= 0 {
			found(i, c)
		}
	}
}

// contentsOf are the contents of the first rows.
func contentsOf(n int) (contents [][]byte) {
	for seq := range n {
		contents = append(contents, []byte(contentOf(uint64(seq))))
	}
	return contents
}

var everything = sync.OnceValue(func() [][]byte { return contentsOf(1 << 16) })

// searches is a Search that finds rows of other brands, too.
func searches(_ domain.BrandID, in domain.Range, sought *domain.ContentSearch) error {
	findIn(everything(), sought, func(i int, content []byte) { sought.Found(uint64(i), content, in) })
	return nil
}

func TestSearch_IsUsedWhereMostRowsPass(t *testing.T) {
	const list = 5000
	table := rows.NewTable(rows.Options{Promote: 5})
	var all []domain.Row
	for i := range list {
		all = append(all, domain.Row{Seq: uint64(i + 1), Account: 1, Time: 1000 + uint32(i), Ord: domain.Ordinal(i % 256), Brand: 1001, Definition: 100})
	}
	table.Append(1, all)
	v, x := table.Commit(nil), NewScratch()
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{From: 1000, To: 4000}, Groups: []domain.Group{{Definition: 100}},
		Listing: domain.Listing{Every: true, Keyword: "song", Limit: 2000},
	}
	for _, members := range [][]uint64{nil, {7}} { // all, or three of 256
		var want []uint64
		for seq := uint64(3000); seq > 0; seq-- {
			if ord := (seq - 1) % 256; reference.Mentions(contentOf(seq), "song") && (members == nil || ord < 3) {
				want = append(want, seq)
			}
		}
		searched, read := 0, 0
		a := &Ask{
			Plan: NewPlan(q), Brand: 1, Members: members, Label: labelOf,
			Contents: func(list []domain.Row, f func(int, int64, []byte)) error {
				read++
				return contentsOfRows(list, f)
			},
			Search: func(b domain.BrandID, in domain.Range, sought *domain.ContentSearch) error {
				searched++
				if b != labelOf(1) || in != (domain.Range{From: 1000, To: 4000}) {
					t.Errorf("searched brand %d in %v", b, in)
				}
				return searches(b, in, sought)
			},
		}
		got, err := x.Feed(v, a)
		if err != nil {
			t.Fatal(err)
		}
		var seqs []uint64
		for _, i := range got.Items {
			seqs = append(seqs, i.Row.Seq)
		}
		if fmt.Sprint(seqs) != fmt.Sprint(want) || got.Total != uint64(len(want)) || len(want) == 0 {
			t.Errorf("members %v: %d rows %v, want %v", members, got.Total, seqs, want)
		}
		if few := members != nil; (searched == 0) != few || (read > 0) != few {
			t.Errorf("members %v: searched %d times, read %d times", members, searched, read)
		}
	}
}

// Where a brand has more rows than are searched at once, they are searched in stretches of
// time, however the rows lie in them.
func TestSearch_HasEachRowOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 4))
	var contents [][]byte
	const list, atOnce = 20_000, 700
	table := rows.NewTable(rows.Options{Promote: 5})
	want, all := uint64(0), make([]domain.Row, 0, list)
	for i := range list {
		content := ""
		if r.IntN(20) == 0 {
			content = contentOf(uint64(i))
		}
		contents = append(contents, []byte(content))
		want += uint64(bitset.Bit(reference.Mentions(content, "moons")))
		at := uint32(r.IntN(1000)) // half of them in one second
		if at >= 500 {
			at = 700
		}
		all = append(all, domain.Row{Seq: uint64(i), Account: 1, Time: 1000 + at, Ord: 3, Brand: 1001, Definition: 100})
	}
	page := uint32(1 + r.IntN(40)) // rows are found to be at one of so many seconds
	table.Append(1, all)
	var stretches []domain.Range
	x := NewScratch()
	x.feed.feed.hits.atOnce = atOnce
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100}},
		Listing: domain.Listing{Every: true, Keyword: "moons", Limit: 3},
	}
	got, err := x.Feed(table.Commit(nil), &Ask{
		Plan: NewPlan(q), Brand: 1, Label: labelOf, Contents: contentsOfRows,
		Search: func(_ domain.BrandID, in domain.Range, sought *domain.ContentSearch) error {
			stretches = append(stretches, in)
			findIn(contents, sought, func(i int, content []byte) {
				from := all[i].Time / page * page
				sought.Found(uint64(i), content, domain.Range{From: from, To: from + page})
			})
			return nil
		},
	})
	if err != nil || got.Total != want || len(got.Items) != 3 || len(stretches) < list/atOnce/4 {
		t.Errorf("seed %d: %d of %d rows in %d stretches, %v", seed, got.Total, want, len(stretches), err)
	}
}

// The first page is full with the first rows that are read; the others are counted.
func TestSearch_CountsMoreRowsThanAreReadAtOnce(t *testing.T) {
	const list = 2*readAtOnce + 1000
	table, contents := rows.NewTable(rows.Options{Promote: 5}), contentsOf(list)
	var all []domain.Row
	want := uint64(0)
	for i := range list {
		if reference.Mentions(contentOf(uint64(i)), "song 49") {
			want++
		}
		all = append(all, domain.Row{Seq: uint64(i), Account: 1, Time: 1000 + uint32(i), Ord: 3, Brand: 1001, Definition: 100})
	}
	table.Append(1, all)
	v, x := table.Commit(nil), NewScratch()
	for _, search := range []Search{nil, func(_ domain.BrandID, in domain.Range, sought *domain.ContentSearch) error {
		findIn(contents, sought, func(i int, content []byte) { sought.Found(uint64(i), content, in) })
		return nil
	}} {
		for _, up := range []bool{false, true} {
			q := &domain.Question{
				Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100}},
				Listing: domain.Listing{Every: true, Up: up, Keyword: "song 49", Limit: 3},
			}
			got, err := x.Feed(v, &Ask{Plan: NewPlan(q), Brand: 1, Label: labelOf, Contents: contentsOfRows, Search: search})
			if err != nil || got.Total != want || len(got.Items) != 3 {
				t.Errorf("searching %v, up %v: %d of %d rows, %v", search != nil, up, got.Total, want, err)
			}
		}
	}
}
