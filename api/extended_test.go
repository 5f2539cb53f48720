package api

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/extended/extendedtest"
	"github.com/ovation-analytics/ovation/api/wire"
)

// extendedURL is the list of members with their Extended nodes.
const extendedURL = "/v1.1/members/extended"

// The list has the members that a naive model finds by their nodes, in its order, page by page and in
// a walk by cursors, with the total of all.
func TestExtended_MatchesTheModel(t *testing.T) {
	into := []string{
		"aeid", "givenName", "Extended.emailVerified", "primaryAddress.city", "primaryaddress.Country", "profiles.domain", "profiles.identifier", "lastLogin",
		"password", "ae_data.brands", "domains.domain", "created",
	}
	h := newFixture(t)
	h.api.Config.Logger = discarded
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		populated(h, rapid.IntRange(1, 25).Draw(t, "members"), func(_ int, m *domain.Member) { drawn(r, m, extendedtest.Merged(t)) })
		conditions, query := extendedtest.Query(t, 2, into...)
		required := ""
		if rapid.IntRange(0, 2).Draw(t, "required") == 0 {
			required = "Extended." + rapid.SampledFrom([]string{"tier", "list.x", "home", "givenName", "primaryAddress.country", "lastLogin", "aeid"}).Draw(t, "field")
		}
		order, down := extendedtest.Path(t, into...), rapid.Bool().Draw(t, "down")
		type listed struct {
			id   string
			node map[string]any
		}
		var want []listed
		for _, item := range pageOfNodes(h, t, "fields=Extended&limit=1000") {
			node := extendedtest.Document(string(item.Extended))
			fails := slices.ContainsFunc(conditions, func(c extendedtest.Condition) bool { return !extendedtest.Meets(node, c) })
			if !fails && (required == "" || extendedtest.Has(node, required)) {
				want = append(want, listed{item.ID, node})
			}
		}
		slices.SortStableFunc(want, func(a, b listed) int { return extendedtest.Compare(a.node, b.node, order, down) })
		found += len(want)
		params := url.Values{"query_extended": {query}, "order_by": {order}, "required_fields": {required}, "sort": {map[bool]string{true: "desc", false: "ASC"}[down]}}
		var ids, walked []string
		for _, w := range want {
			ids = append(ids, w.id)
		}
		offset, limit := rapid.IntRange(0, 4).Draw(t, "offset"), rapid.IntRange(0, 5).Draw(t, "limit")
		w := h.get(extendedURL + "?fields=ID&limit=" + fmt.Sprint(offset, ",", limit) + "&" + params.Encode())
		page := idsOf(t, w.Body.Bytes(), len(want))
		if !slices.Equal(page, ids[min(offset, len(ids)):min(offset+limit, len(ids))]) {
			t.Fatalf("%q by %s, down %v, %d,%d: %v of %v", query, order, down, offset, limit, page, ids)
		}
		for target := extendedURL + "?cursor=&fields=ID&limit=" + fmt.Sprint(1+limit) + "&" + params.Encode(); target != ""; {
			w := h.get(target)
			walked = append(walked, idsOf(t, w.Body.Bytes(), len(want))...)
			target = h.next(w)
		}
		if !slices.Equal(walked, ids) {
			t.Fatalf("%q by %s, down %v: a walk has %v of %v", query, order, down, walked, ids)
		}
	})
	if found == 0 {
		t.Error("no member was found")
	}
}

// extendedItem is an item with its node as it came.
type extendedItem struct {
	ID       string
	Extended json.RawMessage
}

func pageOfNodes(h *fixture, t interface{ Fatalf(string, ...any) }, query string) []extendedItem {
	w := h.get(extendedURL + "?" + query)
	var out struct{ Items []extendedItem }
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", query, w.Code, w.Body)
	}
	return out.Items
}

// idsOf are the ids of a page of a list of so many.
func idsOf(t *rapid.T, body []byte, size int) (ids []string) {
	var out wire.Members
	if err := json.Unmarshal(body, &out); err != nil || out.TotalSize != fmt.Sprint(size) {
		t.Fatalf("not %d: %v %s", size, err, body)
	}
	for _, item := range out.Items {
		ids = append(ids, item.ID)
	}
	return ids
}

