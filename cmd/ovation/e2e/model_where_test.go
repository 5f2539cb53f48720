package e2e

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// where is the part of a question that filters by the fans' profiles and
// opt-ins. Zero values leave a filter out.
type where struct {
	region  string // with exactly one country
	website string
	optedIn bool
	segment domain.SegmentID // an opt-in is to it, else to the brand, else to the global list
}

var (
	regionsOfAll  = []string{"BY", "Bayern", "bayern", "Bavaria", "", ""}
	websitesOfAll = []string{"fans.example", "tickets.example", "", ""}
)

// askWhere makes up filters; none before enter. A region narrows the question to one
// country.
func (p *model) askWhere(rnd *rand.Rand, q *question) (w where) {
	if len(p.segments) == 0 || p.segments[0].id == 0 {
		return w
	}
	some := func() bool { return rnd.IntN(6) == 0 }
	if some() {
		q.country, w.region = []string{pick(rnd, []string{"DE", "DE", "US"})}, pick(rnd, []string{"by", "BAYERN", " Bavaria", "BE"})
	}
	if some() {
		w.website = pick(rnd, []string{"fans.example", "tickets.example", "nobody.example"})
	}
	if some() {
		w.segment = pick(rnd, p.segments).id
	}
	w.optedIn = some()
	return w
}

// into adds the filters to the parameters.
func (w where) into(p client.Params) {
	if w.region != "" {
		p["region"] = w.region
	}
	if w.website != "" {
		p["domain"] = strings.ToUpper(w.website)
	}
	if w.segment != 0 {
		p["segmentID"] = id(w.segment)
	}
	if w.optedIn {
		p["optedin"] = "1"
	}
}

var countryNames = map[string]string{
	"US": "United States", "GB": "United Kingdom", "DE": "Germany", "FR": "France", "BR": "Brazil", "": "Unknown",
}

// location is the answer of stats/location.
func (p *model) location(q question) wire.Location {
	t := p.answer(q, domain.ShapeLocation).Tally
	out := wire.Location{Countries: []wire.Country{}}
	out.TotalActivities, out.TotalMembers = figures(t.Total)
	mostFirst(t.Groups, actionsOf)
	if i := slices.IndexFunc(t.Groups, func(g domain.GroupCount) bool { return g.Group == 0 }); i >= 0 { // unknown comes last
		t.Groups = append(slices.Delete(slices.Clone(t.Groups), i, i+1), t.Groups[i])
	}
	for _, g := range t.Groups {
		land := ""
		if g.Group != 0 {
			land = string([]byte{byte(g.Group >> 8), byte(g.Group)})
		}
		row := wire.Country{Country: wire.Null(land), CountryName: countryNames[land]}
		row.Actions, row.Members = figures(g.Count)
		out.Countries = append(out.Countries, row)
	}
	return out
}

// daily is the answer of count/daily.
func (p *model) daily(q question) wire.Daily {
	line := first(p.answer(q, domain.ShapeDaily).Timeline.Services)
	out := wire.Daily{Items: []wire.DailyCount{}}
	out.TotalCount, out.TotalMembers = figures(line.Total)
	for d := q.span.from / day; d*day < q.span.to; d++ {
		row := wire.DailyCount{Date: time.Unix(d*day, 0).UTC().Format(time.DateOnly)}
		var c domain.Count
		if line.Days != nil {
			c = line.Days[d-q.span.from/day]
		}
		row.Count, row.DistinctMembers = figures(c)
		out.Items = append(out.Items, row)
	}
	return out
}
