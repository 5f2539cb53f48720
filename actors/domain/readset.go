package domain

import (
	"math"
	"slices"
)

// ReadSet is what an answer was made of: what has to change before it can change.
// It may name more than was read, never less.
type ReadSet struct {
	Rows    []RowsOf       // actions
	Known   Attributes     // of members who may have rows
	Any     Attributes     // of all members
	Among   []MemberID     // rows and attributes were read in the shards of these alone; nil: in every shard
	Members []MemberID     // whose records were read
	Names   []IdentityHash // whose holders were looked up

	Notices     bool // of a stream: an account's notices
	Memberships bool // of a stream: who came onto followed lists, and who left them
}

// RowsOf are the actions for a brand in a range, and what else of the range the answer
// was made from.
type RowsOf struct {
	Brand  BrandID // 0: for every brand of the account
	Range  Range
	Shows  Shows
	Visits bool // visits in place of actions
}

// Shows is what of a range an answer has beside the actions that lie in it.
type Shows uint8

// What of a range an answer shows.
const (
	ShowsActions Shows = iota // nothing else
	ShowsDays                 // each UTC day that it touches
	ShowsAges                 // ages on the day of its last second
)

// AllTime is the range that every action lies in.
var AllTime = Range{To: math.MaxUint32}

// ChangedBy reports that the answer can be another one when the range becomes to, though no
// action lies between the edges of the two.
func (r *RowsOf) ChangedBy(to Range) bool {
	switch r.Shows {
	case ShowsActions:
		return false
	case ShowsDays:
		from, n := r.Range.Days()
		first, m := to.Days()
		return from != first || n != m
	}
	return r.Range.To == 0 || to.To == 0 || DayOf(r.Range.To-1) != DayOf(to.To-1)
}

// Attributes is a set of attributes. Two may share a place: to name one is to name both.
type Attributes uint64

// Set is the set of the attribute alone.
func (a Attribute) Set() Attributes { return 1 << a.Place() }

// Place is the attribute's place in Attributes, below 64: bitmaps from 0 on, columns from
// 32 on.
func (a Attribute) Place() int { return int(a&31 | a>>1&32) }

const everyAttribute Attributes = math.MaxUint64

// ReadSetOf is the read set of an answer to the question; false for a shape of which
// it is not known, and for what explains itself: that names a position.
func ReadSetOf(q *Question) (f ReadSet, ok bool) {
	if q.Explain {
		return ReadSet{}, false
	}
	f.Known = AttrMember.Set() // who is gone takes rows out of every number
	allMembers := false        // members without a row count, too
	if q.Visits != nil {
		return f.visits(q)
	}
	switch q.Shape {
	case ShapeTally, ShapeNewcomers, ShapeStandings, ShapeSummaries:
		f.rows(q.Brand, q.Range, ShowsActions)
	case ShapeFeed:
		f.rows(q.Brand, q.Range, ShowsActions)
		f.Known |= AttrHandedOverHigh.Set() | AttrHandedOverLow.Set() // Feed.HandedOver
	case ShapeTimeline, ShapeDaily:
		f.rows(q.Brand, q.Range, ShowsDays)
	case ShapeLocation:
		f.rows(q.Brand, q.Range, ShowsActions)
		f.Known |= AttrCountry.Set()
	case ShapeGender:
		f.rows(q.Brand, q.Range, ShowsActions)
		f.Known |= AttrGender.Set()
	case ShapeAge:
		f.rows(q.Brand, q.Range, ShowsAges)
		f.Known |= AttrBirthDay.Set()
	case ShapeLeaders:
		f.rows(q.Brand, q.Range, ShowsActions)
		f.order(q.Top.Order)
		allMembers = q.Top.Audience
	case ShapeCrossover:
		f.rows(0, q.Range, ShowsActions)
	case ShapeLists:
		for i := range q.Lists {
			f.list(&q.Lists[i])
		}
		allMembers = true
	case ShapeMemberList:
		f.Known |= everyAttribute
		allMembers = true
	default: // a stream's page is made once
		return ReadSet{}, false
	}
	f.filter(q)
	f.Among = q.Among()
	if allMembers {
		f.Any = f.Known
	}
	return f, true
}

