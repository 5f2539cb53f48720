package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

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
	account     string
	refuses     map[string]int  // code by path
	gone        map[string]bool // ids that are not there, by path; all others are
	position    string          // of refusals; lists that do not wait for it show nothing
}

func newCatalog(t *testing.T) (*catalog, *API) {
	c := &catalog{account: "7", members: map[string]int{}, outcomes: map[string]string{}, asked: map[string]int{}}
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
	if code := c.refuses[path]; code != 0 {
		refuse(w, http.StatusForbidden, code)
		return
	}
	said, code := c.do(path, func(name string) string { return r.Form.Get(name) })
	if r.Method == http.MethodGet && r.Form.Get("wait_for") != c.position && path == "brands" {
		said = page(nil, r.Form.Get)
	}
	if code != 0 {
		w.Header().Set("X-Position", c.position)
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
	case "app/info":
		return map[string]any{"ID": "1", "Account": map[string]any{"ID": c.account}}, 0
	case "brand/create":
		slug := given("slug")
		if len(slug) > 255 {
			return nil, 4
		}
		if slug == "" {
			slug = strings.Join(strings.FieldsFunc(strings.ToLower(given("name")), func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}), "-")
		}
		for _, b := range c.brands {
			if b["Slug"] == slug {
				return nil, 7
			}
		}
		if given("name") == "Forbidden" {
			return nil, 4
		}
		b := map[string]any{"ID": len(c.brands) + 1, "Name": given("name"), "Type": given("type"), "Slug": slug}
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
	kind, id, _ := strings.Cut(path, "/")
	if (kind == "brand" || kind == "activity") && !c.gone[path] {
		if kind == "brand" {
			return map[string]any{"ID": json.Number(id)}, 0
		}
		return map[string]any{"ID": id}, 0
	}
	return nil, 5
}

