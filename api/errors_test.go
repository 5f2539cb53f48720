package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

func TestEveryErrorHasItsCodeAndParameter(t *testing.T) {
	big := strings.Repeat("x", serve.MaxBody+1)
	for _, c := range []struct {
		method, target, key, body string
		code                      domain.Code
		parameter                 string
	}{
		{"GET", "/nothing", keyAdvanced, "", 5, ""},
		{"GET", "/v1.0/brands", keyAdvanced, "", 5, ""},
		{"DELETE", "/v1.1/brands", keyAdvanced, "", 6, ""},
		{"GET", "/v1.1/brand/create", "", "", 6, ""}, // the literal wins, the method comes before the key
		{"POST", "/v1.1/brand/1", keyAdvanced, "", 6, ""},
		{"GET", "/v1.1/brands", "", "", 1, "apiKey"},
		{"POST", "/v1.1/brand/create", "", "name=x", 1, "apiKey"},
		{"GET", "/v1.1/brands", "wrong", "", 2, "apiKey"},
		{"GET", "/v1.1/brands", keyRevoked, "", 2, "apiKey"},
		{"POST", "/v1.1/brand/create", keyStandard, "", 9, ""}, // before the parameters
		{"POST", "/v1.1/brand/create", keyAdvanced, "name=x&type=y&custom_a=x", 9, "custom_"},
		{"POST", "/v1.1/brand/create", keyAdvanced, big, 14, ""},
		{"POST", "/v1.1/brand/create", keyAdvanced, "{", 4, ""},
		{"POST", "/v1.1/brand/create", keyAdvanced, "type=y&slug=a+b", 3, "name"},
		{"POST", "/v1.1/brand/create", keyAdvanced, "name=x&type=y&slug=a+b", 4, "slug"},
		{"POST", "/v1.1/brand/create", keyAdvanced, "name=x&type=y&twitterurl=ftp://x", 4, "twitterurl"},
		{"POST", "/v1.1/brand/create", keyEnterprise, "name=x&type=y&custom_a=x", 4, "custom_a"},
		{"POST", "/v1.1/brand/create", keyEnterprise, "name=x&type=y&custom_=1", 4, "custom_"},
		{"POST", "/v1.1/brand/create?name=x", keyAdvanced, "name=x&type=y", 4, "name"},
		{"POST", "/v1.1/brand/create", keyAdvanced, "name=x&type=y&slug=moons", 7, "slug"},
		{"POST", "/v1.1/brand/create", keyGlobal, "name=x&type=y", 15, ""},
		{"POST", "/v1.1/brand/create", keyGlobal, "name=x", 3, "type"},
		{"GET", "/v1.1/brands", keyPublic, "", 15, ""},
		{"GET", "/v1.1/brands?limit=x", keyAdvanced, "", 4, "limit"},
		{"GET", "/v1.1/brands?sort=up", keyAdvanced, "", 4, "sort"},
		{"GET", "/v1.1/brands?cursor=x", keyAdvanced, "", 4, "cursor"},
		{"GET", "/v1.1/brands?wait_for=x", keyAdvanced, "", 4, "wait_for"},
		{"GET", "/v1.1/brands?timeout_ms=10001", keyAdvanced, "", 4, "timeout_ms"},
		{"GET", "/v1.1/brand/x", keyAdvanced, "", 4, "brandid"},
		{"GET", "/v1.1/brand/3", keyAdvanced, "", 5, "brandid"},
		{"GET", "/v1.1/brand/4294967297", keyAdvanced, "", 5, "brandid"},
		{"GET", "/v1.1/brand/1", keyStranger, "", 5, "brandid"}, // never 403
		{"POST", "/v1.1/brand/3/edit", keyAdvanced, "name=x", 5, "brandid"},
		{"POST", "/v1.1/brand/1/edit", keyAdvanced, "name=", 3, "name"},
		{"POST", "/v1.1/brand/1/edit?brandid=2", keyAdvanced, "", 4, "brandid"},
		{"POST", "/v1.1/brand/3/delete", keyAdvanced, "", 5, ""},
		{"POST", "/v1.1/brand/4294967297/delete", keyAdvanced, "", 5, "brandid"},
		{"GET", "/v1.1/activities?brandID=3", keyAdvanced, "", 5, "brandID"},
		{"GET", "/v1.1/activities?segmentid=3", keyAdvanced, "", 5, "segmentid"},
		{"GET", "/v1.1/activity/1", keyAdvanced, "", 5, "activityid"}, // built in
		{"POST", "/v1.1/activity/2/edit", keyAdvanced, "", 5, "activityid"},
		{"POST", "/v1.1/activity/99/delete", keyAdvanced, "", 5, "activityid"},
		{"POST", "/v1.1/activity/100/edit", keyAdvanced, "onetime=1", 4, "onetime"},
		{"POST", "/v1.1/activity/100/edit", keyAdvanced, "type=", 3, "type"},
		{"POST", "/v1.1/activity/100/edit", keyStandard, "", 9, ""},
		{"POST", "/v1.1/activity/create", keyStandard, "name=x&type=y", 3, "service"},
		{"POST", "/v1.1/activity/create", keyStandard, "name=x&type=y&service=z", 4, "service"},
		{"POST", "/v1.1/activity/create", keyStandard, "name=x&type=y&service=custom&value=65536", 4, "value"},
		{"POST", "/v1.1/activity/create", keyStandard, "name=x&type=y&service=custom&brandid=4294967297", 5, "brandid"},
		{"POST", "/v1.1/member/register", keyStandard, "", 3, "service"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&authtoken=t", 3, "uid"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&uid=1", 3, "authtoken"},
		{"POST", "/v1.1/member/register", keyStandard, "service=email&password=12345678", 3, "email"},
		{"POST", "/v1.1/member/register", keyStandard, "service=email&email=a@b.c", 3, "password"},
		{"POST", "/v1.1/member/register", keyStandard, "service=email&email=&password=12345678", 3, "email"},
		{"POST", "/v1.1/member/register", keyStandard, "service=email&email=a@b.c&password=1234567", 4, "password"},
		{"POST", "/v1.1/member/register", keyStandard, "service=email&email=b.c&password=12345678", 4, "email"},
		{"POST", "/v1.1/member/register", keyStandard, "service=email&email=a@b.c&password=" + strings.Repeat("x", 257), 4, "password"},
		{"POST", "/v1.1/member/register", keyStandard, "service=rdio&uid=1&authtoken=t", 4, "service"},
		{"POST", "/v1.1/member/register", keyStandard, "service=beatsmusic&uid=1&authtoken=t", 4, "service"},
		{"POST", "/v1.1/member/register", keyStandard, "service=custom&uid=1&authtoken=t", 4, "service"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&uid=1&authtoken=t&birthdate=15-03-2026", 4, "birthdate"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&uid=1&authtoken=t&country=ZZ", 4, "country"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&uid=1&authtoken=t&ip=1", 4, "ip"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&uid=1&authtoken=t&id=0", 4, "id"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&uid=1&authtoken=t&id=1", 5, "id"},
		{"POST", "/v1.1/member/4097/register", keyStandard, "", 3, "service"},
		{"POST", "/v1.1/member/4097/register", keyStandard, "service=spotify&authtoken=t", 3, "uid"},
		{"POST", "/v1.1/member/4097/register", keyStandard, "service=spotify&uid=1&authtoken=t&id=4098", 4, "id"},
		{"POST", "/v1.1/member/x/register", keyStandard, "service=spotify&uid=1&authtoken=t", 4, "memberid"},
		{"POST", "/v1.1/member/1/register", keyStandard, "service=spotify&uid=1&authtoken=t", 5, "memberid"},
		{"POST", "/v1.1/member/4097/register", keyStranger, "service=spotify&uid=1&authtoken=t", 5, "memberid"},
		{"POST", "/v1.1/member/4097/register", keyStandard, "service=spotify&uid=1&authtoken=t&segmentid=4", 5, "segmentid"},
		{"POST", "/v1.1/member/4097/register", keyGlobal, "service=spotify&uid=1&authtoken=t", 15, ""},
		{"GET", "/v1.1/member", keyAdvanced, "", 3, "email"},
		{"GET", "/v1.1/member?memberid=4097", keyAdvanced, "", 3, "email"},
		{"GET", "/v1.1/member?email=a@b.c&verified_email=a@b.c", keyAdvanced, "", 4, "verified_email"},
		{"GET", "/v1.1/member?partnerID=1&partnerCode=x&service=spotify&username=y", keyAdvanced, "", 4, "username"},
		{"GET", "/v1.1/member?partnerCode=x", keyAdvanced, "", 3, "partnerID"},
		{"GET", "/v1.1/member?username=x", keyAdvanced, "", 3, "service"},
		{"GET", "/v1.1/member?service=spotify", keyAdvanced, "", 3, "username"},
		{"GET", "/v1.1/member?email=b.c", keyAdvanced, "", 4, "email"},
		{"GET", "/v1.1/member?email=a@b.c", keyAdvanced, "", 5, "email"},
		{"GET", "/v1.1/member?verified_email=a@b.c", keyAdvanced, "", 5, "verified_email"},
		{"GET", "/v1.1/member?partnerID=1&partnerCode=x", keyAdvanced, "", 5, "partnerID"},
		{"GET", "/v1.1/member?service=spotify&username=x", keyAdvanced, "", 5, "username"},
		{"GET", "/v1.1/member?email=ada@example.com", keyStranger, "", 5, "email"},
		{"GET", "/v1.1/member?email=ada@example.com&brandID=3", keyAdvanced, "", 5, "brandID"},
		{"GET", "/v1.1/member?email=ada@example.com&limit=3", keyAdvanced, "", 3, "showactions"},
		{"POST", "/v1.1/brand/1/optin", keyStandard, "", 3, "id"},
		{"POST", "/v1.1/brand/1/optout", keyStandard, "id=4097&email=a@b.c", 4, "email"},
		{"POST", "/v1.1/brand/1/optin", keyStandard, "partnerID=1", 3, "partnerCode"},
		{"POST", "/v1.1/brand/3/optin", keyStandard, "id=4097", 5, "brandid"},
		{"POST", "/v1.1/brand/x/optin", keyStandard, "id=4097", 4, "brandid"},
		{"POST", "/v1.1/brand/1/optin", keyStandard, "id=1", 5, "id"},
		{"POST", "/v1.1/brand/1/optin", keyStandard, "email=a@b.c", 5, "email"},
		{"POST", "/v1.1/brand/1/optin", keyPublic, "id=4097", 15, ""},
		{"POST", "/v1.1/segment/2/optin", keyStandard, "id=4097", 5, "segmentid"},
		{"POST", "/v1.1/segment/1/optout", keyStandard, "", 3, "id"},
		{"POST", "/v1.1/segment/1/optin", keyStranger, "id=4097", 5, "segmentid"},
		{"POST", "/v1.1/optin", keyStandard, "", 3, "id"},
		{"POST", "/v1.1/optout", keyStandard, "id=1", 5, "id"},
		{"POST", "/v1.1/optin", keyStandard, "service=spotify&username=x&id=4097", 4, "username"},
		{"POST", "/v1.1/member/register", keyStandard, "service=spotify&uid=1&authtoken=t&segmentid=4", 5, "segmentid"},
		{"GET", "/v1.1/members/active?brandID=3", keyStandard, "", 5, "brandID"},
		{"GET", "/v1.1/members/active?brandID=1", keyStranger, "", 5, "brandID"},
		{"GET", "/v1.1/members/active?brandID=x", keyStandard, "", 4, "brandID"},
		{"GET", "/v1.1/members/active?order_by=Name", keyStandard, "", 4, "order_by"},
		{"GET", "/v1.1/members/active?order_by=lastlogin&activityID=100", keyStandard, "", 4, "activityID"},
		{"GET", "/v1.1/members/active?sort=up", keyStandard, "", 4, "sort"},
		{"GET", "/v1.1/members/active?limit=100001,1", keyStandard, "", 4, "limit"},
		{"GET", "/v1.1/members/active?cursor=x", keyStandard, "", 4, "cursor"},
		{"GET", "/v1.1/members/active?required_fields=Email" + strings.Repeat(",Email", 1000), keyStandard, "", 4, "required_fields"},
		{"GET", "/v1.1/members/active?fields=" + strings.Repeat("a,", 1001), keyStandard, "", 4, "fields"},
		{"GET", "/v1.1/members/active?totalmembercount=yes", keyStandard, "", 4, "totalmembercount"},
		{"GET", "/v1.1/members/active?optedin=1", keyStandard, "", 3, "brandID"},
		{"GET", "/v1.1/members/active?region=BE", keyStandard, "", 4, "region"},
		{"GET", "/v1.1/members/active?segment=9", keyStandard, "", 5, "segment"},
		{"GET", "/v1.1/members/active?activityID=99", keyStandard, "", 5, "activityID"},
		{"GET", "/v1.1/members/active?start_date=2026-01-02+00:00:00&end_date=2026-01-02+00:00:00", keyStandard, "", 4, "start_date"},
		{"POST", "/v1.1/members/active", keyStandard, "", 6, ""},
		{"GET", "/v1.1/brands/crossover?brandid=3", keyStandard, "", 5, "brandid"},
		{"GET", "/v1.1/brands/3/crossover", keyStandard, "", 5, "brandid"},
		{"GET", "/v1.1/brands/x/crossover", keyStandard, "", 4, "brandid"},
		{"GET", "/v1.1/brands/1/crossover?brandid=2", keyStandard, "", 4, "brandid"},
		{"GET", "/v1.1/brands/1/crossover", keyStranger, "", 5, "brandid"},
		{"GET", "/v1.1/brands/crossover?services=vinyl", keyStandard, "", 4, "services"},
		{"GET", "/v1.1/brands/crossover?limit=x", keyStandard, "", 4, "limit"},
		{"GET", "/v1.1/member/1", keyAdvanced, "", 5, ""},
		{"GET", "/v1.1/member/4097", keyStranger, "", 5, ""},
		{"GET", "/v1.1/member/4097?email=a@b.c", keyAdvanced, "", 4, "email"},
		{"GET", "/v1.1/member/4097?partnerID=1", keyAdvanced, "", 3, "partnerCode"},
		{"GET", "/v1.1/member/4097?threshold=2", keyAdvanced, "", 3, "showbrands"},
		{"GET", "/v1.1/member/4097?threshold=0&showbrands=1", keyAdvanced, "", 4, "threshold"},
		{"GET", "/v1.1/member/4097?limit=2", keyAdvanced, "", 3, "showactions"},
		{"POST", "/v1.1/activity/record", keyStandard, "", 9, ""},
		{"POST", "/v1.1/activity/record", keyAdvanced, "id=4097", 3, "activityid"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100", 3, "id"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&uid=1", 3, "service"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&id=4097", 3, "brandid"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&id=4097&timestamp=2027-01-01+00:00:00", 3, "brandid"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=99&id=4097&timestamp=2027-01-01+00:00:00", 4, "timestamp"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&brandid=1&id=4097&timestamp=1999-12-31+23:59:59", 4, "timestamp"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=101&brandid=2&id=4097", 4, "brandid"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&brandid=1&id=4097&uid=1&service=spotify", 4, "uid"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&brandid=1&uid=1&service=custom", 4, "service"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=99&brandid=1&id=4097", 5, "activityid"},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&brandid=3&id=4097", 5, "brandid"},
		{"POST", "/v1.1/member/register", keyAdvanced, "service=spotify&uid=u&authtoken=t&id=5", 5, "id"},
		{"POST", "/v1.1/member/5/register", keyAdvanced, "service=spotify&uid=u&authtoken=t", 5, "memberid"},
		{"POST", "/v1.1/brand/create", keyAdvanced, "name=+++&type=Music", 4, "name"},
		{"POST", "/v1.1/activities/record", keyAdvanced, "", 3, ""},
		{"POST", "/v1.1/activity/record", keyAdvanced, "activityid=100&brandid=1&id=5&async=0", 5, "id"},
		{"GET", "/v1.1/brand/3/stats/activity", keyAdvanced, "", 5, "brandID"},
		{"GET", "/v1.1/brand/1/stats/activity?activityID=100,7", keyAdvanced, "", 5, "activityID"},
		{"GET", "/v1.1/brand/1/stats/activity?segmentid=2", keyAdvanced, "", 5, "segmentid"},
		{"GET", "/v1.1/brand/1/stats/activity?segmentid=4294967297", keyAdvanced, "", 5, "segmentid"},
		{"GET", "/v1.1/brand/1/stats/activity?segmentid=0", keyAdvanced, "", 4, "segmentid"},
		{"GET", "/v1.1/brand/1/stats/activity?optedin=2", keyAdvanced, "", 4, "optedin"},
		{"GET", "/v1.1/brand/1/stats/activity?region=BE", keyAdvanced, "", 4, "region"},
		{"GET", "/v1.1/brand/1/stats/activity?region=BE&country=DE,FR", keyAdvanced, "", 4, "region"},
		{"GET", "/v1.1/brand/1/stats/activity?domain=a+b", keyAdvanced, "", 4, "domain"},
		{"GET", "/v1.1/brand/1/stats/activity?group_by=day", keyAdvanced, "", 4, "group_by"},
		{"GET", "/v1.1/brand/1/stats/activity?explain=2", keyAdvanced, "", 4, "explain"},
		{"GET", "/v1.1/brand/3/stats/location", keyAdvanced, "", 5, "brandID"},
		{"GET", "/v1.1/brand/1/stats/location?segmentID=2", keyAdvanced, "", 5, "segmentID"},
		{"GET", "/v1.1/brand/1/stats/location?region=BE", keyAdvanced, "", 4, "region"},
		{"GET", "/v1.1/brand/1/stats/location?country=ZZ", keyAdvanced, "", 4, "country"},
		{"GET", "/v1.1/activity/feed?brandID=3", keyAdvanced, "", 5, "brandID"},
		{"GET", "/v1.1/activity/feed?segment=2", keyAdvanced, "", 5, "segment"},
		{"GET", "/v1.1/activity/feed?activityID=99", keyAdvanced, "", 5, "activityID"},
		{"GET", "/v1.1/activity/feed?region=BE", keyAdvanced, "", 4, "region"},
		{"GET", "/v1.1/activity/feed?sort=newest", keyAdvanced, "", 4, "sort"},
		{"GET", "/v1.1/activity/feed?limit=100001,1", keyAdvanced, "", 4, "limit"},
		{"GET", "/v1.1/activity/feed?cursor=x", keyAdvanced, "", 4, "cursor"},
		{"GET", "/v1.1/activity/feed?anyofactivities=1-", keyAdvanced, "", 4, "anyofactivities"},
		{"GET", "/v1.1/activity/feed?all_member_actions=yes", keyAdvanced, "", 4, "all_member_actions"},
		{"GET", "/v1.1/activity/feed?end_date=2026-01-01&brandID=3", keyAdvanced, "", 4, "end_date"},
		{"GET", "/v1.1/activity/feed?keyword=" + strings.Repeat("x", 256), keyAdvanced, "", 4, "keyword"},
		{"GET", "/v1.1/activity/count/daily", keyStandard, "", 9, ""},
		{"GET", "/v1.1/activity/count/daily?brandID=3", keyAdvanced, "", 5, "brandID"},
		{"GET", "/v1.1/activity/count/daily?brandID=0", keyAdvanced, "", 4, "brandID"},
		{"GET", "/v1.1/activity/count/daily?optedin=1", keyAdvanced, "", 3, "brandID"},
		{"GET", "/v1.1/activity/count/daily?activityID=99", keyAdvanced, "", 5, "activityID"},
		{"GET", "/v1.1/activity/count/services", keyStandard, "", 9, ""},
		{"GET", "/v1.1/activity/count/services?services=nobody", keyAdvanced, "", 4, "services"},
		{"GET", "/v1.1/brand/1/stats/timeline?period=1", keyAdvanced, "", 4, "period"},
		{"GET", "/v1.1/brand/1/stats/timeline?start_date=2026-03-16+00:00:00", keyAdvanced, "", 4, "start_date"},
		{"GET", "/v1.1/brand/1/stats/timeline?members=0", keyAdvanced, "", 4, "members"},
	} {
		h := newFixture(t)
		target := c.target
		if c.key != "" {
			target = keyed(target, c.key)
		}
		t.Run(strings.TrimPrefix(c.method+c.target, "/")+" "+c.body[:min(40, len(c.body))], func(t *testing.T) {
			h.t = t
			h.refused(h.do(c.method, target, c.body), c.code, c.parameter)
			for _, s := range h.engine.submitted {
				if c.code < 5 {
					t.Errorf("a refused request was submitted: %T", s.Command)
				}
			}
		})
	}
}

func TestBodyOfAnotherTypeIsUnsupported(t *testing.T) {
	h := newFixture(t)
	target := keyed("/v1.1/brand/create", keyAdvanced)
	for _, header := range [][]string{
		{"Content-Type", "text/plain"},
		{"Content-Type", ""},
		{"Content-Type", "multipart/form-data; boundary=x"},
		{"Content-Type", ";;"},
		{"Content-Encoding", "gzip"},
	} {
		h.refused(h.do("POST", target, "name=x&type=y", header...), domain.UnsupportedMedia, "")
	}
	h.refused(h.do("POST", "/v1.1/brand/create", "name=x", "Content-Type", "text/plain"), domain.MissingKey, "apiKey")
	if w := h.do("POST", target+"&name=x&type=y", "", "Content-Type", "text/plain"); w.Code != http.StatusOK {
		t.Errorf("no body of another type: %d %s", w.Code, w.Body)
	}
}

func TestHeaderOverItsLimitIsTooLarge(t *testing.T) {
	h := newFixture(t)
	h.refused(h.get("/v1.1/brands", "X-Large", strings.Repeat("x", serve.MaxHeader)), domain.TooLarge, "")
	h.refused(h.get("/v1.1/brands?keyword="+strings.Repeat("x", serve.MaxHeader)), domain.TooLarge, "")
}

func TestKeyMayStandInTheBody(t *testing.T) {
	h := newFixture(t)
	for _, body := range []string{"apikey=" + keyAdvanced + "&name=a&type=b", `{"APIKEY":"` + keyAdvanced + `","name":"c","type":"d"}`} {
		if w := h.do("POST", "/v1.1/brand/create", body); w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	h.refused(h.post("/v1.1/brand/create", "apikey="+keyAdvanced+"&name=a&type=b"), domain.InvalidParameter, "apikey")
}

func TestEngineThatCannotAnswerIsUnavailable(t *testing.T) {
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
			if got := w.Header().Get("Retry-After"); got != "1" {
				t.Errorf("%s: Retry-After %q", name, got)
			}
		}
		h.refused(h.get("/v1.1/brand/1/stats/activity"), domain.Unavailable, "")
	}
}

func TestEngineThatBreaksIsAnInternalErrorLoggedOnce(t *testing.T) {
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

func TestPanicIsAnInternalErrorWithoutParametersInTheLog(t *testing.T) {
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
	if w := h.get("/v1.1/brands"); w.Code != http.StatusOK {
		t.Errorf("after it: %d", w.Code)
	}
}

type errValue string

func (e errValue) Error() string { return string(e) }

func TestOutcomesBecomeTheirErrors(t *testing.T) {
	h := newFixture(t)
	for _, code := range []domain.Code{domain.NotFound, domain.Conflict, domain.Gone, domain.PlanLimit} {
		h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
			return domain.Outcome{Code: code, Parameter: "uid", Message: "so it is"}, nil
		}
		h.refused(h.post("/v1.1/member/register", "service=spotify&uid=1&authtoken=t"), code, "uid")
	}
}
