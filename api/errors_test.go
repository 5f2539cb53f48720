package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

var (
	big  = strings.Repeat("x", serve.MaxBody+1)
	long = strings.Repeat("1,", bind.MaxList) + "1"
)

// refusals are requests that are refused. A group has its method, its key and perhaps its path
// below /v1.1; a case in it the rest (of a GET the query, of a POST the body; without a path in the
// group also the path, and a blank before a body); then come the error's code and parameter. A
// path that begins with two slashes is not below /v1.1.
var refusals = map[string]map[string]string{
	"DELETE advanced": {"/brands": "6"},
	"GET advanced": {
		"//nothing": "5", "//v1.0/brands": "5", "/brand/x": "4 brandid", "/brand/3": "5 brandid",
		"/brand/4294967297": "5 brandid",
		"/activity/1":       "5 activityid", // built in
		"/member/1":         "5", "/brand/3/stats/activity": "5 brandID", "/brand/3/stats/location": "5 brandID",
		"/activity/count/services?services=nobody": "4 services", "/brand/3/segments": "5 brandid",
		"/brand/3/activities": "5 brandid", "/brand/1/activities?segment=9": "5 segment",
		"/segment/9": "5 segmentid", "/segment/x": "4 segmentid", "/segment/4294967297": "5 segmentid",
		"/member/4097/activity/999": "5 activityid",
		"/member/4097/activity/1":   "5 activityid", // built in
		"/member/8193/activity/100": "5", "/member/4097/activity/100?brandID=9": "5 brandID",
		"/member/4097/activity/x": "4 activityid",
		"/member/4097/activity/100?start_date=2026-03-02+00:00:00&end_date=2026-03-01+00:00:00": "4 start_date",
	},
	"GET advanced /activities": {"brandID=3": "5 brandID", "segmentid=3": "5 segmentid", "segment=9": "5 segment"},
	"GET advanced /activity/count/daily": {
		"brandID=3": "5 brandID", "brandID=0": "4 brandID", "optedin=1": "3 brandID",
		"activityID=99": "5 activityID",
	},
	"GET advanced /activity/feed": {
		"brandID=3": "5 brandID", "segment=2": "5 segment", "activityID=99": "5 activityID",
		"region=BE": "4 region", "sort=newest": "4 sort", "limit=100001,1": "4 limit", "cursor=x": "4 cursor",
		"anyofactivities=1-": "4 anyofactivities", "all_member_actions=yes": "4 all_member_actions",
		"end_date=2026-01&brandID=3": "4 end_date", "keyword=" + strings.Repeat("x", 256): "4 keyword",
	},
	"GET advanced /brand/1/stats/activity": {
		"activityID=100,7": "5 activityID", "segmentid=2": "5 segmentid", "segmentid=4294967297": "5 segmentid",
		"segmentid=0": "4 segmentid", "optedin=2": "4 optedin", "region=BE": "4 region",
		"region=BE&country=DE,FR": "4 region", "domain=a+b": "4 domain", "group_by=day": "4 group_by",
		"explain=2": "4 explain",
	},
	"GET advanced /brand/1/stats/location": {
		"segmentID=2": "5 segmentID", "region=BE": "4 region", "country=ZZ": "4 country",
	},
	"GET advanced /brand/1/stats/timeline": {
		"period=1": "4 period", "start_date=2026-03-16+00:00:00": "4 start_date", "members=0": "4 members",
	},
	"GET advanced /brands": {
		"limit=x": "4 limit", "sort=up": "4 sort", "cursor=x": "4 cursor", "wait_for=x": "4 wait_for",
		"timeout_ms=10001": "4 timeout_ms",
	},
	"GET advanced /member": {
		"": "3 email", "memberid=4097": "3 email", "email=a@b.c&verified_email=a@b.c": "4 verified_email",
		"partnerID=1&partnerCode=x&service=spotify&username=y": "4 username", "partnerCode=x": "3 partnerID",
		"username=x": "3 service", "service=spotify": "3 username", "email=b.c": "4 email",
		"email=a@b.c": "5 email", "verified_email=a@b.c": "5 verified_email",
		"partnerID=1&partnerCode=x": "5 partnerID", "service=spotify&username=x": "5 username",
		"email=ada@example.com&brandID=3": "5 brandID", "email=ada@example.com&limit=3": "3 showactions",
	},
	"GET advanced /member/4097": {
		"email=a@b.c": "4 email", "partnerID=1": "3 partnerCode", "threshold=2": "3 showbrands",
		"threshold=0&showbrands=1": "4 threshold", "limit=2": "3 showactions",
		"showactions=1&segment=9": "5 segment", "segmentid=9": "5 segmentid", "activityID=999": "5 activityID",
		"anyofactivities=999": "5 anyofactivities", "allofactivities=9-100": "5 allofactivities",
		"explain_after=x": "3 explain", "limit=3": "3 showactions", "showbrands=1&limit=100001,1": "4 limit",
	},
	"GET advanced /members": {
		"updated_since=yesterday": "4 updated_since", "optedin=1": "3 brandID", "brandID=9": "5 brandID",
		"sort=up": "4 sort", "cursor=x": "4 cursor",
	},
	"GET advanced /members/stats/activity": {"brandID=9": "5 brandID", "segment=9": "5 segment", "limit=x": "4 limit"},
	"GET advanced /segments":               {"brandID=3": "5 brandID", "brandID=x": "4 brandID", "cursor=x": "4 cursor"},
	"GET none": {
		"/brand/create": "6", // the literal wins, the method comes before the key
		"/brands":       "1 apiKey",
	},
	"GET public":  {"/brands": "15", "/segments": "15"},
	"GET revoked": {"/brands": "2 apiKey"},
	"GET standard": {
		"/brands/3/crossover": "5 brandid", "/brands/x/crossover": "4 brandid",
		"/brands/1/crossover?brandid=2": "4 brandid", "/activity/count/daily": "9", "/activity/count/services": "9",
	},
	"GET standard /brands/crossover": {"brandid=3": "5 brandid", "services=vinyl": "4 services", "limit=x": "4 limit"},
	"GET standard /members/active": {
		"brandID=3": "5 brandID", "brandID=x": "4 brandID", "order_by=Name": "4 order_by",
		"order_by=lastlogin&activityID=100": "4 activityID", "sort=up": "4 sort", "limit=100001,1": "4 limit",
		"cursor=x": "4 cursor", "required_fields=Email" + strings.Repeat(",Email", 1000): "4 required_fields",
		"fields=" + strings.Repeat("a,", 1001): "4 fields", "totalmembercount=yes": "4 totalmembercount",
		"optedin=1": "3 brandID", "region=BE": "4 region", "segment=9": "5 segment",
		"activityID=99": "5 activityID",
		"start_date=2026-01-02+00:00:00&end_date=2026-01-02+00:00:00": "4 start_date",
	},
	"GET stranger": {
		"/brand/1":                      "5 brandid", // never 403
		"/member?email=ada@example.com": "5 email", "/members/active?brandID=1": "5 brandID",
		"/brands/1/crossover": "5 brandid", "/member/4097": "5", "/segment/1": "5 segmentid",
		"/member/4097/activity/100": "5 activityid",
	},
	"GET wrong": {"/brands": "2 apiKey"},
	"POST advanced": {
		"/segment/1/edit name=++": "4 name", "/activity/100/edit name=++": "4 name",
		"/brand/1/edit name=++": "4 name", "/activity/create name=++&type=y&service=custom": "4 name",
		"/brand/1": "6", "/brand/create?name=x name=x&type=y": "4 name", "/brand/3/edit name=x": "5 brandid",
		"/brand/1/edit name=": "3 name", "/brand/1/edit?brandid=2": "4 brandid", "/brand/3/delete": "5",
		"/brand/4294967297/delete": "5 brandid", "/activity/2/edit": "5 activityid",
		"/activity/99/delete": "5 activityid", "/activity/100/edit onetime=1": "4 onetime",
		"/activity/100/edit type=": "3 type", "/member/register service=spotify&uid=u&authtoken=t&id=5": "5 id",
		"/member/5/register service=spotify&uid=u&authtoken=t": "5 memberid", "/activities/record": "3",
		"/segment/9/edit name=x": "5 segmentid", "/segment/4294967297/edit name=x": "5 segmentid",
		"/segment/1/edit name=": "3 name", "/segment/1/edit?segmentid=2 name=x": "4 segmentid",
		"/segment/9/delete": "5 segmentid", "/segment/4294967297/delete": "5 segmentid",
	},
	"POST advanced /activity/record": {
		"id=4097": "3 activityid", "activityid=100": "3 id", "activityid=100&uid=1": "3 service",
		"activityid=100&id=4097": "3 brandid", "activityid=100&id=4097&timestamp=2027-01-01+00:00:00": "3 brandid",
		"activityid=99&id=4097&timestamp=2027-01-01+00:00:00":            "4 timestamp",
		"activityid=100&brandid=1&id=4097&timestamp=1999-12-31+23:59:59": "4 timestamp",
		"activityid=101&brandid=2&id=4097":                               "4 brandid",
		"activityid=100&brandid=1&id=4097&uid=1&service=spotify":         "4 uid",
		"activityid=100&brandid=1&uid=1&service=custom":                  "4 service",
		"activityid=99&brandid=1&id=4097":                                "5 activityid", "activityid=100&brandid=3&id=4097": "5 brandid",
		"activityid=100&brandid=1&id=5&async=0": "5 id",
	},
	"POST advanced /brand/create": {
		"name=x&type=y&custom_a=x": "9 custom_", big: "14", "{": "4", "type=y&slug=a+b": "3 name",
		"name=x&type=y&slug=a+b": "4 slug", "name=x&type=y&twitterurl=ftp://x": "4 twitterurl",
		"name=x&type=y&slug=moons": "7 slug", "name=+++&type=Music": "4 name",
	},
	"POST advanced /segment/create": {
		"name=++": "4 name", "threshold=0": "3 name", "name=x&threshold=0": "4 threshold", "name=x&threshold=4294967296": "4 threshold",
		"name=x&rule=2": "4 rule", "name=x&period=1+moon": "4 period", "name=x&page=/a": "4 page",
		"name=x&page=a.b/c+d": "4 page", "name=x&activities=a": "4 activities",
		"name=x&activities=100:65536": "4 activities", "name=x&activities=100:": "4 activities",
		"name=x&activities=100:1,100:2": "4 activities", "name=x&activities=100,100:2": "4 activities",
		"name=x&activities=" + long:    "4 activities",
		"name=x&activities=2":          "5 activities", // built in
		"name=x&activities=4294967396": "5 activities", "name=x&brandid=4294967297": "5 brandid",
	},
	"POST enterprise": {
		"/brand/create name=x&type=y&custom_a=x": "4 custom_a",
		"/brand/create name=x&type=y&custom_=1":  "4 custom_",
	},
	"POST global": {
		"/brand/create name=x&type=y": "15", "/brand/create name=x": "3 type",
		"/member/4097/register service=spotify&uid=1&authtoken=t": "15", "/segment/create name=x": "15",
	},
	"POST none":   {"/brand/create name=x": "1 apiKey"},
	"POST public": {"/brand/1/optin id=4097": "15 Authorization", "/app/allowlist domain=x.y": "15"},
	"POST standard": {
		"/brand/create":      "9", // before the parameters
		"/activity/100/edit": "9", "/member/x/register service=spotify&uid=1&authtoken=t": "4 memberid",
		"/member/1/register service=spotify&uid=1&authtoken=t": "5 memberid",
		"/brand/1/optout id=4097&email=a@b.c":                  "4 email", "/brand/3/optin id=4097": "5 brandid",
		"/brand/x/optin id=4097": "4 brandid", "/segment/2/optin id=4097": "5 segmentid",
		"/segment/1/optout": "3 id", "/optin": "3 id", "/optout id=1": "5 id",
		"/optin service=spotify&username=x&id=4097": "4 username", "/members/active": "6", "/activity/record": "9",
		"/segment/create name=x": "9", "/segment/1/edit name=x": "9", "/segment/1/delete": "9",
	},
	"POST standard /activity/create": {
		"name=x&type=y": "3 service", "name=x&type=y&service=z": "4 service",
		"name=x&type=y&service=custom&value=65536":        "4 value",
		"name=x&type=y&service=custom&brandid=4294967297": "5 brandid",
	},
	"POST standard /brand/1/optin": {
		"": "3 id", "partnerID=1": "3 partnerCode", "id=1": "5 id", "email=a@b.c": "5 email",
	},
	"POST standard /member/login": {
		"": "3 service", "service=spotify&authtoken=t": "3 uid", "service=spotify&uid=1": "3 authtoken",
		"service=email&password=12345678": "3 email", "service=email&email=a@b.c": "3 password",
		"service=email&email=a@b.c&password=1234567":                  "13",
		"service=custom&uid=1&authtoken=t":                            "4 service",
		"service=vinyl&uid=1&authtoken=t":                             "4 service",
		"service=spotify&uid=u-7&authtoken=t&strict_sso=1":            "3 domain",
		"service=spotify&uid=u-7&authtoken=t&strict_sso=2":            "4 strict_sso",
		"service=spotify&uid=u-7&authtoken=t&strict_sso=1&domain=a+b": "4 domain",
		"service=spotify&uid=u-7&authtoken=t&ip=1":                    "4 ip",
		"service=rdio&uid=1&authtoken=t":                              "13",
		"service=email&email=a@b.c&password=12345678":                 "13",
	},
	"POST standard /member/4097/register": {
		"": "3 service", "service=spotify&authtoken=t": "3 uid",
		"service=spotify&uid=1&authtoken=t&id=4098":     "4 id",
		"service=spotify&uid=1&authtoken=t&segmentid=4": "5 segmentid",
	},
	"POST standard /member/register": {
		"": "3 service", "service=spotify&authtoken=t": "3 uid", "service=spotify&uid=1": "3 authtoken",
		"service=email&password=12345678": "3 email", "service=email&email=a@b.c": "3 password",
		"service=email&email=&password=12345678":                         "3 email",
		"service=email&email=a@b.c&password=1234567":                     "4 password",
		"service=email&email=b.c&password=12345678":                      "4 email",
		"service=email&email=a@b.c&password=" + strings.Repeat("x", 257): "4 password",
		"service=rdio&uid=1&authtoken=t":                                 "4 service", "service=beatsmusic&uid=1&authtoken=t": "4 service",
		"service=custom&uid=1&authtoken=t":                       "4 service",
		"service=spotify&uid=1&authtoken=t&birthdate=15-03-2026": "4 birthdate",
		"service=spotify&uid=1&authtoken=t&country=ZZ":           "4 country",
		"service=spotify&uid=1&authtoken=t&ip=1":                 "4 ip", "service=spotify&uid=1&authtoken=t&id=0": "4 id",
		"service=spotify&uid=1&authtoken=t&id=1":        "5 id",
		"service=spotify&uid=1&authtoken=t&segmentid=4": "5 segmentid",
	},
	"POST stranger": {
		"/member/4097/register service=spotify&uid=1&authtoken=t": "5 memberid",
		"/segment/1/optin id=4097":                                "5 segmentid",
	},
}

