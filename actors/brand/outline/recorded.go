package outline

import (
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Sequences are those from the first on, up to but not with the last.
type Sequences struct{ From, To uint64 }

// Has reports that a sequence is among them.
func (s Sequences) Has(seq uint64) bool { return seq >= s.From && seq < s.To }

// Recorded goes over the rows of some sets in order of their sequences, as Walk does over their times. A
// stretch is in the part that has its highest sequence, or its lowest if up. It is reused; one goroutine.
type Recorded struct {
	Left Sequences // what no part had yet; it may be made less between two parts
	in   domain.Range
	up   bool
	want uint64 // rows of the next part
	of   []*Outline
	keys []stretchAt[uint64]
}

// Begin begins with the rows of a range and with all sequences, from the lowest on if up, else from the
// highest; the first part has so many rows. Add follows for each set.
func (w *Recorded) Begin(in domain.Range, up bool, want int) {
	w.Left, w.in, w.up, w.want, w.of = Sequences{To: 1<<64 - 1}, in, up, uint64(max(want, 1)), w.of[:0]
}

// Add adds a set by its outline.
func (w *Recorded) Add(o *Outline) { w.of = append(w.of, o) }

// End forgets the outlines.
func (w *Recorded) End() { clear(w.of[:cap(w.of)]) }

// keyOf is by what a stretch is in a part.
func keyOf(s *Stretch, up bool) uint64 {
	if up {
		return s.Low
	}
	return s.High
}

// Next is the next part, of stretches with twice as many rows as the one before; false where none is left.
func (w *Recorded) Next() (part Sequences, ok bool) {
	part, w.keys = w.Left, w.keys[:0]
	maxEnds := 2*int(min(w.want, 1<<20)) + 1024
	for _, o := range w.of {
		o.Each(w.in, true, func(s Stretch) bool {
			if key := keyOf(&s, w.up); part.Has(key) {
				w.keys = append(w.keys, stretchAt[uint64]{key, s.Rows})
			}
			return true
		})
		if len(w.keys) >= maxEnds {
			part = w.shorten(part)
		}
	}
	ok = len(w.keys) > 0
	part = w.shorten(part)
	if w.up {
		w.Left.From = part.To
	} else {
		w.Left.To = part.From
	}
	w.want *= 2
	return part, ok
}

// shorten is the part as long as it must be for the stretches in it; others are forgotten.
func (w *Recorded) shorten(part Sequences) Sequences {
	var last uint64
	var enough bool
	w.keys, last, enough = nearest(w.keys, w.want, w.up)
	switch {
	case !enough:
	case w.up:
		part.To = min(part.To, last+1)
	default:
		part.From = max(part.From, last)
	}
	return part
}

// Runs calls f with the times in the range of the stretches that are taken, neighbours together; each says
// whether rows of these times may not be of them.
func (o *Outline) Runs(in domain.Range, takes func(s *Stretch) bool, f func(times domain.Range, mixed bool) error) error {
	var run domain.Range
	flush := func() (err error) {
		if run.From < run.To {
			err = f(run, !o.coarse)
		}
		run = domain.Range{}
		return err
	}
	lo, hi := o.cut(in)
	for i := lo; i < hi; i++ {
		s := o.at(i)
		if !takes(&s) {
			if err := flush(); err != nil {
				return err
			}
			continue
		}
		if run.From == run.To {
			run.From = max(s.First, in.From)
		}
		run.To = min(s.Last+1, in.To)
	}
	return flush()
}

// Takes reports that a stretch is in a part.
func (w *Recorded) Takes(part Sequences) func(s *Stretch) bool {
	return func(s *Stretch) bool { return part.Has(keyOf(s, w.up)) }
}
