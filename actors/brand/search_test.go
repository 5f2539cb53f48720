package brand

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// shelf is contents one behind the other, as a store has them.
type shelf struct {
	text []byte
	ends []int // of each content
	gist []uint64
}

func (s *shelf) put(content string) {
	s.text = append(s.text, content...)
	s.ends = append(s.ends, len(s.text))
}

// search calls f with the contents that near does not pass over.
func (s *shelf) search(near func([]byte, []uint64) func(int) int, f func(i int, content []byte)) {
	next, from := near(s.text, s.gist), 0
	for i, end := range s.ends {
		if from > end { // an earlier one, which nothing was to be found in
			continue
		}
		start := 0
		if i > 0 {
			start = s.ends[i-1]
		}
		at := next(start)
		if at < 0 {
			return
		}
		if from = at; at < end {
			f(i, s.text[start:end])
		}
	}
}

// everything is what rows of the sequences from 0 on say.
var everything = sync.OnceValue(func() *shelf {
	s := &shelf{}
	for seq := range uint64(1 << 16) {
		s.put(contentOf(seq))
	}
	s.sumUp()
	return s
})

// sumUp gives the shelf its gist.
func (s *shelf) sumUp() {
	from := 0
	s.gist = gistOf(func(yield func([]byte) bool) {
		for _, end := range s.ends {
			if !yield(s.text[from:end]) {
				return
			}
			from = end
		}
	})
}

// searches is a Search that finds rows of other brands, too.
func searches(_ domain.BrandID, in domain.Range, sought *domain.Sought) error {
	everything().search(sought.Near, func(i int, content []byte) { sought.Found(uint64(i), content, in) })
	return nil
}

func TestAFeedSearchesWhereMostRowsWaitAndReadsWhereFewDo(t *testing.T) {
	const rows = 5000
	table := NewTable(Options{Promote: 5})
	var all []domain.Row
	for i := range rows {
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
			if ord := (seq - 1) % 256; mentions(contentOf(seq), "song") && (members == nil || ord < 3) {
				want = append(want, seq)
			}
		}
		searched, read := 0, 0
		a := &Ask{
			Plan: NewPlan(q), Brand: 1, Members: members, Label: labelOf,
			Says: func(rows []domain.Row, f func(int, int64, []byte)) error {
				read++
				return says(rows, f)
			},
			Search: func(b domain.BrandID, in domain.Range, sought *domain.Sought) error {
				searched++
				if b != labelOf(1) || in != (domain.Range{From: 1000, To: 4000}) {
					t.Errorf("searched brand %d in %v", b, in)
				}
				return searches(b, in, sought)
			},
		}
		got, err := v.Feed(x, a)
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
func TestStretchesOfASearchHaveEachRowOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r, s := rand.New(rand.NewPCG(seed, 4)), &shelf{}
	const rows, atOnce = 20_000, 700
	table := NewTable(Options{Promote: 5})
	want, all := uint64(0), make([]domain.Row, 0, rows)
	for i := range rows {
		content := ""
		if r.IntN(20) == 0 {
			content = contentOf(uint64(i))
		}
		s.put(content)
		want += uint64(bit(mentions(content, "moons")))
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
	x.feed.atOnce = atOnce
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100}},
		Listing: domain.Listing{Every: true, Keyword: "moons", Limit: 3},
	}
	got, err := table.Commit(nil).Feed(x, &Ask{
		Plan: NewPlan(q), Brand: 1, Label: labelOf, Says: says,
		Search: func(_ domain.BrandID, in domain.Range, sought *domain.Sought) error {
			stretches = append(stretches, in)
			s.search(sought.Near, func(i int, content []byte) {
				from := all[i].Time / page * page
				sought.Found(uint64(i), content, domain.Range{From: from, To: from + page})
			})
			return nil
		},
	})
	if err != nil || got.Total != want || len(got.Items) != 3 || len(stretches) < rows/atOnce/4 {
		t.Errorf("seed %d: %d of %d rows in %d stretches, %v", seed, got.Total, want, len(stretches), err)
	}
}

// A set has what was added and nothing else.
func TestASetOfSequencesIsWhatAMapSays(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 5))
	var s sequences
	dense := 0
	for range 50 {
		s.clear()
		model, most, step := map[uint64]bool{}, 1+r.Uint64N(1<<uint(1+r.IntN(18))), uint64(1)<<uint(r.IntN(40))
		for range r.IntN(20_000) {
			seq := step * r.Uint64N(most)
			s.add(seq)
			model[seq] = true
		}
		s.index()
		for range 1000 {
			if seq := step * r.Uint64N(most); s.has(seq) != model[seq] {
				t.Fatalf("seed %d: %d is there: %v, want %v", seed, seq, s.has(seq), model[seq])
			}
		}
		dense += bit(len(s.dense) > 0)
	}
	if dense == 0 || dense == 50 {
		t.Errorf("seed %d: %d sets of 50 have a bit for each sequence", seed, dense)
	}
}