// Of a list by ids one page of ids is asked for; of one by nodes all that pass what is kept in clear.
func TestExtended_Questions(t *testing.T) {
	one, up := []domain.Group{{Definition: 100}}, domain.MemberListing{Up: true, Limit: 10}
	candidates, asked := domain.MemberListing{Up: true, Limit: 200_000}, domain.MemberListing{Up: true, Limit: 20_000}
	has := func(fields ...domain.Field) domain.Filter { return domain.Filter{Has: fields} }
	for query, want := range map[string]domain.Question{
		"":                           {MemberListing: up},
		"order_by=Extended.AEID":     {MemberListing: up},
		"sort=DESC&limit=20,5":       {MemberListing: domain.MemberListing{Offset: 20, Limit: 5}},
		"limit=0":                    {MemberListing: domain.MemberListing{Up: true}},
		"limit=0&order_by=tier":      {MemberListing: domain.MemberListing{Up: true}},
		"order_by=tier":              {MemberListing: candidates},
		"order_by=lastLogin&limit=3": {MemberListing: candidates},
		"order_by=ae_data.brands":    {MemberListing: asked},
		"query_extended=tier=gold":   {MemberListing: candidates, Filter: has(domain.Extended)},
		"query_extended=tier!=gold":  {MemberListing: candidates},
		"query_extended=givenName~a+and+Extended.primaryaddress.CITY>M+and+bio!=x": {MemberListing: candidates, Filter: has(domain.FirstName, domain.City)},
		"query_extended=email='Ada@example.com'":                                   {MemberListing: candidates, Filter: domain.Filter{Has: []domain.Field{domain.EmailAddress}, Members: []domain.MemberID{4097}}},
		"query_extended=email='x@y.example'&members=4097":                          {MemberListing: candidates, Filter: domain.Filter{Has: []domain.Field{domain.EmailAddress}, Members: []domain.MemberID{0}}},
		"query_extended=aeid='4097'+and+tier!=x":                                   {MemberListing: candidates, Filter: domain.Filter{Members: []domain.MemberID{4097}}},
		"query_extended=aeid='4097.0'":                                             {MemberListing: candidates},
		"query_extended=email='x'":                                                 {MemberListing: candidates, Filter: has(domain.EmailAddress)},
		"query_extended=domains.domain='a.example'":                                {MemberListing: asked},
		"required_fields=Extended.tier,FirstName":                                  {MemberListing: candidates, Filter: has(domain.FirstName, domain.Extended)},
		"required_fields=extended.GivenName,Extended,Extended.uuid":                {MemberListing: up, Filter: has(domain.FirstName)},
		"updated_since=2026-03-01+00:00:00&order_by=x":                             {MemberListing: domain.MemberListing{Up: true, Limit: 200_000, Changed: 1772323200}},
		"services=spotify&paid_only=1&brandID=2&optedin=1":                         {Brand: 2, MemberListing: up, Filter: domain.Filter{Holds: []domain.Service{domain.Spotify}, Paid: true, OptIn: domain.OptValue(domain.OptBrand, 2)}},
		"emails=ada@example.com,x@y.example&exclude_members=8193":                  {MemberListing: up, Filter: domain.Filter{Members: []domain.MemberID{4097}, Exclude: []domain.MemberID{8193}}},
		"segment=1&optedin=1&members_from_segment=1&country=DE&region=be":          {MemberListing: up, Groups: []domain.Group{{Definition: 100, Points: 7, Own: true}}, Filter: domain.Filter{OptIn: domain.OptValue(domain.OptSegment, 1), Countries: []uint16{'D'<<8 | 'E'}, Regions: []string{"be", "berlin"}, From: &domain.List{Segment: 1}}},
	} {
		h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
			return &domain.Answer{MemberList: &domain.MemberList{}}, nil
		})
		want.Account, want.Shape, want.Range = 1, domain.ShapeMemberList, lastWeek
		if want.Groups == nil {
			want.Groups = one
		}
		w := h.get(extendedURL + "?" + strings.NewReplacer("!=", "!%3d", "=gold", "%3dgold", "='", "%3d'", ">", "%3e", "~", "%7e").Replace(query))
		h.status(w, http.StatusOK, query)
		equal(t, []domain.Question{want}, h.engine.asked, query)
		equal(t, "", w.Header().Get("X-Range"), query)
	}
}

