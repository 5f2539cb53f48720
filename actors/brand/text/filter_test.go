package text

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
)

// randomText is letters, escapes and signs that fold into others.
func randomText(r *rand.Rand, maxLen int) string {
	pieces := []string{"a", "B", "k", "i", "so", "NG", "É", "é", "\u212a", "\u0130", "\xff", "\xc4", `\u0041`, `\u212a`, `\n`, `\\`, `\"`, `"`, "1", " ", "{", ":", `,"x":`, "�"}
	var b strings.Builder
	for range r.IntN(maxLen) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// A filter rules no keyword out that a content has.
func TestFilter_RulesOutNoKeywordOfAContent(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	there, out := 0, 0
	for range 20_000 {
		var contents []string
		for range r.IntN(4) {
			c := randomText(r, 12)
			if r.IntN(3) > 0 {
				c = fmt.Sprintf(`{"%s":"%s","n":%d,"o":{"p":["%s"]}}`, randomText(r, 4), c, r.IntN(1000), randomText(r, 9))
			}
			contents = append(contents, c)
		}
		word := randomText(r, 5)
		if r.IntN(2) == 0 && len(contents) > 0 {
			c := contents[0]
			from := r.IntN(len(c) + 1)
			word = c[from:min(len(c), from+r.IntN(6))]
		}
		k := NewKeyword(word)
		if k == nil {
			continue
		}
		may, has := k.MayContain(FilterOf(ofTexts(contents))), false
		for _, c := range contents {
			has = has || k.In([]byte(c))
		}
		if has && !may {
			t.Fatalf("seed %d: %q is ruled out of %q", seed, word, contents)
		}
		there, out = there+bitset.Bit(has), out+bitset.Bit(!may)
	}
	if there < 100 || out < 100 {
		t.Errorf("seed %d: %d words were there, %d ruled out", seed, there, out)
	}
}

func ofTexts(texts []string) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for _, s := range texts {
			if !yield([]byte(s)) {
				return
			}
		}
	}
}

// A filter is a power of two of words, of which a quarter of the bits or fewer are set, and no
// more than twice as long as that asks for.
func TestFilter_IsAsSmallAsItMayBe(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for _, songs := range []int{0, 1, 10, 100, 1000, 10_000} {
		var all []string
		for range songs {
			all = append(all, fmt.Sprintf("%x", r.Uint64()))
		}
		filter := FilterOf(ofTexts(all))
		taken := 0
		for _, w := range filter[1:] {
			taken += bits.OnesCount64(w)
		}
		n := (len(filter) - 1) * 64
		if bits.OnesCount(uint(n)) != 1 || n > 1<<filterBits || taken*filterSpread > n || n > 64 && taken*filterSpread*8 < n {
			t.Errorf("%d songs: %d of %d bits", songs, taken, n)
		}
		if songs > 0 && NewKeyword("lantern").MayContain(filter) {
			t.Errorf("%d songs may have a lantern", songs)
		}
		if got := FilterOf(slices.Values([][]byte{[]byte("Lanterns")})); !NewKeyword("lantern").MayContain(got) {
			t.Error("a lantern is ruled out of lanterns")
		}
	}
}

func FuzzFilter_RulesOutNoKeywordOfAContent(f *testing.F) {
	for _, content := range samples {
		f.Add("x", content, "blue")
	}
	f.Add("", `{"a":"K\u212a","b":null,"c":-1.5e3}`, "kk1")
	f.Add("\\", "\u0130stanbul", "Ist")
	f.Fuzz(func(t *testing.T, other, content, word string) {
		k := NewKeyword(word)
		if k != nil && k.In([]byte(content)) && !k.MayContain(FilterOf(ofTexts([]string{other, content}))) {
			t.Errorf("%q is ruled out of %q", word, content)
		}
	})
}