func page(all []map[string]any, given func(string) string) any {
	var from, n int
	_, _ = fmt.Sscanf(given("limit"), "%d,%d", &from, &n)
	var items []map[string]any
	for _, item := range all {
		if strings.Contains(strings.ToLower(item["Name"].(string)), strings.ToLower(given("keyword"))) {
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
	if diff := cmp.Diff([]string{"5: brand refused: no (slug)", "6: activity: a name that is none of the activities"}, r.report.bad); diff != "" {
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
	delete(api.asked, "app/info")
	before := fmt.Sprint(api.asked)
	r.options.FromStart = true
	r.write("in.csv", "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n2,1300000000,u1,FR,C,like\n")
	got = r.must()
	if delete(api.asked, "app/info"); got.Published != 2 || got.Created != 0 || fmt.Sprint(api.asked) != before {
		t.Errorf("again: %+v, asked %v, before %s", got, api.asked, before)
	}
}

// spelled maps id,user,brand of a CSV whose brands have no slug.
const spelled = `
source: test
id: "{id}"
time: {value: "{at}", unit: s}
member: {service: spotify, uid: "{user}"}
brand: {create: {name: "{brand}", type: "{type}"}}
activities: {play: {name: "played {brand}", type: Listened, service: spotify}}
`

// Names that differ in case, punctuation or blanks only are brands of their own, the same ones at
// every run; the first has the plain slug.
func TestCreate_SpellingsAreBrandsOfTheirOwn(t *testing.T) {
	t.Parallel()
	names := []string{
		"Guns N' Roses", "Guns N’ Roses", "Guns N Roses", "guns n roses", "Britney Spears", "Britney Spears?", "Jay-Z", "JAY Z",
		"Jay-Z ", "!!!", "???", strings.Repeat("é ", 120), strings.Repeat("é-", 120), "日本 語", "日本・語",
	}
	var rows strings.Builder
	rows.WriteString("id,user,at,brand,type\n")
	add := func(name, kind string) {
		fmt.Fprintf(&rows, "%d,u,1300000000,\"%s\",%s\n", strings.Count(rows.String(), "\n"), name, kind)
	}
	for _, name := range names {
		add(name, "Music")
	}
	add("Jay-Z", "TV")
	add("Jay-Z", "music") // the first one again: types are compared in any case
	add("C", "A/B")       // no name and type are taken for others
	add("B/C", "A")
	var first []map[string]any
	for i := range 3 {
		api, asks := newCatalog(t)
		r := newFixture(t, spelled, rows.String())
		r.options.API = asks
		got := r.must()
		if got.Rejected != 0 || len(r.log.messages) != len(names)+4 || len(api.brands) != len(names)+3 {
			t.Fatalf("%+v %v, %d brands", got, r.report.bad, len(api.brands))
		}
		slugs := map[any]bool{}
		for j, b := range api.brands {
			slugs[b["Slug"]] = true
			if j < len(names) && b["Name"] != names[j] {
				t.Errorf("brand %d is %q, want %q", j, b["Name"], names[j])
			}
		}
		if len(slugs) != len(api.brands) || !slugs["guns-n-roses"] || !slugs["jay-z"] {
			t.Errorf("%v", slugs)
		}
		if i == 0 {
			first = api.brands
		} else if diff := cmp.Diff(first, api.brands); diff != "" {
			t.Error(diff)
		}
		ids := map[uint32]int{}
		for j := range r.log.messages {
			ids[dataOf(t, &r.log.messages[j]).Brand]++
		}
		if len(ids) != len(names)+3 {
			t.Errorf("%d brands have actions: %v", len(ids), ids)
		}
		if err := os.RemoveAll(r.path("state")); err != nil { // all are found again
			t.Fatal(err)
		}
		if r.must(); len(api.brands) != len(names)+3 {
			t.Errorf("without what it remembers: %d brands", len(api.brands))
		}
	}
}

// With several addresses the first may break, be away or unavailable: everything is made all the same, and what
// another has made is found where the node that lists it lags.
func TestCreate_SeveralAddresses(t *testing.T) {
	t.Parallel()
	c, _ := newCatalog(t)
	c.position = "p7"
	c.brands = []map[string]any{{"ID": 9, "Name": "A", "Type": "Music", "Slug": "s-A"}}
	whole := httptest.NewServer(c)
	t.Cleanup(whole.Close)
	away := httptest.NewServer(nil)
	away.Close()
	for name, fault := range map[string]http.HandlerFunc{
		"breaks":         func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is unavailable": func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusServiceUnavailable, 11) },
	} {
		first := httptest.NewServer(fault)
		t.Cleanup(first.Close)
		r := newFixture(t, created, "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n")
		r.options.API = NewAPI(client.New(first.URL, "secret-key", away.URL, whole.URL))
		if got := r.must(); got.Published != 1 || len(c.brands) != 1 {
			t.Errorf("one %s: %+v, %d brands", name, got, len(c.brands))
		}
	}
}

// A cause that is no row's ends the run before any row of the chunk is passed; mended, the rest is
// published.
func TestCollector_StopsAtWhatIsNoRowsFault(t *testing.T) {
	t.Parallel()
	const rows = "id,at,user,cc,brand,kind\n1,1300000000,u1,DE,A,play\n2,1300000000,u1,DE,A,play\nbad\n"
	answering := func(status, code int) func(*testing.T) *API {
		return func(t *testing.T) *API {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, status, code) }))
			t.Cleanup(s.Close)
			return NewAPI(client.New(s.URL, "secret-key").Over(s.Client()))
		}
	}
	for name, c := range map[string]struct {
		api  func(*testing.T) *API
		says string
	}{
		"nothing may be made": {func(*testing.T) *API { return nil }, "line 2: activity: not known, and nothing is to be made"},
		"another port":        {answering(http.StatusNotFound, 5), "not the API"},
		"no problem":          {answering(http.StatusNotFound, 0), "not the API"},
		"a page": {func(t *testing.T) *API {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }))
			t.Cleanup(s.Close)
			return NewAPI(client.New(s.URL, "secret-key").Over(s.Client()))
		}, "not the API"},
		"an unknown key": {answering(http.StatusUnauthorized, 2), "refuses --key"},
		"another account": {func(t *testing.T) *API {
			c, api := newCatalog(t)
			c.account = "8"
			return api
		}, "--key is of account 8, the actions are of account 7"},
		"a plan without it": {func(t *testing.T) *API {
			c, api := newCatalog(t)
			c.refuses = map[string]int{"brand/create": 9}
			return api
		}, "the API makes no brand"},
		"a plan that is used up": {func(t *testing.T) *API {
			c, api := newCatalog(t)
			c.refuses = map[string]int{"member/register": 12}
			return api
		}, "the API makes no member"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, rejects := range []bool{false, true} {
				r := newFixture(t, created, rows)
				if rejects {
					r.takeRejects()
				}
				r.options.API = c.api(t)
				totals, err := r.run(t.Context())
				if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret-key") {
					t.Fatalf("%+v %v", totals, err)
				}
				if totals.Published != 0 || totals.Rejected != 0 {
					t.Errorf("%+v", totals)
				}
				_, r.options.API = newCatalog(t)
				if got := r.must(); got.Published != 2 || got.Rejected != 1 {
					t.Errorf("mended: %+v %v", got, r.report.bad)
				}
			}
		})
	}
}

// A bad row that no file of rejects took is read again: mended in its place, it is published.
func TestCollector_PositionPassesNoLostRow(t *testing.T) {
	t.Parallel()
	good, bad := plainRows(20_000), plainRows(20_000)
	bad = strings.Replace(bad, "a12000,u2,1300012000", "a12000,u2,soon", 1)
	r := newFixture(t, plain, bad)
	for range 2 { // it stays bad, and is told each time
		got := r.must()
		if got.Rejected != 1 || len(got.FirstBad) != 1 || got.FirstBad[0] != 12_002 || len(r.log.ids()) != 19_999 {
			t.Fatalf("%+v", got)
		}
	}
	r.write("in.csv", good)
	if got := r.must(); got.Rejected != 0 || got.Published >= 20_000 || len(r.log.ids()) != 20_000 {
		t.Fatalf("mended: %+v", got)
	}
	if got := r.must(); got.Rows != 0 {
		t.Fatalf("again: %+v", got)
	}
	r = newFixture(t, plain, bad)
	r.takeRejects()
	r.must()
	if got := r.must(); got.Rows != 0 || r.read("rejects") != "id,user,at\na12000,u2,soon\n" {
		t.Fatalf("with rejects: %+v %q", got, r.read("rejects"))
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