// Each faulty request has the contract's code and names the parameter at fault. What is refused for
// its own sake is not submitted.
func TestErrors_CodeAndParameter(t *testing.T) {
	for group, cases := range refusals {
		method, path, _ := strings.Cut(group, " ")
		key, path, fixed := strings.Cut(path, " ")
		for rest, want := range cases {
			target, body, _ := strings.Cut(rest, " ")
			switch {
			case fixed && method == http.MethodGet:
				target = path + "?" + rest
			case fixed:
				target, body = path, rest
			}
			target = "/v1.1" + target
			if _, outside, ok := strings.Cut(target, "//"); ok {
				target = "/" + outside
			}
			if key != "none" {
				target = keyed(target, "key-"+key)
			}
			code, parameter, _ := strings.Cut(want, " ")
			t.Run(group+" "+rest[:min(60, len(rest))], func(t *testing.T) {
				h := newFixture(t)
				n, err := strconv.Atoi(code)
				if err != nil {
					t.Fatal(err)
				}
				h.refused(h.do(method, target, body), domain.Code(n), parameter)
				if n < 5 && len(h.engine.submitted) > 0 {
					t.Errorf("submitted: %T", h.engine.submitted[0].Command)
				}
			})
		}
	}
}

// A body of another type or encoding is refused.
func TestErrors_BodyType(t *testing.T) {
	h := newFixture(t)
	target := keyed("/v1.1/brand/create", keyAdvanced)
	for _, kind := range []string{"text/plain", "", "multipart/form-data; boundary=x", ";;"} {
		h.refused(h.do("POST", target, "name=x&type=y", "Content-Type", kind), domain.UnsupportedMedia, "")
	}
	for _, coding := range []string{"gzip", "GZIP", "br", "identity, gzip"} {
		w := h.do("POST", target, "name=x&type=y", "Content-Encoding", coding)
		if h.refused(w, domain.UnsupportedMedia, ""); !strings.Contains(w.Body.String(), "Content-Encoding") {
			t.Errorf("%s: %s", coding, w.Body)
		}
	}
	h.status(h.do("POST", target, "name=z&type=y", "Content-Encoding", "Identity"), http.StatusOK, "no coding, in any case")
	h.refused(h.do("POST", "/v1.1/brand/create", "name=x", "Content-Type", "text/plain"), domain.MissingKey, "apiKey")
	h.status(h.do("POST", target+"&name=x&type=y", "", "Content-Type", "text/plain"), http.StatusOK, "no body of another type")
}

