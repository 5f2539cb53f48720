package scan

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/text"
	"github.com/ovation-analytics/ovation/actors/domain"
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

// listing gives a random question what a feed needs.
func (w *world) listing(r *rand.Rand, h *question) {
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

// says is the rows' contents, in an order of its own.
func says(list []domain.Row, f func(i int, recorded int64, content []byte)) error {
	for i := len(list) - 1; i >= 0; i-- {
		f(i, recordedAt(list[i].Seq), []byte(contentOf(list[i].Seq)))
	}
	return nil
}

// mentions is what a keyword means, the slow way.
func mentions(content, word string) bool {
	if word == "" {
		return true
	}
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(word)) }
	var object map[string]any
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	if !strings.HasPrefix(content, "{") || !json.Valid([]byte(content)) || dec.Decode(&object) != nil {
		return content != "" && has(content)
	}
	var in func(v any) bool
	in = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for _, e := range v {
				if in(e) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(v, in)
		case nil:
		default:
			return has(fmt.Sprint(v))
		}
		return false
	}
	return in(object)
}

func (m model) feed(h *question) *domain.Feed {
	l := &h.q.Listing
	var all []*fact
	last := map[domain.Ordinal]*fact{}
	for _, f := range m {
		if _, ok := h.counts(f); !ok || !mentions(contentOf(f.Seq), l.Keyword) {
			continue
		}
		all = append(all, f)
		if o := last[f.Ord]; o == nil || f.Time > o.Time || f.Time == o.Time && f.Seq < o.Seq {
			last[f.Ord] = f
		}
	}
	if !l.Every {
		all = slices.DeleteFunc(all, func(f *fact) bool { return last[f.Ord] != f })
	}
	slices.SortFunc(all, func(a, b *fact) int {
		by := cmp.Compare(a.Time, b.Time)
		if l.Recorded {
			by = cmp.Compare(recordedAt(a.Seq), recordedAt(b.Seq))
		}
		if !l.Up {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.Seq, b.Seq))
	})
	out := &domain.Feed{Total: uint64(len(all)), Items: []domain.FeedItem{}}
	all, out.Ahead = h.cutFeed(all)
	for _, f := range all[:min(l.End(), len(all))] {
		item := domain.FeedItem{Row: f.Row}
		for _, g := range h.q.Groups {
			if g.Definition == f.Definition && g.Own {
				item.Row.Points = g.Points
			}
		}
		if l.Recorded {
			item.Recorded = recordedAt(f.Seq)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// TestFeed_IsExactAtEverySize asks for feeds of tens of thousands of rows in chunks of
// their real size.
func TestFeed_IsExactAtEverySize(t *testing.T) {
	w, r := world{members: 700, brands: 9, definitions: 12, start: 20_000 * 86400, span: 20 * 86400}, rand.New(rand.NewPCG(3, 9))
	table, m := rows.NewTable(rows.Options{}), model{}
	for i := range 40_000 {
		f := w.row(r, uint64(i+1), w.start+uint32(i)*43)
		m[f.Seq] = &f
		table.Append(f.dense, []domain.Row{f.Row})
		if r.IntN(50) == 0 {
			if !table.Remove(f.dense, &f.Row) {
				t.Fatal("not removed")
			}
			delete(m, f.Seq)
		}
		if i%997 == 0 {
			table.Commit(nil)
		}
	}
	table.Settle()
	v, x := table.Commit(nil), NewScratch()
	full := 0
	for range 300 {
		h := w.question(r)
		h.q.Shape, h.q.Listing.Limit = domain.ShapeFeed, r.IntN(1+r.IntN(2000))
		got, err := x.Answer(v, h.ask(nil))
		if err != nil {
			t.Fatal(err)
		}
		if d := diff.Diff(domain.Answer{Feed: m.feed(h)}, got); d != "" {
			t.Fatalf("brand %d %+v range %+v (-want +got):\n%s", h.dense, h.q.Listing, h.q.Range, d)
		}
		if n := len(got.Feed.Items); n > 0 && uint64(n) < got.Feed.Total {
			full++
		}
	}
	if full < 40 {
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

func FuzzKeywordIsFoundInValuesOnly(f *testing.F) {
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
		if got := text.NewKeyword(word).In([]byte(content)); got != mentions(content, word) {
			t.Errorf("%q in %q: %v", word, content, got)
		}
	})
}
