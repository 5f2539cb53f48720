package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// over serves a house to a client.
func over(t *testing.T, h *fixture, key string) *client.Client {
	t.Helper()
	s := httptest.NewServer(h.api)
	t.Cleanup(s.Close)
	return client.New(s.URL+"/", key).Over(s.Client())
}

func TestClientSpeaksTheWholeInterface(t *testing.T) {
	h := counting(t)
	c, ctx := over(t, h, keyAdvanced), context.Background()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	brand, meta, err := c.CreateBrand(ctx, client.Params{"name": "New", "type": "TV"})
	check(err)
	if meta.Position == "" || meta.LagMs != -1 || brand.Fields["Slug"] != "new" {
		t.Errorf("%+v %+v", brand, meta)
	}
	c = c.At(meta.Position)
	shown, meta, err := c.Brand(ctx, brand.ID)
	check(err)
	if d := cmp.Diff(brand, shown); d != "" || meta.LagMs != 12 || meta.ETag == "" {
		t.Errorf("%s %+v", d, meta)
	}
	if meta, err := c.With("If-None-Match", meta.ETag).Get(ctx, "/v1.1/brand/3", nil, &shown); err != nil || meta.Status != http.StatusNotModified {
		t.Errorf("%v %+v", err, meta)
	}
	_, _, err = c.EditBrand(ctx, brand.ID, client.Params{"hashtag": "n"})
	check(err)
	brands, _, err := c.Brands(ctx, client.Params{"keyword": "new"})
	check(err)
	if brands.TotalSize != "1" {
		t.Errorf("%+v", brands)
	}
	_, err = c.DeleteBrand(ctx, brand.ID, true)
	check(err)
	definition, _, err := c.CreateActivity(ctx, client.Params{"name": "n", "type": "t", "service": "custom"})
	check(err)
	_, _, err = c.EditActivity(ctx, 105, client.Params{"value": "9"})
	check(err)
	definition, _, err = c.Activity(ctx, 105)
	check(err)
	if definition.Value != "9" {
		t.Errorf("%+v", definition)
	}
	_, err = c.DeleteActivity(ctx, 105)
	check(err)
	definitions, _, err := c.Activities(ctx, nil)
	check(err)
	if definitions.TotalSize != "4" {
		t.Errorf("%+v", definitions)
	}
	envelope, meta, err := c.Register(ctx, client.Params{"service": "deezer", "uid": "d-1", "authtoken": "t", "firstname": "Ada"})
	check(err)
	member, _, err := c.At(meta.Position).Member(ctx, domain.MemberID(envelope.Data.ID), nil)
	check(err)
	if *member.Data.FirstName != "Ada" || member.Data.AccessToken != envelope.Data.AccessToken {
		t.Errorf("%+v", member)
	}
	action := client.Params{"activityid": "100", "brandid": "1", "id": "4097", "marker": "m"}
	item, meta, err := c.With("Idempotency-Key", "k").Record(ctx, action)
	check(err)
	if item.Marker != "m" || meta.Status != http.StatusOK {
		t.Errorf("%+v %+v", item, meta)
	}
	accepted, meta, err := c.RecordAsync(ctx, action)
	check(err)
	if !accepted.Accepted || meta.Status != http.StatusAccepted {
		t.Errorf("%+v %+v", accepted, meta)
	}
	tally, meta, err := c.StatsActivity(ctx, 1, client.Params{"period": "1 Day", "utm": "x"})
	check(err)
	if tally.TotalCount != "19" || len(meta.Warnings) != 1 || meta.Range == "" {
		t.Errorf("%+v %+v", tally, meta)
	}
	h.engine.answer = nil
	timeline, _, err := c.StatsTimeline(ctx, 1, nil)
	check(err)
	if timeline.Services == nil {
		t.Error("services are null")
	}
}

func TestClientAttachesFindsAndOpts(t *testing.T) {
	h := newFixture(t)
	c, ctx := over(t, h, keyAdvanced), context.Background()
	attached, _, err := c.Attach(ctx, 4097, client.Params{"service": "deezer", "uid": "d", "authtoken": "t"})
	if err != nil || attached.Data.ID != 4097 || len(attached.Services) != 2 {
		t.Errorf("%v %+v", err, attached)
	}
	found, _, err := c.FindMember(ctx, client.Params{"email": "ada@example.com"})
	if err != nil || found.Data.ID != 4097 {
		t.Errorf("%v %+v", err, found)
	}
	for path, name := range map[string]string{"": "Global", "brand/2": "Archive", "segment/1": "Campaign"} {
		in, _, err := c.OptIn(ctx, path, client.Params{"id": "4097"})
		if err != nil || len(in.OptIns) != 1 || *in.OptIns[0].Name != name {
			t.Errorf("%q: %v %+v", path, err, in.OptIns)
		}
		out, _, err := c.OptOut(ctx, path, client.Params{"id": "4097"})
		if err != nil || len(out.OptIns) != 0 {
			t.Errorf("%q: %v %+v", path, err, out.OptIns)
		}
	}
}

