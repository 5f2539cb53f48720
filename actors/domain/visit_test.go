package domain

import (
	"math/rand/v2"
	"testing"
)

// A definition of a visit gives back what it was made of, and none of the catalog's is taken for
// one with a place.
func TestVisitDefinition_ReadsBack(t *testing.T) {
	for range 1000 {
		of, place := []DefinitionID{Registration, Login}[rand.IntN(2)], rand.Uint32N(2*MaxVisitPlaces)
		d := VisitDefinition(of, place)
		if back, at, placed := d.Visit(); back != of || at != place || !placed {
			t.Fatalf("%d at place %d is read as %d at %d, %t", of, place, back, at, placed)
		}
	}
	for _, d := range []DefinitionID{Registration, Login, FirstDefinition, 1<<31 - 1} {
		if of, at, placed := d.Visit(); of != d || at != 0 || placed {
			t.Errorf("definition %d is read as %d at place %d, %t", d, of, at, placed)
		}
	}
}

// What a visit says is read back from its content, empty parts too.
func TestVisit_ContentReadsBack(t *testing.T) {
	for _, v := range []Visit{
		{},
		{Country: "DE", Device: Phone, Details: Sealed{Key: KeyID{1}, Data: "\x00sealed,1"}},
		{Device: Bot},
		{OfSegment: true},
		{Device: Tablet, OfSegment: true},
		{Details: Sealed{Key: KeyID{15: 1}, Data: "x"}},
	} {
		for _, segment := range []SegmentID{0, 7, 1<<32 - 1} {
			c := v.Content(5, segment)
			if c.Recorded != 5 {
				t.Errorf("recorded at %d", c.Recorded)
			}
			if back, of := VisitOf(c); back != v || of != segment {
				t.Errorf("%+v of segment %d is read as %+v of %d", v, segment, back, of)
			}
		}
	}
	if v, segment := VisitOf(nil); v != (Visit{}) || segment != 0 {
		t.Errorf("no content is %+v of segment %d", v, segment)
	}
}
