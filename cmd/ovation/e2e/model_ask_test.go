package e2e

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// everyBrand instead of a brand asks about all of them.
const everyBrand = int32(-1)

// question is what is asked about a brand. Zero values leave a filter out.
type question struct {
	brand       int32
	span        span
	when        when
	byType      bool // of a tally
	page        string
	from, n     int // the page
	services    []domain.Service
	definitions []domain.DefinitionID
	members     []domain.MemberID
	exclude     []domain.MemberID
	member      domain.MemberID // id=
	country     []string
	paid        bool
	oneTime     bool
	up          bool     // of a feed: the oldest first
	keyword     string   // of a feed
	required    []string // of a list of members: fields with a value
	one         int32    // of a question about one fan: an action, most often of the brand, whose fan and definition it is about
	where
	who
}

// stranger is the id of no member.
const stranger = domain.MemberID(1<<40 | 77)

// ask makes up a question about a brand. Ranges go to the second, often to that of an
// action; each filter is there one time in four.
func (p *model) ask(rnd *rand.Rand, brand int32, s span) question {
	q := question{brand: brand, span: p.part(rnd, brand, s), byType: rnd.IntN(2) == 0, oneTime: rnd.IntN(2) == 0}
	some := func() bool { return rnd.IntN(4) == 0 }
	if some() {
		q.services = several(rnd, []domain.Service{domain.Spotify, domain.LastFM, domain.YouTube, domain.Facebook, domain.Custom})
	}
	if some() {
		q.definitions = several(rnd, p.lasting())
	}
	if some() {
		q.members = append(p.fewFans(rnd), stranger)
	}
	if some() {
		q.exclude = append(p.fewFans(rnd), stranger)
	}
	if rnd.IntN(12) == 0 {
		q.member = p.fans[skewed(rnd, len(p.fans))].id
	}
	if some() {
		q.country = several(rnd, []string{"US", "GB", "DE", "FR", "BR", "JP"})
	}
	q.paid = some()
	if of := p.byBrand[brand]; len(of) > 0 && rnd.IntN(4) > 0 {
		q.one = pick(rnd, of)
	}
	q.where = p.askWhere(rnd, &q)
	q.who = p.askWho(rnd)
	if some() {
		q.from, q.n = rnd.IntN(4), rnd.IntN(5)
		q.page = fmt.Sprintf("%d,%d", q.from, q.n)
	}
	return q
}

// lasting are the definitions that are not deleted.
func (p *model) lasting() (ids []domain.DefinitionID) {
	for _, d := range p.definitions {
		if !d.gone {
			ids = append(ids, d.id)
		}
	}
	return ids
}

// part is a part of a span that is not empty.
func (p *model) part(rnd *rand.Rand, brand int32, s span) span {
	moment := func() int64 {
		if n := len(p.byBrand[brand]); n > 0 && rnd.IntN(2) == 0 {
			return p.acts[p.byBrand[brand][rnd.IntN(n)]].at + int64(rnd.IntN(2))
		}
		return s.within(rnd)
	}
	switch a, b := moment(), moment(); {
	case rnd.IntN(5) == 0:
		return s
	case a == b:
		return span{a, a + 1}
	default:
		return span{min(a, b), max(a, b)}
	}
}

func (p *model) fewFans(rnd *rand.Rand) (ids []domain.MemberID) {
	for range 1 + rnd.IntN(20) {
		ids = append(ids, p.fans[skewed(rnd, len(p.fans))].id)
	}
	return ids
}

// several are some of the values, at least one.
func several[T any](rnd *rand.Rand, of []T) []T {
	of = slices.Clone(of)
	rnd.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	return of[:1+rnd.IntN(len(of))]
}

func apply[A, B any](of []A, f func(A) B) []B {
	out := make([]B, len(of))
	for i := range of {
		out[i] = f(of[i])
	}
	return out
}

// params are the question as it is asked over HTTP.
func (q question) params() client.Params {
	p := client.Params{"includeOneTime": flag(q.oneTime), "paid_only": flag(q.paid)}
	q.when.into(p, q.span)
	list := func(name string, words []string) {
		if len(words) > 0 {
			p[name] = strings.Join(words, ",")
		}
	}
	list("services", apply(q.services, domain.Service.String))
	list("activityID", apply(q.definitions, id))
	list("members", apply(q.members, id))
	list("exclude_members", apply(q.exclude, id))
	list("country", q.country)
	if q.member != 0 {
		p["id"] = id(q.member)
	}
	q.where.into(p)
	q.who.into(p)
	return p
}