// A header over its limit is refused.
func TestErrors_HeaderSize(t *testing.T) {
	h := newFixture(t)
	h.refused(h.get("/v1.1/brands", "X-Large", strings.Repeat("x", serve.MaxHeader)), domain.TooLarge, "")
	h.refused(h.get("/v1.1/brands?keyword="+strings.Repeat("x", serve.MaxHeader)), domain.TooLarge, "")
}

// A POST may have its key in the body.
func TestErrors_KeyInTheBody(t *testing.T) {
	h := newFixture(t)
	for _, body := range []string{"apikey=" + keyAdvanced + "&name=a&type=b", `{"APIKEY":"` + keyAdvanced + `","name":"c","type":"d"}`} {
		h.status(h.do("POST", "/v1.1/brand/create", body), http.StatusOK)
	}
	h.refused(h.post("/v1.1/brand/create", "apikey="+keyAdvanced+"&name=a&type=b"), domain.InvalidParameter, "apikey")
}

// An engine that cannot answer in time is 503, to be retried.
func TestErrors_EngineUnavailable(t *testing.T) {
	for name, err := range map[string]error{
		"said": domain.ErrUnavailable, "deadline": context.DeadlineExceeded, "away": context.Canceled,
	} {
		h := newFixture(t, func(*domain.Question) (*domain.Answer, error) { return nil, err })
		h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return domain.Outcome{}, err }
		h.engine.await = func(context.Context, domain.Position) error { return err }
		token := wire.EncodePosition(domain.Position{Catalog: 1})
		for _, w := range []interface{ Header() http.Header }{
			h.get("/v1.1/brand/1/stats/activity"), h.post("/v1.1/brand/create", "name=x&type=y"), h.get("/v1.1/brands?wait_for=" + token),
		} {
			equal(t, "1", w.Header().Get("Retry-After"), name)
		}
		h.refused(h.get("/v1.1/brand/1/stats/activity"), domain.Unavailable, "")
	}
}

