package accounts

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Whatever visits say of themselves, places stay within their bound, of numbers and of bytes: pages with ids
// in them, invented domains, pairs of both, pages of many segments on invented domains, and long pages.
func TestPlaces_StayWithinTheirBound(t *testing.T) {
	const maxPlaces = 100
	long := strings.Repeat("x", 4000)
	for what, visit := range map[string]func(i int) (domain.VisitPlace, bool){
		"pages with ids": func(i int) (domain.VisitPlace, bool) {
			return domain.VisitPlace{Domain: "a.example", Page: fmt.Sprint("a.example/", i)}, false
		},
		"domains": func(i int) (domain.VisitPlace, bool) {
			return domain.VisitPlace{Domain: fmt.Sprint(i, ".example")}, false
		},
		"pages of no domain": func(i int) (domain.VisitPlace, bool) {
			return domain.VisitPlace{Page: fmt.Sprint("a.example/", i)}, false
		},
		"domains and pages": func(i int) (domain.VisitPlace, bool) {
			return domain.VisitPlace{Domain: fmt.Sprint(i%97, ".example"), Page: fmt.Sprint("a.example/", i%89)}, false
		},
		"domains and the page of a segment": func(i int) (domain.VisitPlace, bool) {
			return domain.VisitPlace{Domain: fmt.Sprint(i, ".example"), Page: "a.example/join"}, true
		},
		"pages of segments": func(i int) (domain.VisitPlace, bool) {
			return domain.VisitPlace{Domain: fmt.Sprint(i%97, ".example"), Page: fmt.Sprint("a.example/", i)}, true
		},
		"long pages": func(i int) (domain.VisitPlace, bool) {
			return domain.VisitPlace{Domain: "a.example", Page: fmt.Sprint("a.example/", long, i)}, i%2 == 0
		},
	} {
		p := Places{max: maxPlaces}
		for i := range 50 * maxPlaces {
			at, segment := visit(i)
			before := len(p.list)
			_, fresh, _ := p.Keep(at, segment)
			if len(p.list) != before+len(fresh) {
				t.Fatalf("%s: %d places more, %v are new", what, len(p.list)-before, fresh)
			}
		}
		bytes := 0
		for _, at := range p.list {
			bytes += len(at.Domain) + len(at.Page)
		}
		if len(p.list) > 2*maxPlaces || bytes > 2*maxPlaces*domain.VisitPlaceBytes+2*len(long) || !p.Full() {
			t.Errorf("%s: %d places of %d bytes, full: %t", what, len(p.list), bytes, p.Full())
		}
	}
}

// A visit keeps its place as long as there is room, and what is known goes on: of what is new it keeps the
// page of a segment, else the domain if that is known.
func TestPlaces_KeepWhatIsKnown(t *testing.T) {
	p := Places{max: 4}
	place := func(site, page string) domain.VisitPlace { return domain.VisitPlace{Domain: site, Page: page} }
	for _, c := range []struct {
		at      domain.VisitPlace
		segment bool
		want    domain.VisitPlace
		full    bool
	}{
		{at: domain.VisitPlace{}},
		{at: place("a", "a/1"), want: place("a", "a/1")},
		{at: place("", "c/1"), want: place("", "c/1")},
		{at: place("b", "b/1"), want: place("b", ""), full: true},
		{at: place("a", "a/1"), want: place("a", "a/1"), full: true},
		{at: place("", "c/1"), want: place("", "c/1"), full: true},
		{at: place("a", "a/2"), want: place("a", ""), full: true},
		{at: place("a", ""), want: place("a", ""), full: true},
		{at: place("c", ""), full: true},
		{at: place("", "c/2"), full: true},
		{at: place("c", "c/2"), full: true},
		{at: place("c", "c/1"), full: true},
		{at: place("a", "a/s"), segment: true, want: place("", "a/s"), full: true},
		{at: place("c", "a/s"), segment: true, want: place("", "a/s"), full: true},
		{at: place("c", "a/1"), segment: true, want: place("", "a/1"), full: true},
		{at: place("a", "a/1"), segment: true, want: place("a", "a/1"), full: true},
		{at: place("", "d/s"), segment: true, want: place("", "d/s"), full: true},
		{at: place("", "e/s"), segment: true, want: place("", "e/s"), full: true},
		{at: place("", "f/s"), segment: true, full: true},
		{at: place("a", "f/s"), segment: true, want: place("a", ""), full: true},
	} {
		number, _, kept := p.Keep(c.at, c.segment)
		var got domain.VisitPlace
		if kept {
			got = p.At(number)
		}
		if got != c.want || kept == c.want.IsZero() || p.Full() != c.full {
			t.Errorf("%+v: kept is %+v, want %+v; full: %t", c.at, got, c.want, p.Full())
		}
	}
}

// Places that are loaded again are those that were kept, and keep what comes next alike, be a start in
// between or not (I6).
func TestPlaces_LoadedAreTheSame(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	p := Places{max: 20}
	for range 2000 {
		if rnd.IntN(50) == 0 {
			again := Places{max: 20}
			for _, at := range p.list {
				again.add(at)
			}
			at, segment := invented(rnd), rnd.IntN(5) == 0
			_, a, _ := p.Keep(at, segment)
			if _, b, _ := again.Keep(at, segment); !slices.Equal(a, b) || p.Full() != again.Full() {
				t.Fatalf("%+v: %v are new, else %v", at, a, b)
			}
			p = again
		}
		p.Keep(invented(rnd), rnd.IntN(5) == 0)
	}
}

func invented(rnd *rand.Rand) (at domain.VisitPlace) {
	if rnd.IntN(3) > 0 {
		at.Domain = fmt.Sprint(rnd.IntN(12), ".example")
	}
	if rnd.IntN(3) > 0 {
		at.Page = fmt.Sprint("a.example/", rnd.IntN(60), strings.Repeat("x", rnd.IntN(600)))
	}
	return at
}

// Pages of 220 bytes, twice as many as have room, take memory for as many as have.
func TestPlaces_Memory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var p Places
	pad := strings.Repeat("x", 200)
	for i := range 2 * domain.MaxVisitPlaces {
		p.Keep(domain.VisitPlace{Domain: "a.example", Page: fmt.Sprintf("a.example/%s/%d", pad, i)}, false)
	}
	bytes := (heap() - before) / domain.MaxVisitPlaces
	t.Logf("%d places take %d bytes each", len(p.list), bytes)
	if len(p.list) != domain.MaxVisitPlaces || bytes > 400 {
		t.Errorf("%d places take %d bytes for each that has room", len(p.list), bytes)
	}
	runtime.KeepAlive(&p)
}