// visits is the read set of a question about visits.
func (f *ReadSet) visits(q *Question) (ReadSet, bool) {
	shows := ShowsActions
	if q.Filter.Born != nil {
		shows = ShowsAges
	}
	switch q.Shape {
	case ShapeTally, ShapeDomains, ShapeFeed, ShapeSummaries:
	case ShapeTimeline:
		shows = ShowsDays // and with them ages: the last day is one of them
	case ShapeLeaders:
		f.order(ByLastLogin) // Leader.At is that of the member
	default:
		return ReadSet{}, false
	}
	f.Rows = []RowsOf{{Range: q.Range, Shows: shows, Visits: true}}
	if q.Visits.Valid {
		f.Known |= AttrService.Set() | AttrLapsed.Set() | AttrVoid.Set()
	}
	f.filter(q)
	f.Among = q.Among()
	if q.Top.Audience {
		f.Any = f.Known
	}
	return *f, true
}

// Among are the members that the question names: it is asked in their shards alone. nil:
// it is asked in every shard. Where a stream begins is asked of all: a member that is merged into a named one later
// may be of any.
func (q *Question) Among() []MemberID {
	if q.Shape == ShapeLists || len(q.Filter.Members) == 0 || q.Shape == ShapeStream && (q.Stream.Start != StreamAbove || q.Stream.Kinds.Any(ListEvents)) {
		return nil
	}
	return q.Filter.Members
}

func (f *ReadSet) rows(brand BrandID, in Range, shows Shows) {
	f.add(RowsOf{Brand: brand, Range: in, Shows: shows})
}

func (f *ReadSet) add(r RowsOf) {
	if !slices.Contains(f.Rows, r) {
		f.Rows = append(f.Rows, r)
	}
}

func (f *ReadSet) order(by Order) {
	switch by {
	case ByScore, ByActions:
	case ByCreated:
		f.Known |= AttrCreatedHigh.Set() | AttrCreatedLow.Set()
	case ByLastLogin:
		f.Known |= AttrLoginHigh.Set() | AttrLoginLow.Set()
	default:
		f.Known |= everyAttribute
	}
}

// list is what tells who is on it.
func (f *ReadSet) list(l *List) {
	f.Known |= AttrOptIn.Set() | AttrOptOut.Set() | AttrListed.Set()
	if l.Rule != nil {
		f.rows(l.Rule.Brand, l.Rule.Range, ShowsActions)
	}
}

// filter is what tells who passes. Services and definitions are of the rows.
func (f *ReadSet) filter(q *Question) {
	by := &q.Filter
	for _, c := range [...]struct {
		asked bool
		Attribute
	}{
		{len(by.Countries) > 0, AttrCountry},
		{len(by.Regions) > 0, AttrRegion},
		{by.Domain != "", AttrDomain},
		{by.OptIn != "" || by.Opted, AttrOptIn},
		{by.Paid, AttrPaid},
		{len(by.Holds) > 0, AttrService},
		{len(by.Has) > 0, AttrHas},
		{len(by.Genders) > 0, AttrGender},
		{by.Born != nil, AttrBirthDay},
	} {
		if c.asked {
			f.Known |= c.Set()
		}
	}
	if by.Acted {
		f.rows(q.Brand, q.Range, ShowsActions)
	}
	for _, required := range [...][]Performed{by.AnyOf, by.AllOf} {
		for _, d := range required {
			f.rows(d.Brand, q.Range, ShowsActions)
		}
	}
	if by.From != nil {
		f.list(by.From)
	}
}

// Empty reports that nothing was read: the answer is from the catalog alone.
func (f *ReadSet) Empty() bool {
	return !f.Scans() && len(f.Members) == 0 && len(f.Names) == 0
}

// Scans reports that a question was asked.
func (f *ReadSet) Scans() bool { return len(f.Rows) > 0 || f.Known|f.Any != 0 || f.Memberships }

// Add makes f the read set of an answer that was made of g too.
func (f *ReadSet) Add(g *ReadSet) {
	switch {
	case !g.Scans():
	case !f.Scans():
		f.Among = g.Among
	case f.Among == nil || g.Among == nil:
		f.Among = nil
	default:
		f.Among = slices.Concat(f.Among, g.Among)
		slices.Sort(f.Among)
		f.Among = slices.Compact(f.Among)
	}
	for _, r := range g.Rows {
		f.add(r)
	}
	f.Known |= g.Known
	f.Any |= g.Any
	f.Members = append(f.Members, g.Members...)
	f.Names = append(f.Names, g.Names...)
}

// Versions are a moment in each shard, as a number of commits in this life of the process.
type Versions []uint64

// Follow makes f the read set of an answer that names merged members: it was made of those that they
// were merged into, and is another one once a merge is taken back.
func (f *ReadSet) Follow(merged []MergedMember) {
	if len(merged) == 0 {
		return
	}
	into := make([]MemberID, 0, len(merged))
	for _, m := range merged {
		f.Members = append(f.Members, m.Member)
		into = append(into, m.Into)
	}
	if f.Among != nil {
		f.Among = append(into, f.Among...)
	}
}