// A bug is a 500 without its cause, logged once under the request's id.
func TestErrors_InternalIsLoggedOnce(t *testing.T) {
	h := newFixture(t, func(*domain.Question) (*domain.Answer, error) {
		return nil, &domain.Error{Code: domain.Internal, Op: "scan", Message: "disk on fire"}
	})
	w := h.get("/v1.1/brand/1/stats/activity")
	h.refused(w, domain.Internal, "")
	if strings.Contains(w.Body.String(), "fire") {
		t.Errorf("the answer shows what is inside: %s", w.Body)
	}
	id := w.Header().Get("X-Request-Id")
	if !strings.Contains(w.Body.String(), `"request_id":"`+id+`"`) || strings.Count(h.log.String(), "disk on fire") != 1 ||
		!strings.Contains(h.log.String(), id) {
		t.Errorf("request %s: %s\n%s", id, w.Body, h.log)
	}
}

// A panic is a 500; its value is logged where it cannot quote a parameter.
func TestErrors_Panic(t *testing.T) {
	h := newFixture(t)
	for _, value := range []any{"secret-value", errValue("secret-value")} {
		h.log.Reset()
		h.engine.answer = func(*domain.Question) (*domain.Answer, error) { panic(value) }
		w := h.get("/v1.1/brand/1/stats/activity?country=DE&utm=secret-parameter")
		h.refused(w, domain.Internal, "")
		log := h.log.String()
		if strings.Contains(log, "secret") || strings.Contains(log, keyAdvanced) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("what was panicked with is shown: %s", log)
		}
		if strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, "tally.go") {
			t.Errorf("not logged once with its stack: %s", log)
		}
	}
	h.status(h.get("/v1.1/brands"), http.StatusOK, "after it")
}

