package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// memberAnswers answers questions about one member: its score, so many that are above it,
// two brands, two actions, and a roll of it alone.
func memberAnswers(above uint64) asked {
	return func(q *domain.Question) (*domain.Answer, error) {
		at := domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 1, Next: 4}}}
		switch q.Shape {
		case domain.ShapeFeed:
			return fed(2)(q)
		case domain.ShapeStandings:
			return &domain.Answer{Position: at, Standings: &domain.Standings{
				Brands: []domain.Standing{{Brand: 2, Score: 9, Actions: 4}, {Brand: 1, Score: 7, Actions: 5}}, Total: 2,
			}}, nil
		case domain.ShapeMemberList:
			return &domain.Answer{Position: at, MemberList: &domain.MemberList{Members: []domain.MemberID{4097}, Total: 3}}, nil
		}
		if q.Top.Above != nil {
			return &domain.Answer{Position: at, Leaders: &domain.Leaders{Above: above}}, nil
		}
		a, err := ranking(q)
		if q.Explain {
			a.Feed = &domain.Feed{Total: 1, Items: []domain.FeedItem{{Row: domain.Row{Seq: 5, Slot: 1, Time: 7}}}}
		}
		return a, err
	}
}

// Each part that is asked for is one question, the position two; a member alone is none.
func TestShowMember_Questions(t *testing.T) {
	me, week := []domain.MemberID{4097}, lastWeek
	one := []domain.Group{{Definition: 100}}
	score := uint64(70_000)
	for query, want := range map[string][]domain.Question{
		"":                                    nil,
		"showposition=0&showbrands=0&refresh": nil,
		"showposition=1": {
			{Shape: domain.ShapeLeaders, Range: week, Groups: one, Filter: domain.Filter{Members: me}, Top: domain.Top{Limit: 1}},
			{Shape: domain.ShapeLeaders, Range: week, Groups: one, Filter: domain.Filter{Exclude: me}, Top: domain.Top{Above: &score}},
		},
		"showbrands=1": {
			{Shape: domain.ShapeStandings, Range: week, Groups: one, Filter: domain.Filter{Members: me}, Top: domain.Top{Limit: 3}, Without: []domain.BrandID{3}},
		},
		"showbrands=1&threshold=5&limit=2,7": {{
			Shape: domain.ShapeStandings, Range: week, Groups: one, Filter: domain.Filter{Members: me},
			Top: domain.Top{Offset: 2, Limit: 7, Least: 5}, Without: []domain.BrandID{3},
		}},
		"showactions=1&brandID=2&start_date=2026-03-01+00:00:00&period=1+Day": {{
			Shape: domain.ShapeFeed, Brand: 2, Range: firstOfMarch, Groups: one,
			Filter: domain.Filter{Members: me}, Listing: domain.Listing{Every: true, Limit: 3},
		}},
		"showactions=1&limit=5000&segment=1&includeOneTime=1&activityID=100,101&services=spotify&anyofactivities=1-100&allofactivities=101": {{
			Shape: domain.ShapeFeed, Range: week, Groups: []domain.Group{{Definition: 100, Points: 7, Own: true}, {Definition: 101}},
			Filter: domain.Filter{
				Members: me, Services: []domain.Service{domain.Spotify}, AnyOf: []domain.Performed{{Definition: 100, Brand: 1}}, AllOf: []domain.Performed{{Definition: 101}},
			},
			Listing: domain.Listing{Every: true, Limit: 1000},
		}},
	} {
		for _, who := range []string{"/v1.1/member/4097?", "/v1.1/member?email=ada@example.com&"} {
			h := newFixture(t, memberAnswers(0))
			h.engine.brands = append(h.engine.brands, &domain.Brand{ID: 3, Account: 1, Dense: 3, Deleted: true, Fields: domain.BrandFields{}})
			h.asks(who+query, want...)
		}
	}
}

// A position from 1000 on is 999+.
func TestShowMember_Position(t *testing.T) {
	for above, want := range map[uint64]string{0: "1", 1: "2", 998: "999", 999: "999+", 1000: "999+", 1 << 40: "999+"} {
		h := newFixture(t, memberAnswers(above))
		out := answered[wire.Envelope](h, h.get("/v1.1/member/4097?showposition=1"))
		if out.Data.AEPosition == nil || *out.Data.AEPosition != want || *out.Data.Score != "70000" {
			t.Errorf("%d above: %+v", above, out.Data)
		}
	}
}

// A member without actions has the score 0, after all that have more.
func TestShowMember_NoActions(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		l := &domain.Leaders{}
		if q.Top.Above != nil && *q.Top.Above == 0 {
			l.Above = 6
		}
		return &domain.Answer{Leaders: l, Standings: &domain.Standings{}, Feed: &domain.Feed{}}, nil
	})
	w := h.get("/v1.1/member/4097?showposition=1&showbrands=1&showactions=1")
	out := answered[wire.Envelope](h, w)
	if *out.Data.Score != "0" || *out.Data.AEPosition != "7" || !strings.Contains(w.Body.String(), `"brands":[],"actions":[]`) {
		t.Errorf("%s", w.Body)
	}
}

// The actions that made the score are listed, with and without the position.
func TestShowMember_Explain(t *testing.T) {
	for query, scored := range map[string]bool{"explain=1": false, "explain=1&showposition=1": true} {
		h := newFixture(t, memberAnswers(1))
		out := answered[wire.Envelope](h, h.get("/v1.1/member/4097?"+query))
		if e := out.Explain; e == nil || !slices.Equal(e.Actions, []string{fmt.Sprint(5<<12 | 1)}) || e.TotalSize != "1" || (out.Data.Score != nil) != scored {
			t.Errorf("%s: %+v %v", query, out.Explain, out.Data.Score)
		}
		if !h.engine.asked[0].Explain || len(h.engine.asked) > 1 && h.engine.asked[1].Explain {
			t.Errorf("%s: %+v", query, h.engine.asked)
		}
	}
}

