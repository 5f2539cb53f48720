package api

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// filters are the contract's filters on actions and members. Those that are not
// built yet are refused: a number that leaves one out would be wrong.
type filters struct {
	Services       bind.Services  `name:"services" doc:"only actions of these services" eg:"spotify,custom"`
	ActivityID     bind.IDs       `name:"activityID" doc:"only actions of these definitions" eg:"100"`
	Members        bind.IDs       `name:"members" doc:"only actions of these members" eg:"4097,8193"`
	ExcludeMembers bind.IDs       `name:"exclude_members" doc:"no actions of these members" eg:"12289"`
	Country        bind.Countries `name:"country" doc:"only members of these countries" eg:"DE,US"`
	PaidOnly       bool           `name:"paid_only" doc:"1: only members with a paid service attached" eg:"1"`
	IncludeOneTime bool           `name:"includeOneTime" doc:"1 also counts one-time actions such as follows and likes" eg:"1"`

	Segment            bind.ID `name:"segment" later:"refuse" doc:"only actions of the segment's definitions, with its points; segmentid is the same parameter"`
	MembersFromSegment bind.ID `name:"members_from_segment" later:"refuse" doc:"only members of the segment"`
	Emails             string  `name:"emails" later:"refuse" doc:"only members with these addresses"`
	Domain             string  `name:"domain" later:"refuse" doc:"only members who registered on the domain"`
	Region             string  `name:"region" later:"refuse" doc:"only members of the region; needs a single country"`
	OptedIn            bool    `name:"optedin" later:"refuse" doc:"1: only members who opted in"`
	AnyOfActivities    string  `name:"anyofactivities" later:"refuse" doc:"only members who did one of these"`
	AllOfActivities    string  `name:"allofactivities" later:"refuse" doc:"only members who did all of these"`
}

// filter is the filters as a question carries them.
func (f *filters) filter() domain.Filter {
	out := domain.Filter{Services: f.Services, Members: memberIDs(f.Members), Exclude: memberIDs(f.ExcludeMembers), Paid: f.PaidOnly}
	for _, country := range f.Country {
		out.Countries = append(out.Countries, domain.CountryCode(string(country)))
	}
	return out
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

// nobody is a list of members that none is in: no member has the id 0.
var nobody = []domain.MemberID{0}

// onlyMember narrows the filter to one member.
func onlyMember(f *domain.Filter, id bind.ID) {
	switch m := domain.MemberID(id); {
	case m == 0:
	case f.Members == nil || slices.Contains(f.Members, m):
		f.Members = []domain.MemberID{m}
	default:
		f.Members = nobody
	}
}

// counted are the definitions whose actions count, by ID: all of the account's,
// deleted ones too, or those named; one-time ones only when asked for.
func (c *Call) counted(f *filters) ([]*domain.Definition, error) {
	for _, id := range f.ActivityID {
		if _, err := c.definition(id, "activityID"); err != nil {
			return nil, err
		}
	}
	var out []*domain.Definition
	for _, d := range c.catalog.Definitions(c.Account()) {
		if d.ID < domain.FirstDefinition || d.OneTime && !f.IncludeOneTime {
			continue
		}
		if _, named := slices.BinarySearch(f.ActivityID, bind.ID(d.ID)); named || f.ActivityID == nil {
			out = append(out, d)
		}
	}
	return out, nil
}

// statistics is the longest range of a statistic.
var statistics = bind.Period{Amount: 5, Unit: bind.Year}

// over resolves the range of a question and shows it in the answer.
func (c *Call) over(in bind.Range, most bind.Period) (bind.Span, error) {
	span, warnings, fault := in.Resolve(c.now, most)
	if fault != nil {
		return span, fault
	}
	c.warnings = append(c.warnings, warnings...)
	c.span = span.String()
	return span, nil
}
