package scan

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/text"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Contents reads the contents of rows: it calls f for each that is stored,
// in any order, with when it was recorded and its content. Neither it nor f keeps
// what it is given. Account, Brand, Time and Seq of the rows are set.
type Contents func(list []domain.Row, f func(i int, recorded int64, content []byte)) error

// feedState is what a Scratch needs for feeds beside the rest.
type feedState struct {
	topk.Page
	keyword *text.Keyword // nil: none is asked for
	found   uint64        // rows that have it
	ask     *Ask
	wait    []topk.Row // rows whose content is to be read
	rows    []domain.Row
	times   []int64 // of the first rows: when they were recorded
	err     error

	hits  hits
	after afterCursor
	span  domain.Range   // rows of other times are not walked over
	probe func(topk.Row) // takes the rows in place of the picker
}

// readAtOnce is how many rows' contents are asked for at once: neighbours share what
// is read.
const readAtOnce = 1 << 16

// slack is how many rows beyond those wanted a listing by recording reads: those of
// the last millisecond are listed by ID. Where there are more it reads again.
const slack = 64

// answer counts the actions that the question's listing lists, and gives the first of
// them. Hash and Slot of the rows, and their Member, are the caller's to know. The
// error is ErrCold, or that of the Source or of Says.
func (x *feedScan) answer(v *rows.View, a *Ask) (*domain.Feed, error) {
	l := &a.Plan.listing
	keep := l.End()
	if l.Recorded && !l.Up && keep > 0 {
		keep += slack
	}
	for {
		out, more, err := x.page(v, a, keep)
		if err = x.result(err); err != nil || !more {
			return out, err
		}
		keep *= 8
	}
}

// page is answer with so many rows kept; more says that they do not suffice.
func (x *feedScan) page(v *rows.View, a *Ask, keep int) (out *domain.Feed, more bool, err error) {
	defer x.end()
	out = &domain.Feed{Items: []domain.FeedItem{}}
	if !x.open(v, a, false) {
		return out, false, nil
	}
	f, l := &x.feed, &a.Plan.listing
	x.apart = l.Every && a.Plan.keyword == nil && x.allPass()
	narrow := x.narrows(a)
	f.begin(a, keep, x.words*64, narrow)
	defer f.end()
	if err := x.openCursor(a); err != nil {
		return nil, false, err
	}
	if f.keyword == nil {
		if out.Total, err = x.listed(a); err != nil {
			return nil, false, err
		}
	}
	if narrow && out.Total > 0 && keep > 0 {
		if err := x.narrow(a); err != nil {
			return nil, false, err
		}
	}
	switch {
	case x.searches(a):
		err = x.search(a, f.span)
	case f.keyword != nil || out.Total > 0 && keep > 0:
		switch err = x.scanFeed(a, f.keyword != nil); {
		case err != nil || !x.apart:
		case l.Recorded:
			err = x.cold.walkRecorded(a, keep)
		default:
			err = x.cold.walkCold(a, keep)
		}
	}
	if err != nil {
		return nil, false, err
	}
	if f.keyword != nil {
		if out.Total = f.found; f.Latest {
			out.Total = uint64(len(f.Page.Rows))
		}
	}
	list := f.First(keep)
	if keep > 0 {
		out.Ahead = f.Ahead
	}
	if l.Recorded {
		if list, more, err = f.byRecording(list, out.Total-f.Ahead > uint64(len(list))); err != nil || more {
			return nil, more, err
		}
	}
	out.Items = f.items(list[:min(len(list), l.End())])
	return out, false, nil
}

func (f *feedState) begin(a *Ask, keep, members int, narrow bool) {
	l := &a.Plan.listing
	f.ask, f.keyword, f.found, f.err = a, a.Plan.keyword, 0, nil
	f.wait, f.times, f.hits.known = f.wait[:0], f.times[:0], false
	f.Open(l, keep, members, !l.Every && (f.keyword != nil || l.After != nil && !narrow))
}

func (f *feedState) end() {
	f.Close()
	f.ask, f.keyword, f.after.at.Member = nil, nil, nil
}

// listed is how many rows the listing lists, of those of the question.
func (x *feedScan) listed(a *Ask) (uint64, error) {
	if !x.feed.Latest {
		return x.countRows(a)
	}
	x.cold.met = bitset.Sized(x.cold.met, x.words)
	clear(x.cold.met)
	if err := x.selectSets(a, x.addTail, func(s *rows.Set) error { return x.cold.addColdMembers(s, a) }); err != nil {
		return 0, err
	}
	return x.countMembers(), nil
}

// offer takes a row of the question into account.
func (f *feedState) offer(r *topk.Row) {
	switch {
	case f.probe != nil:
		f.probe(*r)
	case f.keyword == nil:
		f.Add(r)
	case f.Superseded(r) || f.err != nil:
	case f.hits.known:
		if f.hits.Has(r.Seq) {
			f.found++
			f.Add(r)
		}
	default:
		if f.wait = append(f.wait, *r); len(f.wait) == readAtOnce {
			f.read()
		}
	}
}

