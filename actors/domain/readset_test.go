package domain

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A field that a question gets and its read set does not know of would be a wrong
// answer, remembered.
func TestReadSet_CoversEveryQuestionField(t *testing.T) {
	for _, c := range []struct {
		of    reflect.Type
		knows string
	}{
		{reflect.TypeFor[Question](), "Account Shape Brand Range Filter Groups Lists Top Without Listing Explain MemberListing Histogram Stream Visits"},
		{reflect.TypeFor[Filter](), "Services Members Exclude Countries Regions Domain OptIn Paid Holds Has Opted Ended Acted AnyOf AllOf From Genders Born"},
		{reflect.TypeFor[Top](), "Order Up Offset Limit Latest Audience After Above Least"},
		{reflect.TypeFor[Listing](), "Every Recorded Up Keyword Offset Limit After"},
		{reflect.TypeFor[List](), "Segment Rule"},
		{reflect.TypeFor[Rule](), "Definitions Brand Threshold Range"},
		{reflect.TypeFor[Performed](), "Definition Brand"},
		{reflect.TypeFor[VisitQuery](), "Of By Domain Page Totals Valid"},
		{reflect.TypeFor[MemberListing](), "Up Offset Limit After Changed"},
	} {
		var has []string
		for field := range c.of.Fields() {
			has = append(has, field.Name)
		}
		if !slices.Equal(has, strings.Fields(c.knows)) {
			t.Errorf("%s has the fields %s: say in ReadSetOf what they read, then here", c.of.Name(), strings.Join(has, " "))
		}
	}
}

