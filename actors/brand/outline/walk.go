package outline

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Walk goes over the times of some sets from one end, a part after the other: each reaches as far as
// there are as many rows as are wanted. Who reads part by part reads little more than it looks for, and
// no row twice. It is reused; one goroutine.
type Walk struct {
	Left domain.Range // what no part had yet; it may be made shorter between two parts
	up   bool
	want uint64 // rows of the next part
	of   []*Outline
	ends []stretchAt[domain.Second] // how far a part reaches that includes a stretch
}

// Begin begins with a range, from its earliest time on if up, else from its latest; the first part has so
// many rows. Add follows for each set.
func (w *Walk) Begin(in domain.Range, up bool, want int) {
	w.Left, w.up, w.want, w.of = in, up, uint64(max(want, 1)), w.of[:0]
}

// Add adds a set by its outline.
func (w *Walk) Add(o *Outline) { w.of = append(w.of, o) }

// End forgets the outlines.
func (w *Walk) End() { clear(w.of[:cap(w.of)]) }

// Next is the next part, of twice as many rows as the one before; false where no set has a row in what is
// left.
func (w *Walk) Next() (part domain.Range, ok bool) {
	part, w.ends = w.Left, w.ends[:0]
	maxEnds := 2*int(min(w.want, 1<<20)) + 1024
	for _, o := range w.of {
		rows := uint64(0)
		o.Each(part, w.up, func(s Stretch) bool {
			ok = true
			if s.First < w.Left.From || s.Last >= w.Left.To { // it is not known how many of its rows are left
				return true
			}
			far := s.First
			if w.up {
				far = s.Last
			}
			w.ends, rows = append(w.ends, stretchAt[domain.Second]{far, s.Rows}), rows+uint64(s.Rows)
			return rows < w.want
		})
		if len(w.ends) >= maxEnds {
			part = w.shorten(part)
		}
	}
	part = w.shorten(part)
	if w.up {
		w.Left.From = part.To
	} else {
		w.Left.To = part.From
	}
	w.want *= 2
	return part, ok
}

// shorten is the part as long as it must be for what is known of it; what is beyond is forgotten.
func (w *Walk) shorten(part domain.Range) domain.Range {
	var last domain.Second
	var enough bool
	w.ends, last, enough = nearest(w.ends, w.want, w.up)
	switch {
	case !enough:
	case w.up:
		part.To = min(part.To, last+1)
	default:
		part.From = max(part.From, last)
	}
	return part
}

// stretchAt is how many rows a stretch has, and the place by which it is in a part.
type stretchAt[K cmp.Ordered] struct {
	at   K
	rows uint32
}

// nearest sorts stretches from the end that a walk begins with, and keeps those that have the wanted rows
// together. The last one of these is where the part may end; enough is false where all have fewer rows.
func nearest[K cmp.Ordered](all []stretchAt[K], want uint64, up bool) (kept []stretchAt[K], last K, enough bool) {
	slices.SortFunc(all, func(a, b stretchAt[K]) int {
		if up {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Compare(b.at, a.at)
	})
	rows := uint64(0)
	for i, s := range all {
		if rows += uint64(s.rows); rows >= want {
			return all[:i+1], s.at, true
		}
	}
	return all, last, false
}
