package peers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Request is the path and the parameters of the question over HTTP; an empty path: the API has
// no such question.
func (q *Question) Request(c *Scene) (path string, p client.Params) {
	r := q.Range(c)
	p = client.Params{"start_date": wire.Seconds(int64(r.From)), "end_date": wire.Seconds(int64(r.To))}
	switch q.Filter {
	case ByService:
		var names []string
		for _, v := range FilteredServices {
			names = append(names, v.String())
		}
		p["services"] = strings.Join(names, ",")
	case ByMember:
		p["country"] = strings.Join(FilteredCountries, ",")
		p["paid_only"] = "1"
	}
	if q.Every {
		p["all_member_actions"] = "1"
	}
	if q.Keyword != "" {
		p["keyword"] = q.Keyword
	}
	brand := ""
	if q.Brand != Everywhere {
		brand = strconv.FormatUint(uint64(c.Brands[q.Brand]), 10)
	}
	path = pathOf(q.Shape, brand)
	if brand != "" && !strings.Contains(path, "/"+brand+"/") {
		p["brandID"] = brand
	}
	return path, p
}

func pathOf(shape domain.Shape, brand string) string {
	of := map[domain.Shape]string{
		domain.ShapeTally: "activity", domain.ShapeTimeline: "timeline",
		domain.ShapeLocation: "location",
	}[shape]
	switch {
	case of != "" && brand != "":
		return "/v1.1/brand/" + brand + "/stats/" + of
	case shape == domain.ShapeTimeline:
		return "/v1.1/activity/count/services"
	case shape == domain.ShapeLeaders:
		return "/v1.1/members/active"
	case shape == domain.ShapeFeed:
		return "/v1.1/activity/feed"
	case shape == domain.ShapeCrossover && brand != "":
		return "/v1.1/brands/" + brand + "/crossover"
	case shape == domain.ShapeCrossover:
		return "/v1.1/brands/crossover"
	}
	return ""
}

// reader reads the texts of an answer as numbers and keeps the first error.
type reader struct{ err error }

func (r *reader) number(text string) (n int64) {
	if _, err := fmt.Sscan(text, &n); err != nil {
		r.err = cmp.Or(r.err, fmt.Errorf("%q is no number", text))
	}
	return n
}

func (r *reader) time(layout, text string) int64 {
	t, err := time.Parse(layout, text)
	if err != nil {
		r.err = cmp.Or(r.err, err)
	}
	return t.Unix()
}

// Read is an answer over HTTP as numbers: of a feed Answer.Loose.
func (q *Question) Read(c *Scene, body []byte) (Answer, error) {
	r := &reader{}
	var out Answer
	var err error
	switch q.Shape {
	case domain.ShapeTally:
		out, err = r.tally(body)
	case domain.ShapeTimeline:
		out, err = r.timeline(body)
	case domain.ShapeLocation:
		out, err = r.location(body)
	case domain.ShapeLeaders:
		out, err = r.leaders(c, body)
	case domain.ShapeCrossover:
		out, err = r.crossover(body)
	default:
		out, err = r.feed(body)
	}
	return out, cmp.Or(err, r.err)
}

func (r *reader) tally(body []byte) (Answer, error) {
	var in wire.ActivityTally
	err := json.Unmarshal(body, &in)
	out := Answer{{0, r.number(in.TotalCount), r.number(in.TotalMembers)}}
	for i := range in.Items {
		row := &in.Items[i]
		if row.ActivityID == nil {
			return nil, errors.New("a row without an activity")
		}
		out = append(out, []int64{r.number(*row.ActivityID), r.number(row.Count), r.number(row.DistinctMembers)})
	}
	return out.sorted().Counted(), err
}

func (r *reader) timeline(body []byte) (out Answer, err error) {
	var in wire.Timeline
	err = json.Unmarshal(body, &in)
	for i := range in.Services {
		s := &in.Services[i]
		service, ok := domain.ParseService(s.Service)
		if !ok {
			return nil, fmt.Errorf("%q is no service", s.Service)
		}
		out = append(out, []int64{int64(service), 0, r.number(s.TotalCount), r.number(s.TotalMembers)})
		for _, d := range s.Range {
			if n := r.number(d.Count); n > 0 {
				out = append(out, []int64{
					int64(service), r.time(time.DateOnly, d.Date) / 86400, n,
					r.number(d.DistinctMembers),
				})
			}
		}
	}
	return out.sorted(), err
}

func (r *reader) location(body []byte) (out Answer, err error) {
	var in wire.Location
	err = json.Unmarshal(body, &in)
	for _, c := range in.Countries {
		code := uint16(0)
		if c.Country != nil {
			code = domain.CountryCode(*c.Country)
		}
		out = append(out, []int64{int64(code), r.number(c.Actions), r.number(c.Members)})
	}
	return out.sorted(), err
}

func (r *reader) leaders(c *Scene, body []byte) (Answer, error) {
	var in wire.ActiveMembers
	err := json.Unmarshal(body, &in)
	out := Answer{{r.number(in.TotalSize)}}
	for i := range in.Items {
		m := &in.Items[i]
		if m.LastActivity == nil {
			return nil, errors.New("a member without a last activity")
		}
		out = append(out, []int64{
			c.Number(domain.MemberID(r.number(m.ID))), r.number(m.Score), r.number(m.ActivityCount),
			r.time(time.DateTime, m.LastActivity.CompleteDate),
		})
	}
	return out, err
}

func (r *reader) crossover(body []byte) (Answer, error) {
	var in wire.Crossover
	err := json.Unmarshal(body, &in)
	out := Answer{{r.number(in.TotalSize)}}
	for i := range in.Items {
		out = append(out, []int64{int64(in.Items[i].Brand.ID), r.number(in.Items[i].ActiveMembers)})
	}
	return out, err
}

func (r *reader) feed(body []byte) (Answer, error) {
	var in wire.Feed
	err := json.Unmarshal(body, &in)
	out := Answer{{r.number(in.TotalSize)}}
	for i := range in.Items {
		out = append(out, []int64{r.time(time.DateTime, in.Items[i].CompleteDate)})
	}
	return out, err
}
