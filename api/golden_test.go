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
		if q.Shape == domain.ShapeTally {
			return tally(q)
		}
		return &domain.Answer{Timeline: &domain.Timeline{First: 20453, Services: []domain.ServiceTimeline{{
			Service: domain.Spotify, Days: []domain.Count{{Actions: 2, Members: 1}, {}}, Total: domain.Count{Actions: 2, Members: 1},
		}}}}, nil
	}
	// The definition's link stands in for the action's.
	h.engine.defs[0].Link, h.engine.defs[0].Category = "https://example.com/definition", "Music"
	for _, c := range []struct{ name, method, target, body string }{
		{"brands", "GET", "/v1.1/brands?limit=1", ""},
		{"brand", "GET", "/v1.1/brand/2", ""},
		{"activities", "GET", "/v1.1/activities?limit=1,1", ""},
		{"activity", "GET", "/v1.1/activity/100", ""},
		{"member", "GET", "/v1.1/member/4097", ""},
		{"tally", "GET", "/v1.1/brand/1/stats/activity", ""},
		{"tally-type", "GET", "/v1.1/brand/1/stats/activity?group_by=type", ""},
		{"tally-empty", "GET", "/v1.1/brand/1/stats/activity?activityID=104", ""},
		{"timeline", "GET", "/v1.1/brand/1/stats/timeline", ""},
		{"record", "POST", "/v1.1/activity/record", "activityid=100&brandid=1&id=4097&content=plain+text&marker=m&timestamp=2026-01-02+03:04:05&country=DE&async=0"},
		{"record-service", "POST", "/v1.1/activity/record", `{"activityid":101,"id":4097,"content":{"TrackName":"Blue"},"media":"https://x.y","marker":"m","timestamp":"2026-01-02 03:04:05","async":0}`},
		{"record-async", "POST", "/v1.1/activity/record", "activityid=100&brandid=1&id=4097"},
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
