package query

import (
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Every shape has a name and is counted under it.
func TestDurations_EveryShape(t *testing.T) {
	d := NewDurations()
	shapes := domain.Shape(0)
	for s := domain.ShapeTally; s <= domain.ShapeStream; s++ {
		d.since(time.Now(), s)
		shapes++
	}
	read := d.Read()
	if len(read) != int(shapes) {
		t.Errorf("%d names of %d shapes", len(read), shapes)
	}
	for name, r := range read {
		if name == "" || r.Count != 1 {
			t.Errorf("%q: %d questions", name, r.Count)
		}
	}
}
