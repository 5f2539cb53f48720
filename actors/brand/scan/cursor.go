package scan

import (
	"math"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// cursor is the row of a feed behind which rows are wanted, as a shard sees it: the row
// may be another shard's, and may be gone.
type cursor struct {
	at           int64 // second of completion; of a recorded one the ms is in from and to
	id           domain.ActionID
	up, recorded bool
	who          func(domain.Ordinal) domain.MemberID
	from, to     uint64 // recorded: rows of the line's millisecond have sequences in [from, to)
}

// ahead reports that the row stands on the line or ahead of it. Sequences order as ids
// do, but for two rows of one sequence, which are of two shards.
func (l *cursor) ahead(r *feedRow) bool {
	switch {
	case l.recorded && r.seq < l.from:
		return l.up
	case l.recorded && r.seq >= l.to:
		return !l.up
	case !l.recorded && int64(r.time) != l.at:
		return (int64(r.time) < l.at) == l.up
	case r.seq != l.id.Sequence():
		return r.seq < l.id.Sequence()
	}
	return l.who(domain.Ordinal(r.ord)).Slot() <= l.id.Slot()
}

// tied are the times that rows ahead of the line and behind it may share: its own
// second, as far as it lies in the range.
func (l *cursor) tied(in domain.Range) domain.Range { return within(in, l.at, l.at+1) }

// beforeIt are the times of which all rows are ahead of the line.
func (l *cursor) beforeIt(in domain.Range) domain.Range {
	if l.up {
		return within(in, 0, l.at)
	}
	return within(in, l.at+1, math.MaxUint32)
}

// fromIt are the times that rows behind the line may have.
func (l *cursor) fromIt(in domain.Range) domain.Range {
	if l.up {
		return within(in, l.at, math.MaxUint32)
	}
	return within(in, 0, l.at+1)
}

// within is the part of a range in [from, to); an empty one has To ≤ From.
func within(in domain.Range, from, to int64) domain.Range {
	cut := func(t int64) uint32 { return uint32(min(max(t, 0), math.MaxUint32)) }
	in.From, in.To = max(in.From, cut(from)), min(in.To, cut(to))
	if in.To < in.From {
		in.To = in.From
	}
	return in
}

// afterCursor is where a feed begins after a cursor.
type afterCursor struct {
	at   cursor    // what picker.line points to
	last []feedRow // the last row met of each section of the sequences
	done []uint64  // members with a row ahead of the line
	left []uint64  // members that pass, but for those
}

// openLine puts the line, if there is one, where the question's feed can see it.
func (x *feedScan) openLine(a *Ask) error {
	f, l := &x.feed, &a.Plan.listing
	f.span, f.cursor, f.ahead = a.Plan.span, nil, 0
	if l.After == nil {
		return nil
	}
	f.after.at = cursor{at: l.After.At, id: l.After.ID, up: l.Up, recorded: l.Recorded, who: a.ID}
	f.cursor = &f.after.at
	if !l.Recorded {
		return nil
	}
	var err error
	if f.after.at.from, err = x.recordedFrom(a, l.After.At, 0, x.view.Seq+1); err == nil {
		f.after.at.to, err = x.recordedFrom(a, l.After.At+1, f.after.at.from, min(f.after.at.from+sections, x.view.Seq+1))
	}
	return err
}

// narrows reports that rows ahead of the line need not be walked over: those in order
// of completion, in memory, without a keyword, unless each member's latest alone is
// listed and the oldest first.
func (x *feedScan) narrows(a *Ask) bool {
	l := &a.Plan.listing
	return l.After != nil && !l.Recorded && a.Plan.keyword == nil && (l.Every || !l.Up) && len(x.view.Cold(a.Brand)) == 0
}

// narrow has the walk leave out what is ahead of the line: here it is counted, or its
// members are noted.
func (x *feedScan) narrow(a *Ask) error {
	f, all := &x.feed, a.Plan.span
	ahead := *a.Plan
	ahead.span = f.cursor.beforeIt(all)
	x.plan = &ahead
	defer func() { x.plan = a.Plan }()
	x.reset()
	if !f.latest {
		n, err := x.countRows(a)
		if err != nil {
			return err
		}
		f.ahead = n
	} else {
		if err := x.selectRows(a); err != nil {
			return err
		}
		x.noteAhead(a)
		f.ahead = bitset.Count(f.after.done)
	}
	x.reset()
	f.span = f.cursor.fromIt(all)
	return nil
}

// noteAhead notes the members with a row ahead of the line, of which the collected rows
// are those of other seconds than its own, and lets the walk meet nobody else.
func (x *feedScan) noteAhead(a *Ask) {
	f := &x.feed
	f.after.done = sized(f.after.done, x.words)
	clear(f.after.done)
	x.takeInto(f.after.done)
	f.span = f.cursor.tied(a.Plan.span)
	f.probe = func(r feedRow) {
		if f.cursor.ahead(&r) {
			f.after.done[r.ord>>6] |= 1 << (r.ord & 63)
		}
	}
	_ = x.scanFeed(a, false) // nothing is read
	f.probe = nil
	f.after.left = sized(f.after.left, x.words)
	for i := range f.after.left {
		f.after.left[i] = ^f.after.done[i]
		if x.filter != nil {
			f.after.left[i] &= x.filter[i]
		}
	}
	x.filterBy(f.after.left)
}

// sections is in how many parts sequences are searched at once.
const sections = 1 << 10

// recordedFrom is the least sequence, from lo on, of the question's rows that were
// recorded at ms or later, or one between it and the row before: sequences are in order
// of recording. Rows below lo were recorded earlier; it is looked for below hi first. Of
// each section of the sequences the last row is remembered, and of a few of these is
// read when they were recorded.
func (x *feedScan) recordedFrom(a *Ask, ms int64, lo, hi uint64) (uint64, error) {
	f := &x.feed
	for lo < hi {
		from, width := lo, (hi-lo-1)/sections+1
		f.after.last = sized(f.after.last, sections)
		clear(f.after.last)
		f.probe = func(r feedRow) {
			if r.seq-from < hi-from {
				if o := &f.after.last[(r.seq-from)/width]; o.seq <= r.seq {
					*o = r
				}
			}
		}
		err := x.scanFeed(a, true)
		f.probe = nil
		if err != nil {
			return 0, err
		}
		rows := slices.DeleteFunc(f.after.last, func(r feedRow) bool { return r.seq == 0 })
		at, err := f.firstSince(rows, ms)
		if err != nil {
			return 0, err
		}
		if at > 0 {
			lo = rows[at-1].seq + 1
		}
		switch end := x.view.Seq + 1; {
		case at < len(rows):
			hi = rows[at].seq
			lo = max(lo, from+(hi-from)/width*width)
		case hi < end:
			lo, hi = hi, end
		default:
			return lo, nil
		}
	}
	return hi, nil
}

// firstSince is the first of the rows, which are in order of sequence, that was recorded
// at ms or later; all of them were before: their number.
func (f *feedState) firstSince(rows []feedRow, ms int64) (int, error) {
	lo, hi := 0, len(rows)
	for lo < hi {
		mid, at := (lo+hi)/2, int64(0)
		if err := f.readContents(rows[mid:mid+1], func(_ int, recorded int64, _ []byte) { at = recorded }); err != nil {
			return 0, err
		}
		if at < ms {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}
