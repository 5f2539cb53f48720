package outline

import (
	"slices"
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Outline says when the rows of a cold set were made, and which sequences they have: of each row while
// they are few, else of stretches of time. So a question knows what of the set it need not read. It
// knows the rows that count, and those alone. It never changes once its set is committed, but that
// the writer appends beyond what readers see.
type Outline struct {
	marks  []uint64  // of each row, ascending: time << 32 | lower half of the sequence
	upper  uint32    // the upper half of these sequences
	coarse bool      // list is used, not marks
	list   []Stretch // ascending
	width  uint8     // of list: a stretch is within 1<<width seconds that begin with a multiple of it
	epoch  uint64    // in which list was copied
	last   uint64    // the greatest sequence of a row, of one that was taken out too
}

// Stretch is rows of a set that are neighbours in time. Its bounds may be wider than its rows, since
// they stay when one is taken out.
type Stretch struct {
	First, Last domain.Second
	Rows        uint32
	Low, High   uint64 // sequences
}

const (
	// Marks is of how many rows each is known.
	Marks = 1024
	// marksPerStretch is how many marks fewer there are for each stretch: it takes four times as much,
	// and half as many are enough.
	marksPerStretch = 8
	// Least is how few marks an outline may be cut down to.
	Least = 2 * marksPerStretch

	markBytes, stretchBytes = 8, 32
)

// stretchOf is the stretch that a mark alone makes.
func (o *Outline) stretchOf(mark uint64) Stretch {
	t, seq := uint32(mark>>32), uint64(o.upper)<<32|mark&(1<<32-1)
	return Stretch{First: t, Last: t, Rows: 1, Low: seq, High: seq}
}

// at is the i-th stretch.
func (o *Outline) at(i int) Stretch {
	if o.coarse {
		return o.list[i]
	}
	return o.stretchOf(o.marks[i])
}

// cut is the stretches that may have a row in the range.
func (o *Outline) cut(in domain.Range) (lo, hi int) {
	if in.From >= in.To {
		return 0, 0
	}
	if !o.coarse {
		lo, _ = slices.BinarySearch(o.marks, uint64(in.From)<<32)
		n, _ := slices.BinarySearch(o.marks[lo:], uint64(in.To)<<32)
		return lo, lo + n
	}
	lo = sort.Search(len(o.list), func(i int) bool { return o.list[i].Last >= in.From })
	return lo, lo + sort.Search(len(o.list)-lo, func(i int) bool { return o.list[lo+i].First >= in.To })
}

// Has reports that the set may have a row in the range.
func (o *Outline) Has(in domain.Range) bool {
	lo, hi := o.cut(in)
	return lo < hi
}

// Most is how many rows the set has in the range at most.
func (o *Outline) Most(in domain.Range) (rows uint64) {
	lo, hi := o.cut(in)
	if !o.coarse {
		return uint64(hi - lo)
	}
	for i := lo; i < hi; i++ {
		rows += uint64(o.list[i].Rows)
	}
	return rows
}

// Count is how many rows the set is known to have in the range, and the parts of the range, empty ones
// among them, in which it may have more.
func (o *Outline) Count(in domain.Range) (rows uint64, edges [2]domain.Range) {
	lo, hi := o.cut(in)
	if !o.coarse {
		return uint64(hi - lo), edges
	}
	if lo < hi && o.list[lo].First < in.From {
		edges[0] = domain.Range{From: in.From, To: min(in.To, o.list[lo].Last+1)}
		lo++
	}
	if lo < hi && o.list[hi-1].Last >= in.To {
		hi--
		edges[1] = domain.Range{From: max(in.From, o.list[hi].First), To: in.To}
	}
	for i := lo; i < hi; i++ {
		rows += uint64(o.list[i].Rows)
	}
	return rows, edges
}

// Each calls f with the stretches that may have a row in the range, the earliest first if up, else the
// latest, until f wants no more.
func (o *Outline) Each(in domain.Range, up bool, f func(s Stretch) bool) {
	lo, hi := o.cut(in)
	for n := hi - lo; n > 0; n-- {
		i := lo + n - 1
		if up {
			i = hi - n
		}
		if !f(o.at(i)) {
			return
		}
	}
}

// Above is the times that rows with sequences above seq may have; false where there is none.
func (o *Outline) Above(seq uint64) (in domain.Range, any bool) {
	if o.last <= seq {
		return in, false
	}
	in.From = 1<<32 - 1
	for i, n := 0, max(len(o.marks), len(o.list)); i < n; i++ {
		if s := o.at(i); s.High > seq {
			any = true
			in.From, in.To = min(in.From, s.First), max(in.To, s.Last+1)
		}
	}
	return in, any
}

// Bytes is the memory that the outline takes.
func (o *Outline) Bytes() int { return markBytes*cap(o.marks) + stretchBytes*cap(o.list) }

// Begin begins the outline of so many rows of a range, which are Put next.
func (o *Outline) Begin(rows int, in domain.Range, maxMarks int, epoch uint64) {
	*o = Outline{epoch: epoch}
	if rows <= maxMarks {
		o.marks = make([]uint64, 0, rows)
		return
	}
	o.coarse = true
	for int(in.To>>o.width)-int(in.From>>o.width) >= maxMarks/marksPerStretch {
		o.width++
	}
}

// Put puts in a row, of many that come in any order; Settle follows.
func (o *Outline) Put(time uint32, seq uint64) {
	o.last = max(o.last, seq)
	if !o.coarse && len(o.marks) > 0 && o.upper != uint32(seq>>32) {
		slices.Sort(o.marks)
		o.coarsen(o.epoch)
	}
	if o.coarse {
		o.count(time, seq)
		return
	}
	o.upper = uint32(seq >> 32)
	o.marks = append(o.marks, markOf(time, seq))
}

// Settle ends what Begin began.
func (o *Outline) Settle(maxMarks int) {
	slices.Sort(o.marks)
	o.marks = append(make([]uint64, 0, len(o.marks)), o.marks...)
	o.Limit(maxMarks, o.epoch)
}

// Limit leaves no more than so many marks, or as few stretches as take the place of these.
func (o *Outline) Limit(maxMarks int, epoch uint64) {
	if !o.coarse && len(o.marks) > maxMarks {
		o.coarsen(epoch)
	}
	for o.coarse && len(o.list) > maxMarks/marksPerStretch {
		o.own(epoch)
		o.widen()
	}
	if cap(o.list) > 2*len(o.list) {
		o.list, o.epoch = append(make([]Stretch, 0, len(o.list)), o.list...), epoch
	}
}

func markOf(time uint32, seq uint64) uint64 { return uint64(time)<<32 | seq&(1<<32-1) }

// Add adds a row.
func (o *Outline) Add(time uint32, seq uint64, maxMarks int, epoch uint64) {
	o.last = max(o.last, seq)
	if !o.coarse && (len(o.marks) >= maxMarks || len(o.marks) > 0 && o.upper != uint32(seq>>32)) {
		o.coarsen(epoch)
	}
	if o.coarse {
		o.own(epoch)
		o.count(time, seq)
		o.Limit(maxMarks, epoch)
		return
	}
	o.upper = uint32(seq >> 32)
	mark := markOf(time, seq)
	if n := len(o.marks); n == 0 || o.marks[n-1] < mark {
		if n == cap(o.marks) { // it grows by little: there are many outlines
			o.marks = append(make([]uint64, 0, n+n/8+4), o.marks...)
		}
		o.marks = append(o.marks, mark)
		return
	}
	i, _ := slices.BinarySearch(o.marks, mark)
	o.marks = slices.Concat(o.marks[:i], []uint64{mark}, o.marks[i:])
}

// Remove takes out a row.
func (o *Outline) Remove(time uint32, seq uint64, epoch uint64) {
	if !o.coarse {
		if i, ok := slices.BinarySearch(o.marks, markOf(time, seq)); ok {
			o.marks = slices.Concat(o.marks[:i], o.marks[i+1:])
		}
		return
	}
	i, ok := o.find(time)
	if !ok {
		return
	}
	o.own(epoch)
	if o.list[i].Rows--; o.list[i].Rows == 0 {
		o.list = slices.Delete(o.list, i, i+1)
	}
}

// own makes the list that of an epoch, to be changed in it.
func (o *Outline) own(epoch uint64) {
	if o.epoch != epoch {
		o.list, o.epoch = slices.Clone(o.list), epoch
	}
}

// find is the place of the stretch that has a time, or would have it.
func (o *Outline) find(time uint32) (int, bool) {
	n := len(o.list)
	if n > 0 && o.list[n-1].First>>o.width == time>>o.width { // as a rule it is the last one
		return n - 1, true
	}
	return slices.BinarySearchFunc(o.list, time>>o.width, func(s Stretch, at uint32) int {
		return int(s.First>>o.width) - int(at)
	})
}

// count counts a row in its stretch.
func (o *Outline) count(time uint32, seq uint64) {
	i, ok := o.find(time)
	if !ok {
		o.list = slices.Insert(o.list, i, Stretch{First: time, Last: time, Low: seq, High: seq})
	}
	o.list[i].join(&Stretch{First: time, Last: time, Rows: 1, Low: seq, High: seq})
}

// join adds the rows of another stretch.
func (s *Stretch) join(o *Stretch) {
	s.First, s.Last, s.Rows = min(s.First, o.First), max(s.Last, o.Last), s.Rows+o.Rows
	s.Low, s.High = min(s.Low, o.Low), max(s.High, o.High)
}

// coarsen makes stretches of the marks.
func (o *Outline) coarsen(epoch uint64) {
	marks := o.marks
	o.coarse, o.marks, o.list, o.width, o.epoch = true, nil, make([]Stretch, 0, len(marks)), 0, epoch
	for _, m := range marks {
		o.list = append(o.list, o.stretchOf(m))
	}
	o.merge()
}

// widen doubles the width of stretches.
func (o *Outline) widen() {
	o.width++
	o.merge()
}

// merge joins the stretches that are within one width.
func (o *Outline) merge() {
	kept := o.list[:0]
	for _, s := range o.list {
		if n := len(kept); n > 0 && kept[n-1].First>>o.width == s.First>>o.width {
			kept[n-1].join(&s)
		} else {
			kept = append(kept, s)
		}
	}
	o.list = kept
}
