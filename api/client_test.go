package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
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
	brand, meta, err := c.CreateBrand(ctx, client.Params{"name": "New", "type": "TV"})
	if err != nil || meta.Position == "" || meta.LagMs != -1 || brand.Fields["Slug"] != "new" {
		t.Fatalf("%v %+v %+v", err, brand, meta)
	}
	c = c.At(meta.Position)
	shown, meta, err := c.Brand(ctx, brand.ID)
	if equal(t, brand, shown); err != nil || meta.LagMs != 12 || meta.ETag == "" {
		t.Errorf("%v %+v", err, meta)
	}
	if meta, err := c.With("If-None-Match", meta.ETag).Get(ctx, "/v1.1/brand/3", nil, &shown); err != nil || meta.Status != http.StatusNotModified {
		t.Errorf("%v %+v", err, meta)
	}
	must(c.EditBrand(ctx, brand.ID, client.Params{"hashtag": "n"}))
	equal(t, "1", must(c.Brands(ctx, client.Params{"keyword": "new"})).TotalSize)
	_, err = c.DeleteBrand(ctx, brand.ID, true)
	must(c.CreateActivity(ctx, client.Params{"name": "n", "type": "t", "service": "custom"}))
	must(c.EditActivity(ctx, 105, client.Params{"value": "9"}))
	equal(t, "9", must(c.Activity(ctx, 105)).Value)
	_, err2 := c.DeleteActivity(ctx, 105)
	equal(t, "4", must(c.Activities(ctx, nil)).TotalSize)
	if err != nil || err2 != nil {
		t.Error(err, err2)
	}
}

