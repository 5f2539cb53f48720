package e2e

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// version identifies the state of the model that the reference was made from: its numbers
// only grow.
type version struct{ acts, out, fans, brands int }

// reference is the model of the fans and of what counts.
func (p *model) reference() *reference.Model {
	now := version{len(p.acts), len(p.acts) - int(p.living()), len(p.fans), len(p.brands)}
	if p.made != nil && p.madeAt == now {
		return p.made
	}
	m := &reference.Model{}
	for i := range p.fans {
		m.Members = append(m.Members, p.member(&p.fans[i]))
	}
	for i := range p.acts {
		a := &p.acts[i]
		if a.out {
			continue
		}
		d := &p.definitions[a.definition]
		row := domain.Row{
			Seq: uint64(i), Slot: p.fans[a.fan].id.Slot(), Time: domain.Second(a.at), Brand: p.brands[a.brand].id, Definition: d.id,
			Points: uint16(d.value), Service: d.service,
		}
		m.Actions = append(m.Actions, reference.Action{FeedItem: domain.FeedItem{Row: row, Member: p.fans[a.fan].id}, Content: trackOf(a)})
	}
	p.made, p.madeAt = m, now
	return m
}

// member is the fan as questions filter and count by it.
func (p *model) member(f *fan) reference.Member {
	m := reference.Member{
		ID: f.id, Country: domain.CountryCode(f.country), Gender: domain.GenderCode(f.gender), Region: strings.ToLower(f.region),
		Paid: f.paid, Services: []domain.Service{f.service}, Domains: []string{f.website}, Opts: map[domain.Opt]domain.OptState{},
	}
	if born, err := time.Parse(time.DateOnly, f.born); err == nil {
		m.Born = domain.BirthDay(born)
	}
	for field, value := range map[domain.Field]string{domain.EmailAddress: f.email, domain.Region: f.region, domain.Country: f.country} {
		if value != "" {
			m.Fields = append(m.Fields, field)
		}
	}
	opts := []domain.Opt{{Kind: domain.OptBrand, ID: uint32(p.brands[0].id)}, {Kind: domain.OptGlobal}}
	for _, s := range p.segments {
		opts = append(opts, domain.Opt{Kind: domain.OptSegment, ID: uint32(s.id)})
	}
	for i, o := range opts {
		m.Opts[o] = domain.OptState{In: f.optsIn[i] && !f.optsOut[i], Out: f.optsOut[i]}
	}
	return m
}

// answer is the reference's answer to the question in a shape.
func (p *model) answer(q question, shape domain.Shape) *domain.Answer {
	d := p.question(q)
	d.Shape = shape
	return p.reference().Answer(d)
}

// question is the question in the words of the domain. A group is a place in groupKeys.
func (p *model) question(q question) *domain.Question {
	from, n := 0, 1000
	if q.page != "" {
		from, n = q.from, q.n
	}
	out := &domain.Question{
		Account: p.account, Range: domain.Range{From: domain.Second(q.span.from), To: domain.Second(min(q.span.to, math.MaxUint32))},
		Listing: domain.Listing{Every: q.byType, Up: q.up, Keyword: q.keyword, Offset: from, Limit: n},
		Top:     domain.Top{Up: q.byType, Latest: true, Audience: true, Offset: from, Limit: n},
	}
	out.MemberListing = domain.MemberListing{Up: q.up, Offset: from, Limit: n}
	if q.brand != everyBrand {
		out.Brand = p.brands[q.brand].id
	}
	for _, b := range p.brands {
		if b.gone {
			out.Without = append(out.Without, b.id)
		}
	}
	keys := p.groupKeys(q)
	for i, counted := range p.countedDefinitions(q) {
		d, s := &p.definitions[i], p.segmentOf(q.segment)
		if !counted {
			continue
		}
		g := domain.Group{Definition: d.id, Group: uint32(slices.Index(keys, d.key(q)))}
		if s >= 0 {
			var own int
			own, g.Own = p.segments[s].own[int32(i)]
			g.Points = uint16(own)
		}
		out.Groups = append(out.Groups, g)
	}
	p.filter(q, &out.Filter)
	return out
}

