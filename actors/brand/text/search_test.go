package text

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// corpus is contents one after the other, as a store has them.
type corpus struct {
	text   []byte
	ends   []int // of each content
	filter []uint64
}

func (s *corpus) put(content string) {
	s.text = append(s.text, content...)
	s.ends = append(s.ends, len(s.text))
}

// search calls f with the contents that near does not pass over.
func (s *corpus) search(near func([]byte, []uint64) func(int) int, f func(i int, content []byte)) {
	next, from := near(s.text, s.filter), 0
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

// makeFilter gives the corpus its filter.
func (s *corpus) makeFilter() {
	from := 0
	s.filter = FilterOf(func(yield func([]byte) bool) {
		for _, end := range s.ends {
			if !yield(s.text[from:end]) {
				return
			}
			from = end
		}
	})
}

// The position of a keyword is its position in the lower-cased text.
func TestKeyword_IsFoundWhereTheLowerCasedTextHasItFirst(t *testing.T) {
	t.Parallel()
	letters := func(minLen, maxLen int) *rapid.Generator[string] {
		return rapid.StringOfN(rapid.RuneFrom([]rune("abAB@`[{ 1")), minLen, maxLen, -1)
	}
	rapid.Check(t, func(t *rapid.T) {
		word := letters(1, 5).Draw(t, "word")
		for _, text := range rapid.SliceOfN(letters(0, 60), 1, 100).Draw(t, "texts") {
			if got, want := NewKeyword(word).find([]byte(text)), strings.Index(strings.ToLower(text), strings.ToLower(word)); got != want {
				t.Fatalf("%q in %q at %d, want %d", word, text, got, want)
			}
		}
	})
}

// samples are contents of each sort.
var samples = []string{
	"", "heard 1 in the Blue room", `{"Blue":2,"Track":"\u0042lue 1"}`,
	`{"Blue":{"at":["x",{"Red":"deep BLÜE, blue"}],"on":true}}`, `{"not an object`, `{"Track":"Song 7","Artist":"The Blue"}`,
}

// A content that has the keyword is found, whatever text surrounds the keyword.
func FuzzFinder_PassesOverNoContentWithTheKeyword(f *testing.F) {
	for _, content := range samples {
		f.Add("x", content, "blue")
	}
	f.Add("", `{"a":"K\u212a","b":null,"c":-1.5e3}`, "kk")
	f.Add("\\", "\u0130stanbul", "I")
	f.Add("mo", "onMOOns", "moons")
	f.Fuzz(func(t *testing.T, around, content, word string) {
		if word == "" {
			return
		}
		k, s := NewKeyword(word), &corpus{}
		for _, c := range []string{around, content, around, content} {
			s.put(c)
		}
		for range 2 {
			met := [4]bool{}
			s.search(k.Finder(), func(i int, _ []byte) { met[i] = true })
			if k.In([]byte(content)) && !(met[1] && met[3]) {
				t.Errorf("%q in %q between %q, by a filter %v: met %v", word, content, around, s.filter, met)
			}
			s.makeFilter()
		}
	})
}

// A search through the songs of a hot brand, by what share of them has the word.
func BenchmarkFinder(b *testing.B) {
	r, s := rand.New(rand.NewPCG(1, 2)), &corpus{}
	for range 100_000 {
		s.put(fmt.Sprintf(`{"TrackName":"%s Morita %d","TrackArtist":"The Moons","ISRC":"GB%08d"}`, strings.Repeat("Belso", 1+r.IntN(3)), r.IntN(20_000), r.IntN(1e8)))
	}
	for _, word := range []string{"quasar", "lantern", "morita 19999", "morita 1", "trackname"} {
		b.Run(word, func(b *testing.B) {
			k, met := NewKeyword(word), 0
			for b.Loop() {
				met = 0
				s.search(k.Finder(), func(_ int, content []byte) {
					if k.In(content) {
						met++
					}
				})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s.ends)), "ns/row")
			b.ReportMetric(float64(met)/float64(len(s.ends)), "met/row")
		})
	}
}
