package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/text"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Ask is a question as one shard is asked it.
type Ask struct {
	Plan    *Plan               // of the question, shared by all shards
	Brand   uint32              // dense number, Visits or EveryBrand
	Members []uint64            // bitset of the ordinals that count; nil: all
	Cold    rows.Source         // nil: a cold brand is ErrCold
	Earlier rows.Source         // of newcomers: likewise, of the rows before the question's range
	Column  Column              // of a count by it: of a location, by gender, by age
	Places  []domain.VisitPlace // of visits, by number
	Valid   [][]uint64          // of visits of valid records: by service the bitset of the members with one
	Void    map[uint64]struct{} // likewise: sequences of visits of these members that do not count

	// What only others know.
	Brands   *Directory                           // of a crossover
	ID       func(domain.Ordinal) domain.MemberID // of leaders and a feed
	At       func(domain.Ordinal) domain.Second   // of leaders: what they are ranked by, where that is a time
	Label    func(dense uint32) domain.BrandID    // of leaders and a feed
	Contents Contents                             // of a feed: for a keyword, and for an order of recording
	Search   Search                               // of a feed with a keyword: replaces Says for many rows; may be nil

	Originals bool // of a stream: copies are left out
}

// Plan is what of a question is the same in every shard. It never changes: any
// number of goroutines may use it.
type Plan struct {
	shape       domain.Shape
	span        domain.Range
	definitions []domain.DefinitionID // those that count, ascending
	group       []uint32              // of each: its group's place in labels
	labels      []uint32              // groups, ascending
	services    uint32                // bits of those that count
	points      []points              // of each definition
	account     domain.AccountID
	top         domain.Top
	listing     domain.Listing
	histogram   domain.HistogramQuery
	keyword     *text.Keyword      // of the listing; nil: none
	visits      *domain.VisitQuery // nil: of actions
}

// points are what a row adds to a score: its own points where keep is all ones, else
// add.
type points struct{ keep, add uint16 }

// NewPlan prepares a question. Of definitions that are named twice the first
// counts. Its brand and its filters on members are the caller's: see Ask.
func NewPlan(q *domain.Question) *Plan {
	groups := q.Groups
	order := func(a, b domain.Group) int { return cmp.Compare(a.Definition, b.Definition) }
	if !slices.IsSortedFunc(groups, order) {
		groups = slices.Clone(groups)
		slices.SortStableFunc(groups, order)
	}
	p := &Plan{
		shape: q.Shape, span: q.Range, services: 1<<domain.Services - 1, account: q.Account, top: q.Top, listing: q.Listing,
		histogram: q.Histogram, visits: q.Visits,
	}
	p.keyword = text.NewKeyword(q.Listing.Keyword)
	if len(q.Filter.Services) > 0 {
		p.services = 0
		for _, s := range q.Filter.Services {
			if int(s) < domain.Services {
				p.services |= 1 << s
			}
		}
	}
	if q.Visits != nil {
		p.putVisits(q)
		return p
	}
	p.putGroups(groups)
	return p
}

// putGroups prepares the definitions that count, ascending, and their groups.
func (p *Plan) putGroups(groups []domain.Group) {
	p.labels = make([]uint32, 0, len(groups))
	for i, g := range groups {
		if i == 0 || g.Definition != groups[i-1].Definition {
			p.definitions = append(p.definitions, g.Definition)
			p.labels = append(p.labels, g.Group)
			worth := points{keep: 1<<16 - 1}
			if g.Own {
				worth = points{add: g.Points}
			}
			p.points = append(p.points, worth)
		}
	}
	p.group = slices.Clone(p.labels)
	slices.Sort(p.labels)
	p.labels = slices.Compact(p.labels)
	for i, l := range p.group {
		at, _ := slices.BinarySearch(p.labels, l)
		p.group[i] = uint32(at)
	}
}

// groupOf is the place of the group in which a kind counts; false when it does not
// count.
func (p *Plan) groupOf(k rows.Kind) (uint32, bool) {
	if !p.ByService(k.Service) {
		return 0, false
	}
	i, ok := slices.BinarySearch(p.definitions, k.Definition)
	if !ok {
		return 0, false
	}
	return p.group[i], true
}

// Counts reports that actions of a definition, by a service, count.
func (p *Plan) Counts(of domain.DefinitionID, by domain.Service) bool {
	_, ok := p.groupOf(rows.Kind{Definition: of, Service: by})
	return ok
}

// ByService reports that what a service did passes the filter on services.
func (p *Plan) ByService(s domain.Service) bool {
	return int(s) < domain.Services && p.services>>s&1 == 1
}

// pointsOf is what rows of a definition that counts add to a score.
func (p *Plan) pointsOf(definition domain.DefinitionID) points {
	if p.visits != nil {
		of, _, _ := definition.Visit()
		return points{add: p.visits.Points(of)}
	}
	if i, ok := slices.BinarySearch(p.definitions, definition); ok {
		return p.points[i]
	}
	return points{}
}

// Directory is what a question about many brands knows of them by their dense
// numbers. It never changes: any number of goroutines may use it.
type Directory struct {
	ids    []domain.BrandID // of dense number i+1
	hidden []uint64         // by dense number: not to be listed
}

// NewDirectory is the directory of the brands whose dense numbers count from 1, in
// order of ids, as ids do. Those in without, ascending, are not listed; nor is one
// that the directory does not have.
func NewDirectory(ids, without []domain.BrandID) *Directory {
	d := &Directory{ids, make([]uint64, (len(ids)+64)/64)}
	d.hide(rows.Visits)
	for _, id := range without {
		if i, ok := slices.BinarySearch(ids, id); ok {
			d.hide(uint32(i + 1))
		}
	}
	return d
}

func (d *Directory) hide(dense uint32) { d.hidden[dense>>6] |= 1 << (dense & 63) }

// ID is the brand's id; 0 where the directory does not have it.
func (d *Directory) ID(dense uint32) domain.BrandID {
	if dense == rows.Visits || int(dense) > len(d.ids) {
		return 0
	}
	return d.ids[dense-1]
}

// listed reports that the brand may be in a list.
func (d *Directory) listed(dense uint32) bool {
	return int(dense) <= len(d.ids) && d.hidden[dense>>6]>>(dense&63)&1 == 0
}
