package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// lists is what the last question asked of segments.
func (h *fixture) lists() []domain.List {
	h.t.Helper()
	q := h.engine.asked[len(h.engine.asked)-1]
	if q.Shape != domain.ShapeLists || q.Account != 1 {
		h.t.Fatalf("%+v", q)
	}
	return q.Lists
}

// A segment is created, edited field by field, and deleted.
func TestSegments_CreateEditDelete(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.engine.segs = nil
	w := h.post("/v1.1/segment/create", "name=Super+fans&label=sf&brandid=1&activities=101:9,+100,100&rule=1&threshold=2&period=2+months&page=https://www.Moons.example/Join/?x=1")
	s := answered[wire.Segment](h, w)
	got, _ := json.Marshal(s)
	want := `{"ID":"1","Name":"Super fans","Label":"sf","Type":"Brand","BrandID":"1","Activities":[{"ActivityID":"100","Value":null},{"ActivityID":"101","Value":"9"}],` +
		`"Rule":true,"Threshold":2,"Period":"2 Month","Page":"moons.example/Join","Members":"11","Created":"2026-03-15 12:34:56"}`
	equal(t, want, string(got))
	rule := &domain.Rule{
		Definitions: []domain.DefinitionID{100, 101}, Brand: 1, Threshold: 2,
		Range: domain.Range{From: 1768480500, To: 1773578100}, // 2026-01-15 12:35 to 2026-03-15 12:35: two months of the calendar
	}
	equal(t, []domain.List{{Segment: 1, Rule: rule}}, h.lists())
	c := h.engine.submitted[0].Command.(*domain.PutSegment)
	if d := cmp.Diff([]string{"Activities", "BrandID", "Label", "Name", "Page", "Period", "Rule", "Threshold"}, c.Given); d != "" || c.At != now.UnixMilli() {
		t.Error(c.At, d)
	}

	h.ok(h.post("/v1.1/segment/1/edit", "activities=&label=&brandid=&rule=&threshold=&period=&page="), &s)
	got, _ = json.Marshal(s)
	want = `{"ID":"1","Name":"Super fans","Label":null,"Type":"Segment","BrandID":null,"Activities":[],"Rule":false,"Threshold":1,"Period":null,"Page":null,"Members":"11","Created":"2026-03-15 12:34:56"}`
	equal(t, want, string(got))
	equal(t, []domain.List{{Segment: 1}}, h.lists())
	h.ok(h.post("/v1.1/segment/1/edit", "name=Fans&rule=1"), &s)
	if c := h.engine.submitted[2].Command.(*domain.PutSegment); !slices.Equal(c.Given, []string{"Name", "Rule"}) || s.Name != "Fans" || !s.Rule {
		t.Errorf("%+v %+v", c, s)
	}
	if l := h.lists()[0]; l.Rule == nil || l.Rule.Range != (domain.Range{To: 1<<32 - 1}) || l.Rule.Threshold != 1 || l.Rule.Definitions != nil {
		t.Errorf("a rule over all time: %+v", l.Rule)
	}
	gone := answered[wire.Deleted](h, h.post("/v1.1/segment/1/delete", ""))
	if c := h.engine.submitted[3].Command.(*domain.DeleteSegment); !gone.Deleted || c.ID != 1 {
		t.Errorf("%+v %+v", gone, c)
	}
	h.refused(h.get("/v1.1/segment/1"), domain.NotFound, "segmentid")
}

// Segments are listed by id, of the account or of a brand.
func TestSegments_List(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.engine.segs = []*domain.Segment{
		{ID: 1, Account: 1, Name: "a", Threshold: 1},
		{ID: 2, Account: 1, Brand: 2, Name: "b", Threshold: 1},
		{ID: 3, Account: 1, Name: "gone", Deleted: true},
		{ID: 4, Account: 2, Name: "another's"},
		{ID: 5, Account: 1, Brand: 1, Name: "c", Threshold: 1},
	}
	for target, want := range map[string]string{
		"/v1.1/segments": "3:1=11,2=12,5=15", "/v1.1/segments?limit=1,1": "3:2=12",
		"/v1.1/segments?limit=0": "3:", "/v1.1/segments?brandID=2": "1:2=12",
		"/v1.1/brand/1/segments": "1:5=15", "/v1.1/brand/1/segments?limit=0": "1:",
	} {
		h.engine.asked = nil
		out := answered[wire.Segments](h, h.get(target))
		var ids []string
		for _, s := range out.Items {
			ids = append(ids, s.ID+"="+s.Members)
		}
		if got := out.TotalSize + ":" + strings.Join(ids, ","); got != want || out.Items == nil {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		if asked := len(h.engine.asked); asked != min(1, len(ids)) {
			t.Errorf("%s: %d questions", target, asked)
		}
	}
	w := h.get("/v1.1/segments?limit=1")
	page := answered[wire.Segments](h, w)
	if page.Paging.Next == nil || page.Paging.Previous != nil || len(w.Header().Values("Link")) != 1 {
		t.Errorf("%+v %q", page.Paging, w.Header().Values("Link"))
	}
}

// Definitions are filtered by segment and by brand.
func TestActivities_OfSegmentAndBrand(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.engine.defs = append(h.engine.defs, &domain.Definition{ID: 102, Account: 1, Brand: 2}, &domain.Definition{ID: 103, Account: 1, Brand: 1, Deleted: true})
	h.engine.segs = []*domain.Segment{{ID: 1, Account: 1, Activities: []domain.SegmentActivity{{Definition: 101}, {Definition: 102}, {Definition: 103}}}}
	for target, want := range map[string]string{
		"/v1.1/activities?segment=1": "2:101,102", "/v1.1/activities?segmentid=1&limit=1": "2:101",
		"/v1.1/brand/1/activities": "2:100,101", "/v1.1/brand/2/activities": "2:100,102",
		"/v1.1/brand/2/activities?segmentID=1": "1:102", "/v1.1/brand/1/activities?keyword=fol": "1:101",
	} {
		out := answered[wire.Definitions](h, h.get(target))
		var ids []string
		for _, d := range out.Items {
			ids = append(ids, d.ID)
		}
		equal(t, want, out.TotalSize+":"+strings.Join(ids, ","), target)
	}
}