// Where a keyword stands is where the lower-cased text has it.
func TestAKeywordIsFoundWhereItStandsFirst(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 6))
	const letters = "abAB@`[{ 1"
	random := func(most int) string {
		b := make([]byte, r.IntN(most))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	for range 50_000 {
		word, text := random(6), random(60)
		if word == "" {
			continue
		}
		if got, want := newKeyword(word).find([]byte(text)), strings.Index(strings.ToLower(text), strings.ToLower(word)); got != want {
			t.Fatalf("seed %d: %q in %q at %d, want %d", seed, word, text, got, want)
		}
	}
}

// The first page is full with the first rows that are read; the others are counted.
func TestAKeywordIsCountedInMoreRowsThanAreReadAtOnce(t *testing.T) {
	const rows = 2*readAtOnce + 1000
	table, s := NewTable(Options{Promote: 5}), &shelf{}
	var all []domain.Row
	want := uint64(0)
	for i := range rows {
		s.put(contentOf(uint64(i)))
		if mentions(contentOf(uint64(i)), "song 49") {
			want++
		}
		all = append(all, domain.Row{Seq: uint64(i), Account: 1, Time: 1000 + uint32(i), Ord: 3, Brand: 1001, Definition: 100})
	}
	table.Append(1, all)
	v, x := table.Commit(nil), NewScratch()
	for _, search := range []Search{nil, func(_ domain.BrandID, in domain.Range, sought *domain.Sought) error {
		s.search(sought.Near, func(i int, content []byte) { sought.Found(uint64(i), content, in) })
		return nil
	}} {
		for _, up := range []bool{false, true} {
			q := &domain.Question{
				Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100}},
				Listing: domain.Listing{Every: true, Up: up, Keyword: "song 49", Limit: 3},
			}
			got, err := v.Feed(x, &Ask{Plan: NewPlan(q), Brand: 1, Label: labelOf, Says: says, Search: search})
			if err != nil || got.Total != want || len(got.Items) != 3 {
				t.Errorf("searching %v, up %v: %d of %d rows, %v", search != nil, up, got.Total, want, err)
			}
		}
	}
}

// Whatever stands around it, a content that has the keyword is not passed over.
func FuzzNearPassesOverNothing(f *testing.F) {
	for _, word := range keywords[4:] {
		for seq := range uint64(11) {
			f.Add("x", contentOf(seq), word)
		}
	}
	f.Add("", `{"a":"K\u212a","b":null,"c":-1.5e3}`, "kk")
	f.Add("\\", "\u0130stanbul", "I")
	f.Add("mo", "onMOOns", "moons")
	f.Fuzz(func(t *testing.T, around, content, word string) {
		if word == "" {
			return
		}
		k, s := newKeyword(word), &shelf{}
		for _, c := range []string{around, content, around, content} {
			s.put(c)
		}
		for range 2 {
			met := [4]bool{}
			s.search(k.nears(), func(i int, _ []byte) { met[i] = true })
			if k.in([]byte(content)) && !(met[1] && met[3]) {
				t.Errorf("%q in %q between %q, by a gist %v: met %v", word, content, around, s.gist, met)
			}
			s.sumUp()
		}
	})
}

// A search through the songs of a hot brand, by what share of them has the word.
func BenchmarkNear(b *testing.B) {
	r, s := rand.New(rand.NewPCG(1, 2)), &shelf{}
	for range 100_000 {
		s.put(fmt.Sprintf(`{"TrackName":"%s Morita %d","TrackArtist":"The Moons","ISRC":"GB%08d"}`, strings.Repeat("Belso", 1+r.IntN(3)), r.IntN(20_000), r.IntN(1e8)))
	}
	for _, word := range []string{"quasar", "lantern", "morita 19999", "morita 1", "trackname"} {
		b.Run(word, func(b *testing.B) {
			k, met := newKeyword(word), 0
			for b.Loop() {
				met = 0
				s.search(k.nears(), func(_ int, content []byte) {
					if k.in(content) {
						met++
					}
				})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s.ends)), "ns/row")
			b.ReportMetric(float64(met)/float64(len(s.ends)), "met/row")
		})
	}
}
