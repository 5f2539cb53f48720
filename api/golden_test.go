package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

var update = flag.Bool("update", false, "write the golden files")

// fresh are the parts of an answer that differ from run to run.
var fresh = regexp.MustCompile(`"(jwt|Receipt|Secret)":"[^"]+"|"(AccessToken)":"[0-9a-f]{32}_1773578096"`)

// answersEachShape has the engine answer a question of each shape, and its stream have two actions.
func (h *fixture) answersEachShape() {
	tally, content := h.engine.answer, h.engine.content
	streamed := newStreamedRows(h)
	streamed.record(0, 1)
	h.engine.content = content
	h.wanted = "\nevent: "
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		if q.Visits != nil {
			return visited(q)
		}
		switch q.Shape {
		case domain.ShapeTally, domain.ShapeNewcomers:
			a, err := tally(q)
			if a.Tally.Before = 2; q.Explain {
				a.Feed = &domain.Feed{Total: 1, Items: []domain.FeedItem{{Row: domain.Row{Seq: 5, Slot: 1, Time: 7}}}}
			}
			return a, err
		case domain.ShapeGender:
			return grouped(in(0, 7, 3), in(2, 2, 1))(q)
		case domain.ShapeAge:
			return grouped(in(2, 2, 1), in(uint32(domain.UnknownAge), 7, 3))(q)
		case domain.ShapeLocation:
			return located(map[string]domain.Count{"": {Actions: 7, Members: 3}, "DE": {Actions: 2, Members: 1}})(q)
		case domain.ShapeFeed:
			return fed(2)(q)
		case domain.ShapeStream:
			if q.Stream.Segment != 0 {
				return memberships(q), nil
			}
			return streamed.answer(q)
		case domain.ShapeLeaders, domain.ShapeCrossover:
			return ranking(q)
		case domain.ShapeSummaries:
			return summarized(q)
		case domain.ShapeStandings, domain.ShapeMemberList:
			return memberAnswers(1)(q)
		case domain.ShapeLists:
			return &domain.Answer{Lists: []uint64{12}, Union: 12}, nil
		}
		return &domain.Answer{Timeline: &domain.Timeline{First: 20453, Services: []domain.ServiceTimeline{{
			Service: domain.Spotify, Days: []domain.Count{{Actions: 2, Members: 1}, {}}, Total: domain.Count{Actions: 2, Members: 1},
		}}}}, nil
	}
}

// memberships is who came onto a list and who left it: of two shards the first alone has such.
func memberships(q *domain.Question) *domain.Answer {
	out := &domain.Answer{Position: domain.Position{Journal: journalID}, Stream: &domain.Stream{Next: []uint64{12, 0}}}
	if q.Stream.Start == domain.StreamAbove && q.Stream.AboveIn(0) < 12 {
		for i, entered := range []bool{true, false} {
			out.Stream.Events = append(out.Stream.Events, domain.StreamEvent{Membership: domain.Membership{
				Seq: 11 + uint64(i), Account: q.Account, Segment: q.Stream.Segment, Member: 4097, Entered: entered, At: 1773565300123 + int64(i)*60_000,
			}})
		}
	}
	return out
}