// beyond reports that rows of that time need not be scanned: where rows are counted
// as they are met, all are.
func (f *feedState) beyond(time uint32) bool { return f.keyword == nil && f.Page.Beyond(time) }

// read looks for the keyword in the rows that wait.
func (f *feedState) read() {
	if f.err != nil || len(f.wait) == 0 {
		return
	}
	err := f.readContents(f.wait, func(i int, _ int64, content []byte) {
		if f.keyword.In(content) {
			f.found++
			f.Add(&f.wait[i])
		}
	})
	f.wait = f.wait[:0]
	f.err = err
}

// readContents reads the contents of rows.
func (f *feedState) readContents(list []topk.Row, g func(i int, recorded int64, content []byte)) error {
	f.rows = bitset.Sized(f.rows, len(list))
	for i := range list {
		r := &list[i]
		f.rows[i] = domain.Row{Account: f.ask.Plan.account, Brand: f.ask.Label(r.Brand), Time: r.Time, Seq: r.Seq}
	}
	return f.ask.Contents(f.rows, g)
}

// byRecording finds when the rows, which are in order of sequence, were recorded, and
// puts those of one millisecond that follow one another in order of ID. open says that
// there are more rows than these; more that the last of those wanted may sort after
// some of them.
func (f *feedState) byRecording(list []topk.Row, open bool) (_ []topk.Row, more bool, err error) {
	f.times = bitset.Sized(f.times, len(list))
	clear(f.times)
	if err := f.readContents(list, func(i int, at int64, _ []byte) { f.times[i] = at }); err != nil || f.Up {
		return list, false, err
	}
	for lo := 0; lo < len(list); {
		hi := lo + 1
		for hi < len(list) && f.times[hi] == f.times[lo] {
			hi++
		}
		if hi == len(list) && open && lo < f.ask.Plan.listing.End() {
			return nil, true, nil
		}
		slices.Reverse(list[lo:hi])
		lo = hi
	}
	return list, false, nil
}

// items are rows as an answer has them.
func (f *feedState) items(list []topk.Row) []domain.FeedItem {
	plan := f.ask.Plan
	out := make([]domain.FeedItem, len(list))
	for i := range list {
		r := &list[i]
		worth := plan.pointsOf(r.Kind.Definition)
		out[i].Row = domain.Row{
			Seq: r.Seq, Account: plan.account, Ord: domain.Ordinal(r.Ord), Time: r.Time, Brand: f.ask.Label(r.Brand),
			Definition: r.Kind.Definition, Points: r.Points&worth.keep + worth.add, Service: r.Kind.Service,
		}
		if plan.listing.Recorded {
			out[i].Recorded = f.times[i]
		}
	}
	return out
}

// countRows counts the question's rows of all members: where all of a chunk, of a
// tail or of what is on disk belong to it, they are not looked at.
func (x *feedScan) countRows(a *Ask) (n uint64, err error) {
	tail := func(p rows.Tail) { n += x.countTail(p) }
	cold := func(s *rows.Set) error {
		on, err := x.cold.countCold(s, a)
		n += on
		return err
	}
	if err := x.selectSets(a, tail, cold); err != nil {
		return 0, err
	}
	for i := range x.spans {
		if !x.running() {
			break
		}
		n += x.countSpan(&x.spans[i])
	}
	return n + uint64(len(x.ord)), nil
}

// countSpan counts the rows of a span, or makes them loose ones.
func (x *feedScan) countSpan(sp *span) (n uint64) {
	size := sp.hi - sp.lo
	switch {
	case x.filter != nil || sp.deleted != nil && sp.drops:
		x.gather(sp, sp.lo, sp.hi)
		return 0
	case !sp.drops:
		return uint64(size - sp.deleted.CountIn(sp.lo, sp.hi))
	case size == sp.c.Rows():
		return uint64(sp.kept)
	}
	lut := x.table(sp)
	for _, k := range sp.c.Kind[sp.lo:sp.hi] {
		n += uint64(bitset.Bit(lut[k] != x.targets))
	}
	return n
}

// countTail counts the passing rows of a tail.
func (x *feedScan) countTail(p rows.Tail) (n uint64) {
	sel := x.selection
	in, size := sel.plan.span, len(p.Rows)
	if sel.filter == nil && sel.whole(p) {
		return uint64(size)
	}
	for i := p.Skip(in.From); i < size; i++ {
		r := &p.Rows[i]
		ok := bitset.Bit(r.Time-in.From < in.To-in.From) & bitset.Bit(sel.target(r.Kind) != sel.targets)
		if sel.filter != nil {
			ok &= bitset.Get(sel.filter, r.Ord)
		}
		if p.Deleted != nil {
			ok &^= int(p.Deleted.Bits[i>>6] >> (i & 63) & 1)
		}
		n += uint64(ok)
	}
	return n
}
