package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// put is the last brand command submitted.
func (h *fixture) put() *domain.PutBrand {
	h.t.Helper()
	p, ok := h.engine.submitted[len(h.engine.submitted)-1].Command.(*domain.PutBrand)
	if !ok {
		h.t.Fatal("the last submission is no brand")
	}
	return p
}

// A brand has the fields that its addresses give, and a slug of its name.
func TestBrands_CreateDerivesFields(t *testing.T) {
	h := newFixture(t)
	w := h.post("/v1.1/brand/create", `{"name":"Sigur Rós & Co","type":"Music","hashtag":"sr","twitterurl":"https://twitter.com/sigurros","spotifyurl":"https://open.spotify.com/artist/6UUrUCIZtQeOf8tC0WuzRy"}`)
	b := answered[wire.Brand](h, w)
	want := domain.BrandFields{
		"Name": "Sigur Rós & Co", "Type": "Music", "Slug": "sigur-rós-co", "HashTag": "sr", "TwitterURL": "https://twitter.com/sigurros",
		"TwitterScreenName": "sigurros", "SpotifyURL": "https://open.spotify.com/artist/6UUrUCIZtQeOf8tC0WuzRy", "SpotifyID": "6UUrUCIZtQeOf8tC0WuzRy",
	}
	equal(t, wire.Brand{ID: 3, Fields: want}, b)
	p := h.put()
	if p.ID != 0 || p.At != now.UnixMilli() {
		t.Errorf("%+v", p)
	}
	at, _ := wire.DecodePosition(w.Header().Get("X-Position"))
	equal(t, int64(6), at.Catalog, "visible at")
}

// An edit overwrites and clears, derived fields of an old address too.
func TestBrands_EditReplacesDerivedFields(t *testing.T) {
	h := newFixture(t)
	h.engine.brands[0].Fields = domain.BrandFields{
		"Name": "The Moons", "Slug": "moons", "TwitterURL": "https://twitter.com/old", "TwitterScreenName": "old", "TwitterID": "12", "HashTag": "x",
		"FacebookURL": "https://facebook.com/x", "FacebookID": "5",
	}
	b := answered[wire.Brand](h, h.post("/v1.1/brand/1/edit", "twitterurl=https://x.com/new&hashtag=&facebookurl="))
	want := domain.BrandFields{"Name": "The Moons", "Slug": "moons", "TwitterURL": "https://x.com/new", "TwitterScreenName": "new"}
	equal(t, want, b.Fields)
}

// Custom fields are integers under short names, of the enterprise plan.
func TestBrands_CustomFields(t *testing.T) {
	h := newFixture(t)
	w := h.do("POST", keyed("/v1.1/brand/2/edit", keyEnterprise), "CUSTOM_Score_1=0042&custom_rank=")
	h.status(w, http.StatusOK)
	if body := w.Body.String(); !strings.Contains(body, `"custom_score_1":42`) || strings.Contains(body, "custom_rank") {
		t.Error(body)
	}
	equal(t, []string(nil), w.Header().Values("Warning"), "warnings")
	for _, body := range []string{"custom_" + strings.Repeat("a", 33) + "=1", "custom_a-b=1", "custom_a=1.5", "custom_a=9007199254740992", "custom_%C3%A4=1"} {
		h.status(h.do("POST", keyed("/v1.1/brand/2/edit", keyEnterprise), body), http.StatusBadRequest, body)
	}
}

// names are the names of the brands listed.
func (h *fixture) names(query string) string {
	h.t.Helper()
	out := answered[wire.Brands](h, h.get("/v1.1/brands"+query))
	var names []string
	for _, b := range out.Items {
		names = append(names, fmt.Sprintf("%s%d", b.Fields["Name"], b.ID))
	}
	return out.TotalSize + ":" + strings.Join(names, ",")
}