func TestReadSet_OfShapeAndFilter(t *testing.T) {
	week := Range{From: 1000, To: 2000}
	rows := func(b BrandID, s Shows) []RowsOf { return []RowsOf{{Brand: b, Range: week, Shows: s}} }
	of := func(all ...Attribute) (s Attributes) {
		for _, a := range append(all, AttrMember) {
			s |= a.Set()
		}
		return s
	}
	for name, c := range map[string]struct {
		q    Question
		want ReadSet
	}{
		"tally":     {Question{Shape: ShapeTally, Brand: 7}, ReadSet{Rows: rows(7, ShowsActions), Known: of()}},
		"newcomers": {Question{Shape: ShapeNewcomers, Brand: 7}, ReadSet{Rows: rows(7, ShowsActions), Known: of()}},
		"feed":      {Question{Shape: ShapeFeed}, ReadSet{Rows: rows(0, ShowsActions), Known: of(AttrHandedOverHigh, AttrHandedOverLow)}},
		"timeline":  {Question{Shape: ShapeTimeline, Brand: 7}, ReadSet{Rows: rows(7, ShowsDays), Known: of()}},
		"daily":     {Question{Shape: ShapeDaily, Brand: 7}, ReadSet{Rows: rows(7, ShowsDays), Known: of()}},
		"location":  {Question{Shape: ShapeLocation, Brand: 7}, ReadSet{Rows: rows(7, ShowsActions), Known: of(AttrCountry)}},
		"gender":    {Question{Shape: ShapeGender, Brand: 7}, ReadSet{Rows: rows(7, ShowsActions), Known: of(AttrGender)}},
		"age":       {Question{Shape: ShapeAge, Brand: 7}, ReadSet{Rows: rows(7, ShowsAges), Known: of(AttrBirthDay)}},
		"crossover": {Question{Shape: ShapeCrossover, Brand: 7}, ReadSet{Rows: rows(0, ShowsActions), Known: of()}},
		"standings": {Question{Shape: ShapeStandings}, ReadSet{Rows: rows(0, ShowsActions), Known: of()}},
		"summaries": {Question{Shape: ShapeSummaries}, ReadSet{Rows: rows(0, ShowsActions), Known: of()}},
		"members":   {Question{Shape: ShapeMemberList}, ReadSet{Known: everyAttribute, Any: everyAttribute}},
		"summaries of visits": {
			Question{Shape: ShapeSummaries, Visits: &VisitQuery{}, Filter: Filter{Members: []MemberID{1}}},
			ReadSet{Rows: []RowsOf{{Range: week, Visits: true}}, Known: of(), Among: []MemberID{1}},
		},
		"leaders by login": {
			Question{Shape: ShapeLeaders, Brand: 7, Top: Top{Order: ByLastLogin}},
			ReadSet{Rows: rows(7, ShowsActions), Known: of(AttrLoginHigh, AttrLoginLow)},
		},
		"leaders and audience": {
			Question{Shape: ShapeLeaders, Brand: 7, Top: Top{Order: ByCreated, Audience: true}, Filter: Filter{Paid: true}},
			ReadSet{
				Rows: rows(7, ShowsActions), Known: of(AttrCreatedHigh, AttrCreatedLow, AttrPaid), Any: of(AttrCreatedHigh, AttrCreatedLow, AttrPaid),
			},
		},
		"lists": {
			Question{Shape: ShapeLists, Lists: []List{{Segment: 1}, {Segment: 2, Rule: &Rule{Brand: 3, Range: AllTime}}}},
			ReadSet{
				Rows: []RowsOf{{Brand: 3, Range: AllTime}}, Known: of(AttrOptIn, AttrOptOut, AttrListed), Any: of(AttrOptIn, AttrOptOut, AttrListed),
			},
		},
		"filters": {
			Question{Shape: ShapeTally, Brand: 7, Filter: Filter{
				Services: []Service{Spotify}, Members: []MemberID{1}, Exclude: []MemberID{2}, Countries: []uint16{1}, Regions: []string{"be"},
				Domain: "a.de", OptIn: "x", Holds: []Service{Spotify}, Has: []Field{Bio}, Acted: true,
			}},
			ReadSet{Rows: rows(7, ShowsActions), Known: of(AttrCountry, AttrRegion, AttrDomain, AttrOptIn, AttrService, AttrHas), Among: []MemberID{1}},
		},
		"performed": {
			Question{Shape: ShapeTally, Brand: 7, Filter: Filter{AnyOf: []Performed{{100, 8}, {101, 8}}, AllOf: []Performed{{100, 0}}, Opted: true}},
			ReadSet{Rows: []RowsOf{{Brand: 7, Range: week}, {Brand: 8, Range: week}, {Range: week}}, Known: of(AttrOptIn)},
		},
		"a segment's members": {
			Question{Shape: ShapeTally, Brand: 7, Filter: Filter{From: &List{Segment: 2, Rule: &Rule{Range: week}}}},
			ReadSet{Rows: []RowsOf{{Brand: 7, Range: week}, {Range: week}}, Known: of(AttrOptIn, AttrOptOut, AttrListed)},
		},
	} {
		c.q.Range = week
		got, ok := ReadSetOf(&c.q)
		if !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	visits := &VisitQuery{}
	for _, q := range []Question{
		{Shape: ShapeMemberList + 100},
		{},
		{Shape: ShapeTally, Explain: true},
		{Shape: ShapeCrossover, Visits: visits},
		{Shape: ShapeMemberList + 100, Visits: visits},
	} {
		if _, ok := ReadSetOf(&q); ok {
			t.Errorf("the read set of %+v is known", q)
		}
	}
}

func TestReadSet_Union(t *testing.T) {
	scan := func(among ...MemberID) ReadSet {
		return ReadSet{Rows: []RowsOf{{Brand: 1}}, Known: 2, Among: among}
	}
	for _, c := range []struct {
		all  []ReadSet
		want []MemberID
	}{
		{[]ReadSet{scan(3), scan(1, 3)}, []MemberID{1, 3}},
		{[]ReadSet{scan(3), scan()}, nil},
		{[]ReadSet{scan(), scan(3)}, nil},
		{[]ReadSet{{Members: []MemberID{9}}, scan(3), {Names: []IdentityHash{{1}}}}, []MemberID{3}},
	} {
		var f ReadSet
		for i := range c.all {
			f.Add(&c.all[i])
		}
		if !slices.Equal(f.Among, c.want) || len(f.Rows) != 1 || f.Known != 2 || f.Empty() {
			t.Errorf("%+v: %+v", c.all, f)
		}
	}
	f := ReadSet{Members: []MemberID{1}}
	f.Add(&ReadSet{Any: 4, Members: []MemberID{2}, Names: []IdentityHash{{1}}})
	if f.Any != 4 || !slices.Equal(f.Members, []MemberID{1, 2}) || len(f.Names) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestAttribute_BitsAreDistinct(t *testing.T) {
	seen := map[int]Attribute{}
	for _, a := range []Attribute{
		AttrMember, AttrGender, AttrService, AttrPaid, AttrDomain, AttrOptIn, AttrOptOut, AttrRegion, AttrListed, AttrHas,
		AttrCountry, AttrBirthDay, AttrCreatedHigh, AttrCreatedLow, AttrLoginHigh, AttrLoginLow, AttrChangedHigh, AttrChangedLow,
		AttrHandedOverHigh, AttrHandedOverLow,
	} {
		if b, taken := seen[a.Place()]; taken || a.Place() > 63 {
			t.Errorf("%d and %d share the place %d", a, b, a.Place())
		}
		seen[a.Place()] = a
	}
	for a := range 256 {
		if p := Attribute(a).Place(); p < 0 || p > 63 {
			t.Errorf("attribute %d has the place %d", a, p)
		}
	}
}

func TestReadSet_RangeMoveChangesDaysAndAges(t *testing.T) {
	const day = 86400
	for _, c := range []struct {
		shows    Shows
		was, is  Range
		turnedBy bool
	}{
		{ShowsActions, Range{day, 2 * day}, Range{5 * day, 9 * day}, false},
		{ShowsDays, Range{day + 60, 3*day + 60}, Range{day + 120, 3*day + 120}, false},
		{ShowsDays, Range{day + 60, 3 * day}, Range{day + 120, 3*day + 60}, true},      // another day begins to be touched
		{ShowsDays, Range{2*day - 60, 3*day + 60}, Range{2 * day, 3*day + 120}, true},  // one is touched no more
		{ShowsDays, Range{day - 60, 2*day + 60}, Range{3*day - 60, 4*day + 60}, true},  // as many, but others
		{ShowsAges, Range{day, 3*day - 60}, Range{day, 3 * day}, false},                // the last second is of the same day
		{ShowsAges, Range{day, 3 * day}, Range{day, 3*day + 60}, true},                 // a birthday may have come
		{ShowsAges, Range{day - 60, 3*day + 60}, Range{day + 60, 3*day + 7200}, false}, // the start names none
		{ShowsAges, Range{}, Range{}, true},
	} {
		r := RowsOf{Range: c.was, Shows: c.shows}
		if got := r.ChangedBy(c.is); got != c.turnedBy {
			t.Errorf("%d: %v to %v: %v", c.shows, c.was, c.is, got)
		}
	}
}

// An answer that names a merged member was read in the shards of those that it was merged into, and
// changes with the record of each that was merged. The question's own list stays as it is.
func TestReadSet_FollowsMergedMembers(t *testing.T) {
	q := &Question{Shape: ShapeTally, Range: AllTime, Filter: Filter{Members: []MemberID{1, 5}}}
	f, _ := ReadSetOf(q)
	f.Follow(nil)
	if len(f.Members) != 0 || !slices.Equal(f.Among, q.Filter.Members) {
		t.Errorf("none was merged: %+v", f)
	}
	f.Follow([]MergedMember{{Member: 1, Into: 2}, {Member: 2, Into: 9}})
	slices.Sort(f.Among)
	if !slices.Equal(f.Members, []MemberID{1, 2}) || !slices.Equal(f.Among, []MemberID{1, 2, 5, 9}) {
		t.Errorf("%+v", f)
	}
	if !slices.Equal(q.Filter.Members, []MemberID{1, 5}) {
		t.Errorf("the question is about %v", q.Filter.Members)
	}
	if all, _ := ReadSetOf(&Question{Shape: ShapeTally, Range: AllTime}); all.Among != nil {
		t.Errorf("%+v", all)
	} else if all.Follow([]MergedMember{{Member: 1, Into: 2}}); all.Among != nil {
		t.Errorf("a question to every shard: %+v", all)
	}
}
