package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// word is what a parameter takes, as the contract says it.
type word string

// invalid are kinds of parameters and values that they do not take: each gives error 4 of the
// parameter, in every operation.
var invalid = map[word][]string{
	"id":         wrongIDs,
	"ids":        append(several("1"), append([]string{"1,,2", "1;2", "1,0", "1,x", ","}, wrongIDs[:len(wrongIDs)-1]...)...),
	"performed":  append(several("100"), "x", "0", "100-", "-100", "1-100-2", "0-100", "1-0", "1-x", "100,,100", "9007199254740992", "\x00"),
	"points":     append(several("100"), "x", "0", "100:", "100:65536", "100:-1", "100:1.5", "100:1:2", "100,,101", "\x00"),
	"services":   append(several("spotify"), "vinyl", "spotify,,email", "spotify,vinyl", ",", "1", "\x00"),
	"service":    {"vinyl", "spotify,email", "0", ",", "spot ify", "\x00"},
	"countries":  append(several("DE"), "ZZ", "D", "DEU", "276", "DE,,FR", "DE,ZZ", ",", "\x00\x00"),
	"country":    {"ZZ", "D", "DEU", "276", "DE,FR", "\x00\x00"},
	"flag":       {"2", "-1", "01", "1.0", "yes", "truth", "on", "1,0", "\x00"},
	"sort":       {"x", "up", "ASC,DESC", "1", "\x00"},
	"date":       {"x", "0", "2026-01", "2026-02-30", "2026-13-01 00:00:00", "2026-02-30 00:00:00", "2026-01-01 24:00:00", "2026-01-01 00:60:00", "01-01-2026 00:00:00", "1767225600", "2026-01-01T00:00:00", "now", "\x00", strings.Repeat("2", 5000)},
	"moment":     {"x", "0", "2026-01-01", "2026-13-01 00:00:00", "2026-01-01 24:00:00", "2026-01-01T00:00:00", "now", "\x00"},
	"period":     {"x", "1", "Day", "0 Day", "-1 Day", "10000 Day", "1.5 Day", "1 Fortnight", "1 Day 2", "1,Day", "99999999999999999999 Day", "\x00", "1\x00Day"},
	"limit":      {"x", "-1", "1.5", ",", "1,", ",1", "1,2,3", "-1,1", "1,-1", "100001,1", "99999999999999999999,1", "1;2", "0x1", "\x00"},
	"cursor":     {"x", "0", "%", "====", strings.Repeat("A", 200), strings.Repeat("A", 10_000), "\x00"},
	"position":   {"x", "0", "====", strings.Repeat("A", 100), strings.Repeat("/", 10_000), "\x00"},
	"timeout":    {"x", "-1", "1.5", "10001", "99999999999999999999", "1e3", "\x00"},
	"value":      {"x", "-1", "1.5", "65536", "99999999999999999999", "1e3", "0x1", "\x00"},
	"count":      {"x", "-1", "1.5", "99999999999999999999", "1e3", "\x00"},
	"threshold":  {"x", "0", "-1", "1.5", "99999999999999999999", "1e3", "\x00"},
	"email":      {"x", "@x", "x@", "a b@c", strings.Repeat("x", 250) + "@x.example", "a@b\x00"},
	"emails":     append(several("a@b.example"), "x", "@x", "x@", "a@b.example,,c@d.example", "a@b.example,x", ","),
	"url":        {"x", "ftp://x.example", "http://", "//x.example", "http://x.example/a b", "http://" + strings.Repeat("x", 4090), "http://x.example/\x00", "javascript:alert(1)"},
	"receiver":   {"x", "http://hooks.example/", "ftp://x.example", "https://", "//x.example", "https://a:b@hooks.example/", "https://hooks.example/#x", "https://hooks.example:0/", "https://hooks.example/" + strings.Repeat("x", 2048), "javascript:alert(1)"},
	"events":     append(several("activity"), "x", "activity,x", "activity,,activity", "enters", "test", "removed,erase", "merge", "activity,unmerge", ",", "\x00"),
	"batch":      {"x", "0", "-1", "501", "1.5", "99999999999999999999", "1e3", "\x00"},
	"message":    {"x", "1", "msg_", "msg_1baa2e14f92d7f7a509b5a3743018b2", "msg_1BAA2e14f92d7f7a509b5a3743018b28", "msg_1baa2e14f92d7f7a509b5a3743018b28x", "msg_xxaa2e14f92d7f7a509b5a3743018b28", "\x00"},
	"domain":     {"a b", ".", "..", "http://", "a..b", "/", "\x00", strings.Repeat("x", 5000), strings.Repeat("x", 254)},
	"page":       {"a b/c", "http://", "/path", "x.example/a b", "\x00"},
	"address":    {"x", "1", "256.1.1.1", "1.2.3", "::g", "1.2.3.4/8", "\x00"},
	"birthdate":  {"x", "1990-12-24", "31-02-1990", "24-12-2099", "24/12/1990", "\x00"},
	"gender":     {"x", "male", "M,F", "0", "\x00"},
	"ages":       {"x", "29", "35-29", "29-", "-35", "29-35-40", "a-b", "29-1000", "2.5-3", "+1-2", "29 - 35", "٢-٣", "\x00"},
	"group":      {"x", "day", "activities,type", "0", "\x00"},
	"order":      {"x", "Name", "Score,Created", "0", "\x00"},
	"slug":       {"a b", "a/b", "\x00"},
	"password":   {"1234567", strings.Repeat("x", 257)},
	"fields":     several("ID"),
	"path":       {".", "Extended.", "a.", ".a", "a..b", "a b", "a=b", "a'b", "a,b c", strings.Repeat("x", 256)},
	"query":      {"x", "a", "a =", "= 1", "a = '", "a = 'x'y", "a = 1 b = 2", "a == 1", "a => 1", "a ! 1", "a = 1 and", "and", "a.. = 1", ".a = 1", "a = 1 or b = 2", strings.Repeat("a = 1 and ", 20) + "a = 1", strings.Repeat("x", 4097)},
	"content":    {strings.Repeat("x", 64<<10+1)},
	"hash":       {"x", "$2b$10$short", "$2b$15$abcdefghijklmnopqrstuuu4C1Yv4cJQ9ZsVbGdQ0TnM9x0p8mS1a", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA", "5f4dcc3b5aa765d61d8327deb882cf99"},
	"patch":      {"x", "1", "[]", "null", `"x"`, `{"a":`, `{"email":"x"}`, `{"UUID":null}`, `{"a":1}{}`, strings.Repeat("x", 64<<10+1)},
	"text":       {strings.Repeat("x", 256), strings.Repeat("é", 256)},
	"long":       {strings.Repeat("x", 4097)},
	"token":      {strings.Repeat("x", 8193)},
	"access":     {"x", "_", strings.Repeat("0", 32), strings.Repeat("0", 32) + "_", strings.Repeat("0", 31) + "_1", strings.Repeat("g", 32) + "_1", strings.Repeat("0", 32) + "_-1", strings.Repeat("0", 32) + "_01", strings.Repeat("0", 34) + "_1", "\x00"},
	"anything":   {},
	"nothing":    {"0", "1", "x"}, // what may not be given at all
	"everything": nil,             // the key: it is judged before
}

var wrongIDs = []string{
	"0", "-1", "+1", "1.5", "x", "1x", "0x1", "1e3", "1 2", "９", "9007199254740992", "18446744073709551617", strings.Repeat("9", 5000), "\x00", "1\x00", "1,2",
}

// several is a list of more entries than one may have.
func several(entry string) []string {
	return []string{strings.Repeat(entry+",", bind.MaxList) + entry}
}

// takes is what the parameters take, by name in lower case, or by operation and name
// where the same name is something else.
var takes = map[string]word{
	"apikey": "everything", "wait_for": "position", "timeout_ms": "timeout", "strict": "flag",
	"brandid": "id", "segment": "id", "segmentid": "id", "members_from_segment": "id", "memberid": "id", "actionid": "id", "id": "id", "from": "id",
	"activityid": "ids", "members": "ids", "exclude_members": "ids", "anyofactivities": "performed", "allofactivities": "performed",
	"services": "services", "service": "service", "country": "countries", "region": "text", "domain": "domain", "emails": "emails",
	"paid_only": "flag", "optedin": "flag", "includeonetime": "flag", "totalmembercount": "flag", "all_member_actions": "flag", "order_by_recorded": "flag",
	"explain": "flag", "explain_after": "cursor", "refresh": "flag", "showposition": "flag", "showbrands": "flag", "showactions": "flag", "extended": "flag",
	"period": "period", "period_end": "period", "start_date": "date", "end_date": "date", "updated_since": "date", "recorded_since": "date",
	"interval": "order", "app_scope": "order",
	"limit": "limit", "cursor": "cursor", "sort": "sort", "group_by": "group", "order_by": "order", "fields": "fields", "required_fields": "fields",
	"age": "ages", "valid": "flag", "uniquemember": "flag",
	"keyword": "text", "brand_type": "text", "type": "text", "threshold": "threshold",
	"email": "email", "verified_email": "email", "partnerid": "text", "partnercode": "text", "username": "text", "uid": "text",

	"name": "text", "shortname": "text", "category": "text", "label": "text", "hashtag": "text", "slug": "slug", "page": "page",
	"link": "url", "media": "url", "value": "value", "onetime": "flag", "rule": "flag", "force": "flag", "async": "flag", "activities": "points",
	"content": "content", "marker": "text", "timestamp": "moment", "city": "text",
	"authtoken": "token", "authsecret": "token", "firstname": "text", "surname": "text", "password": "password", "birthdate": "birthdate",
	"gender": "gender", "postcode": "text", "avatarurl": "url", "partner": "text", "code": "text", "sourceuid": "text", "userurl": "url",
	"followers": "count", "likes": "count", "paidaccount": "flag", "expires": "text", "activity_sharing_enabled": "flag",
	"accesstoken": "access", "details": "flag", "query_extended": "query",
	"state": "text", "bio": "long", "address": "text", "addressline2": "text", "homephone": "text", "mobilephone": "text", "website": "url",
	"serviceid": "id", "password_hash": "hash", "member_service_id": "id",
	"ip": "address", "strict_sso": "flag", "useragent": "long", "webpath": "long", "referring_url": "long", "visitor": "text",

	"url": "receiver", "events": "events", "batch": "batch", "enabled": "flag", "rotate": "flag",
	"POST /v1.1/webhook/:webhookid/redeliver id": "message",

	"POST /v1.1/member/login password":                "anything", // whatever it is, it is compared
	"POST /v1.1/activity/record activityid":           "id",
	"POST /v1.1/activities/record activityid":         "id",
	"POST /v1.1/activity/record country":              "text",
	"POST /v1.1/activities/record country":            "text",
	"POST /v1.1/member/register country":              "country",
	"POST /v1.1/member/:memberid/register country":    "country",
	"POST /v1.1/member/:memberid/update country":      "country",
	"POST /v1.1/member/:memberid/update extended":     "patch",
	"POST /v1.1/activity/:activityid/edit onetime":    "nothing",
	"GET /v1.1/activity/:activityid activityid":       "id",
	"POST /v1.1/member/:memberid/merge accesstoken":   "token", // whatever is not from's is error 18
	"GET /v1.1/members/extended order_by":             "path",
	"GET /v1.1/login/stats/alltime service":           "services",
	"POST /v1.1/activity/:activityid/edit activityid": "id",
}

// takenBy is what the parameter takes; an address of a network or of a picture is known
// by its name.
func takenBy(o *serve.Operation, q *bind.Param) (word, bool) {
	name := strings.ToLower(q.Name)
	if w, ok := takes[o.Name()+" "+name]; ok {
		return w, true
	}
	if q.InPath {
		return "id", true
	}
	if w, ok := takes[name]; ok {
		return w, true
	}
	return "url", strings.HasSuffix(name, "url")
}

// companions are what a parameter cannot stand without, and a value of each.
var companions = map[string][]string{
	"partnerid": {"partnerCode", "x"}, "partnercode": {"partnerID", "1"}, "username": {"service", "spotify"}, "uid": {"service", "spotify"},
	"service": {"username", "x", "uid", "1"}, "threshold": {"showbrands", "1"}, "limit": {"showactions", "1"}, "optedin": {"brandID", "1"},
	"explain_after": {"explain", "1"}, "strict_sso": {"domain", "example.com"}, "region": {"country", "DE"},
}

// asking is a request of an operation that would be answered, to be spoiled.
type asking struct {
	o      *serve.Operation
	path   string
	params url.Values
}

func askingFor(o *serve.Operation) asking {
	target, params := exampled(o)
	return asking{o, target, params}
}

// with is the request with a value of the parameter, and what that cannot stand without.
func (a asking) with(q *bind.Param, value string) asking {
	out := asking{a.o, a.path, url.Values{}}
	for name, values := range a.params {
		if bind.Fold(name) != bind.Fold(q.Name) {
			out.params[name] = values
		}
	}
	if q.InPath {
		out.path = strings.Replace(a.path, "/"+q.Eg, "/"+url.PathEscape(value), 1)
		return out
	}
	out.params.Set(q.Name, value)
	also := companions[strings.ToLower(q.Name)]
	for i := 0; i+1 < len(also); i += 2 {
		if _, there := out.params[also[i]]; !there && hasParam(a.o, also[i]) {
			out.params.Set(also[i], also[i+1])
		}
	}
	return out
}

// hasParam reports that the operation has a parameter of the name.
func hasParam(o *serve.Operation, name string) bool {
	for _, q := range o.Plan.Params() {
		if strings.EqualFold(q.Name, name) {
			return true
		}
	}
	return false
}

// send asks with more pairs after the parameters, which a POST has in its body.
func (a asking) send(h *fixture, more string) *httptest.ResponseRecorder {
	pairs := strings.Trim(a.params.Encode()+"&"+more, "&")
	switch {
	case a.o.Each != nil:
		return h.do(a.o.Method, keyed(a.path, keyEnterprise)+"&"+pairs, exampleRecord(a.o))
	case a.o.Method == http.MethodPost:
		return h.do(a.o.Method, keyed(a.path, keyEnterprise), pairs)
	}
	return h.do(a.o.Method, keyed(a.path, keyEnterprise)+"&"+pairs, "")
}

// An invalid value of any parameter of any operation has the contract's code and names it. Which values are
// valid is taken from the contract's words, not from the code.
func TestInvalid_EveryParameter(t *testing.T) {
	sent := 0
	for _, o := range Operations() {
		h := newFixture(t)
		h.api.Config.Logger = discarded
		base := askingFor(o)
		if w := base.send(newFixture(t), ""); w.Code != http.StatusOK && w.Code != http.StatusAccepted {
			t.Errorf("%s: the request to be spoiled is refused itself: %d %s", o.Name(), w.Code, w.Body)
			continue
		}
		for _, q := range o.Plan.Params() {
			is, known := takenBy(o, q)
			if !known {
				t.Errorf("%s: nothing says what %s takes", o.Name(), q.Name)
			}
			want := func(code domain.Code, parameter, what string, w *httptest.ResponseRecorder) {
				sent++
				if p, ok := problemOf(w); !ok || p.Error.Code != int(code) || !strings.EqualFold(bind.Fold(p.Parameter), bind.Fold(parameter)) {
					t.Errorf("%s %s=%.60q: want code %d of it, got %d %.200s", o.Name(), q.Name, what, code, w.Code, w.Body)
				}
			}
			for _, value := range invalid[is] {
				if q.InPath && strings.Trim(value, ".") == "" {
					continue
				}
				want(domain.InvalidParameter, q.Name, value, base.with(q, value).send(h, ""))
			}
			if is == "everything" || q.InPath {
				continue
			}
			spoiled := base.with(q, "x")
			delete(spoiled.params, q.Name)
			for _, value := range []string{"%ff", "%", "%zz", "%c3%28", "%ed%a0%80"} {
				want(domain.InvalidParameter, q.Name, value, spoiled.send(h, q.Name+"="+value))
			}
			pair := q.Name + "=1"
			want(domain.InvalidParameter, q.Name, "twice", spoiled.send(h, pair+"&"+strings.ToUpper(pair)))
			if q.Required {
				want(domain.MissingParameter, q.Name, "missing", spoiled.send(h, ""))
				want(domain.MissingParameter, q.Name, "empty", spoiled.send(h, q.Name+"="))
			} else if o.Method == http.MethodGet {
				sent++
				absent, empty := spoiled.send(h, ""), spoiled.send(h, q.Name+"=")
				if absent.Code != empty.Code && !q.Later && q.Name != "cursor" { // an empty cursor begins
					t.Errorf("%s %s empty: %d %s, absent: %d", o.Name(), q.Name, empty.Code, empty.Body, absent.Code)
				}
			}
		}
	}
	t.Logf("%d requests", sent)
}

// A member of a JSON body that is no plain value is refused.
func TestInvalid_JSONBody(t *testing.T) {
	for _, o := range Operations() {
		if o.Method != http.MethodPost || o.Each != nil {
			continue
		}
		h := newFixture(t)
		h.api.Config.Logger = discarded
		base := askingFor(o)
		for _, q := range o.Plan.Params() {
			if q.InPath || q.Name == "apiKey" {
				continue
			}
			spoiled := base.with(q, "x")
			delete(spoiled.params, q.Name)
			target := keyed(spoiled.path+"?"+spoiled.params.Encode(), keyEnterprise)
			for _, value := range []string{"null", "[]", "[1]", "{}", `{"a":1}`} {
				if slices.Contains(o.Objects, q.Name) && value[0] == '{' {
					continue
				}
				w := h.do(o.Method, target, fmt.Sprintf("{%q:%s}", q.Name, value))
				if p, ok := problemOf(w); !ok || p.Error.Code != 4 || !strings.EqualFold(p.Parameter, q.Name) {
					t.Errorf("%s %s: %s: want code 4 of it, got %d %.200s", o.Name(), q.Name, value, w.Code, w.Body)
				}
			}
			w := h.do(o.Method, target+"&"+q.Name+"=1", fmt.Sprintf("{%q:1}", q.Name))
			if p, ok := problemOf(w); !ok || p.Error.Code != 4 || !strings.EqualFold(p.Parameter, q.Name) {
				t.Errorf("%s %s in query and body: want code 4 of it, got %d %.200s", o.Name(), q.Name, w.Code, w.Body)
			}
		}
	}
}
