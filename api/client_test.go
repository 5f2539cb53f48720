package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// over serves a fixture to a client.
func over(t *testing.T, h *fixture, key string) *client.Client {
	t.Helper()
	s := httptest.NewServer(h.api)
	t.Cleanup(s.Close)
	return client.New(s.URL+"/", key).Over(s.Client())
}

// must is the answer of a call that has to succeed.
func must[T any](out T, _ client.Meta, err error) T {
	if err != nil {
		panic(err)
	}
	return out
}

// A client creates, edits, reads and deletes entities, waits for positions and gives ETags.
func TestClient_Entities(t *testing.T) {
	h := counting(t)
	c, ctx := over(t, h, keyAdvanced), t.Context()
	brand, meta, err := client.Do(ctx, c, client.CreateBrand{Name: "New", Type: "TV"})
	if err != nil || meta.Position == "" || meta.LagMs != -1 || brand.Fields["Slug"] != "new" {
		t.Fatalf("%v %+v %+v", err, brand, meta)
	}
	c = c.At(meta.Position)
	shown, meta, err := client.Do(ctx, c, client.GetBrand{BrandID: brand.ID})
	if equal(t, brand, shown); err != nil || meta.LagMs != 12 || meta.ETag == "" {
		t.Errorf("%v %+v", err, meta)
	}
	if meta, err := c.With("If-None-Match", meta.ETag).Get(ctx, "/v1.1/brand/3", nil, &shown); err != nil || meta.Status != http.StatusNotModified {
		t.Errorf("%v %+v", err, meta)
	}
	must(client.Do(ctx, c, client.EditBrand{BrandID: brand.ID, HashTag: "n"}))
	equal(t, "1", must(client.Do(ctx, c, client.ListBrands{Keyword: "new"})).TotalSize)
	_, _, err = client.Do(ctx, c, client.DeleteBrand{BrandID: brand.ID, Force: true})
	must(client.Do(ctx, c, client.CreateActivity{Name: "n", Type: "t", Service: "custom"}))
	must(client.Do(ctx, c, client.EditActivity{ActivityID: 105, Value: new(int64(9))}))
	equal(t, "9", must(client.Do(ctx, c, client.GetActivity{ActivityID: 105})).Value)
	_, _, err2 := client.Do(ctx, c, client.DeleteActivity{ActivityID: 105})
	equal(t, "4", must(client.Do(ctx, c, client.ListActivities{})).TotalSize)
	if err != nil || err2 != nil {
		t.Error(err, err2)
	}
}

