package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

var update = flag.Bool("update", false, "write the golden files")

// fresh are the parts of an answer that differ from run to run.
var fresh = regexp.MustCompile(`"jwt":"[^"]+"`)

// TestAnswersAreAsTheyWere holds the bytes of each shape: order of fields, types,
// nulls.
func TestAnswersAreAsTheyWere(t *testing.T) {
	h := counting(t)
	tally := h.engine.answer
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		if q.Shape == domain.ShapeTally || q.Shape == domain.ShapeNewcomers {
			a, err := tally(q)
			if a.Tally.Before = 2; q.Explain {
				a.Feed = &domain.Feed{Total: 3, Ahead: 1, Items: []domain.FeedItem{{Row: domain.Row{Seq: 5, Slot: 1, Time: 7}}}}
			}
			return a, err
		}
		if q.Shape == domain.ShapeGender {
			return grouped(in(0, 7, 3), in(2, 2, 1))(q)
		}
		if q.Shape == domain.ShapeAge {
			return grouped(in(2, 2, 1), in(uint32(domain.UnknownAge), 7, 3))(q)
		}
		if q.Shape == domain.ShapeLocation {
			return located(map[string]domain.Count{"": {Actions: 7, Members: 3}, "DE": {Actions: 2, Members: 1}})(q)
		}
		if q.Shape == domain.ShapeFeed {
			return fed(2)(q)
		}
		if q.Shape == domain.ShapeLeaders || q.Shape == domain.ShapeCrossover {
			return ranking(q)
		}
		if q.Shape == domain.ShapeStandings || q.Shape == domain.ShapeRoll {
			return memberAnswers(1)(q)
		}
		if q.Shape == domain.ShapeLists {
			return &domain.Answer{Lists: []uint64{12}, Union: 12}, nil
		}
		return &domain.Answer{Timeline: &domain.Timeline{First: 20453, Services: []domain.ServiceTimeline{{
			Service: domain.Spotify, Days: []domain.Count{{Actions: 2, Members: 1}, {}}, Total: domain.Count{Actions: 2, Members: 1},
		}}}}, nil
	}
	// The definition's link stands in for the action's.
	h.engine.defs[0].Link, h.engine.defs[0].Category = "https://example.com/definition", "Music"
	h.engine.members[4097].UUID = [16]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x4d, 0xef, 0x81, 15: 0xff}
	for _, c := range []struct{ name, method, target, body string }{
		{"brands", "GET", "/v1.1/brands?limit=1", ""},
		{"brand", "GET", "/v1.1/brand/2", ""},
		{"activities", "GET", "/v1.1/activities?limit=1,1", ""},
		{"activity", "GET", "/v1.1/activity/100", ""},
		{"member", "GET", "/v1.1/member/4097", ""},
		{"member-activity", "GET", "/v1.1/member/4097?showposition=1&showbrands=1&showactions=1&limit=1", ""},
		{"checked", "GET", "/v1.1/member/4097/activity/100", ""},
		{"members", "GET", "/v1.1/members?limit=1,1", ""},
		{"members-totals", "GET", "/v1.1/members/stats/activity?limit=1", ""},
		{"opted-in", "POST", "/v1.1/segment/1/optin", "id=4097"},
		{"tally", "GET", "/v1.1/brand/1/stats/activity", ""},
		{"tally-type", "GET", "/v1.1/brand/1/stats/activity?group_by=type", ""},
		{"tally-empty", "GET", "/v1.1/brand/1/stats/activity?activityID=104", ""},
		{"timeline", "GET", "/v1.1/brand/1/stats/timeline", ""},
		{"location", "GET", "/v1.1/brand/1/stats/location", ""},
		{"gender", "GET", "/v1.1/brand/1/stats/gender", ""},
		{"age", "GET", "/v1.1/brand/1/stats/age", ""},
		{"newcomers", "GET", "/v1.1/brand/1/stats/members?limit=1", ""},
		{"newcomers-type", "GET", "/v1.1/brand/1/stats/members?group_by=type&limit=1", ""},
		{"segment-stats", "GET", "/v1.1/brand/1/stats/segments", ""},
		{"explained", "GET", "/v1.1/brand/1/stats/members?explain=1&limit=1&end_date=2026-01-02+00:00:00", ""},
		{"daily", "GET", "/v1.1/activity/count/daily?start_date=2025-12-31+00:00:00&end_date=2026-01-02+00:00:00", ""},
		{"record", "POST", "/v1.1/activity/record", "activityid=100&brandid=1&id=4097&content=plain+text&marker=m&timestamp=2026-01-02+03:04:05&country=DE&async=0"},
		{"record-service", "POST", "/v1.1/activity/record", `{"activityid":101,"id":4097,"content":{"TrackName":"Blue"},"media":"https://x.y","marker":"m","timestamp":"2026-01-02 03:04:05","async":0}`},
		{"feed", "GET", "/v1.1/activity/feed", ""},
		{"members-active", "GET", "/v1.1/members/active?totalmembercount=1&limit=1,1", ""},
		{"members-active-fields", "GET", "/v1.1/members/active?fields=lastactivity,SCORE,Brand&brandID=2", ""},
		{"crossover", "GET", "/v1.1/brands/1/crossover", ""},
		{"record-async", "POST", "/v1.1/activity/record", "activityid=100&brandid=1&id=4097"},
		{"record-many", "POST", "/v1.1/activities/record", goodRecord + "\n{}"},
		{"segments", "GET", "/v1.1/segments?limit=1", ""},
		{"deleted", "POST", "/v1.1/activity/104/delete", ""},
		{"problem", "GET", "/v1.1/brands?limit=x", ""},
	} {
		w := h.do(c.method, keyed(c.target, keyAdvanced), c.body)
		var got bytes.Buffer
		if err := json.Indent(&got, fresh.ReplaceAll(w.Body.Bytes(), []byte(`"jwt":"…"`)), "", "  "); err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, w.Body)
		}
		file := filepath.Join("testdata", "golden", c.name+".json")
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
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
