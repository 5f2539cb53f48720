package scan

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// home is the country of a member; those of the second page are not known.
func home(ord domain.Ordinal) uint16 {
	if ord/columnPage == 1 {
		return 0
	}
	return [...]uint16{domain.CountryCode("DE"), domain.CountryCode("FR"), 0, domain.CountryCode("US"), domain.CountryCode("DE")}[ord*7919>>3%5]
}

// gender is the gender of a member, if it is known.
func gender(ord domain.Ordinal) uint16 {
	if ord/columnPage == 1 {
		return 0
	}
	return uint16(ord * 7919 >> 3 % 4)
}

// born is the day of a member's birth, if it is known: from 1900 to 2035.
func born(ord domain.Ordinal) uint16 {
	if ord/columnPage == 1 || ord%9 == 0 {
		return 0
	}
	return uint16(1 + ord*7919*31%49_000)
}

// columns are what members are counted by.
var columns = map[domain.Shape]Column{
	domain.ShapeLocation: columnOf(home), domain.ShapeGender: columnOf(gender), domain.ShapeAge: columnOf(born),
}

// columnOf is the column of members whose second page is not there.
func columnOf(of func(domain.Ordinal) uint16) Column {
	c := Column{new([columnPage]uint16), nil, new([columnPage]uint16), new([columnPage]uint16)}
	for k, p := range c {
		for i := range columnPage {
			if p != nil {
				p[i] = of(domain.Ordinal(k*columnPage + i))
			}
		}
	}
	return c
}

func TestColumn_IsUnknownBeyondItsEnd(t *testing.T) {
	c := columns[domain.ShapeLocation][:3]
	for o := range uint32(4 * columnPage) {
		want := home(domain.Ordinal(o))
		if o >= 3*columnPage {
			want = 0
		}
		if got := c.of(o); got != want {
			t.Fatalf("member %d is of %x, want %x", o, got, want)
		}
	}
}

// The shapes that count differ in what they count by, not in what they count: random questions
// have the same totals in each.
func TestI12_EveryShapeHasTheSameTotals(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	w := population{members: 4*columnPage - 77, brands: 4, definitions: 8, start: 20_000 * 86400, span: 9 * 86400}
	table, _ := w.filled(r, rows.Options{Promote: 200, TailMax: 512, ChunkMax: 4096}, 20_000, 30, 31, 1000)
	v, x, some := table.Commit(nil), NewScratch(), 0
	for range 60 {
		h := w.question(r)
		ask := func(shape domain.Shape) domain.Answer {
			h.q.Shape = shape
			got, err := x.Answer(v, h.ask(nil))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		want := ask(domain.ShapeTally).Tally.Total
		if want.Actions > 0 {
			some++
		}
		for _, shape := range []domain.Shape{domain.ShapeLocation, domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers} {
			if got := ask(shape).Tally; got.Total != want || got.Before > want.Members {
				t.Fatalf("shape %d: %+v and %d before, the tally %+v", shape, got.Total, got.Before, want)
			}
		}
		var days, lines, daily domain.Count
		for _, s := range ask(domain.ShapeDaily).Timeline.Services {
			daily.Add(s.Total)
			for _, d := range s.Days {
				days.Actions += d.Actions
			}
		}
		services := h.q.Filter.Services
		for _, s := range ask(domain.ShapeTimeline).Timeline.Services {
			lines.Actions += s.Total.Actions
			h.q.Filter.Services = []domain.Service{s.Service}
			if one := ask(domain.ShapeTally).Tally.Total; one != s.Total {
				t.Fatalf("%v has %+v in a timeline and %+v in a tally", s.Service, s.Total, one)
			}
			h.q.Filter.Services = services
		}
		if daily != want || days.Actions != want.Actions || lines.Actions != want.Actions {
			t.Fatalf("tally %+v, daily %+v of %d, timeline %d", want, daily, days.Actions, lines.Actions)
		}
	}
	if some < 20 {
		t.Errorf("only %d questions with rows", some)
	}
}
