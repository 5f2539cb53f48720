package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// afterCursor is where a feed begins after a cursor.
type afterCursor struct {
	at   topk.Cursor // what Page.Cursor points to
	last []topk.Row  // the last row met of each section of the sequences
	done []uint64    // members with a row ahead of the cursor
	left []uint64    // members that pass, but for those
}

// openCursor puts the cursor, if there is one, where the question's feed can see it.
func (x *feedScan) openCursor(a *Ask) error {
	f, l := &x.feed, &a.Plan.listing
	f.span, f.Cursor, f.Ahead = a.Plan.span, nil, 0
	if l.After == nil {
		return nil
	}
	f.after.at = topk.Cursor{At: l.After.At, ID: l.After.ID, Up: l.Up, Recorded: l.Recorded, Member: a.ID}
	f.Cursor = &f.after.at
	if !l.Recorded {
		return nil
	}
	var err error
	if f.after.at.Least, err = x.recordedFrom(a, l.After.At, 0, x.view.Seq+1); err == nil {
		f.after.at.End, err = x.recordedFrom(a, l.After.At+1, f.after.at.Least, min(f.after.at.Least+sections, x.view.Seq+1))
	}
	return err
}

// narrows reports that rows ahead of the cursor need not be walked over: those in order
// of completion, without a keyword, in memory or counted by outlines, unless each member's latest alone
// is listed and the oldest first.
func (x *feedScan) narrows(a *Ask) bool {
	l := &a.Plan.listing
	return l.After != nil && !l.Recorded && a.Plan.keyword == nil && (l.Every || !l.Up) &&
		(x.apart || len(x.view.Cold(a.Brand)) == 0)
}

// narrow has the scan leave out what is ahead of the cursor: here it is counted, or its
// members are noted.
func (x *feedScan) narrow(a *Ask) error {
	f, all := &x.feed, a.Plan.span
	ahead := *a.Plan
	ahead.span = f.Cursor.Before(all)
	x.plan = &ahead
	defer func() { x.plan = a.Plan }()
	x.reset()
	if !f.Latest {
		n, err := x.countRows(a)
		if err != nil {
			return err
		}
		f.Ahead = n
	} else {
		if err := x.selectRows(a); err != nil {
			return err
		}
		x.noteAhead(a)
		f.Ahead = bitset.Count(f.after.done)
	}
	x.reset()
	f.span = f.Cursor.From(all)
	return nil
}

// noteAhead notes the members with a row ahead of the cursor, of which the collected rows
// are those of other seconds than its own, and leaves all other members to the scan.
func (x *feedScan) noteAhead(a *Ask) {
	f := &x.feed
	f.after.done = bitset.Sized(f.after.done, x.words)
	clear(f.after.done)
	x.takeInto(f.after.done)
	f.span = f.Cursor.Tied(a.Plan.span)
	f.probe = func(r topk.Row) {
		if f.Cursor.Ahead(&r) {
			f.after.done[r.Ord>>6] |= 1 << (r.Ord & 63)
		}
	}
	_ = x.scanFeed(a, false) // nothing is read
	f.probe = nil
	f.after.left = bitset.Sized(f.after.left, x.words)
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
	f, before := &x.feed, lo // rows below it were recorded earlier
	cold := x.coldSets(a)
	for lo < hi {
		from, width := lo, (hi-lo-1)/sections+1
		f.after.last = bitset.Sized(f.after.last, sections)
		clear(f.after.last)
		f.probe = func(r topk.Row) {
			if r.Seq-from < hi-from {
				if o := &f.after.last[(r.Seq-from)/width]; o.Seq <= r.Seq {
					*o = r
				}
			}
		}
		err := x.scanFeed(a, false)
		for _, s := range cold {
			x.cold.probeMarks(s)
		}
		f.probe = nil
		if err != nil {
			return 0, err
		}
		rows := slices.DeleteFunc(f.after.last, func(r topk.Row) bool { return r.Seq == 0 })
		at, err := f.firstSince(rows, ms)
		if err != nil {
			return 0, err
		}
		if at > 0 {
			lo = rows[at-1].Seq + 1
			before = lo
		}
		switch end := x.view.Seq + 1; {
		case at < len(rows):
			hi = rows[at].Seq
			lo = max(lo, from+(hi-from)/width*width)
		case hi < end:
			lo, hi = hi, end
		default:
			return x.cold.recordedWithin(a, cold, ms, before, end)
		}
	}
	return x.cold.recordedWithin(a, cold, ms, before, hi)
}

// probeMarks gives the probe the rows of a cold set of which each is known.
func (x *coldFeed) probeMarks(s *rows.Set) {
	s.Outline.Each(x.feed.span, true, func(t outline.Stretch) bool {
		if t.Low == t.High {
			x.feed.probe(topk.Row{Seq: t.Low, Time: t.First, Brand: s.Dense})
		}
		return true
	})
}

// recordedWithin is recordedFrom for rows that are known by stretches alone: those from lo on may have been
// recorded at ms or later, those from hi on were. It reads one stretch after the other, each time that in
// the midst of those left, and narrows lo and hi by its rows.
func (x *coldFeed) recordedWithin(a *Ask, cold []*rows.Set, ms int64, lo, hi uint64) (uint64, error) {
	type stretch struct {
		of *rows.Set
		outline.Stretch
	}
	var left []stretch
	for _, s := range cold {
		s.Outline.Each(x.feed.span, true, func(t outline.Stretch) bool {
			if t.Low < t.High {
				left = append(left, stretch{s, t})
			}
			return true
		})
	}
	slices.SortFunc(left, func(a, b stretch) int { return cmp.Compare(a.High, b.High) })
	for {
		left = slices.DeleteFunc(left, func(t stretch) bool { return t.High < lo || t.Low >= hi })
		if len(left) == 0 {
			return hi, nil
		}
		mid := len(left) / 2
		t := left[mid]
		left = slices.Delete(left, mid, mid+1)
		var rows []topk.Row
		err := x.scanCold(t.of, a.Cold, domain.Range{From: t.First, To: t.Last + 1}, func(m scannedRow) {
			if m.seq >= lo && m.seq < hi {
				rows = append(rows, topk.Row{Seq: m.seq, Time: m.time, Brand: m.dense})
			}
		})
		if err != nil {
			return 0, err
		}
		slices.SortFunc(rows, func(a, b topk.Row) int { return cmp.Compare(a.Seq, b.Seq) })
		at, err := x.feed.firstSince(rows, ms)
		if err != nil {
			return 0, err
		}
		if at > 0 {
			lo = rows[at-1].Seq + 1
		}
		if at < len(rows) {
			hi = rows[at].Seq
		}
	}
}

// firstSince is the first of the rows, which are in order of sequence, that was recorded
// at ms or later; all of them were before: their number.
func (f *feedState) firstSince(rows []topk.Row, ms int64) (int, error) {
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