// Each shape has these bytes: order of fields, types, nulls. A file named by an operation and a status is its
// example in the document.
func TestGolden_Answers(t *testing.T) {
	h := counting(t)
	h.answersEachShape()
	h.engine.place = domain.VisitPlace{Domain: "moons.example", Page: "moons.example/join"}
	h.visits(domain.Phone, domain.VisitDetails{
		IP: "192.0.2.7", WebPath: "https://moons.example/join?from=mail", ReferringURL: "https://search.example/", Visitor: "v-77",
	})
	// The definition's link is the default of the action's.
	h.engine.defs[0].Link, h.engine.defs[0].Category = "https://example.com/definition", "Music"
	h.engine.usage = []domain.HourHits{
		{Application: 1, Hour: hourOf(now) - 24*30, Hits: 5},
		{Application: 2, Hour: hourOf(now) - 24, Hits: 4},
		{Application: 2, Hour: hourOf(now), Hits: 1234},
	}
	h.engine.members[4097].UUID = [16]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x4d, 0xef, 0x81, 15: 0xff}
	for _, c := range []struct{ name, method, target, body string }{
		{"listBrands.200", "GET", "/v1.1/brands?limit=1", ""},
		{"getBrand.200", "GET", "/v1.1/brand/2", ""},
		{"listActivities.200", "GET", "/v1.1/activities?limit=1,1", ""},
		{"getActivity.200", "GET", "/v1.1/activity/100", ""},
		{"getMember.200", "GET", "/v1.1/member/4097", ""},
		{"getMember.200-shown", "GET", "/v1.1/member/4097?showposition=1&showbrands=1&showactions=1&limit=1", ""},
		{"checkMemberActivity.200", "GET", "/v1.1/member/4097/activity/100", ""},
		{"listMembers.200", "GET", "/v1.1/members?limit=1,1", ""},
		{"listExtendedMembers.200", "GET", "/v1.1/members/extended?limit=1", ""},
		{"listExtendedMembers.200-fields", "GET", "/v1.1/members/extended?limit=1&fields=Extended.tier,Extended.primaryAddress.country,Extended.ae_data.brands", ""},
		{"getMember.200-extended", "GET", "/v1.1/member/4097?extended=1", ""},
		{"exportMember.200", "GET", "/v1.1/member/4097/export", ""},
		{"getMemberTotals.200", "GET", "/v1.1/members/stats/activity?limit=1", ""},
		{"optInToSegment.200", "POST", "/v1.1/segment/1/optin", "id=4097"},
		{"getBrandActivityStats.200", "GET", "/v1.1/brand/1/stats/activity", ""},
		{"getBrandActivityStats.200-type", "GET", "/v1.1/brand/1/stats/activity?group_by=type", ""},
		{"getBrandActivityStats.200-empty", "GET", "/v1.1/brand/1/stats/activity?activityID=104", ""},
		{"getBrandTimeline.200", "GET", "/v1.1/brand/1/stats/timeline", ""},
		{"getBrandLocations.200", "GET", "/v1.1/brand/1/stats/location", ""},
		{"getBrandGenders.200", "GET", "/v1.1/brand/1/stats/gender", ""},
		{"getBrandAges.200", "GET", "/v1.1/brand/1/stats/age", ""},
		{"getBrandActiveMembers.200", "GET", "/v1.1/brand/1/stats/members?limit=1", ""},
		{"getBrandActiveMembers.200-type", "GET", "/v1.1/brand/1/stats/members?group_by=type&limit=1", ""},
		{"getBrandSegmentStats.200", "GET", "/v1.1/brand/1/stats/segments", ""},
		{"getBrandActiveMembers.200-explained", "GET", "/v1.1/brand/1/stats/members?explain=1&limit=1&end_date=2026-01-02+00:00:00", ""},
		{"countDaily.200", "GET", "/v1.1/activity/count/daily?start_date=2025-12-31+00:00:00&end_date=2026-01-02+00:00:00", ""},
		{"recordActivity.200", "POST", "/v1.1/activity/record", "activityid=100&brandid=1&id=4097&content=plain+text&marker=m&timestamp=2026-01-02+03:04:05&country=DE&async=0"},
		{"recordActivity.200-service", "POST", "/v1.1/activity/record", `{"activityid":101,"id":4097,"content":{"TrackName":"Blue"},"media":"https://x.y","marker":"m","timestamp":"2026-01-02 03:04:05","async":0}`},
		{"getFeed.200", "GET", "/v1.1/activity/feed", ""},
		{"streamFeed.200", "GET", "/v1.1/activity/feed/stream?cursor=", ""},
		{"getFeedRSS.200", "GET", "/v1.1/activity/feed.rss?brandID=1", ""},
		{"listActiveMembers.200", "GET", "/v1.1/members/active?totalmembercount=1&limit=1,1", ""},
		{"listActiveMembers.200-fields", "GET", "/v1.1/members/active?fields=lastactivity,SCORE,Brand&brandID=2", ""},
		{"getBrandCrossover.200", "GET", "/v1.1/brands/1/crossover", ""},
		{"recordActivity.202", "POST", "/v1.1/activity/record", "activityid=100&brandid=1&id=4097"},
		{"recordActivities.202", "POST", "/v1.1/activities/record", goodRecord + "\n{}"},
		{"listSegments.200", "GET", "/v1.1/segments?limit=1", ""},
		{"getPopularBrands.200", "GET", "/v1.1/brands/crossover", ""},
		{"listBrandActivities.200", "GET", "/v1.1/brand/1/activities", ""},
		{"listBrandSegments.200", "GET", "/v1.1/brand/1/segments", ""},
		{"createBrand.200", "POST", "/v1.1/brand/create", "name=The+Moons&type=Music"},
		{"editBrand.200", "POST", "/v1.1/brand/1/edit", "hashtag=moons"},
		{"optInToBrand.200", "POST", "/v1.1/brand/1/optin", "id=4097"},
		{"optOutOfBrand.200", "POST", "/v1.1/brand/1/optout", "id=4097"},
		{"countServices.200", "GET", "/v1.1/activity/count/services", ""},
		{"createActivity.200", "POST", "/v1.1/activity/create", "name=played&type=Listened&service=custom"},
		{"editActivity.200", "POST", "/v1.1/activity/100/edit", "value=2"},
		{"recordActivities.200", "POST", "/v1.1/activities/record?async=0", `{"activityid":100,"brandid":1,"id":4097,"marker":"m-1"}`},
		{"getSegment.200", "GET", "/v1.1/segment/1", ""},
		{"streamSegment.200", "GET", "/v1.1/segment/1/stream?cursor=", ""},
		{"createSegment.200", "POST", "/v1.1/segment/create", "name=Campaign&activities=100:7,101"},
		{"editSegment.200", "POST", "/v1.1/segment/1/edit", "label=campaign"},
		{"optOutOfSegment.200", "POST", "/v1.1/segment/1/optout", "id=4097"},
		{"registerMember.200", "POST", "/v1.1/member/register", "service=spotify&uid=u-1&authtoken=token-1"},
		{"registerMembers.200", "POST", "/v1.1/members/register", `{"service":"spotify","uid":"u-21","authtoken":"t"}` + "\n{}"},
		{"updateMember.200", "POST", "/v1.1/member/4097/update", "bio=organ"},
		{"verifyMember.200", "POST", "/v1.1/member/4097/verify", "service=spotify&verified_email=ada@example.com"},
		{"resetMember.200", "POST", "/v1.1/member/8195/reset", "email=bob@example.com&password=correct+horse"},
		{"refreshTokens.200", "POST", "/v1.1/member/8195/tokens/refresh?serviceid=8193", "service=spotify"},
		{"loginMember.200", "POST", "/v1.1/member/login", "service=spotify&uid=u-7&authtoken=token-1"},
		{"getMemberLogins.200", "GET", "/v1.1/member/4097/domains/logins?limit=1", ""},
		{"listLoggedInMembers.200", "GET", "/v1.1/members/login?limit=1", ""},
		{"attachService.200", "POST", "/v1.1/member/4097/register", "service=spotify&uid=u-1&authtoken=token-1"},
		{"findMember.200", "GET", "/v1.1/member?email=ada@example.com", ""},
		{"optIn.200", "POST", "/v1.1/optin", "id=4097"},
		{"optOut.200", "POST", "/v1.1/optout", "id=4097"},
		{"deleteActivity.200", "POST", "/v1.1/activity/104/delete", ""},
		{"deleteBrand.200", "POST", "/v1.1/brand/1/delete", ""},
		{"deleteSegment.200", "POST", "/v1.1/segment/1/delete", ""},
		{"deleteMemberActivity.200", "POST", "/v1.1/member/4097/activity/12289/delete", ""},
		{"getAuth.200", "GET", "/v1.1/auth?accessToken=" + adasToken, ""},
		{"authenticate.200", "POST", "/v1.1/auth", "accessToken=" + adasToken},
		{"authenticate.200-details", "POST", "/v1.1/auth", "details=1&accessToken=" + adasToken},
		{"getApplication.200", "GET", "/v1.1/app/info", ""},
		{"allowDomain.200", "POST", "/v1.1/app/allowlist", "domain=www.example.com"},
		{"whitelistDomain.200", "POST", "/v1.1/app/whitelist", "domain=example.org"},
		{"unwhitelistDomain.200", "POST", "/v1.1/app/unwhitelist", "domain=example.org"},
		{"unallowDomain.200", "POST", "/v1.1/app/unallowlist", "domain=example.com"},
		{"getSignups.200", "GET", "/v1.1/login/stats/alltime", ""},
		{"getSignupChannels.200", "GET", "/v1.1/login/stats/channels", ""},
		{"getSignupTimeline.200", "GET", "/v1.1/login/stats/timeline", ""},
		{"getSignupDomains.200", "GET", "/v1.1/login/stats/domains", ""},
		{"getLoginTotals.200", "GET", "/v1.1/login/stats/totals", ""},
		{"getTopDomains.200", "GET", "/v1.1/members/domains/top", ""},
		{"getMemberTopDomains.200", "GET", "/v1.1/member/4097/domains/top", ""},
		{"getMemberVisits.200", "GET", "/v1.1/members/stats/visits", ""},
		{"getUsage.200", "GET", "/v1.1/account/usage?interval=day&start_date=2026-03-14+12:00:00&period=1+day", ""},
		{"getUsage.200-hour", "GET", "/v1.1/account/usage?interval=hour&start_date=2026-03-15+11:00:00&end_date=2026-03-15+13:00:00", ""},
		{"getUsage.200-month", "GET", "/v1.1/account/usage?interval=month&start_date=2026-02-01+00:00:00&period=2+month&app_scope=businessunit", ""},
		{"createWebhook.200", "POST", "/v1.1/webhook/create", "url=https://hooks.example.com/ovation&events=activity&services=spotify&country=DE"},
		{"listWebhooks.200", "GET", "/v1.1/webhooks", ""},
		{"testWebhook.200", "POST", "/v1.1/webhook/1/test", ""},
		{"editWebhook.200", "POST", "/v1.1/webhook/1/edit", "batch=100&enabled=0"},
		{"listDeliveries.200", "GET", "/v1.1/webhook/1/deliveries", ""},
		{"redeliver.200", "POST", "/v1.1/webhook/1/redeliver", "id=" + givenUpMessage.String()},
		{"deleteWebhook.200", "POST", "/v1.1/webhook/1/delete", ""},
		{"removeService.200", "POST", "/v1.1/member/8195/service/8193/delete", ""},
		{"problem", "GET", "/v1.1/brands?limit=x", ""},
		{"mergeMembers.200", "POST", "/v1.1/member/4097/merge", "from=8195&accesstoken=" + bobsToken},
		{"unmergeMembers.200", "POST", "/v1.1/member/4097/unmerge", "from=8195"},
		{"deleteMember.200", "POST", "/v1.1/member/8195/delete", ""},
	} {
		w := h.do(c.method, keyed(c.target, keyAdvanced), c.body)
		var got bytes.Buffer
		file := filepath.Join("openapi", "examples", c.name+".json")
		if w.Header().Get("Content-Type") == "application/x-ndjson" {
			got.Write(fresh.ReplaceAll(w.Body.Bytes(), []byte(`"$1$2":"…"`)))
			file = strings.TrimSuffix(file, ".json") + ".ndjson"
		} else if w.Header().Get("Content-Type") == "text/event-stream" {
			got.Write(w.Body.Bytes())
			file = strings.TrimSuffix(file, ".json") + ".txt"
		} else if w.Header().Get("Content-Type") == "application/rss+xml" {
			got.Write(w.Body.Bytes())
			file = strings.TrimSuffix(file, ".json") + ".xml"
		} else if err := json.Indent(&got, fresh.ReplaceAll(w.Body.Bytes(), []byte(`"$1$2":"…"`)), "", "  "); err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, w.Body)
		}
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, string(want), got.String(), c.name)
	}
}

// Each status of success of each operation has an example in the document.
func TestOpenAPI_EachAnswerHasAnExample(t *testing.T) {
	for _, o := range Operations() {
		for _, out := range o.Outcomes {
			files, err := filepath.Glob(filepath.Join("openapi", "examples", fmt.Sprintf("%s.%d.*", o.ID, out.Status)))
			if err != nil || len(files) != 1 {
				t.Errorf("%s %d has the examples %q", o.Name(), out.Status, files)
			}
		}
	}
}
