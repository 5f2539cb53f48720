package e2e

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// where is the part of a question that asks for what fans said of themselves and
// opted in to. Zero values leave a filter out.
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

// passes reports that region and website let the fan through. Bavaria is one region of
// Germany by its code and by its German and English names.
func (w where) passes(f *fan) bool {
	same := func(a, b string) bool {
		a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
		one := []string{"by", "bayern", "bavaria"}
		return a == b || f.country == "DE" && slices.Contains(one, a) && slices.Contains(one, b)
	}
	return (w.region == "" || same(w.region, f.region)) && (w.website == "" || w.website == f.website)
}

var countryNames = map[string]string{
	"US": "United States", "GB": "United Kingdom", "DE": "Germany", "FR": "France", "BR": "Brazil", "": "Unknown",
}

// location is the answer of stats/location.
func (p *model) location(q question) wire.Location {
	lands, total := p.by(q, func(f *fan) string { return f.country })
	order := sorted(lands)
	slices.SortStableFunc(order, func(a, b string) int {
		if a == "" || b == "" {
			return len(b) - len(a)
		}
		return cmp.Compare(lands[b].actions, lands[a].actions)
	})
	out := wire.Location{Countries: []wire.Country{}}
	out.TotalActivities, out.TotalMembers = total.texts()
	for _, land := range order {
		row := wire.Country{Country: wire.Null(land), CountryName: countryNames[land]}
		row.Actions, row.Members = lands[land].texts()
		out.Countries = append(out.Countries, row)
	}
	return out
}

// daily is the answer of count/daily.
func (p *model) daily(q question) wire.Daily {
	var total count
	days := counts[int64]{}
	p.matching(q, func(a *act) {
		days.add(a.at/day, a.fan)
		total.add(a.fan)
	})
	out := wire.Daily{Items: []wire.DailyCount{}}
	out.TotalCount, out.TotalMembers = total.texts()
	for d := q.span.from / day; d*day < q.span.to; d++ {
		row := wire.DailyCount{Date: time.Unix(d*day, 0).UTC().Format(time.DateOnly), Count: "0", DistinctMembers: "0"}
		if c := days[d]; c != nil {
			row.Count, row.DistinctMembers = c.texts()
		}
		out.Items = append(out.Items, row)
	}
	return out
}
