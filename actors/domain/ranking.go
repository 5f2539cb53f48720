package domain

// Top says which rows of a ranking are wanted, and in which order.
type Top struct {
	Order         Order
	Up            bool // the least first; ties are ordered by ID ascending in both directions
	Offset, Limit int
	Latest        bool    // of members: each one's latest action too
	Audience      bool    // of members: Leaders.Audience too
	After         *After  // rows after it; Offset is 0 beside it
	Above         *uint64 // of members by score: only the number of those with more is wanted, in Leaders.Above
	Least         uint64  // of standings: only brands with so many actions
}

// After is the last row of a page of leaders or of a crossover: the next page has what
// comes after it.
type After struct {
	Rank   uint64   // what it is ranked by: score, actions or a time; of a crossover members
	Member MemberID // ties are ordered by it; of a crossover the brand's id
}

// End is where the wanted rows end.
func (t Top) End() int { return t.Offset + t.Limit }

// Order is what members are ranked by.
type Order uint8

// The orders.
const (
	ByScore     Order = iota // sum of points of the actions that count
	ByCreated                // when the member came to be
	ByLastLogin              // when it last logged in; a registration is a login
	ByActions                // number of the actions that count
	ByVisit                  // of visits alone: when the latest of those that count was made
)

// Timed reports an order by a time.
func (o Order) Timed() bool { return o == ByCreated || o == ByLastLogin || o == ByVisit }

// Leaders are members by rank: of a shard the first End of them, of a merged answer
// those from Offset on.
type Leaders struct {
	Members  []Leader
	Latest   []Row  // of each of Members the latest action, if that was asked for; without Hash and Flags
	Total    Count  // of all members who did something, on this page or not
	Audience uint64 // members that pass the filters on members, whatever they did; only if asked for
	Above    uint64 // members with a score above Top.Above
	Ahead    uint64 // members not after Top.After
}

// Leader is a member with what it did.
type Leader struct {
	Member  MemberID
	Score   uint64
	Actions uint64
	At      Second // what it is ranked by, where that is a time; of visits its last one of all
}

// Crossover is brands by members: of a shard all brands with one, in any order; of
// a merged answer those of the page, most members first, ties by ID.
type Crossover struct {
	Brands  []BrandMembers
	Total   uint64 // brands with a member, on the page or not; of a shard 0
	Members uint64 // who did something for the brand asked about, or for any
}

// BrandMembers is how many members did something for a brand.
type BrandMembers struct {
	Brand   BrandID
	Members uint64
}

// Standings are brands of members by rank: most points first, ties by actions, then
// by ID. Of a shard all brands, of a merged answer the first End.
type Standings struct {
	Brands []Standing
	Total  uint64 // brands that reach the threshold, on the page or not
}

// Standing is what the members of a question did for a brand.
type Standing struct {
	Brand   BrandID
	Score   uint64
	Actions uint64
}

// MemberListing says which rows of the list of members are wanted.
type MemberListing struct {
	Up            bool // by ID ascending; else descending
	Offset, Limit int
	After         MemberID // rows after it; 0: from the start; Offset is 0 beside it
	Changed       Second   // members whose record changed at or after it; 0: all
}

// End is where the wanted rows end.
func (r MemberListing) End() int { return r.Offset + r.Limit }

// MemberList is members by ID: of a shard the first End of them, of a merged answer those
// from Offset on.
type MemberList struct {
	Members []MemberID
	Total   uint64 // on all pages
}