// Brands are listed by name and filtered; a change shows at once.
func TestBrands_List(t *testing.T) {
	h := newFixture(t)
	h.engine.brands = nil
	for i, b := range []struct{ name, kind string }{{"beta", "Music"}, {"Alpha", "TV"}, {"alpha", "music"}, {"Gamma", ""}} {
		h.engine.brands = append(h.engine.brands, &domain.Brand{ID: domain.BrandID(i + 1), Account: 1, Fields: domain.BrandFields{"Name": b.name, "Type": b.kind}})
	}
	h.engine.brands = append(h.engine.brands,
		&domain.Brand{ID: 5, Account: 1, Deleted: true, Fields: domain.BrandFields{"Name": "gone"}},
		&domain.Brand{ID: 6, Account: 2, Fields: domain.BrandFields{"Name": "another's"}})
	for query, want := range map[string]string{
		"":                  "4:Alpha2,alpha3,beta1,Gamma4",
		"?sort=desc":        "4:Gamma4,beta1,Alpha2,alpha3", // ties by id in both directions
		"?brand_type=MUSIC": "2:alpha3,beta1", "?keyword=ALPH": "2:Alpha2,alpha3",
		"?limit=1,2": "4:alpha3,beta1", "?limit=0": "4:", "?limit=10,5": "4:", "?keyword=x": "0:",
		"?sort=&brand_type=&limit=": "4:Alpha2,alpha3,beta1,Gamma4",
	} {
		equal(t, want, h.names(query), query)
	}
	// A changed catalog is seen at once.
	h.post("/v1.1/brand/4/edit", "name=AAA")
	equal(t, "4:AAA4,Alpha2,alpha3,beta1", h.names(""))
}

// The next pages' addresses lead through the whole list, in body and header.
func TestBrands_PagesByOffset(t *testing.T) {
	h := newFixture(t)
	h.engine.brands = nil
	for i := range 25 {
		h.engine.brands = append(h.engine.brands, &domain.Brand{ID: domain.BrandID(i + 1), Account: 1, Fields: domain.BrandFields{"Name": fmt.Sprintf("b%02d", i)}})
	}
	var seen []domain.BrandID
	var back *string
	target := "/v1.1/brands?keyword=b&utm=a%26b"
	for range 5 {
		w := h.get(target)
		page := answered[wire.Brands](h, w)
		for _, b := range page.Items {
			seen = append(seen, b.ID)
		}
		var links []string
		for rel, to := range map[string]*string{"next": page.Paging.Next, "prev": page.Paging.Previous} {
			if to != nil {
				links = append(links, "<"+*to+`>; rel="`+rel+`"`)
			}
		}
		slices.Sort(links)
		equal(t, links, slices.Sorted(slices.Values(w.Header().Values("Link"))), "Link headers and body differ")
		back = page.Paging.Previous
		if page.Paging.Next == nil {
			break
		}
		to, err := url.Parse(*page.Paging.Next)
		if err != nil || to.Host != "api.example" || to.Query().Has("apiKey") || to.Query().Get("utm") != "a&b" || to.Query().Get("keyword") != "b" {
			t.Fatalf("next is %s", *page.Paging.Next)
		}
		target = to.RequestURI()
	}
	if len(seen) != 25 || !slices.IsSorted(seen) {
		t.Errorf("met %v", seen)
	}
	if back == nil || !strings.HasSuffix(*back, "limit=10%2C10") {
		t.Errorf("previous of the last page is %v", back)
	}
}

// A deleted brand is not found; force is in the command.
func TestBrands_Delete(t *testing.T) {
	h := newFixture(t)
	out := answered[wire.Deleted](h, h.post("/v1.1/brand/1/delete", "force=1"))
	if c := h.engine.submitted[0].Command.(*domain.DeleteBrand); !out.Deleted || !c.Force || c.ID != 1 {
		t.Errorf("%+v %+v", out, c)
	}
	h.refused(h.get("/v1.1/brand/1"), domain.NotFound, "brandid")
	h.refused(h.get("/v1.1/brand/1/stats/activity"), domain.NotFound, "brandID")
}

