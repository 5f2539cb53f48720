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

// TestI12_EveryShapeHasTheSameTotals asks random questions in each of
// the shapes that count: they differ in what they count by, not in what they count.
func TestI12_EveryShapeHasTheSameTotals(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	w := world{members: 4*columnPage - 77, brands: 4, definitions: 8, start: 20_000 * 86400, span: 9 * 86400}
	table := rows.NewTable(rows.Options{Promote: 200, TailMax: 512, ChunkMax: 4096})
	for i := range 20_000 {
		f := w.row(r, uint64(i+1), w.start+uint32(i)*30)
		table.Append(f.dense, []domain.Row{f.Row})
		if i%31 == 0 {
			table.Remove(f.dense, &f.Row)
		}
		if i%1000 == 0 {
			table.Commit(nil)
			table.Settle()
		}
	}
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
		place, genders, ages := ask(domain.ShapeLocation).Tally, ask(domain.ShapeGender).Tally, ask(domain.ShapeAge).Tally
		fresh := ask(domain.ShapeNewcomers).Tally
		var days, lines, daily domain.Count
		for _, s := range ask(domain.ShapeDaily).Timeline.Services {
			daily.Add(s.Total)
			for _, d := range s.Days {
				days.Actions += d.Actions
			}
		}
		for _, s := range ask(domain.ShapeTimeline).Timeline.Services {
			lines.Actions += s.Total.Actions
			services := h.q.Filter.Services
			h.q.Filter.Services = []domain.Service{s.Service}
			if one := ask(domain.ShapeTally).Tally.Total; one != s.Total {
				t.Fatalf("seed %d: %v has %+v in a timeline and %+v in a tally", seed, s.Service, s.Total, one)
			}
			h.q.Filter.Services = services
		}
		if genders.Total != want || ages.Total != want || fresh.Total != want || fresh.Before > want.Members {
			t.Fatalf("seed %d: tally %+v, genders %+v, ages %+v, newcomers %+v and %d", seed, want, genders.Total, ages.Total, fresh.Total, fresh.Before)
		}
		if place.Total != want || daily != want || days.Actions != want.Actions || lines.Actions != want.Actions {
			t.Fatalf("seed %d: tally %+v, location %+v, daily %+v of %d, timeline %d", seed, want, place.Total, daily, days.Actions, lines.Actions)
		}
	}
	if some < 20 {
		t.Errorf("seed %d: only %d questions with rows", seed, some)
	}
}