type errValue string

func (e errValue) Error() string { return string(e) }

// An outcome with a code is the error of the code.
func TestErrors_OfOutcomes(t *testing.T) {
	h := newFixture(t)
	for _, code := range []domain.Code{domain.NotFound, domain.Conflict, domain.Gone, domain.PlanLimit} {
		h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
			return domain.Outcome{Code: code, Parameter: "uid", Message: "so it is"}, nil
		}
		h.refused(h.post("/v1.1/member/register", "service=spotify&uid=1&authtoken=t"), code, "uid")
	}
}

// An answer of another shape than the question's is a bug.
func TestErrors_AnswerOfAnotherShape(t *testing.T) {
	ranking := []string{"/v1.1/members/active", "/v1.1/brands/crossover"}
	member := []string{
		"/v1.1/member/4097?showposition=1", "/v1.1/member/4097?showbrands=1", "/v1.1/member/4097?showactions=1", "/v1.1/members",
		"/v1.1/members/stats/activity", "/v1.1/member/4097/activity/100",
	}
	stats := []string{
		"/v1.1/brand/1/stats/activity", "/v1.1/brand/1/stats/timeline", "/v1.1/brand/1/stats/location", "/v1.1/activity/count/daily", "/v1.1/segment/1",
	}
	for _, c := range []struct {
		answer  domain.Answer
		targets []string
	}{
		{domain.Answer{}, slices.Concat(ranking, member, stats)},
		{domain.Answer{Leaders: &domain.Leaders{Members: make([]domain.Leader, 1)}}, ranking},
		{domain.Answer{Leaders: &domain.Leaders{Members: make([]domain.Leader, 2)}}, member},
		{domain.Answer{Crossover: &domain.Crossover{Brands: []domain.BrandMembers{{Brand: 77}}}}, ranking},
		{domain.Answer{Standings: &domain.Standings{Brands: []domain.Standing{{Brand: 77}}}}, member},
		{domain.Answer{Tally: &domain.Tally{}}, []string{"/v1.1/brand/1/stats/activity?explain=1"}}, // it does not explain
	} {
		for _, target := range c.targets {
			h := newFixture(t, always(&c.answer))
			h.refused(h.get(target), domain.Internal, "")
		}
	}
}

// The error of an unknown service lists what this operation takes, as that of a service that it refuses.
func TestErrors_UnknownServiceListsWhatIsTaken(t *testing.T) {
	h := newFixture(t)
	for path, not := range map[string][]string{
		"/v1.1/member/register": {"rdio", "beatsmusic", "custom"}, "/v1.1/member/login": {"custom"}, "/v1.1/activity/record": {"custom"},
	} {
		for _, service := range append([]string{"tiktok", "x"}, not...) {
			detail := h.post(path, "service="+service+"&uid=1&authtoken=x&activityid=101").Body.String()
			if !strings.Contains(detail, "service must be one of email, ") {
				t.Errorf("%s %s: %s", path, service, detail)
			}
			for _, word := range not {
				if strings.Contains(detail, word) {
					t.Errorf("%s %s lists %s: %s", path, service, word, detail)
				}
			}
		}
	}
}
