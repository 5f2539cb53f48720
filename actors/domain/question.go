package domain

// Shape is the shape of an answer: partials of one shape merge.
type Shape uint8

// The shapes.
const (
	ShapeTally         Shape = iota + 1 // counts by group: *Tally
	ShapeTimeline                       // counts by service and day: *Timeline
	ShapeLists                          // numbers of members of segments: Lists
	ShapeLeaders                        // members by rank: *Leaders
	ShapeCrossover                      // brands by members: *Crossover
	ShapeFeed                           // actions, newest first: *Feed
	ShapeLocation                       // counts by the members' country: *Tally, of which a group is a CountryCode
	ShapeDaily                          // counts by day: *Timeline, of one line that is NoService
	ShapeGender                         // counts by the members' gender: *Tally, of which a group is a GenderCode
	ShapeAge                            // counts by age at the range's end: *Tally by place in AgeBands, or UnknownAge
	ShapeNewcomers                      // a tally, and its members with an earlier action for the brand: *Tally
	ShapeStandings                      // brands of a few members, by score: *Standings
	ShapeMemberList                     // members by id, whatever they did: *MemberList
	ShapeRankHistogram                  // how many rows of a feed or of leaders have a rank: *RankHistogram
	ShapeDomains                        // visits by domain: *Domains
	ShapeSummaries                      // what each of a few members did, its brands or, of visits, its domains: Summaries
	ShapeStream                         // actions by the sequences of their shards, from a place on: *Stream
)

// Question is a question about activity with all it takes from clock and catalog:
// shards look up neither, so the same Question gives the same numbers wherever it
// is asked (I12).
type Question struct {
	Account       AccountID
	Shape         Shape
	Brand         BrandID // 0: every brand of the account
	Range         Range
	Filter        Filter
	Groups        []Group        // the definitions that count, ascending by ID: others do not
	Lists         []List         // of ShapeLists: whose members are counted, within the filter on members
	Top           Top            // of ShapeLeaders, ShapeCrossover, ShapeStandings and ShapeSummaries
	Without       []BrandID      // of ShapeCrossover, ShapeStandings and ShapeSummaries: brands that are in no list, ascending
	Listing       Listing        // of ShapeFeed, and beside Explain; of ShapeStream its Keyword alone
	Explain       bool           // of the shapes that count: the answer has a Feed, too, of the actions counted
	MemberListing MemberListing  // of ShapeMemberList
	Histogram     HistogramQuery // of ShapeRankHistogram
	Stream        StreamQuery    // of ShapeStream
	Visits        *VisitQuery    // visits are counted in place of actions; nil: actions
}

// Group says of a definition that its actions count, in which group of a tally,
// and for how much where a segment has points of its own.
type Group struct {
	Definition DefinitionID
	Group      uint32
	Points     uint16 // of each action, if Own
	Own        bool   // Points replace those the action was received with
}

// Filter is which actions and members count. The lists are sorted, each value once; an
// empty one filters nothing. Filters combine by AND, values of one list by OR, exclusions
// last. Definitions are filtered by Question.Groups.
type Filter struct {
	Services  []Service // of the action
	Members   []MemberID
	Exclude   []MemberID
	Countries []uint16 // CountryCode
	Regions   []string // RegionValue
	Domain    string   // canonical, of a registration; empty: any
	OptIn     string   // OptValue: opted in to it; empty: no matter
	Paid      bool
	Holds     []Service   // members with such a service record
	Has       []Field     // members with a value in each of these fields of the profile
	Opted     bool        // members with an opt-in to anything, but for those to Ended
	Ended     []string    // values (OptValue) of what was deleted: no opt-in to it counts any more
	Acted     bool        // members with an action that the question counts
	AnyOf     []Performed // members who did one of these within the question's range, by whatever service
	AllOf     []Performed // members who did every one of these, likewise
	From      *List       // members on it
	Genders   []uint16    // GenderCode
	Born      *BirthDays  // members born in them; nil: no matter
}

// Performed is a definition that a member has an action of, perhaps for one brand only.
type Performed struct {
	Definition DefinitionID
	Brand      BrandID // 0: for any
}

// OfMembers reports that the filter asks something of members, not of actions
// alone.
func (f *Filter) OfMembers() bool {
	return len(f.Members) > 0 || len(f.Exclude) > 0 || len(f.Countries) > 0 || len(f.Regions) > 0 ||
		f.Domain != "" || f.OptIn != "" || f.Paid || len(f.Holds) > 0 || len(f.Has) > 0 ||
		f.Opted || f.Acted || len(f.AnyOf) > 0 || len(f.AllOf) > 0 || f.From != nil ||
		len(f.Genders) > 0 || f.Born != nil
}

// Count is a number of actions and of the distinct members who did them.
type Count struct{ Actions, Members uint64 }

// Add adds a count of other members.
func (c *Count) Add(d Count) { c.Actions += d.Actions; c.Members += d.Members }

// Tally is counts by group, ascending, groups without an action left out, and the
// total, in which a member counts once.
type Tally struct {
	Groups []GroupCount
	Total  Count
	Before uint64 // of ShapeNewcomers: members of Total with an action for the brand before the range
}

// GroupCount is the count of one group.
type GroupCount struct {
	Group uint32
	Count
}

// Timeline is counts by service and UTC day.
type Timeline struct {
	First    uint32            // day of the first element of Days
	Services []ServiceTimeline // ascending by service, those without an action left out
}

// ServiceTimeline is one service's counts; in Total a member counts once.
type ServiceTimeline struct {
	Service Service
	Days    []Count // every day that the range touches
	Total   Count
}

// Answer is what a question is answered with: one of the shapes is set.
type Answer struct {
	Tally      *Tally
	Timeline   *Timeline
	Lists      []uint64 // members of each of Question.Lists
	Union      uint64   // members of any of Question.Lists
	Standings  *Standings
	MemberList *MemberList
	Leaders    *Leaders
	Crossover  *Crossover
	Feed       *Feed
	Stream     *Stream
	Histogram  *RankHistogram
	Domains    *Domains
	Summaries  []MemberSummary // by member
	Merged     []MergedMember  // members that the question names stand for those that they were merged into
	Position   Position        // what had been applied
	PlacesFull bool            // of visits: a shard has no room for other places, see MaxVisitPlaces
	LagMs      int64           // now − the latest moment at which the log's end then seen has since been applied
}
