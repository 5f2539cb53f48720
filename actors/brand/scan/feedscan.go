package scan

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// feedScan counts the rows of a feed and finds the first of them.
type feedScan struct {
	*selection
	*memberSet
	feed  feedState
	apart bool // rows on disk are counted by outlines, and those of the page are looked for
	cold  coldFeed
}

// scanFeed offers the rows that may be among the first of a feed: those of tails and of
// chunks whose newest row, or oldest, may still be one. Where a keyword is searched
// it offers all. Rows from disk are offered if cold is set: else they were while they
// were counted, or walkCold offers them.
func (x *feedScan) scanFeed(a *Ask, cold bool) (err error) {
	x.view.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || x.feed.err != nil || !x.running():
		case !s.Cold:
			x.scanSet(s, a.Brand, small)
		case cold:
			err = x.scanCold(s, a.Cold, x.feed.span, x.cold.offerCold)
		}
	})
	if err = x.result(err); err == nil {
		x.feed.read()
		err = x.feed.err
	}
	return err
}

// scanSet offers a resident set's rows, of one brand if small, from the end that the
// listing begins with.
func (x *feedScan) scanSet(s *rows.Set, dense uint32, small bool) {
	up := x.feed.Up
	if !small {
		dense = s.Dense
	}
	if !up {
		x.scanTail(s, dense, small)
	}
	for i := range s.Runs {
		if !x.running() {
			return
		}
		r := s.Runs[i]
		if !up {
			r = s.Runs[len(s.Runs)-1-i]
		}
		x.scanRun(r, dense, small)
	}
	if up {
		x.scanTail(s, dense, small)
	}
}

// scanRun offers a chunk's rows.
func (x *feedScan) scanRun(r rows.Run, dense uint32, small bool) {
	c, f, in := r.Chunk, &x.feed, x.feed.span
	near := c.Max
	if f.Up {
		near = c.Min
	}
	if c.Max < in.From || c.Min >= in.To || f.beyond(near) || !x.anyCounts(c) {
		return
	}
	var of []uint16 // if not nil, from first on: the rows that may pass
	first, lo, hi := 0, 0, 0
	if small {
		of = c.Of(dense)
		hi = len(of)
	} else if lo, hi = c.Cut(in.From, in.To); x.alone {
		x.pos = bitset.Sized(x.pos, rows.MaxChunk+1)
		of = x.pos[:placesOfOne(x.pos, c.Ord[lo:hi], x.one)]
		first, lo, hi = lo, 0, len(of)
	}
	for n := hi - lo; n > 0; n-- {
		i := lo + n - 1
		if f.Up {
			i = hi - n
		}
		if of != nil {
			i = first + int(of[i])
		}
		if f.hits.known && !f.hits.Has(c.Seq(i)) {
			continue
		}
		if t := c.Time[i]; f.beyond(t) {
			return
		} else if t-in.From >= in.To-in.From || r.Deleted.Has(i) {
			continue
		}
		if c.Brands != nil {
			dense = c.Brands[c.BrandOf[i]]
		}
		x.offer(&topk.Row{Seq: c.Seq(i), Time: c.Time[i], Ord: c.Ord[i], Brand: dense, Points: c.Points[i]},
			c.Dict[c.Kind[i]])
	}
}

// scanTail offers a tail's rows.
func (x *feedScan) scanTail(s *rows.Set, dense uint32, small bool) {
	p, f, in := s.TailAt(x.view.Seq), &x.feed, x.feed.span
	skip := p.Skip(in.From)
	for n := len(p.Rows) - skip; n > 0; n-- {
		i := skip + n - 1
		if f.Up {
			i = len(p.Rows) - n
		}
		r := &p.Rows[i]
		if !f.Up && f.beyond(r.High) {
			return
		}
		if small && p.Brands[i] != dense || r.Time-in.From >= in.To-in.From || p.Deleted.Has(i) {
			continue
		}
		if !small && p.Brands != nil {
			dense = p.Brands[i]
		}
		x.offer(&topk.Row{Seq: r.Seq, Time: r.Time, Ord: r.Ord, Brand: dense, Points: r.Points}, r.Kind)
	}
}

// anyCounts reports that some kind of the chunk counts.
func (x *feedScan) anyCounts(c *rows.Chunk) bool {
	for _, k := range c.Dict {
		if x.target(k) != x.targets {
			return true
		}
	}
	return false
}

// offer gives the feed a living row of the range, if it passes.
func (x *feedScan) offer(r *topk.Row, kind uint32) {
	sel := x.selection
	if sel.filter != nil && bitset.Get(sel.filter, r.Ord) == 0 || sel.target(kind) == sel.targets {
		return
	}
	r.Kind = sel.all[kind]
	x.feed.offer(r)
}

