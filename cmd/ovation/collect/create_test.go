package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api/client"
)

// catalog is an API as far as a collector asks it: it makes things, knows repeats by
// their key, and refuses a slug that is taken.
type catalog struct {
	mu          sync.Mutex
	brands      []map[string]any // as answers show them
	definitions []map[string]any
	members     map[string]int // by service and uid: how often registered
	outcomes    map[string]string
	asked       map[string]int // by path
	busy        int            // so many requests are answered 503
}

func newCatalog(t *testing.T) (*catalog, *API) {
	c := &catalog{members: map[string]int{}, outcomes: map[string]string{}, asked: map[string]int{}}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return c, NewAPI(client.New(s.URL, "secret-key").Over(s.Client()))
}

func (c *catalog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = r.ParseForm()
	path := strings.TrimPrefix(r.URL.Path, "/v1.1/")
	c.asked[path]++
	if c.busy > 0 {
		c.busy--
		refuse(w, http.StatusServiceUnavailable, 11)
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if said, known := c.outcomes[key]; known && key != "" {
		fmt.Fprint(w, said)
		return
	}
	said, code := c.do(path, func(name string) string { return r.Form.Get(name) })
	if code != 0 {
		refuse(w, http.StatusBadRequest, code)
		return
	}
	text, _ := json.Marshal(said)
	c.outcomes[key] = string(text)
	fmt.Fprintf(w, "%s", text)
}

func refuse(w http.ResponseWriter, status, code int) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"detail":"no","parameter":"slug","error":{"code":%d}}`, code)
}

func (c *catalog) do(path string, given func(string) string) (said any, code int) {
	switch path {
	case "brand/create":
		for _, b := range c.brands {
			if b["Slug"] == given("slug") {
				return nil, 7
			}
		}
		if given("name") == "Forbidden" {
			return nil, 4
		}
		b := map[string]any{"ID": len(c.brands) + 1, "Name": given("name"), "Type": given("type"), "Slug": given("slug")}
		c.brands = append(c.brands, b)
		return b, 0
	case "brands":
		return page(c.brands, given), 0
	case "activity/create":
		d := map[string]any{
			"ID": fmt.Sprint(100 + len(c.definitions)), "Name": given("name"), "Type": given("type"),
			"ServiceType": given("service"), "OneTime": given("onetime") == "1",
		}
		c.definitions = append(c.definitions, d)
		return d, 0
	case "activities":
		return page(c.definitions, given), 0
	case "member/register":
		c.members[given("service")+":"+given("uid")+":"+given("country")]++
		return []any{map[string]any{"data": map[string]any{"ID": len(c.members)}}}, 0
	}
	return nil, 5
}

func page(all []map[string]any, given func(string) string) any {
	var from, n int
	_, _ = fmt.Sscanf(given("limit"), "%d,%d", &from, &n)
	var items []map[string]any
	for _, item := range all {
		if strings.Contains(item["Name"].(string), given("keyword")) {
			items = append(items, item)
		}
	}
	return map[string]any{"items": items[min(from, len(items)):min(from+n, len(items))]}
}

const created = `
source: test
id: "{id}"
time: {value: "{at}", unit: s}
member: {service: spotify, uid: "{user}", register: {country: "{cc}"}}
brand: {create: {name: "{brand}", type: Music, slug: "s-{brand}"}}
activities:
  play: {name: "played {brand}", type: Listened, service: spotify}
  like: {name: "likes {brand}", type: Social, service: spotify, onetime: true}
activity: "{kind}"
`

func TestCreate_MissingIsCreatedOnce(t *testing.T) {
	t.Parallel()
	api, asks := newCatalog(t)
	api.busy = 3
	api.brands = append(api.brands, map[string]any{"ID": 1, "Name": "xA", "Type": "Music", "Slug": "s-B"}, map[string]any{"ID": 2, "Name": "A", "Type": "music", "Slug": "S-a"})
	api.brands[1]["Slug"] = "s-A" // there already
	api.definitions = append(api.definitions, map[string]any{"ID": "100", "Name": "likes {brand}", "Type": "social", "ServiceType": "spotify", "OneTime": true})
	r := newFixture(t, created, "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n2,1300000000,u1,FR,C,like\n3,1300000000,u2,,A,play\n4,1300000000,u2,,Forbidden,play\n5,1300000000,u2,,A,other\n")
	r.options.API = asks
	got := r.must()
	if got.Published != 3 || got.Created != 6 || got.Rejected != 2 {
		t.Fatalf("%+v %v", got, r.report.bad)
	}
	if diff := cmp.Diff([]string{"6: activity: a name that is none of the activities", "5: brand refused: no (slug)"}, r.report.bad); diff != "" {
		t.Error(diff)
	}
	type said struct{ Activity, Brand uint32 }
	var records []said
	for i := range r.log.messages {
		d := dataOf(t, &r.log.messages[i])
		records = append(records, said{d.Activity, d.Brand})
	}
	if diff := cmp.Diff([]said{{101, 2}, {100, 3}, {101, 2}}, records); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"spotify:u1:DE": 1, "spotify:u2:": 1}, api.members); diff != "" {
		t.Error(diff) // the first row that names a member registers it
	}
	before := fmt.Sprint(api.asked)
	r.options.FromStart = true
	r.write("in.csv", "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n2,1300000000,u1,FR,C,like\n")
	if got = r.must(); got.Published != 2 || got.Created != 0 || fmt.Sprint(api.asked) != before {
		t.Errorf("again: %+v, asked %v, before %s", got, api.asked, before)
	}
}

func TestCreate_UnknownIsRefusedWithoutCreate(t *testing.T) {
	t.Parallel()
	r := newFixture(t, created, "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n")
	if got := r.must(); got.Published != 0 || !strings.Contains(r.report.bad[0], "activity: not known, and nothing is to be made") {
		t.Fatalf("%+v %v", got, r.report.bad)
	}
}

func TestAPI_UnreachableEndsTheRunHidingTheKey(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	r := newFixture(t, created, "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n")
	r.options.API = NewAPI(client.New(s.URL, "secret-key"))
	r.options.API.patience = 50 * time.Millisecond
	_, err := r.run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "the API does not answer") || strings.Contains(err.Error(), "secret-key") {
		t.Fatal(err)
	}
	if len(r.log.messages) != 0 {
		t.Error("published all the same")
	}
}

func TestAPI_RefusedKeyEndsTheRun(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusUnauthorized, 2) }))
	defer s.Close()
	r := newFixture(t, created, "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n")
	r.options.API = NewAPI(client.New(s.URL, "secret-key").Over(s.Client()))
	if totals, err := r.run(context.Background()); err == nil || totals.Rejected != 0 {
		t.Fatal(totals, err)
	}
}