// lookup is a resolver that knows one id.
type lookup struct{ err error }

func (l lookup) Resolve(_ context.Context, field, address string) (domain.BrandFields, error) {
	return domain.BrandFields{"TwitterID": "77", "TwitterScreenName": "wrong", "Name": "wrong"}, l.err
}

// A resolver adds derived fields alone; its failure fails nothing.
func TestBrands_Resolver(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.Resolver = lookup{} })
	h.post("/v1.1/brand/1/edit", "twitterurl=https://twitter.com/moons")
	want := domain.BrandFields{"TwitterURL": "https://twitter.com/moons", "TwitterScreenName": "moons", "TwitterID": "77"}
	equal(t, want, h.put().Given)
	h.renew(func(c *Config) { c.Resolver = lookup{errors.New("network away")} })
	if w := h.post("/v1.1/brand/1/edit", "twitterurl=https://twitter.com/moons"); w.Code != http.StatusOK || h.put().Given["TwitterID"] != "" {
		t.Errorf("%d %v", w.Code, h.put().Given)
	}
}

// A definition is created, edited field by field, and deleted.
func TestActivities_CreateEditDelete(t *testing.T) {
	h := newFixture(t)
	d := answered[wire.Definition](h, h.do("POST", keyed("/v1.1/activity/create", keyStandard), "name=watched+{brand}&type=Watched&service=THE+SERVICE&onetime=1&brandid=1&link=https://x.y"))
	got, _ := json.Marshal(d)
	want := `{"ID":"102","BrandID":"1","Name":"watched {brand}","ShortName":null,"Type":"Watched","ServiceType":"spotify","Value":"1","OneTime":true,` +
		`"Category":null,"Link":"https://x.y","Media":null,"Created":"2026-03-15 12:34:56","LastUpdated":"2026-03-15 12:34:56"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	h.ok(h.post("/v1.1/activity/102/edit", "value=&link=&brandid=&shortname=w&service=deezer"), &d)
	if d.Value != "1" || d.Link != nil || d.BrandID != nil || *d.ShortName != "w" || d.ServiceType != "deezer" || d.Name != "watched {brand}" {
		t.Errorf("%+v", d)
	}
	h.ok(h.post("/v1.1/activity/102/edit", "value=0"), &d)
	equal(t, "0", d.Value, "a value of 0 is")
	p := h.engine.submitted[len(h.engine.submitted)-1].Command.(*domain.PutDefinition)
	if diff := cmp.Diff([]string{"Value"}, p.Given); diff != "" {
		t.Errorf("what is given: %s", diff)
	}
	h.ok(h.post("/v1.1/activity/102/delete", ""), new(wire.Deleted))
	h.refused(h.get("/v1.1/activity/102"), domain.NotFound, "activityid")
}

// Definitions are filtered by brand, service, type and keyword.
func TestActivities_Filters(t *testing.T) {
	h := newFixture(t)
	h.engine.defs = append([]*domain.Definition{{ID: 2, Account: 1, Name: "Login"}}, h.engine.defs...)
	h.engine.defs = append(h.engine.defs, &domain.Definition{ID: 102, Account: 1, Deleted: true}, &domain.Definition{ID: 103, Account: 2})
	for query, want := range map[string]string{
		"": "2:100,101", "?brandID=1": "1:101", "?brandid=2": "0:", "?services=spotify,deezer": "1:101", "?type=LISTENED": "1:100",
		"?keyword=FOLL": "1:101", "?keyword=played": "1:100", "?limit=1,1": "2:101",
	} {
		out := answered[wire.Definitions](h, h.get("/v1.1/activities"+query))
		var ids []string
		for _, d := range out.Items {
			ids = append(ids, d.ID)
		}
		equal(t, want, out.TotalSize+":"+strings.Join(ids, ","), query)
	}
}
