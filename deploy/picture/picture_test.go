package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"testing"
	"unicode/utf8"
)

// The committed picture is what the command draws.
func TestPicture_IsMadeByTheCommand(t *testing.T) {
	const file = "../../api/docs/overview.svg"
	var out bytes.Buffer
	overview().write(&out)
	committed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), committed) {
		t.Errorf("%s is not what is drawn: go run ./deploy/picture > api/docs/overview.svg", file)
	}
	d := xml.NewDecoder(&out)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Words fit their boxes and arrows, boxes are inside the picture and do not overlap, and each arrow begins and ends at an edge.
func TestPicture_IsReadable(t *testing.T) {
	const nameWidth, aboutWidth = 10, 7 // of a letter, at most, on average
	d := overview()
	for i, b := range d.boxes {
		if b.x < 0 || b.y < 0 || b.x+b.width > d.width || b.y+b.height > d.height {
			t.Errorf("%s is not inside the picture", b.name)
		}
		if utf8.RuneCountInString(b.name)*nameWidth > b.width || utf8.RuneCountInString(b.about)*aboutWidth > b.width {
			t.Errorf("%s, %s: too long for its box", b.name, b.about)
		}
		for _, o := range d.boxes[:i] {
			apart := o.x+o.width <= b.x || b.x+b.width <= o.x || o.y+o.height <= b.y || b.y+b.height <= o.y
			if !apart && o.kind != frame {
				t.Errorf("%s overlaps %s", b.name, o.name)
			}
		}
	}
	for _, a := range d.arrows {
		from, to := a.points[0], a.points[1]
		if length := to.x - from.x; from.y == to.y && utf8.RuneCountInString(a.label)*7 > max(length, -length) {
			t.Errorf("%s: too long for its arrow", a.label)
		}
		for _, p := range []point{a.points[0], a.points[len(a.points)-1]} {
			if !d.atEdge(p) {
				t.Errorf("an arrow (%s) ends at %v, at no box", a.label, p)
			}
		}
	}
}

func (d *drawing) atEdge(p point) bool {
	for _, b := range d.boxes {
		upright := (p.x == b.x || p.x == b.x+b.width) && p.y >= b.y && p.y <= b.y+b.height
		level := (p.y == b.y || p.y == b.y+b.height) && p.x >= b.x && p.x <= b.x+b.width
		if upright || level {
			return true
		}
	}
	return false
}
