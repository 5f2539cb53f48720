package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// everyBrand in the place of a brand asks about all of them at once.
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

// stranger is a member that nobody is.
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

// matching calls f with every action that the question counts.
func (p *model) matching(q question, f func(*act)) {
	counts := p.counting(q)
	if q.brand == everyBrand {
		for i := range p.acts {
			if a := &p.acts[i]; counts(a) {
				f(a)
			}
		}
		return
	}
	for _, i := range p.byBrand[q.brand] {
		if a := &p.acts[i]; counts(a) {
			f(a)
		}
	}
}

// about adds the brand to the parameters, where the question names one.
func (p *model) about(q question, params client.Params) client.Params {
	if q.brand != everyBrand {
		params["brandID"] = id(p.brands[q.brand].id)
	}
	return params
}

// passing says of each fan whether the question's filters on members let it through.
func (p *model) passing(q question) []bool {
	fans := make([]bool, len(p.fans))
	for i := range p.fans {
		m := &p.fans[i]
		fans[i] = (q.members == nil || slices.Contains(q.members, m.id)) && !slices.Contains(q.exclude, m.id) &&
			(q.member == 0 || q.member == m.id) && (q.country == nil || slices.Contains(q.country, m.country)) && (!q.paid || m.paid) && q.where.passes(m) &&
			(!q.optedIn || p.opted(q, i)) && p.hasAll(q.required, i)
	}
	p.narrow(q, fans)
	return fans
}

// counting tells whether the question counts an action, for whatever brand.
func (p *model) counting(q question) func(*act) bool {
	definitions, fans := p.countedDefinitions(q), p.passing(q)
	return func(a *act) bool {
		return !a.out && q.span.from <= a.at && a.at < q.span.to && fans[a.fan] && definitions[a.definition] &&
			(q.services == nil || slices.Contains(q.services, p.definitions[a.definition].service))
	}
}

// countedDeeds says of each definition whether the question counts it, whatever its service.
func (p *model) countedDefinitions(q question) []bool {
	of := p.segmentOf(q.segment)
	counted := make([]bool, len(p.definitions))
	for i, d := range p.definitions {
		counted[i] = (q.definitions == nil || slices.Contains(q.definitions, d.id)) && (!d.oneTime || q.oneTime) && (of < 0 || slices.Contains(p.segments[of].definitions, int32(i)))
	}
	return counted
}

// count is a number of actions and who did them.
type count struct {
	actions uint64
	fans    map[int32]bool
}

func (c *count) add(fan int32) {
	if c.fans == nil {
		c.fans = map[int32]bool{}
	}
	c.actions++
	c.fans[fan] = true
}

func (c *count) texts() (actions, members string) { return id(c.actions), id(uint64(len(c.fans))) }

// counts are counts by a key.
type counts[K comparable] map[K]*count

func (c counts[K]) add(key K, fan int32) {
	if c[key] == nil {
		c[key] = &count{}
	}
	c[key].add(fan)
}

// group is what the question matches of a definition, or of a type of them, and how a row names it.
type group struct {
	count
	row wire.ActivityRow
}

// grouped is what the question matches in groups, in the order of the definitions or types.
func (p *model) grouped(q question) (all []*group) {
	groups, counted := map[string]*group{}, p.countedDefinitions(q)
	p.matching(q, func(a *act) {
		d := &p.definitions[a.definition]
		key := fmt.Sprintf("%010d", d.id)
		if q.byType {
			key = strings.ToLower(d.kind)
		}
		if groups[key] == nil {
			groups[key] = &group{row: p.row(q, d, counted)}
		}
		groups[key].add(a.fan)
	})
	for _, key := range sorted(groups) {
		all = append(all, groups[key])
	}
	return all
}

// paged are the question's page of all rows: without one the first 1000.
func paged[T any](q question, all []T) []T {
	from, n := 0, 1000
	if q.page != "" {
		from, n = min(q.from, len(all)), q.n
	}
	return all[from:min(from+n, len(all))]
}

// tally is the answer of stats/activity.
func (p *model) tally(q question) wire.ActivityTally {
	rows := p.grouped(q)
	slices.SortStableFunc(rows, func(a, b *group) int { return cmp.Compare(b.actions, a.actions) })
	out := wire.ActivityTally{TotalSize: id(uint64(len(rows))), Items: []wire.ActivityRow{}}
	total := count{fans: map[int32]bool{}}
	for _, g := range paged(q, rows) {
		g.row.Count, g.row.DistinctMembers = g.texts()
		out.Items = append(out.Items, g.row)
		total.actions += g.actions
		maps.Copy(total.fans, g.fans)
	}
	out.TotalCount, out.TotalMembers = total.texts()
	return out
}

// row is the row of a definition, or of its type: which is spelled as the earliest definition of
// those counted does.
func (p *model) row(q question, d *definition, counted []bool) wire.ActivityRow {
	b := &p.brands[q.brand]
	if q.byType {
		for i := range p.definitions { // a collector makes definitions in another order
			if e := &p.definitions[i]; counted[i] && strings.EqualFold(e.kind, d.kind) && e.id < d.id {
				d = e
			}
		}
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
	type line struct {
		total count
		days  counts[int64]
	}
	var lines [domain.Services]*line
	p.matching(q, func(a *act) {
		s := p.definitions[a.definition].service
		if lines[s] == nil {
			lines[s] = &line{days: counts[int64]{}}
		}
		lines[s].days.add(a.at/day, a.fan)
		lines[s].total.add(a.fan)
	})
	order := []domain.Service{}
	for s, l := range lines {
		if l != nil {
			order = append(order, domain.Service(s))
		}
	}
	slices.SortStableFunc(order, func(a, b domain.Service) int { return cmp.Compare(lines[b].total.actions, lines[a].total.actions) })
	out := wire.Timeline{Services: []wire.ServiceTimeline{}}
	for _, s := range order {
		l := wire.ServiceTimeline{Service: s.String(), Range: []wire.DayCount{}}
		l.TotalCount, l.TotalMembers = lines[s].total.texts()
		for d := q.span.from / day; d*day < q.span.to; d++ {
			at := time.Unix(d*day, 0).UTC()
			row := wire.DayCount{Date: at.Format(time.DateOnly), DayofYear: id(uint64(at.YearDay()))}
			row.Count, row.DistinctMembers = cmp.Or(lines[s].days[d], new(count)).texts()
			l.Range = append(l.Range, row)
		}
		out.Services = append(out.Services, l)
	}
	return out
}