// tallyParams are those that only a tally has, too.
func (q question) tallyParams() client.Params {
	p := q.params()
	if q.byType {
		p["group_by"] = "type"
	}
	if q.page != "" {
		p["limit"] = q.page
	}
	return p
}

// about adds the brand to the parameters, where the question names one.
func (p *model) about(q question, params client.Params) client.Params {
	if q.brand != everyBrand {
		params["brandID"] = id(p.brands[q.brand].id)
	}
	return params
}

// countedDefinitions says of each definition whether the question counts it, whatever its service.
func (p *model) countedDefinitions(q question) []bool {
	of := p.segmentOf(q.segment)
	counted := make([]bool, len(p.definitions))
	for i, d := range p.definitions {
		counted[i] = (q.definitions == nil || slices.Contains(q.definitions, d.id)) && (!d.oneTime || q.oneTime) && (of < 0 || slices.Contains(p.segments[of].definitions, int32(i)))
	}
	return counted
}

// paged are the question's page of all rows: without one the first 1000.
func paged[T any](q question, all []T) []T {
	from, n := 0, 1000
	if q.page != "" {
		from, n = min(q.from, len(all)), q.n
	}
	return all[from:min(from+n, len(all))]
}

// key is the key of the definition's group.
func (d *definition) key(q question) string {
	if q.byType {
		return strings.ToLower(d.kind)
	}
	return fmt.Sprintf("%010d", d.id)
}

// page is the page of a tally's groups that the question asks for, the greatest first, and what the
// shape says of their actions alone.
func (p *model) page(q question, shape domain.Shape, of func(domain.Count) uint64) (all int, rows []domain.GroupCount, total *domain.Tally) {
	d := p.question(q)
	d.Shape = shape
	groups := p.reference().Answer(d).Tally.Groups
	mostFirst(groups, of)
	rows = paged(q, groups)
	d.Groups = slices.DeleteFunc(d.Groups, func(g domain.Group) bool {
		return !slices.ContainsFunc(rows, func(r domain.GroupCount) bool { return r.Group == g.Group })
	})
	return len(groups), rows, p.reference().Answer(d).Tally
}

func actionsOf(c domain.Count) uint64 { return c.Actions }
func membersOf(c domain.Count) uint64 { return c.Members }

// tally is the answer of stats/activity.
func (p *model) tally(q question) wire.ActivityTally {
	all, rows, total := p.page(q, domain.ShapeTally, actionsOf)
	out := wire.ActivityTally{TotalSize: id(uint64(all)), Items: []wire.ActivityRow{}}
	for _, g := range rows {
		row := p.row(q, g.Group)
		row.Count, row.DistinctMembers = figures(g.Count)
		out.Items = append(out.Items, row)
	}
	out.TotalCount, out.TotalMembers = figures(total.Total)
	return out
}

// row is the row of a group: a type is spelled as the earliest definition of those counted does.
func (p *model) row(q question, group uint32) wire.ActivityRow {
	b, key, counted := &p.brands[q.brand], p.groupKeys(q)[group], p.countedDefinitions(q)
	var d *definition
	for i := range p.definitions { // a collector makes definitions in another order
		if e := &p.definitions[i]; counted[i] && e.key(q) == key && (d == nil || e.id < d.id) {
			d = e
		}
	}
	if q.byType {
		return wire.ActivityRow{BrandID: id(b.id), SegmentName: p.segmentName(q), Activity: d.kind}
	}
	return wire.ActivityRow{
		BrandID: id(b.id), SegmentName: p.segmentName(q), ActivityID: wire.NullNumber(d.id), ServiceType: wire.Null(d.service.String()),
		Activity: strings.ReplaceAll(d.name, "{brand}", b.name),
	}
}

const day = 86400

// timeline is the answer of stats/timeline.
func (p *model) timeline(q question) wire.Timeline {
	t := p.answer(q, domain.ShapeTimeline).Timeline
	slices.SortStableFunc(t.Services, func(a, b domain.ServiceTimeline) int { return cmp.Compare(b.Total.Actions, a.Total.Actions) })
	out := wire.Timeline{Services: []wire.ServiceTimeline{}}
	for _, s := range t.Services {
		l := wire.ServiceTimeline{Service: s.Service.String(), Range: []wire.DayCount{}}
		l.TotalCount, l.TotalMembers = figures(s.Total)
		for i, c := range s.Days {
			at := time.Unix(int64(t.First)*day+int64(i)*day, 0).UTC()
			row := wire.DayCount{Date: at.Format(time.DateOnly), DayofYear: id(uint64(at.YearDay()))}
			row.Count, row.DistinctMembers = figures(c)
			l.Range = append(l.Range, row)
		}
		out.Services = append(out.Services, l)
	}
	return out
}
