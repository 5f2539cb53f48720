package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// described is an operation as /openapi.json has it.
type described struct {
	method, path string
	inPath       []string // names of parameters
	others       []string
	required     []string
	endless      bool // its answer is a stream
}

// operationsOf reads the document of a node.
func operationsOf(n *node) (all []described) {
	n.t.Helper()
	type body struct {
		Ref        string `json:"$ref"`
		Properties map[string]any
		Required   []string
	}
	var doc struct {
		Components struct{ Schemas map[string]body }
		Paths      map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			Responses   map[string]struct{ Content map[string]any }
			RequestBody struct {
				Content map[string]struct{ Schema body }
			}
		}
	}
	res, err := http.Get("http://" + n.HTTP + "/openapi.json")
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
		n.t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		if !strings.HasPrefix(path, "/v1.1/") { // a document: it takes no key
			continue
		}
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			body := doc.Paths[path][method].RequestBody.Content["application/json"].Schema
			if name, shared := strings.CutPrefix(body.Ref, "#/components/schemas/"); shared {
				body = doc.Components.Schemas[name]
			}
			o := described{method: strings.ToUpper(method), path: path, required: body.Required}
			o.others = slices.Sorted(maps.Keys(body.Properties))
			_, o.endless = doc.Paths[path][method].Responses["200"].Content["text/event-stream"]
			for _, q := range doc.Paths[path][method].Parameters {
				switch q.In {
				case "path":
					o.inPath = append(o.inPath, q.Name)
				case "query":
					o.others = append(o.others, q.Name)
				}
			}
			all = append(all, o)
		}
	}
	return all
}

// belongings are what parameters can name of an account.
type belongings struct{ brand, definition, segment, webhook, member, action, email string }

// named is what a parameter names, as it says it; nothing for one that names nothing.
func (b belongings) named(parameter string) string {
	switch strings.ToLower(parameter) {
	case "brandid":
		return b.brand
	case "activityid", "activities", "anyofactivities", "allofactivities":
		return b.definition
	case "segment", "segmentid", "members_from_segment":
		return b.segment
	case "webhookid":
		return b.webhook
	case "memberid", "id", "from":
		return b.member
	case "actionid":
		return b.action
	}
	return ""
}

// ignored are parameters that an operation takes without effect: the contract gives it those of
// another one.
var ignored = map[string][]string{
	"GET /v1.1/member/{memberid}/domains/logins": {"brandID", "activityID", "anyofactivities", "allofactivities"},
	"POST /v1.1/webhook/{webhookid}/redeliver":   {"id"}, // of a message
}

// needs are parameters without which an operation asks for another one first.
var needs = map[string][]string{
	"POST /v1.1/activity/record":            {"id", "brandid", "async"},
	"POST /v1.1/member/register":            {"uid", "authtoken"},
	"POST /v1.1/member/{memberid}/register": {"uid", "authtoken"},
	"GET /v1.1/member":                      {"email"},
	"POST /v1.1/optin":                      {"id"},
	"POST /v1.1/optout":                     {"id"},
	"POST /v1.1/brand/{brandid}/optin":      {"id"},
	"POST /v1.1/brand/{brandid}/optout":     {"id"},
	"POST /v1.1/segment/{segmentid}/optin":  {"id"},
	"POST /v1.1/segment/{segmentid}/optout": {"id"},

	"POST /v1.1/webhook/{webhookid}/redeliver": {"cursor"},
}

// valid are values of the parameters that a request of the operation needs.
func (o described) valid(ours belongings) (values client.Params) {
	values = client.Params{
		"name": "x", "type": "Music", "service": "spotify", "uid": "u", "authtoken": "t", "async": "0", "email": ours.email,
		"password": "correct horse", "verified_email": ours.email, "accesstoken": "t",
		"url": "https://hooks.example.com/", "events": "activity", "cursor": "x",
	}
	for _, name := range slices.Concat(o.inPath, o.others) {
		if own := ours.named(name); own != "" {
			values[strings.ToLower(name)] = own
		}
	}
	return values
}