// The nodes of a page are asked for in three questions, however many members it has; of a list of
// other members where fields names them alone.
func TestExtended_QuestionsOfNodes(t *testing.T) {
	h := newFixture(t)
	populated(h, 5, func(_ int, m *domain.Member) {})
	ids := slices.Sorted(func(yield func(domain.MemberID) bool) {
		for id, m := range h.engine.members {
			if m.Account == 1 && !yield(id) {
				return
			}
		}
	})
	one := []domain.Group{{Definition: 100}}
	domains := domain.Question{Account: 1, Shape: domain.ShapeSummaries, Range: domain.AllTime, Visits: &domain.VisitQuery{}, Filter: domain.Filter{Members: ids}}
	brands := func(from domain.Second) domain.Question {
		return domain.Question{
			Account: 1, Shape: domain.ShapeSummaries, Range: domain.Range{From: from, To: lastWeek.To}, Filter: domain.Filter{Members: ids},
			Top: domain.Top{Limit: 10}, Groups: one,
		}
	}
	all := []domain.Question{domains, brands(lastWeek.From), brands(1757939700)}
	for query, want := range map[string][]domain.Question{
		extendedURL:                                        all,
		extendedURL + "?fields=extended":                   all,
		extendedURL + "?fields=ID":                         nil,
		extendedURL + "?fields=Extended.givenName":         nil,
		extendedURL + "?fields=Extended.AE_data.brands":    all[1:],
		extendedURL + "?fields=Extended.domains":           all[:1],
		"/v1.1/members":                                    nil,
		"/v1.1/members?fields=ID,Extended":                 all,
		extendedURL + "?order_by=domains.domain&fields=ID": all[:1],
	} {
		h.engine.asked = nil
		h.status(h.get(query), http.StatusOK, query)
		asked := slices.DeleteFunc(slices.Clone(h.engine.asked), func(q domain.Question) bool { return q.Shape != domain.ShapeSummaries })
		equal(t, len(want), len(asked), query)
		for i := range asked {
			equal(t, want[i], asked[i], query)
		}
	}
}

// A question that would look into too many nodes is refused before any is opened.
func TestExtended_TooMany(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		return &domain.Answer{MemberList: &domain.MemberList{Total: 20_001}}, nil
	})
	h.refused(h.get(extendedURL+"?order_by=ae_data.lastUpdate"), domain.PlanLimit, "")
	h.refused(h.get(extendedURL+"?query_extended=domains.firstVisit~2026"), domain.PlanLimit, "")
	h.status(h.get(extendedURL+"?order_by=tier&limit=0"), http.StatusOK)
	h.engine.answer = func(*domain.Question) (*domain.Answer, error) {
		return &domain.Answer{MemberList: &domain.MemberList{Total: 200_001}}, nil
	}
	h.refused(h.get(extendedURL+"?query_extended=tier~gold&limit=0"), domain.PlanLimit, "")
	for _, list := range []string{"/v1.1/members", "/v1.1/members/active", "/v1.1/members/login"} {
		h.refused(h.get(list+"?required_fields=Extended.tier"), domain.PlanLimit, "")
	}
	h.refused(h.get(extendedURL+"?optedin=1"), domain.MissingParameter, "brandID")
	h.refused(h.get(extendedURL+"?brandID=77"), domain.NotFound, "brandID")
	h.refused(h.get(extendedURL+"?segment=77"), domain.NotFound, "segment")
}

// unreadable is an engine that has no time to read members.
type unreadable struct{ *fakeEngine }

func (unreadable) Show(context.Context, domain.AccountID, []domain.FeedItem, domain.Position) ([]domain.Shown, error) {
	return nil, domain.ErrUnavailable
}

