package scan

import (
	"testing"

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
