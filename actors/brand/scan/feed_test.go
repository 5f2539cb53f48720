package scan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/text"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// recordedAt is when a row was recorded: several within a millisecond.
func recordedAt(seq uint64) int64 { return 1e12 + int64(seq/9) }

// contentOf is what a row says.
func contentOf(seq uint64) string {
	switch seq % 11 {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("heard %d in the Blue room", seq)
	case 2:
		return fmt.Sprintf(`{"Blue":%d,"Track":"\u0042lue %d"}`, seq, seq/100)
	case 3:
		return `{"Blue":{"at":["x",{"Red":"deep BLÜE, blue"}],"on":true}}`
	case 4:
		return `{"not an object`
	}
	return fmt.Sprintf(`{"Track":"Song %d","Artist":"The Moons"}`, seq%50)
}

// keywords are looked for: common ones, rare ones, none at all.
var keywords = []string{"", "", "", "", "moons", "BLUE", "bLüe", "song 1", "song 49", "true", "Track", `"`, "nobody says this", "7"}

// drawListing gives a random question what a feed needs.
func (w *population) drawListing(r *rand.Rand, h *question) {
	h.q.Listing = domain.Listing{
		Every: r.IntN(2) == 0, Recorded: r.IntN(3) == 0, Up: r.IntN(3) == 0,
		Keyword: keywords[r.IntN(len(keywords))], Offset: r.IntN(2) * r.IntN(100), Limit: r.IntN(5) * r.IntN(40),
	}
	if h.q.Shape == domain.ShapeFeed && r.IntN(2) == 0 {
		h.q.Groups = slices.Clone(h.q.Groups)
		for i := range h.q.Groups {
			h.q.Groups[i].Own, h.q.Groups[i].Points = r.IntN(2) == 0, uint16(r.IntN(1<<16))
		}
	}
}

// labelOf is the brand of a dense number.
func labelOf(dense uint32) domain.BrandID {
	if dense == rows.Visits {
		return 0
	}
	return domain.BrandID(dense + 1000)
}

// contentsOfRows is the rows' contents, in an order of its own.
func contentsOfRows(list []domain.Row, f func(i int, recorded int64, content []byte)) error {
	for i := len(list) - 1; i >= 0; i-- {
		f(i, recordedAt(list[i].Seq), []byte(contentOf(list[i].Seq)))
	}
	return nil
}

// TestFeed_IsExactAtEverySize asks for feeds of tens of thousands of rows in chunks of
// their real size.
func TestFeed_IsExactAtEverySize(t *testing.T) {
	w, r := population{members: 700, brands: 9, definitions: 12, start: 20_000 * 86400, span: 20 * 86400}, rand.New(rand.NewPCG(3, 9))
	table, m := w.filled(r, rows.Options{}, 40_000, 43, 50, 997)
	table.Settle()
	v, x := table.Commit(nil), NewScratch()
	full := 0
	for range some(300) {
		h := w.question(r)
		h.q.Shape, h.q.Listing.Limit = domain.ShapeFeed, r.IntN(1+r.IntN(2000))
		got, err := x.Answer(v, h.ask(nil))
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(m.answer(h), got); d != "" {
			t.Fatalf("brand %d %+v range %+v (-want +got):\n%s", h.dense, h.q.Listing, h.q.Range, d)
		}
		if n := len(got.Feed.Items); n > 0 && uint64(n) < got.Feed.Total {
			full++
		}
	}
	if full < some(40)/4 { // of a short sample as well
		t.Errorf("only %d feeds went on behind their page", full)
	}
}

// TestFeed_ListsRowsOfOneMillisecondByID has more of them than a feed by recording looks
// at first.
func TestFeed_ListsRowsOfOneMillisecondByID(t *testing.T) {
	const list, first = 30_000, 20_000 * 86400
	table := rows.NewTable(rows.Options{})
	var all []domain.Row
	for i := range list {
		all = append(all, domain.Row{Seq: uint64(i + 1), Account: 1, Time: first + uint32(i*7919%list), Ord: domain.Ordinal(i % 900), Brand: 1001, Definition: 100})
	}
	table.Append(1, all)
	v, x := table.Commit(nil), NewScratch()
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100}},
		Listing: domain.Listing{Every: true, Recorded: true, Offset: 2, Limit: 3},
	}
	a := &Ask{Plan: NewPlan(q), Brand: 1, Label: labelOf, Contents: func(list []domain.Row, f func(int, int64, []byte)) error {
		for i := range list {
			f(i, int64(list[i].Seq)/20_000, nil) // two milliseconds: 19,999 rows and 10,001
		}
		return nil
	}}
	got, err := x.Feed(v, a)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range got.Items {
		if item.Row.Seq != uint64(20_000+i) || item.Recorded != 1 {
			t.Errorf("item %d is %+v", i, item)
		}
	}
	if len(got.Items) != 5 || got.Total != list {
		t.Errorf("%d items of %d", len(got.Items), got.Total)
	}
}

func TestFeed_FailsWithItsContents(t *testing.T) {
	table := rows.NewTable(rows.Options{Promote: 5})
	for i := range 20 {
		table.Append(1, []domain.Row{{Seq: uint64(i + 1), Time: 1000, Brand: 1001, Definition: 100}})
	}
	broken := errors.New("broken")
	fails := func([]domain.Row, func(int, int64, []byte)) error { return broken }
	q := &domain.Question{Shape: domain.ShapeFeed, Range: domain.Range{To: 5000}, Groups: []domain.Group{{Definition: 100}}}
	ask := func(l domain.Listing, v *rows.View) (*domain.Feed, error) {
		q.Listing = l
		return NewScratch().Feed(v, &Ask{Plan: NewPlan(q), Brand: 1, Label: labelOf, Contents: fails})
	}
	v := table.Commit(nil)
	for _, l := range []domain.Listing{{Keyword: "x", Limit: 3}, {Keyword: "x", Every: true}, {Recorded: true, Limit: 3}} {
		if got, err := ask(l, v); !errors.Is(err, broken) || got != nil {
			t.Errorf("%+v: %v %v", l, got, err)
		}
	}
	if got, err := ask(domain.Listing{Limit: 3}, v); err != nil || got.Total != 1 {
		t.Errorf("%v %v", got, err)
	}
	table.Evict(1)
	for _, l := range []domain.Listing{{Keyword: "x", Limit: 3}, {Limit: 3}} {
		if got, err := ask(l, table.Commit(nil)); !errors.Is(err, rows.ErrCold) || got != nil {
			t.Errorf("%+v: %v %v", l, got, err)
		}
	}
}

func FuzzKeyword_MatchesValuesOnly(f *testing.F) {
	for _, word := range keywords[4:] {
		for seq := range uint64(11) {
			f.Add(contentOf(seq), word)
		}
	}
	f.Add(`{"a":"K\u212a","b":null,"c":-1.5e3}`, "kk")
	f.Add("\u0130stanbul", "i")
	f.Add(`{"a":"x"} {"b":"moons"}`, "moons")
	f.Fuzz(func(t *testing.T, content, word string) {
		if word == "" {
			return
		}
		if got := text.NewKeyword(word).In([]byte(content)); got != reference.Mentions(content, word) {
			t.Errorf("%q in %q: %v", word, content, got)
		}
	})
}
