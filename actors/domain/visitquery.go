package domain

// VisitQuery has a question be about visits, registrations and logins, in place of actions: its
// brand and its groups are not looked at but by Filter.Acted.
//
//	ShapeTally     a group a service, or a kind of visit: see By
//	ShapeTimeline  a line a service; with Totals Answer.Tally too, of the same moment
//	ShapeLeaders   members by the number of visits, or by the latest one; a registration is a point,
//	               so Score is a member's registrations
//	ShapeDomains   a row a domain
//	ShapeFeed      the visits themselves
//	ShapeSummaries of each member the domains
type VisitQuery struct {
	Of     DefinitionID // Registration or Login alone; 0: both
	By     VisitGroup   // of ShapeTally
	Domain string       // canonical: visits made on it; empty: any
	Page   string       // as VisitPlace has it: visits to it; empty: any
	Totals bool         // of ShapeTimeline
	Valid  bool         // of ShapeTally: registrations whose service record is valid now; logins by a service with one
}

// ByPlace reports that the answer to a question about visits of that shape follows from where they were made.
func (v *VisitQuery) ByPlace(s Shape) bool {
	return v.Domain != "" || v.Page != "" || s == ShapeDomains || s == ShapeSummaries
}

// VisitGroup is what a tally of visits is grouped by.
type VisitGroup uint8

// The groups.
const (
	VisitsByService VisitGroup = iota // a Service
	VisitsByKind                      // Registration or Login
)

// Points is what a visit is worth in a ranking.
func (VisitQuery) Points(of DefinitionID) uint16 {
	if of == Registration {
		return 1
	}
	return 0
}

// Domains is visits by domain, by its text ascending: of no domain first.
type Domains struct {
	Rows          []DomainCount
	Total         Count  // in which a member counts once
	Registrations uint64 // of Total.Actions
}

// DomainCount is the visits of one domain.
type DomainCount struct {
	Domain        string // canonical; empty: none was given
	Count                // visits
	Registrations uint64 // of them
}