// filter is the question's filter.
func (p *model) filter(q question, f *domain.Filter) {
	f.Services, f.Exclude, f.Paid, f.Domain = q.services, q.exclude, q.paid, q.website
	if emails := apply(q.emails[:min(len(q.emails), 100)], strings.ToLower); q.members != nil || q.member != 0 || len(emails) > 0 {
		f.Members = []domain.MemberID{stranger}
		for _, one := range p.fans {
			if (q.members == nil || slices.Contains(q.members, one.id)) && (q.member == 0 || q.member == one.id) &&
				(len(emails) == 0 || slices.Contains(emails, strings.ToLower(one.email))) {
				f.Members = append(f.Members, one.id)
			}
		}
	}
	f.Countries = apply(q.country, domain.CountryCode)
	if region := strings.ToLower(strings.TrimSpace(q.region)); region != "" {
		f.Regions = []string{region}
		if one := []string{"by", "bayern", "bavaria"}; q.country[0] == "DE" && slices.Contains(one, region) {
			f.Regions = one // Bavaria, by its code and by its German and English names
		}
	}
	if q.optedIn {
		f.OptIn = domain.OptValue(domain.OptGlobal, 0)
		if q.segment != 0 {
			f.OptIn = domain.OptValue(domain.OptSegment, uint32(q.segment))
		} else if q.brand != everyBrand {
			f.OptIn = domain.OptValue(domain.OptBrand, uint32(p.brands[q.brand].id))
		}
	}
	for _, field := range q.required {
		switch strings.ToLower(field) {
		case "email":
			f.Has = append(f.Has, domain.EmailAddress)
		case "state":
			f.Has = append(f.Has, domain.Region)
		case "countrycode", "country":
			f.Has = append(f.Has, domain.Country)
		case "surname":
			f.Has = append(f.Has, domain.Surname)
		case "optins":
			f.Opted = true
		}
	}
	if i := p.segmentOf(q.list); i >= 0 {
		f.From = p.listOf(i)
	}
	performed := func(w trait) domain.Performed {
		out := domain.Performed{Definition: p.definitions[w.definition].id}
		if w.brand != everyBrand {
			out.Brand = p.brands[w.brand].id
		}
		return out
	}
	f.AnyOf, f.AllOf = apply(q.any, performed), apply(q.all, performed)
}

// listOf is a segment's list as of the contract's now, which is the end of a rule's period.
func (p *model) listOf(segment int) *domain.List {
	s := &p.segments[segment]
	out := &domain.List{Segment: s.id}
	if !s.rule {
		return out
	}
	out.Rule = &domain.Rule{Threshold: uint32(s.least), Range: domain.AllTime}
	if s.period.n > 0 {
		now := comingMinute()
		out.Rule.Range = domain.Range{From: domain.Second(s.period.after(now, -1)), To: domain.Second(now)}
	}
	if s.brand != everyBrand {
		out.Rule.Brand = p.brands[s.brand].id
	}
	for _, d := range s.definitions {
		out.Rule.Definitions = append(out.Rule.Definitions, p.definitions[d].id)
	}
	return out
}

// groupKeys are the keys of the groups that the question counts in, in the order in which ties
// stand.
func (p *model) groupKeys(q question) []string {
	keys := apply(p.definitions, func(d definition) string { return d.key(q) })
	slices.Sort(keys)
	return slices.Compact(keys)
}

// brandOf is the brand with the id.
func (p *model) brandOf(id domain.BrandID) *brand {
	return &p.brands[slices.IndexFunc(p.brands, func(b brand) bool { return b.id == id })]
}

// figures is a count as answers have it.
func figures(c domain.Count) (actions, members string) { return id(c.Actions), id(c.Members) }

// first is the first row of a list, or none.
func first[T any](list []T) (v T) {
	if len(list) > 0 {
		v = list[0]
	}
	return v
}

// countOf is the count of a group of a tally.
func countOf(t *domain.Tally, group uint32) domain.Count {
	i := slices.IndexFunc(t.Groups, func(g domain.GroupCount) bool { return g.Group == group })
	if i < 0 {
		return domain.Count{}
	}
	return t.Groups[i].Count
}

// mostFirst orders groups by a number, the greatest first.
func mostFirst(groups []domain.GroupCount, of func(domain.Count) uint64) {
	slices.SortStableFunc(groups, func(a, b domain.GroupCount) int { return cmp.Compare(of(b.Count), of(a.Count)) })
}