// Each part is asked at the position of the part before, or after it, and the answer's position is not behind
// any of them.
func TestShowMember_PartsInOrder(t *testing.T) {
	h := newFixture(t)
	next := int64(10)
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		a, err := memberAnswers(1)(q)
		next++
		a.Position = domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 1, Next: next}}}
		return a, err
	}
	w := h.get("/v1.1/member/4097?showposition=1&showbrands=1&showactions=1")
	h.status(w, http.StatusOK)
	var waited []int64
	for _, p := range h.engine.waited[len(h.engine.waited)-5:] {
		waited = append(waited, p.Next(1))
	}
	equal(t, []int64{0, 11, 12, 13, 14}, waited, "waited for")
	var at wire.Position
	if err := at.ParseParam(w.Header().Get("X-Position")); err != nil || at.Position.Next(1) != 14 {
		t.Errorf("%v %+v", err, at)
	}
}

// refresh waits until all that was accepted before is applied; without known ends it is Unavailable.
func TestRefresh_WaitsForTheEnds(t *testing.T) {
	h := newFixture(t, memberAnswers(1))
	w := h.get("/v1.1/member/4097?refresh=1&showactions=1")
	h.status(w, http.StatusOK)
	end := domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 0, Next: 41}, {Shard: 1, Next: 42}}}
	if d := cmp.Diff([]domain.Position{end, end, end}, h.engine.waited[:3]); d != "" { // the wait itself, the member, the feed
		t.Error(d)
	}
	var at wire.Position
	if err := at.ParseParam(w.Header().Get("X-Position")); err != nil || at.Position.Next(0) != 41 || at.Position.Next(1) != 42 {
		t.Errorf("%v %+v", err, at)
	}
	h.engine.stopped = true
	h.refused(h.get("/v1.1/member/4097?refresh=1"), domain.Unavailable, "")
	h.status(h.get("/v1.1/member/4097?refresh=0"), http.StatusOK)
	h.engine.stopped = false
	h.engine.await = func(context.Context, domain.Position) error { return domain.ErrUnavailable }
	h.refused(h.get("/v1.1/member/4097?refresh=1"), domain.Unavailable, "")
}

// A poll that asks for a refresh is answered from the cache only after the wait.
func TestRefresh_PollWaits(t *testing.T) {
	h := newFixture(t)
	tag := h.get("/v1.1/member/4097?refresh=1").Header().Get("Etag")
	waited := len(h.engine.waited)
	h.status(h.get("/v1.1/member/4097?refresh=1", "If-None-Match", tag), http.StatusNotModified)
	if got := h.engine.waited[waited:]; len(got) == 0 || got[0].Next(1) != 42 {
		t.Errorf("waited for %+v", got)
	}
}

// An error of any part is the error of the whole.
func TestShowMember_EngineErrors(t *testing.T) {
	for _, shape := range []domain.Shape{domain.ShapeLeaders, domain.ShapeStandings, domain.ShapeFeed} {
		h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
			if q.Shape == shape {
				return nil, domain.ErrUnavailable
			}
			return memberAnswers(1)(q)
		})
		h.refused(h.get("/v1.1/member/4097?showposition=1&showbrands=1&showactions=1"), domain.Unavailable, "")
	}
}

// Opt-ins in force to what is not deleted are shown, and are in the token.
func TestOptIns_ShownAndInTheToken(t *testing.T) {
	h := newFixture(t)
	state := func(kind domain.OptKind, id uint32, in bool) domain.OptState {
		return domain.OptState{Opt: domain.Opt{Kind: kind, ID: id}, In: in, Out: !in}
	}
	m := *h.engine.members[4097]
	m.Opts = []domain.OptState{
		state(domain.OptBrand, 1, true), state(domain.OptBrand, 2, true), state(domain.OptBrand, 9, true), state(domain.OptGlobal, 0, true),
		state(domain.OptSegment, 1, true), state(domain.OptSegment, 8, true),
		{Opt: domain.Opt{Kind: domain.OptSegment, ID: 7}, Listed: true},
	}
	h.engine.members[4097] = &m
	e := answered[wire.Envelope](h, h.get("/v1.1/member/4097"))
	text := func(s string) *string { return &s }
	want := []wire.OptIn{
		{Name: text("Global")},
		{ID: text("1"), Type: text("Brand"), Name: text("The Moons")},
		{ID: text("1"), Type: text("Segment"), SegmentID: text("1"), Label: text("campaign"), Name: text("Campaign")},
		{ID: text("2"), Type: text("Brand"), Name: text("Archive")},
	}
	equal(t, want, e.OptIns)
	if got := h.claimsOf(e.JWT); !slices.Equal(got.OptIns, []string{"1", "2"}) || !slices.Equal(got.Segments, []string{"1"}) {
		t.Errorf("%+v", got)
	}
	m.Opts = []domain.OptState{state(domain.OptBrand, 1, false)}
	if w := h.get("/v1.1/member/4097"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"optins":[]`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// claimsOf are the claims of a token, not checked.
func (h *fixture) claimsOf(token string) (c struct{ OptIns, Segments []string }) {
	h.t.Helper()
	parts := strings.Split(token, ".")
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}
