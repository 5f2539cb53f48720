package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
)

// address is where the question is asked over HTTP, with all its parameters; empty:
// nowhere.
func (s *staged) address(q *peers.Question) string {
	brand := ""
	if q.Brand != peers.Everywhere {
		brand = itoa(int(s.scene.Brands[q.Brand]))
	}
	r, p := q.Range(s.scene), url.Values{}
	p.Set("start_date", wire.Seconds(int64(r.From)))
	p.Set("end_date", wire.Seconds(int64(r.To)))
	switch q.Filter {
	case peers.ByService:
		var names []string
		for _, v := range peers.FilteredServices {
			names = append(names, v.String())
		}
		p.Set("services", strings.Join(names, ","))
	case peers.ByMember:
		p.Set("country", strings.Join(peers.FilteredCountries, ","))
		p.Set("paid_only", "1")
	}
	if q.Every {
		p.Set("all_member_actions", "1")
	}
	if q.Keyword != "" {
		p.Set("keyword", q.Keyword)
	}
	path := pathOf(q.Shape, brand)
	if path == "" {
		return ""
	}
	if brand != "" && !strings.Contains(path, "/"+brand+"/") {
		p.Set("brandID", brand)
	}
	return s.full(path, p)
}

// full is a path with the key and other parameters.
func (s *staged) full(path string, p url.Values) string {
	p.Set("apiKey", s.names.Key)
	return "http://" + s.node.http + path + "?" + p.Encode()
}

func pathOf(shape domain.Shape, brand string) string {
	of := map[domain.Shape]string{domain.ShapeTally: "activity", domain.ShapeTimeline: "timeline", domain.ShapeLocation: "location"}[shape]
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

// get asks once and tells how long it took until the whole answer was there.
func (s *staged) get(ctx context.Context, address, etag string) (body []byte, res *http.Response, took time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, 0, errors.New("a request's address cannot be read")
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	began := time.Now()
	res, err = s.http.Do(req)
	if u, ok := errors.AsType[*url.Error](err); ok {
		return nil, nil, 0, u.Err // u's text has the key
	}
	if err != nil {
		return nil, nil, 0, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	took = time.Since(began)
	if err == nil && res.StatusCode != http.StatusOK && res.StatusCode != http.StatusNotModified {
		err = fmt.Errorf("%s: %s", res.Status, body)
	}
	return body, res, took, err
}

// reader reads the texts of an answer as numbers, and keeps the first that is none.
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

// read is an answer over HTTP as numbers: of a feed Answer.Loose.
func (s *staged) read(q *peers.Question, body []byte) (peers.Answer, error) {
	r := &reader{}
	var out peers.Answer
	var err error
	switch q.Shape {
	case domain.ShapeTally:
		out, err = r.tally(body)
	case domain.ShapeTimeline:
		out, err = r.timeline(body)
	case domain.ShapeLocation:
		out, err = r.location(body)
	case domain.ShapeLeaders:
		out, err = r.leaders(s.scene, body)
	case domain.ShapeCrossover:
		out, err = r.crossover(body)
	default:
		out, err = r.feed(body)
	}
	return out, cmp.Or(err, r.err)
}

func (r *reader) tally(body []byte) (peers.Answer, error) {
	var in wire.ActivityTally
	err := json.Unmarshal(body, &in)
	out := peers.Answer{{0, r.number(in.TotalCount), r.number(in.TotalMembers)}}
	for i := range in.Items {
		row := &in.Items[i]
		if row.ActivityID == nil {
			return nil, errors.New("a row without an activity")
		}
		out = append(out, []int64{r.number(*row.ActivityID), r.number(row.Count), r.number(row.DistinctMembers)})
	}
	return ordered(out).Counted(), err
}

func (r *reader) timeline(body []byte) (out peers.Answer, err error) {
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
				out = append(out, []int64{int64(service), r.time(time.DateOnly, d.Date) / 86400, n, r.number(d.DistinctMembers)})
			}
		}
	}
	return ordered(out), err
}

func (r *reader) location(body []byte) (out peers.Answer, err error) {
	var in wire.Location
	err = json.Unmarshal(body, &in)
	for _, c := range in.Countries {
		code := uint16(0)
		if c.Country != nil {
			code = domain.CountryCode(*c.Country)
		}
		out = append(out, []int64{int64(code), r.number(c.Actions), r.number(c.Members)})
	}
	return ordered(out), err
}

func (r *reader) leaders(c *peers.Scene, body []byte) (peers.Answer, error) {
	var in wire.ActiveMembers
	err := json.Unmarshal(body, &in)
	out := peers.Answer{{r.number(in.TotalSize)}}
	for i := range in.Items {
		m := &in.Items[i]
		if m.LastActivity == nil {
			return nil, errors.New("a member without a last activity")
		}
		out = append(out, []int64{
			c.Number(domain.MemberID(r.number(m.ID))), r.number(m.Score), r.number(m.ActivityCount), r.time(time.DateTime, m.LastActivity.CompleteDate),
		})
	}
	return out, err
}

func (r *reader) crossover(body []byte) (peers.Answer, error) {
	var in wire.Crossover
	err := json.Unmarshal(body, &in)
	out := peers.Answer{{r.number(in.TotalSize)}}
	for i := range in.Items {
		out = append(out, []int64{int64(in.Items[i].Brand.ID), r.number(in.Items[i].ActiveMembers)})
	}
	return out, err
}

func (r *reader) feed(body []byte) (peers.Answer, error) {
	var in wire.Feed
	err := json.Unmarshal(body, &in)
	out := peers.Answer{{r.number(in.TotalSize)}}
	for i := range in.Items {
		out = append(out, []int64{r.time(time.DateTime, in.Items[i].CompleteDate)})
	}
	return out, err
}

func ordered(a peers.Answer) peers.Answer {
	slices.SortFunc(a, slices.Compare)
	return a
}