// A client registers members and records actions, and gives what an answer has beside its body.
func TestClient_RegistersAndRecords(t *testing.T) {
	h := counting(t)
	c, ctx := over(t, h, keyAdvanced), t.Context()
	envelope, meta, err := client.Do(ctx, c, client.RegisterMember{Service: "deezer", UID: "d-1", AuthToken: "t", FirstName: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	member := must(client.Do(ctx, c.At(meta.Position), client.GetMember{MemberID: domain.MemberID(envelope.Data.ID)}))
	if *member.Data.FirstName != "Ada" || member.Data.AccessToken != envelope.Data.AccessToken {
		t.Errorf("%+v", member)
	}
	action := client.RecordActivity{ActivityID: 100, BrandID: 1, ID: 4097, Marker: "m", Async: new(false)}
	item, meta, err := client.Do(ctx, c.With("Idempotency-Key", "k"), action)
	if err != nil || item.Marker != "m" || meta.Status != http.StatusOK {
		t.Errorf("%v %+v %+v", err, item, meta)
	}
	action.Async = nil
	accepted, meta, err := client.Do(ctx, c, action)
	if err != nil || accepted.Marker != "m" || accepted.ID != "" || meta.Status != http.StatusAccepted {
		t.Errorf("%v %+v %+v", err, accepted, meta)
	}
	tally, meta, err := client.Do(ctx, c, client.GetBrandActivityStats{BrandID: 1, Period: "99 Year"})
	if err != nil || tally.TotalCount != "19" || len(meta.Warnings) != 1 || meta.Range == "" {
		t.Errorf("%v %+v %+v", err, tally, meta)
	}
	_, _, err = client.Do(ctx, c, client.GetBrandActivityStats{BrandID: 1, More: client.Params{"servcies": "spotify"}})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != domain.InvalidParameter || e.Parameter != "servcies" {
		t.Errorf("a misspelt name: %v", err)
	}
}

// A client attaches services, finds members and opts them in to any list and out.
func TestClient_AttachesFindsAndOpts(t *testing.T) {
	c, ctx := over(t, newFixture(t), keyAdvanced), t.Context()
	attached := must(client.Do(ctx, c, client.AttachService{MemberID: 4097, Service: "deezer", UID: "d", AuthToken: "t"}))
	equal(t, "4097 2", fmt.Sprintf("%d %d", attached.Data.ID, len(attached.Services)))
	equal(t, uint64(4097), must(client.Do(ctx, c, client.FindMember{Email: "ada@example.com"})).Data.ID)
	for name, opts := range map[string][2]client.Call[wire.Envelope]{
		"Global":   {client.OptIn{ID: 4097}, client.OptOut{ID: 4097}},
		"Archive":  {client.OptInToBrand{BrandID: 2, ID: 4097}, client.OptOutOfBrand{BrandID: 2, ID: 4097}},
		"Campaign": {client.OptInToSegment{SegmentID: 1, ID: 4097}, client.OptOutOfSegment{SegmentID: 1, ID: 4097}},
	} {
		in := must(client.Do(ctx, c, opts[0])).OptIns
		if len(in) != 1 || *in[0].Name != name {
			t.Errorf("%q: %+v", name, in)
		}
		equal(t, 0, len(must(client.Do(ctx, c, opts[1])).OptIns), name)
	}
}

// A client asks for every statistic of countries and days.
func TestClient_CountriesAndDays(t *testing.T) {
	h := newFixture(t, located(map[string]domain.Count{"DE": {Actions: 2, Members: 1}}))
	c, ctx := over(t, h, keyAdvanced), t.Context()
	equal(t, "2", must(client.Do(ctx, c, client.GetBrandLocations{BrandID: 1})).TotalActivities)
	h.engine.answer = nil
	equal(t, 4, len(must(client.Do(ctx, c, client.CountDaily{Period: "3 Day", BrandID: 1})).Items), "days from noon to noon")
	if must(client.Do(ctx, c, client.CountServices{})).Services == nil || must(client.Do(ctx, c, client.GetBrandTimeline{BrandID: 1})).Services == nil {
		t.Error("services are null")
	}
}

// A client asks for lists of members and for what one performed.
func TestClient_Members(t *testing.T) {
	c, ctx := over(t, newFixture(t, memberAnswers(4)), keyAdvanced), t.Context()
	all := must(client.Do(ctx, c, client.ListMembers{Sort: "DESC", Limit: "1"}))
	equal(t, "3 1 70000", fmt.Sprintf("%s %d %s", all.TotalSize, len(all.Items), all.Items[0].Score))
	totals := must(client.Do(ctx, c, client.GetMemberTotals{}))
	equal(t, "9 4097", totals.TotalActivities+" "+totals.Items[0].MemberID)
	check := must(client.Do(ctx, c, client.CheckMemberActivity{MemberID: 4097, ActivityID: 100, BrandID: 1}))
	if !check.Completed || check.Count != "2" || check.Action == nil {
		t.Errorf("%+v", check)
	}
	shown := must(client.Do(ctx, c, client.GetMember{MemberID: 4097, ShowPosition: true, ShowBrands: true, ShowActions: true}))
	equal(t, "5 2 2", fmt.Sprintf("%s %d %d", *shown.Data.AEPosition, len(*shown.Brands), len(*shown.Actions)))
}

// A client asks for every statistic of members.
func TestClient_StatisticsOfMembers(t *testing.T) {
	h := segmented(t)
	c, ctx := over(t, h, keyAdvanced), t.Context()
	members := must(client.Do(ctx, c, client.GetBrandActiveMembers{BrandID: 1}))
	equal(t, "7 7 3", fmt.Sprintf("%s %d %d", members.TotalMembers, members.NewMembers, len(members.Items)))
	segments := must(client.Do(ctx, c, client.GetBrandSegmentStats{BrandID: 1, Segment: 4}))
	equal(t, "1 10", fmt.Sprintf("%d %s", len(segments.Items), segments.TotalActivities))
	h.engine.answer = grouped(in(1, 4, 2))
	genders := must(client.Do(ctx, c, client.GetBrandGenders{BrandID: 1}))
	equal(t, "4 M", genders.TotalActivities+" "+genders.Genders[0].Gender)
	ages := must(client.Do(ctx, c, client.GetBrandAges{BrandID: 1}))
	equal(t, "2 13-17 2", ages.TotalMembers+" "+ages.Ages[1].Age+" "+ages.Ages[1].Members)
}

// A problem is an Error with its code and parameter; what is no problem has its status alone.
func TestClient_Errors(t *testing.T) {
	h := newFixture(t)
	_, meta, err := client.Do(context.Background(), over(t, h, keyAdvanced), client.GetBrand{BrandID: 77})
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Code != domain.NotFound || e.Status != 404 || e.Parameter != "brandid" || e.Request == "" || meta.Status != 404 {
		t.Errorf("%#v %+v", err, meta)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1.1/brand/1" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte("no json"))
	}))
	defer s.Close()
	c := client.New(s.URL, "k")
	_, _, err = client.Do(context.Background(), c, client.GetBrand{BrandID: 1})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != 0 || e.Status != 502 {
		t.Errorf("an answer that is no problem: %#v", err)
	}
	if _, _, err = client.Do(context.Background(), c, client.ListBrands{}); err == nil {
		t.Error("an answer that is no JSON is taken")
	}
}
