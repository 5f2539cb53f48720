package demo

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// question is what the demo asks and the answer it will get: as the audience was
// made, not as the engine counts it. Its range lies in the past, where nothing is
// added any more.
type question struct {
	words  string
	path   string
	params url.Values
	answer any // the body
}

// announce prints where everything is.
func (s *stage) announce(link string) error {
	base := "http://" + s.node.APIAddress
	_, err := fmt.Fprintf(s.out, `
Console  %s (signs in once, within 7 days)
API      %s
Key      %s
Docs     %s/docs#%s
Kafka    %s (topic %s)
Admin    http://%s/status
Data     %s takes about 100 MB with the usual audience; delete it to begin again
Stop     Ctrl-C; the same command goes on
`, link, base, s.key, base, url.Values{"key": {s.key}}.Encode(), s.node.KafkaAddress, s.node.Topic, s.node.AdminAddress,
		s.options.Data)
	return err
}

// ask prints questions with their answers.
func (s *stage) ask() error {
	base := "http://" + s.node.APIAddress
	var w bytes.Buffer
	for _, q := range s.questions() {
		body, err := wire.Encode(q.answer)
		if err != nil {
			return err
		}
		fmt.Fprintf(&w, "\n%s\n\n  curl -H 'X-API-Key: %s' '%s%s?%s'\n\n  %s", q.words, strings.ReplaceAll(s.key, "'", `'\''`), base, q.path, q.params.Encode(), body)
	}
	_, err := s.out.Write(w.Bytes())
	return err
}

// questions are three of different kinds about the best known artist.
func (s *stage) questions() []question {
	artist := &s.fans.Brands[0]
	id := wire.Number(s.brands[0])
	end := s.fans.End()
	month := span{end.AddDate(0, 0, -28), end}
	quarter := span{end.AddDate(0, 0, -91), end}
	title, week := s.launch(0)
	return []question{{
		words:  fmt.Sprintf("What did the fans of %s do in the four weeks to %s, by type?", artist.Name, date(end)),
		path:   "/v1.1/brand/" + id + "/stats/activity",
		params: month.params("group_by", "type"),
		answer: s.tally(0, month),
	}, {
		words:  fmt.Sprintf("How did they receive %q, day by day?", title),
		path:   "/v1.1/activity/count/daily",
		params: week.params("brandID", id),
		answer: s.daily(0, week),
	}, {
		words:  fmt.Sprintf("Where in the North were they, in the thirteen weeks to %s?", date(end)),
		path:   "/v1.1/brand/" + id + "/stats/location",
		params: quarter.params("country", strings.Join(north, ",")),
		answer: s.location(0, quarter, north),
	}}
}

// north are the countries of the third question.
var north = []string{"SE", "NO", "DK", "FI"}

func date(t time.Time) string { return t.Format(time.DateOnly) }

// launch is the artist's greatest release and the days around it; without one, the
// last week.
func (s *stage) launch(brand int) (title string, week span) {
	title, from := "the last week", s.fans.End().AddDate(0, 0, -7)
	if r := s.fans.Brands[brand].Largest(); r != nil {
		title, from = r.Title, s.fans.Start().AddDate(0, 0, r.Day-2)
	}
	return title, span{from, from.AddDate(0, 0, 7)}
}

// span is a range of time; the end is not part of it.
type span struct{ from, to time.Time }

// params are the range and other parameters, by name and value.
func (s span) params(more ...string) url.Values {
	v := url.Values{"start_date": {s.from.Format(time.DateTime)}, "end_date": {s.to.Format(time.DateTime)}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// counted is actions and the members who did them.
type counted struct {
	actions int
	members map[int]bool
}

func (c *counted) add(member int) {
	if c.members == nil {
		c.members = map[int]bool{}
	}
	c.actions++
	c.members[member] = true
}

func (c *counted) texts() (actions, members string) {
	return wire.Number(c.actions), wire.Number(len(c.members))
}

// of are the actions for a brand in a range; those done once in a life are no part of
// a statistic unless it asks for them.
func (s *stage) of(brand int, in span, f func(*audience.Action)) {
	for a := range s.fans.Between(in.from, in.to) {
		if a.Brand == brand && !s.fans.Definitions[a.Definition].OneTime {
			f(&a)
		}
	}
}

// tally is the answer of stats/activity by type.
func (s *stage) tally(brand int, in span) wire.ActivityTally {
	types := map[string]*counted{}
	var all counted
	s.of(brand, in, func(a *audience.Action) {
		t := s.fans.Definitions[a.Definition].Type
		if types[t] == nil {
			types[t] = &counted{}
		}
		types[t].add(a.Member)
		all.add(a.Member)
	})
	out := wire.ActivityTally{TotalSize: wire.Number(len(types)), Items: []wire.ActivityRow{}}
	out.TotalCount, out.TotalMembers = all.texts()
	for _, name := range mostFirst(types) {
		row := wire.ActivityRow{BrandID: wire.Number(s.brands[brand]), Activity: name}
		row.Count, row.DistinctMembers = types[name].texts()
		out.Items = append(out.Items, row)
	}
	return out
}

// daily is the answer of activity/count/daily.
func (s *stage) daily(brand int, in span) wire.Daily {
	days := make([]counted, int(in.to.Sub(in.from)/(24*time.Hour)))
	var all counted
	s.of(brand, in, func(a *audience.Action) {
		days[int(a.Time.Sub(in.from)/(24*time.Hour))].add(a.Member)
		all.add(a.Member)
	})
	var out wire.Daily
	out.TotalCount, out.TotalMembers = all.texts()
	for i := range days {
		day := wire.DailyCount{Date: date(in.from.AddDate(0, 0, i))}
		day.Count, day.DistinctMembers = days[i].texts()
		out.Items = append(out.Items, day)
	}
	return out
}

// location is the answer of stats/location for some countries, each by what its
// members gave when they registered.
func (s *stage) location(brand int, in span, countries []string) wire.Location {
	byCountry := map[string]*counted{}
	var all counted
	s.of(brand, in, func(a *audience.Action) {
		c := s.fans.Members[a.Member].Country
		if !slices.Contains(countries, c) {
			return
		}
		if byCountry[c] == nil {
			byCountry[c] = &counted{}
		}
		byCountry[c].add(a.Member)
		all.add(a.Member)
	})
	out := wire.Location{Countries: []wire.Country{}}
	out.TotalActivities, out.TotalMembers = all.texts()
	for _, c := range mostFirst(byCountry) {
		row := wire.Country{Country: &c, CountryName: bind.CountryName()[c]}
		row.Actions, row.Members = byCountry[c].texts()
		out.Countries = append(out.Countries, row)
	}
	return out
}

// mostFirst are the names by actions, most first, ties by name.
func mostFirst(of map[string]*counted) []string {
	return slices.SortedFunc(maps.Keys(of), func(x, y string) int {
		return cmp.Or(cmp.Compare(of[y].actions, of[x].actions), strings.Compare(x, y))
	})
}