// A search for which there is no time is given up; one that finds no candidate reads no member.
func TestExtended_GivenUp(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.Engine = unreadable{h.engine} })
	h.refused(h.get(extendedURL+"?query_extended=tier%3dgold"), domain.Unavailable, "")
	h.refused(h.get(extendedURL+"?order_by=tier"), domain.Unavailable, "")
	h.engine.answer = always(&domain.Answer{MemberList: &domain.MemberList{}})
	h.status(h.get(extendedURL+"?order_by=tier"), http.StatusOK)
}

// No parameter shows or finds a member of another account.
func TestExtended_OfTheAccountAlone(t *testing.T) {
	h := newFixture(t)
	populated(h, 3, func(_ int, m *domain.Member) {
		m.Profile = domain.Fields{{Field: domain.Extended, Value: `{"tier":"gold"}`}}
	})
	for _, query := range []string{"", "query_extended=tier%3dgold", "order_by=tier", "query_extended=aeid%3d77", "members=77", "required_fields=Extended.tier", "sort=desc"} {
		for _, item := range pageOfNodes(h, t, query) {
			if item.ID == "77" {
				t.Errorf("%s shows the member of another account", query)
			}
		}
		w := h.do(http.MethodGet, keyed(extendedURL+"?"+query, keyStranger), "")
		h.status(w, http.StatusOK, query, h.log)
		for _, item := range answered[wire.Members](h, w).Items {
			if item.ID != "77" {
				t.Errorf("%s shows the other account %s", query, item.ID)
			}
		}
	}
}

// A node has what is derived and, beside it, what was merged but under a derived name.
func TestExtended_Node(t *testing.T) {
	h := newFixture(t)
	m := h.engine.members[4097]
	m.Updated = 1_700_000_000_000
	m.Profile = m.Profile.With(domain.Fields{
		{Field: domain.Username, Value: "ada"},
		{Field: domain.EmailAddress, Value: "ada@x.example"},
		{Field: domain.Gender, Value: "F"},
		{Field: domain.Birthdate, Value: "1990-12-24"},
		{Field: domain.City, Value: "Köln"},
		{Field: domain.PostCode, Value: "01067"},
		{Field: domain.MobilePhone, Value: "+49 1"},
		{Field: domain.HomePhone, Value: "+49 2"},
		{Field: domain.Address, Value: "Street 1"},
		{Field: domain.AddressLine2, Value: "c/o X"},
		{Field: domain.VerifiedEmail, Value: "ada@x.example"},
		{Field: domain.Extended, Value: `{"AEID":"mine","tier":"<gold>","nested":{"a":[1,{"b":null}]}}`},
	}.With(nil))
	m.Services = append(m.Services, domain.ServiceRecord{
		ID: 3, Application: 2, Service: domain.Email, UID: "ada@x.example", LastLogin: 1e12,
		Fields: domain.Fields{{Field: domain.RecordToken, Value: "secret"}, {Field: domain.RecordSecret, Value: "secret"}},
	})
	h.engine.answer = summarized
	w := h.get("/v1.1/member/4097?extended=1")
	h.status(w, http.StatusOK)
	_, node, _ := strings.Cut(w.Body.String(), `"Extended":`)
	node, _, _ = strings.Cut(node, `},"optins"`)
	want := `{"aeid":4097,"uuid":"00000000-0000-0000-0000-000000000000","created":"2001-09-09 01:46:40","lastLogin":"2001-09-09 01:46:40",` +
		`"lastUpdated":"2023-11-14 22:13:20","givenName":"Ada","familyName":"Fan","password":null,"displayName":"ada","email":"ada@x.example","gender":"F",` +
		`"emailVerified":true,"cellPhone":"+49 1","birthday":"1990-12-24","bio":null,"primaryAddress":{"address1":"Street 1","address2":"c/o X","city":"Köln",` +
		`"mobile":"+49 1","phone":"+49 2","zip":"01067","country":"Germany"},"domains":[` +
		`{"domain":"a.example","firstVisit":"2020-09-13 12:26:40","lastVisit":"2023-11-14 22:13:20"},` +
		`{"domain":"moons.example","firstVisit":"2022-04-15 05:20:00","lastVisit":"2022-04-15 05:20:00"}],"profiles":[` +
		`{"domain":"email","profile":{"preferredUsername":null,"profileUrl":null,"displayName":null,"currentLocation":null,"languagesSpoken":null,` +
		`"name":{"familyName":null,"givenName":null}},"following":[],"accessCredentials":{"accessToken":null,"type":null,"uid":"ada@x.example",` +
		`"clientId":"2","scopes":null,"expires":null},"identifier":"ada@x.example","paidAccount":"0"},` +
		`{"domain":"spotify","profile":{"preferredUsername":"ada","profileUrl":null,"displayName":"ada","currentLocation":null,"languagesSpoken":null,` +
		`"name":{"familyName":null,"givenName":null}},"following":[],"accessCredentials":{"accessToken":"tok","type":null,"uid":"u-1","clientId":"2",` +
		`"scopes":null,"expires":null},"identifier":"u-1","paidAccount":"1"}],"ae_data":{"brands":["Archive","The Moons"],` +
		`"lastUpdate":"2026-03-08 20:00:00","period":"1 Week","brands_extended":["Archive","The Moons"],"period_extended":"6 Month"},` +
		`"tier":"<gold>","nested":{"a":[1,{"b":null}]}}`
	equal(t, want, node)
	var back wire.Envelope
	h.ok(w, &back)
	if again, err := wire.Encode(back.Data.Extended); err != nil || strings.TrimSpace(string(again)) != want {
		t.Errorf("a client has %s, %v", again, err)
	}
	if strings.Contains(w.Body.String(), "secret") {
		t.Error("a credential of an email registration is shown")
	}
}

