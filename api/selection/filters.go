package selection

import (
	"cmp"
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Filters are the contract's filters on actions and members; beside them an operation
// has its own brandID and range. An input holds them by name, since they have
// rules.
type Filters struct {
	Services       bind.Services  `name:"services" doc:"only actions of these services" eg:"spotify,custom"`
	ActivityID     bind.IDs       `name:"activityID" doc:"only actions of these definitions" eg:"100"`
	Segment        bind.ID        `name:"segment" doc:"only actions of the segment's definitions, with its points; segmentid is the same parameter" eg:"1"`
	Members        bind.IDs       `name:"members" doc:"only actions of these members" eg:"4097,8193"`
	ExcludeMembers bind.IDs       `name:"exclude_members" doc:"no actions of these members" eg:"12289"`
	Country        bind.Countries `name:"country" doc:"only members of these countries, ISO 3166-1 alpha-2" eg:"DE"`
	Region         string         `name:"region" doc:"only members of this region, by its ISO 3166-2 code without the country's part or by its name, in any case; needs exactly one country" eg:"BE"`
	Domain         bind.Domain    `name:"domain" doc:"only members who registered on the domain; an address is cut to it" eg:"example.com"`
	PaidOnly       bool           `name:"paid_only" doc:"1: only members with a paid service attached" eg:"1"`
	OptedIn        bool           `name:"optedin" doc:"1: only members who opted in, to the segment if one is named, else to the brand; one of both is needed but in a feed, where without them it is the global list" eg:"1"`
	IncludeOneTime bool           `name:"includeOneTime" doc:"1 also counts one-time actions such as follows and likes" eg:"1"`

	MembersFromSegment bind.ID        `name:"members_from_segment" doc:"only members on the segment's list: who opted in, was put there, or is there by its rule" eg:"1"`
	Emails             bind.Emails    `name:"emails" doc:"only members with one of these addresses, verified or not, in any case" eg:"ada@example.com,bob@example.com"`
	AnyOfActivities    bind.Performed `name:"anyofactivities" doc:"only members who did at least one of these in the range, by whatever service, one-time ones too: an activity's id, or brand-activity for that brand alone" eg:"100,1-101"`
	AllOfActivities    bind.Performed `name:"allofactivities" doc:"only members who did every one of these in the range, likewise" eg:"100,1-101"`
}

// Missing reports that an opt-in is asked for, and to nothing.
func (f *Filters) Missing(has func(string) bool) string {
	if f.OptedIn && !has("segment") && !has("brandID") {
		return "brandID"
	}
	return ""
}

// Choice names what one can have opted in to.
func (f *Filters) Choice(string) string { return "brandID or segment, beside optedin," }

// Check refuses a region of several countries, or of none.
func (f *Filters) Check() *domain.Error {
	if f.Region != "" && len(f.Country) != 1 {
		return domain.Bad(domain.InvalidParameter, "region", "region needs exactly one country")
	}
	return nil
}

// Selection is what the catalog knows of what the parameters name: which actions count, and
// for how much.
type Selection struct {
	Brand       *domain.Brand        // the one named; nil: none
	Definitions []*domain.Definition // whose actions count, by ID
	Segment     *domain.Segment      // the one named; nil: none
}

// Groups are the definitions as a question carries them, each in the group that of
// gives it.
func (s *Selection) Groups(of func(*domain.Definition) uint32) []domain.Group {
	out := make([]domain.Group, len(s.Definitions))
	for i, d := range s.Definitions {
		out[i] = domain.Group{Definition: d.ID, Group: of(d)}
		if a := s.Activity(d.ID); a != nil && a.Own {
			out[i].Points, out[i].Own = a.Points, true
		}
	}
	return out
}

// InOne puts all definitions into one group.
func InOne(*domain.Definition) uint32 { return 0 }

// Activity is the definition in the segment named; nil: it is not in it.
func (s *Selection) Activity(id domain.DefinitionID) *domain.SegmentActivity {
	if s.Segment == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(s.Segment.Activities, id, func(a domain.SegmentActivity, id domain.DefinitionID) int {
		return cmp.Compare(a.Definition, id)
	})
	if !ok {
		return nil
	}
	return &s.Segment.Activities[i]
}

// Choose puts into a question its account, the brand that the parameter names (0: none) and
// the filter. Its groups are the selection's, as the operation groups them.
func Choose(
	ctx context.Context, req *serve.Request, q *domain.Question, brand bind.ID, parameter string, f *Filters,
) (*Selection, error) {
	s, err := choose(req, q, brand, parameter, f)
	if err != nil {
		return nil, err
	}
	counted(req, f, s)
	return s, chooseMembers(ctx, req, &q.Filter, f)
}

// ChooseMembers is Choose for a question that no definition's actions count in: what is named is
// there, too.
func ChooseMembers(
	ctx context.Context, req *serve.Request, q *domain.Question, brand bind.ID, parameter string, f *Filters,
) error {
	if _, err := choose(req, q, brand, parameter, f); err != nil {
		return err
	}
	return chooseMembers(ctx, req, &q.Filter, f)
}

// CheckNames is the error of filters that name a brand, a segment or an activity that the account does not have.
func CheckNames(req *serve.Request, brand bind.ID, parameter string, f *Filters) error {
	if _, err := choose(req, &domain.Question{}, brand, parameter, f); err != nil {
		return err
	}
	if f.MembersFromSegment != 0 {
		if _, err := req.Segment(f.MembersFromSegment, "members_from_segment"); err != nil {
			return err
		}
	}
	if _, err := performed(req, f.AnyOfActivities, "anyofactivities"); err != nil {
		return err
	}
	_, err := performed(req, f.AllOfActivities, "allofactivities")
	return err
}

// choose puts into a question what takes neither the definitions nor the engine to find.
func choose(
	req *serve.Request, q *domain.Question, brand bind.ID, parameter string, f *Filters,
) (s *Selection, err error) {
	s = &Selection{}
	q.Account = req.Account()
	if s.Brand, err = req.ScopeToBrand(q, brand, parameter); err != nil {
		return nil, err
	}
	q.Filter = domain.Filter{
		Services: f.Services, Members: memberIDs(f.Members), Exclude: memberIDs(f.ExcludeMembers),
		Domain: string(f.Domain), Paid: f.PaidOnly,
	}
	for _, country := range f.Country {
		q.Filter.Countries = append(q.Filter.Countries, domain.CountryCode(string(country)))
	}
	if f.Region != "" {
		q.Filter.Regions = bind.Regions(f.Country[0], f.Region)
	}
	if f.Segment != 0 {
		if s.Segment, err = req.Segment(f.Segment, "segment"); err != nil {
			return nil, err
		}
	}
	if f.OptedIn {
		q.Filter.OptIn = s.optIn()
	}
	for _, id := range f.ActivityID {
		if _, err := req.Definition(id, "activityID"); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// optIn is the opt-in that optedin asks for.
func (s *Selection) optIn() string {
	switch {
	case s.Segment != nil:
		return domain.OptValue(domain.OptSegment, uint32(s.Segment.ID))
	case s.Brand != nil:
		return domain.OptValue(domain.OptBrand, uint32(s.Brand.ID))
	}
	return domain.OptValue(domain.OptGlobal, 0)
}

func memberIDs(ids bind.IDs) []domain.MemberID {
	if len(ids) == 0 {
		return nil
	}
	out := make([]domain.MemberID, len(ids))
	for i, id := range ids {
		out[i] = domain.MemberID(id)
	}
	return out
}

// counted fills in the definitions whose actions count: of all of the account's,
// deleted ones too, those named and those of the segment; one-time ones only when
// asked for.
func counted(req *serve.Request, f *Filters, s *Selection) {
	for _, d := range req.Catalog.Definitions(req.Account()) {
		if d.ID < domain.FirstDefinition || d.OneTime && !f.IncludeOneTime || s.Segment != nil && s.Activity(d.ID) == nil {
			continue
		}
		if _, named := slices.BinarySearch(f.ActivityID, bind.ID(d.ID)); named || f.ActivityID == nil {
			s.Definitions = append(s.Definitions, d)
		}
	}
}

// The longest range of a statistic, of a list of members or actions, and of all: longer
// than any time that an action can have.
var (
	Statistics = bind.Period{Amount: 5, Unit: bind.Year}
	Lists      = bind.Period{Amount: 6, Unit: bind.Month}
	Always     = bind.Period{Amount: 9999, Unit: bind.Year}
)