func TestClientAsksForPlacesAndDays(t *testing.T) {
	h := newFixture(t)
	c, ctx := over(t, h, keyAdvanced), context.Background()
	h.engine.answer = located(map[string]domain.Count{"DE": {Actions: 2, Members: 1}})
	place, _, err := c.StatsLocation(ctx, 1, nil)
	if err != nil || place.TotalActivities != "2" {
		t.Errorf("%v %+v", err, place)
	}
	h.engine.answer = nil
	days, _, err := c.CountDaily(ctx, client.Params{"period": "3 Day", "brandID": "1"})
	if err != nil || len(days.Items) != 4 { // from noon to noon
		t.Errorf("%v %+v", err, days)
	}
	lines, _, err := c.CountServices(ctx, nil)
	if err != nil || lines.Services == nil {
		t.Errorf("%v %+v", err, lines)
	}
}

func TestClientAsksForMembersAndWhatTheyDid(t *testing.T) {
	h := newFixture(t, memberAnswers(4))
	c, ctx := over(t, h, keyAdvanced), context.Background()
	all, _, err := c.Members(ctx, client.Params{"sort": "DESC", "limit": "1"})
	if err != nil || all.TotalSize != "3" || len(all.Items) != 1 || all.Items[0].Score != "70000" {
		t.Errorf("%v %+v", err, all)
	}
	totals, _, err := c.MembersActivity(ctx, nil)
	if err != nil || totals.TotalActivities != "9" || totals.Items[0].MemberID != "4097" {
		t.Errorf("%v %+v", err, totals)
	}
	check, _, err := c.CheckActivity(ctx, 4097, 100, client.Params{"brandID": "1"})
	if err != nil || !check.Completed || check.Count != "2" || check.Action == nil {
		t.Errorf("%v %+v", err, check)
	}
	shown, _, err := c.Member(ctx, 4097, client.Params{"showposition": "1", "showbrands": "1", "showactions": "1"})
	if err != nil || *shown.Data.AEPosition != "5" || len(*shown.Brands) != 2 || len(*shown.Actions) != 2 {
		t.Errorf("%v %+v", err, shown)
	}
}

func TestClientAsksWhoPeopleAre(t *testing.T) {
	h := segmented(t)
	c, ctx := over(t, h, keyAdvanced), context.Background()
	members, _, err := c.StatsMembers(ctx, 1, nil)
	if err != nil || members.TotalMembers != "7" || members.NewMembers != 7 || len(members.Items) != 3 {
		t.Errorf("%v %+v", err, members)
	}
	segments, _, err := c.StatsSegments(ctx, 1, client.Params{"segment": "4"})
	if err != nil || len(segments.Items) != 1 || segments.TotalActivities != "10" {
		t.Errorf("%v %+v", err, segments)
	}
	h.engine.answer = grouped(in(1, 4, 2))
	genders, _, err := c.StatsGender(ctx, 1, nil)
	if err != nil || genders.TotalActivities != "4" || genders.Genders[0].Gender != "M" {
		t.Errorf("%v %+v", err, genders)
	}
	ages, _, err := c.StatsAge(ctx, 1, nil)
	if err != nil || ages.TotalMembers != "2" || ages.Ages[1].Age != "13-17" || ages.Ages[1].Members != "2" {
		t.Errorf("%v %+v", err, ages)
	}
}

func TestClientGivesTheContractsErrors(t *testing.T) {
	h := newFixture(t)
	_, meta, err := over(t, h, keyAdvanced).Brand(context.Background(), 77)
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
	_, _, err = c.Brand(context.Background(), 1)
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != 0 || e.Status != 502 {
		t.Errorf("an answer that is no problem: %#v", err)
	}
	if _, _, err = c.Brands(context.Background(), nil); err == nil {
		t.Error("an answer that is no JSON is taken")
	}
}
