package domain

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFields_WithOverwritesClearsAndKeepsOrder(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	random := func() (f Fields) {
		for id := Field(1); id < 12; id++ {
			if rnd.IntN(2) == 0 {
				f = append(f, FieldValue{id, []string{"", "a", "b"}[rnd.IntN(3)]})
			}
		}
		return f
	}
	for range 2000 {
		f, g := random(), random()
		before := fmt.Sprint(f, g)
		got := f.With(g)
		if fmt.Sprint(f, g) != before {
			t.Fatalf("seed %d: an operand was changed", seed)
		}
		if !slices.IsSortedFunc(got, func(a, b FieldValue) int { return int(a.Field) - int(b.Field) }) {
			t.Fatalf("seed %d: %v", seed, got)
		}
		for id := Field(1); id < 12; id++ {
			want := f.Get(id)
			if slices.ContainsFunc(g, func(v FieldValue) bool { return v.Field == id }) {
				want = g.Get(id)
			}
			if got.Get(id) != want || want == "" && slices.ContainsFunc(got, func(v FieldValue) bool { return v.Field == id }) {
				t.Fatalf("seed %d: field %d of %v with %v is %q", seed, id, f, g, got.Get(id))
			}
		}
	}
}

func TestPosition_ReachTakesTheHigherOffsets(t *testing.T) {
	a := Position{Journal: TopicID{1}, Catalog: 5, Shards: []ShardOffset{{0, 3}, {2, 9}}}
	b := Position{Journal: TopicID{1}, Catalog: 4, Shards: []ShardOffset{{1, 1}, {2, 10}, {7, 2}}}
	want := Position{Journal: TopicID{1}, Catalog: 5, Shards: []ShardOffset{{0, 3}, {1, 1}, {2, 10}, {7, 2}}}
	for _, got := range []Position{a.Reach(b), b.Reach(a), want.Reach(a), Position{}.Reach(want)} {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if a.Next(2) != 9 || a.Next(1) != 0 {
		t.Error(a.Next(2), a.Next(1))
	}
}

func TestOrigin_OrderedByEpochThenOffset(t *testing.T) {
	for _, c := range []struct {
		a, b Origin
		want bool
	}{
		{Origin{Epoch: 1, Offset: 5}, Origin{Epoch: 1, Offset: 4}, true},
		{Origin{Epoch: 1, Offset: 5}, Origin{Epoch: 1, Offset: 5}, false},
		{Origin{Epoch: 2, Offset: 0}, Origin{Epoch: 1, Offset: 9}, true},
		{Origin{Epoch: 1, Offset: 9}, Origin{Epoch: 2, Offset: 0}, false},
	} {
		if got := c.a.Above(c.b); got != c.want {
			t.Errorf("%v above %v: %v", c.a, c.b, got)
		}
	}
}

func TestService_ParsesAnyCaseAndSomeRegister(t *testing.T) {
	for s := Email; s <= Custom; s++ {
		if got, ok := ParseService(s.String()); !ok || got != s {
			t.Errorf("%v reads as %v", s, got)
		}
	}
	if s, ok := ParseService("The Service"); !ok || s != Spotify {
		t.Error(s, ok)
	}
	if _, ok := ParseService(""); ok {
		t.Error("no service is a service")
	}
	for _, s := range []Service{NoService, Rdio, BeatsMusic, Custom, Custom + 1} {
		if s.Registers() {
			t.Errorf("%v registers", s)
		}
	}
}

func TestError_CodeSurvivesWrapping(t *testing.T) {
	cause := errors.New("disk")
	err := fmt.Errorf("outer: %w", &Error{Code: Conflict, Message: "taken", Op: "put", Err: cause})
	if CodeOf(err) != Conflict || !errors.Is(err, cause) || CodeOf(nil) != OK || CodeOf(cause) != Internal {
		t.Error(CodeOf(err))
	}
	if got := err.Error(); got != "outer: put: taken: disk" {
		t.Error(got)
	}
}

// Each value has a word of its own, and all that this binary does not know have one word or none, so
// that status and a log can show what a newer one has written.
func TestString_KnownAndUnknownValues(t *testing.T) {
	for name, c := range map[string]struct {
		of      func(n uint8) string
		last    uint8
		unknown string
	}{
		"plan":    {func(n uint8) string { return Plan(n).String() }, uint8(Enterprise), ""},
		"scope":   {func(n uint8) string { return KeyScope(n).String() }, uint8(ScopePublic), ""},
		"gap":     {func(n uint8) string { return GapKind(n).String() }, uint8(GapOlder), "unknown"},
		"limit":   {func(n uint8) string { return LimitMode(n).String() }, uint8(SoftLimit), ""},
		"reason":  {func(n uint8) string { return Reason(n).String() }, uint8(Reasons - 1), "unknown"},
		"service": {func(n uint8) string { return Service(n).String() }, uint8(Custom), ""},
	} {
		seen := map[string]uint8{}
		for n := uint8(1); n < 255; n++ {
			word := c.of(n)
			other, twice := seen[word]
			switch {
			case n > c.last && word != c.unknown:
				t.Errorf("%s %d, which there is not, is %q", name, n, word)
			case n <= c.last && (word == c.unknown || twice):
				t.Errorf("%s %d is %q, and so is %d", name, n, word, other)
			}
			seen[word] = n
		}
	}
}
