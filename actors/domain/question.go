package domain

// Shape is the shape of an answer: partials of one shape merge.
type Shape uint8

// The shapes.
const (
	ShapeTally    Shape = iota + 1 // counts by group: *Tally
	ShapeTimeline                  // counts by service and day: *Timeline
)

// Question is a question about activity with all it takes from clock and catalog:
// shards look up neither, so the same Question gives the same numbers wherever it
// is asked (I12).
type Question struct {
	Account AccountID
	Shape   Shape
	Brand   BrandID // 0: every brand of the account
	Range   Range
	Filter  Filter
	Groups  []Group // the definitions that count, ascending by ID: others do not
}

// Group says of a definition that its actions count, and in which group of a
// tally.
type Group struct {
	Definition DefinitionID
	Group      uint32
}

// Filter is which actions and members count. The lists are sorted; an empty one
// filters nothing. Filters combine by AND, values of one list by OR, exclusions
// last. Definitions are filtered by Question.Groups.
type Filter struct {
	Services  []Service // of the action
	Members   []MemberID
	Exclude   []MemberID
	Countries []uint16 // CountryCode
	Paid      bool
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
	Tally    *Tally
	Timeline *Timeline
	Position Position // what had been applied
	LagMs    int64    // now − the latest moment at which the log's end then seen has since been applied
}