// A path into Extended is required in every list of members, though only one is searched by nodes: the
// members that pass all else are looked into first, of those that acted where none else is in the list.
func TestRequired_NodesInEveryList(t *testing.T) {
	h := newFixture(t)
	tier := domain.Fields{{Field: domain.Extended, Value: `{"tier":"gold"}`}}
	var all, golden []string
	populated(h, 12, func(i int, m *domain.Member) {
		id := wire.Number(m.ID)
		if all = append(all, id); i%3 == 0 {
			m.Profile = tier
			golden = append(golden, id)
		}
	})
	slices.Sort(golden)
	members := membership{h}
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		if q.Shape != domain.ShapeLeaders {
			return members.answer(q)
		}
		listed := *q // as if each member had acted and logged in
		listed.MemberListing = domain.MemberListing{Up: true, Limit: 1000}
		listed.Shape = domain.ShapeMemberList
		found, err := members.answer(&listed)
		if err != nil {
			return nil, err
		}
		out := &domain.Leaders{Total: domain.Count{Members: found.MemberList.Total}}
		for _, id := range found.MemberList.Members {
			out.Members = append(out.Members, domain.Leader{Member: id})
			out.Latest = append(out.Latest, domain.Row{Brand: 1, Definition: 100, Service: domain.Custom})
		}
		return &domain.Answer{Leaders: out}, nil
	}
	for _, list := range []string{"/v1.1/members", "/v1.1/members/active", "/v1.1/members/login", extendedURL} {
		for required, want := range map[string][]string{"Extended.tier": golden, "extended.TIER,ID": golden, "Extended.none": nil, "Extended.tier,FirstName": nil} {
			h.engine.asked = nil
			var out struct {
				TotalSize string
				Items     []struct{ ID string }
			}
			h.ok(h.get(list+"?fields=ID&limit=1000&required_fields="+required), &out)
			var got []string
			for _, item := range out.Items {
				got = append(got, item.ID)
			}
			slices.Sort(got)
			equal(t, want, got, list, required)
			equal(t, fmt.Sprint(len(want)), out.TotalSize, list, required)
			first := h.engine.asked[0]
			equal(t, domain.ShapeMemberList, first.Shape, list, required)
			equal(t, list == "/v1.1/members/active", first.Filter.Acted, list, required)
		}
	}
	h.engine.asked = nil
	h.status(h.get("/v1.1/members/active?services=spotify&required_fields=Extended.tier"), http.StatusOK)
	equal(t, 0, len(h.engine.asked[0].Filter.Services), "services of actions select no candidate")
}