// ask sends a request with an account's key. Values are of the parameters in the path,
// and of those that are needed; more stand beside them, or in their place.
func (o described) ask(t *testing.T, n *node, key string, values client.Params, more client.Params) (*http.Response, []byte) {
	t.Helper()
	path, query := o.path, url.Values{"apiKey": {key}}
	for _, name := range o.inPath {
		path = strings.ReplaceAll(path, "{"+name+"}", values[strings.ToLower(name)])
	}
	for _, name := range slices.Concat(o.required, needs[o.method+" "+o.path]) {
		query.Set(name, values[strings.ToLower(name)])
	}
	for name, value := range more {
		query.Set(name, value)
	}
	req, err := http.NewRequest(o.method, "http://"+n.HTTP+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

// TestAccounts_AreIsolated names, in every parameter of every operation that
// can name something, what another account has: the answer is that of an unknown id, 404
// with code 5 and never 403, and in a list of members or addresses it matches no member.
// The other account is unchanged afterwards.
func TestAccounts_AreIsolated(t *testing.T) {
	t.Parallel()
	onEitherLog(t, nothingOfAnother)
}

func nothingOfAnother(t *testing.T, on site) {
	n := on.start(t)
	rnd := rand.New(rand.NewPCG(5, 5))
	var all []*model
	for _, name := range []string{"ours", "theirs"} {
		p := newModel(rnd, name, sizes{brands: 3, fans: 30})
		for i := range p.fans {
			p.fans[i].email = fmt.Sprint(name, i, "@example.com")
		}
		p.enter(n, 8)
		to := n.publisher()
		var records []*kgo.Record
		for i := range 300 {
			a := p.act(rnd, fmt.Sprint("act-", i), last(20))
			records = append(records, p.anyRecord(rnd, &a))
		}
		to.publish(t, records...)
		n.settled(to.end(t))
		to.close()
		all = append(all, p)
	}
	ours, theirs := all[0].owns(t, n), all[1].owns(t, n)
	now := time.Now().UTC()
	lately := client.Params{"start_date": now.AddDate(0, -1, 0).Format(time.DateTime), "end_date": now.AddDate(0, 0, 1).Format(time.DateTime)} // as links name it: the same each time
	before := all[1].looksLike(t, n, lately)
	asked := 0
	for _, o := range operationsOf(n) {
		if o.path != "/v1.1/activities/record" { // there each record has its own error
			asked += o.strange(t, n, all[0].keys[n], ours, theirs)
		}
	}
	if diff := gocmp.Diff(before, all[1].looksLike(t, n, lately)); diff != "" {
		t.Errorf("the other account was changed: %s", diff)
	}
	t.Logf("%d requests", asked)
	if asked < 100 {
		t.Errorf("only %d requests", asked)
	}
}

// strange names in each parameter of the operation, one at a time, what is theirs.
func (o described) strange(t *testing.T, n *node, key string, ours, theirs belongings) (asked int) {
	t.Helper()
	for _, name := range slices.Concat(o.inPath, o.others) {
		foreign, values, more := theirs.named(name), o.valid(ours), client.Params{}
		without := slices.Contains(ignored[o.method+" "+o.path], name)
		if foreign == "" || o.method == http.MethodGet && name == "id" || without {
			continue
		}
		if slices.Contains(o.others, name) {
			more[name] = foreign
		}
		values[strings.ToLower(name)] = foreign
		want := domain.NotFound
		if o.path == "/v1.1/member/{memberid}/register" && name == "id" {
			want = domain.InvalidParameter // it differs from the path's
		}
		asked++
		res, body := o.ask(t, n, key, values, more)
		var p struct{ Error struct{ Code domain.Code } }
		if err := json.Unmarshal(body, &p); err != nil || p.Error.Code != want || res.StatusCode/100 != 4 || res.StatusCode == http.StatusForbidden {
			t.Errorf("%s %s: %s of another account: %d %s %v", o.method, o.path, name, res.StatusCode, body, err)
		}
	}
	for name, lists := range map[string][2]string{
		"id": {theirs.member, id(stranger)}, "members": {theirs.member, id(stranger)}, "exclude_members": {theirs.member, id(stranger)},
		"emails": {theirs.email, "nobody@example.com"},
	} {
		if !slices.Contains(o.others, name) || o.method != http.MethodGet || o.endless { // a stream selects as the feed does
			continue
		}
		var said [2]string
		for i, whom := range lists {
			asked++
			res, body := o.ask(t, n, key, o.valid(ours), client.Params{name: whom})
			if res.StatusCode != http.StatusOK {
				t.Errorf("%s %s: %s=%s: %d %s", o.method, o.path, name, whom, res.StatusCode, body)
			}
			said[i] = inAddress(name, whom).ReplaceAllString(string(body), name+"=whom")
		}
		if diff := gocmp.Diff(said[1], said[0]); diff != "" {
			t.Errorf("%s %s: %s of another account is not nobody: %s", o.method, o.path, name, diff)
		}
	}
	return asked
}

// inAddress is the parameter with the value where addresses of pages have it: no other
// number or UUID of the answer, which may hold the same digits.
func inAddress(name, value string) *regexp.Regexp {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name+"="+url.QueryEscape(value)) + `\b`)
}

// owns is one of each that the account has.
func (p *model) owns(t *testing.T, n *node) belongings {
	t.Helper()
	feed, _, err := client.Do(ctx(t), p.api(n), client.GetFeed{Limit: "1", IncludeOneTime: true, Period: "6 Months"})
	if err != nil || len(feed.Items) == 0 {
		t.Fatalf("the feed of %s is empty: %v", p.name, err)
	}
	hook, _, err := client.Do(ctx(t), p.api(n), client.CreateWebhook{URL: "https://hooks.example.com/", Events: "activity"})
	if err == nil {
		_, _, err = client.Do(ctx(t), p.api(n), client.EditWebhook{WebhookID: hookID(t, hook), Enabled: new(false)})
	}
	if err != nil {
		t.Fatal(err)
	}
	return belongings{
		webhook: hook.ID,
		brand:   id(p.brands[0].id), definition: id(p.definitions[0].id), segment: id(p.segments[0].id),
		member: feed.Items[0].MemberID, action: feed.Items[0].ID, email: p.fans[0].email,
	}
}

// looksLike is what the account sees of itself, in a range of time.
func (p *model) looksLike(t *testing.T, n *node, within client.Params) (out []string) {
	t.Helper()
	feed := client.Params{"all_member_actions": "1", "limit": "1000", "includeOneTime": "1"}
	maps.Copy(feed, within)
	for path, params := range map[string]client.Params{
		"/v1.1/brands": nil, "/v1.1/activities": nil, "/v1.1/segments": nil, "/v1.1/webhooks": nil, "/v1.1/members/active": within, "/v1.1/activity/feed": feed,
	} {
		var body json.RawMessage
		if _, err := p.api(n).Get(ctx(t), path, params, &body); err != nil {
			t.Fatal(errors.Join(errors.New(path), err))
		}
		if strings.Contains(string(body), `"totalSize":"0"`) {
			t.Fatalf("%s shows nothing: %s", path, body)
		}
		out = append(out, path+" "+string(body))
	}
	slices.Sort(out)
	return out
}