// coldFeed is what of a feed is about rows on disk.
type coldFeed struct {
	*feedScan
	walk     outline.Walk
	recorded outline.Recorded
	met      []uint64 // members with a row on disk
}

// countCold counts the rows of a cold set without reading more than the ends of the range, where the
// question's filters let every row of it pass; else it reads them all, and offers them to the page.
func (x *coldFeed) countCold(s *rows.Set, a *Ask) (n uint64, err error) {
	if !x.apart {
		err = x.scanCold(s, a.Cold, x.plan.span, func(m scannedRow) {
			n++
			x.offerCold(m)
		})
		return n, err
	}
	if a.Cold == nil {
		return 0, rows.ErrCold
	}
	n, edges := s.Outline.Count(x.plan.span)
	for _, in := range edges {
		if err := x.scanCold(s, a.Cold, in, func(scannedRow) { n++ }); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// addColdMembers adds a row of each member with one in a cold set, and offers all to the page.
func (x *coldFeed) addColdMembers(s *rows.Set, a *Ask) error {
	return x.scanCold(s, a.Cold, x.plan.span, func(m scannedRow) {
		x.offerCold(m)
		if mark(x.met, m.ord) == 1 {
			n := x.grow(1)
			x.ord[n], x.to[n] = m.ord, 0
			x.truncate(n + 1)
		}
	})
}

// offerCold gives the feed a row that passes.
func (x *coldFeed) offerCold(m scannedRow) {
	x.feed.offer(&topk.Row{Seq: m.seq, Time: m.time, Ord: m.ord, Brand: m.dense, Kind: m.kind, Points: m.points})
}

// walkCold offers the rows of cold sets that may be among the first, so many of which are wanted: from
// the end that the listing begins with, until there are as many.
func (x *coldFeed) walkCold(a *Ask, keep int) error {
	f, w := &x.feed, &x.walk
	if f.Cursor != nil {
		keep++ // the cursor's own row is met, and not listed
	}
	w.Begin(f.span, f.Up, keep)
	return readWalk(x.selection, w, a, func() {
		f.Settle()
		w.Left = f.Near(w.Left)
	}, x.offerCold)
}

// walkRecorded is walkCold for an order of recording, which is that of the sequences.
func (x *coldFeed) walkRecorded(a *Ask, keep int) (err error) {
	f, w := &x.feed, &x.recorded
	w.Begin(f.span, f.Up, keep)
	cold := x.coldSets(a)
	for _, s := range cold {
		w.Add(&s.Outline)
	}
	defer w.End()
	if f.Cursor != nil {
		if w.Left, err = x.countAhead(a, cold); err != nil {
			return err
		}
	}
	for x.running() && err == nil {
		f.Settle()
		w.Left = f.NearSequences(w.Left)
		part, ok := w.Next()
		if !ok {
			break
		}
		for _, s := range cold {
			err = errors.Join(err, x.scanRuns(s, a, w.Takes(part), part))
		}
	}
	return x.result(err)
}

// scanRuns offers the rows of a cold set's stretches that are taken; where each row is known those with
// sequences of the part alone.
func (x *coldFeed) scanRuns(s *rows.Set, a *Ask, takes func(s *outline.Stretch) bool, part outline.Sequences) error {
	return s.Outline.Runs(x.feed.span, takes, func(times domain.Range, mixed bool) error {
		return x.scanCold(s, a.Cold, times, func(m scannedRow) {
			if !mixed || part.Has(m.seq) {
				x.offerCold(m)
			}
		})
	})
}

// countAhead counts the rows of cold sets ahead of a cursor in order of recording, and offers those of its
// own moment and what is stored with these. The others that are after it have the sequences left.
func (x *coldFeed) countAhead(a *Ask, cold []*rows.Set) (left outline.Sequences, err error) {
	f, in := &x.feed, x.feed.span
	tied := outline.Sequences{From: f.Cursor.Least, To: f.Cursor.End}
	ahead := outline.Sequences{From: tied.To, To: 1<<64 - 1}
	left = outline.Sequences{To: tied.From}
	if f.Up {
		ahead, left = left, ahead
	}
	counts := func(s *outline.Stretch) bool {
		return ahead.Has(s.Low) && ahead.Has(s.High) && s.First >= in.From && s.Last < in.To
	}
	reads := func(s *outline.Stretch) bool {
		return !counts(s) && (!left.Has(s.Low) || !left.Has(s.High))
	}
	for _, s := range cold {
		s.Outline.Each(in, true, func(t outline.Stretch) bool {
			if counts(&t) {
				f.Ahead += uint64(t.Rows)
			}
			return true
		})
		if err := x.scanRuns(s, a, reads, tied); err != nil {
			return left, err
		}
	}
	return left, x.result(nil)
}