// A client registers members and records actions, and gives what an answer has beside its body.
func TestClient_RegistersAndRecords(t *testing.T) {
	h := counting(t)
	c, ctx := over(t, h, keyAdvanced), t.Context()
	envelope, meta, err := c.Register(ctx, client.Params{"service": "deezer", "uid": "d-1", "authtoken": "t", "firstname": "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	member := must(c.At(meta.Position).Member(ctx, domain.MemberID(envelope.Data.ID), nil))
	if *member.Data.FirstName != "Ada" || member.Data.AccessToken != envelope.Data.AccessToken {
		t.Errorf("%+v", member)
	}
	action := client.Params{"activityid": "100", "brandid": "1", "id": "4097", "marker": "m"}
	item, meta, err := c.With("Idempotency-Key", "k").Record(ctx, action)
	if err != nil || item.Marker != "m" || meta.Status != http.StatusOK {
		t.Errorf("%v %+v %+v", err, item, meta)
	}
	accepted, meta, err := c.RecordAsync(ctx, action)
	if err != nil || !accepted.Accepted || meta.Status != http.StatusAccepted {
		t.Errorf("%v %+v %+v", err, accepted, meta)
	}
	tally, meta, err := c.StatsActivity(ctx, 1, client.Params{"period": "99 Year"})
	if err != nil || tally.TotalCount != "19" || len(meta.Warnings) != 1 || meta.Range == "" {
		t.Errorf("%v %+v %+v", err, tally, meta)
	}
	_, _, err = c.StatsActivity(ctx, 1, client.Params{"servcies": "spotify"})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != domain.InvalidParameter || e.Parameter != "servcies" {
		t.Errorf("a misspelt name: %v", err)
	}
}

// A client attaches services, finds members and opts them in to any list and out.
func TestClient_AttachesFindsAndOpts(t *testing.T) {
	c, ctx := over(t, newFixture(t), keyAdvanced), t.Context()
	attached := must(c.Attach(ctx, 4097, client.Params{"service": "deezer", "uid": "d", "authtoken": "t"}))
	equal(t, "4097 2", fmt.Sprintf("%d %d", attached.Data.ID, len(attached.Services)))
	equal(t, uint64(4097), must(c.FindMember(ctx, client.Params{"email": "ada@example.com"})).Data.ID)
	for path, name := range map[string]string{"": "Global", "brand/2": "Archive", "segment/1": "Campaign"} {
		in := must(c.OptIn(ctx, path, client.Params{"id": "4097"})).OptIns
		if len(in) != 1 || *in[0].Name != name {
			t.Errorf("%q: %+v", path, in)
		}
		equal(t, 0, len(must(c.OptOut(ctx, path, client.Params{"id": "4097"})).OptIns), path)
	}
}

// A client asks for every statistic of countries and days.
func TestClient_CountriesAndDays(t *testing.T) {
	h := newFixture(t, located(map[string]domain.Count{"DE": {Actions: 2, Members: 1}}))
	c, ctx := over(t, h, keyAdvanced), t.Context()
	equal(t, "2", must(c.StatsLocation(ctx, 1, nil)).TotalActivities)
	h.engine.answer = nil
	equal(t, 4, len(must(c.CountDaily(ctx, client.Params{"period": "3 Day", "brandID": "1"})).Items), "days from noon to noon")
	if must(c.CountServices(ctx, nil)).Services == nil || must(c.StatsTimeline(ctx, 1, nil)).Services == nil {
		t.Error("services are null")
	}
}

// A client asks for lists of members and for what one performed.
func TestClient_Members(t *testing.T) {
	c, ctx := over(t, newFixture(t, memberAnswers(4)), keyAdvanced), t.Context()
	all := must(c.Members(ctx, client.Params{"sort": "DESC", "limit": "1"}))
	equal(t, "3 1 70000", fmt.Sprintf("%s %d %s", all.TotalSize, len(all.Items), all.Items[0].Score))
	totals := must(c.MembersActivity(ctx, nil))
	equal(t, "9 4097", totals.TotalActivities+" "+totals.Items[0].MemberID)
	check := must(c.CheckActivity(ctx, 4097, 100, client.Params{"brandID": "1"}))
	if !check.Completed || check.Count != "2" || check.Action == nil {
		t.Errorf("%+v", check)
	}
	shown := must(c.Member(ctx, 4097, client.Params{"showposition": "1", "showbrands": "1", "showactions": "1"}))
	equal(t, "5 2 2", fmt.Sprintf("%s %d %d", *shown.Data.AEPosition, len(*shown.Brands), len(*shown.Actions)))
}

// A client asks for every statistic of members.
func TestClient_StatisticsOfMembers(t *testing.T) {
	h := segmented(t)
	c, ctx := over(t, h, keyAdvanced), t.Context()
	members := must(c.StatsMembers(ctx, 1, nil))
	equal(t, "7 7 3", fmt.Sprintf("%s %d %d", members.TotalMembers, members.NewMembers, len(members.Items)))
	segments := must(c.StatsSegments(ctx, 1, client.Params{"segment": "4"}))
	equal(t, "1 10", fmt.Sprintf("%d %s", len(segments.Items), segments.TotalActivities))
	h.engine.answer = grouped(in(1, 4, 2))
	genders := must(c.StatsGender(ctx, 1, nil))
	equal(t, "4 M", genders.TotalActivities+" "+genders.Genders[0].Gender)
	ages := must(c.StatsAge(ctx, 1, nil))
	equal(t, "2 13-17 2", ages.TotalMembers+" "+ages.Ages[1].Age+" "+ages.Ages[1].Members)
}

// A problem is an Error with its code and parameter; what is no problem has its status alone.
func TestClient_Errors(t *testing.T) {
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

// A client has a method for each operation.
func TestClient_HasEveryOperation(t *testing.T) {
	asked := map[string]bool{}
	c := client.New("http://127.0.0.1", "k").Over(&http.Client{Transport: noting(func(r *http.Request) {
		asked[r.Method+" "+regexp.MustCompile(`/[17](/|$)`).ReplaceAllString(r.URL.Path, "/:$1")] = true
	})})
	v := reflect.ValueOf(c)
	for i := range v.NumMethod() {
		m := v.Method(i)
		if m.Type().NumIn() < 1 || m.Type().In(0) != reflect.TypeFor[context.Context]() || strings.HasPrefix(v.Type().Method(i).Name, "Get") || strings.HasPrefix(v.Type().Method(i).Name, "Post") {
			continue
		}
		for _, number := range []uint64{0, 1} { // 0: without a brand
			for _, path := range []string{"", "brand/7", "segment/7"} {
				in := []reflect.Value{reflect.ValueOf(t.Context())}
				for a := 1; a < m.Type().NumIn(); a++ {
					arg := reflect.New(m.Type().In(a)).Elem()
					switch arg.Kind() {
					case reflect.Uint32, reflect.Uint64:
						arg.SetUint(number)
					case reflect.String:
						arg.SetString(path)
					}
					in = append(in, arg)
				}
				m.Call(in)
			}
		}
	}
	for _, o := range Operations() {
		if o.ID == "whitelistDomain" || o.ID == "unwhitelistDomain" {
			continue // other paths of what a client asks
		}
		if name := o.Method + " " + regexp.MustCompile(`:\w+`).ReplaceAllString(o.Path, ":"); !asked[name] {
			t.Errorf("no method of a client asks %s", name)
		}
	}
}

// noting notes requests and answers none.
type noting func(*http.Request)

func (f noting) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return nil, http.ErrServerClosed
}
