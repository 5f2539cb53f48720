package demo

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The activity that the guide publishes counts in the demo, with any seed: the fan is registered
// by the command above it, and account, brand and activity are there.
func TestGuide_ActivityCounts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../api/docs/guide/publish.md")
	if err != nil {
		t.Fatal(err)
	}
	var sample struct {
		Account, ActivityID, BrandID int
		ID, Source, Service, Content any
		ServiceUserID                string
		Time                         time.Time
	}
	_, rest, _ := strings.Cut(string(text), `{"id":"play-1"`)
	body, _, found := strings.Cut(rest, "\n")
	if !found {
		t.Fatal("the guide has no sample")
	}
	if err := json.Unmarshal([]byte(`{"id":"play-1"`+body), &sample); err != nil {
		t.Fatal(err)
	}
	registers := regexp.MustCompile(`/v1\.1/member/register" -H "X-API-Key: \$KEY" -d service=(\S+) -d uid=(\S+) -d authtoken=`).FindStringSubmatch(string(text))
	if registers == nil || registers[1] != sample.Service || registers[2] != sample.ServiceUserID {
		t.Errorf("the guide registers %q, and publishes for %v %s", registers, sample.Service, sample.ServiceUserID)
	}
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	if sample.Account != 1 || sample.Time.After(now) {
		t.Errorf("account %d, time %s", sample.Account, sample.Time)
	}
	for seed := range uint64(5) {
		fans, err := Options{Seed: seed, Members: 10, Actions: 10}.Audience(now)
		if err != nil {
			t.Fatal(err)
		}
		at := sample.ActivityID - int(domain.FirstDefinition)
		if sample.BrandID < 1 || sample.BrandID > len(fans.Brands) || at < 0 || at >= len(fans.Definitions) {
			t.Fatalf("seed %d: brand %d, activity %d: not there", seed, sample.BrandID, sample.ActivityID)
		}
		if d := fans.Definitions[at]; d.Service.String() != sample.Service || d.OneTime {
			t.Errorf("seed %d: activity %d is %q of %s", seed, sample.ActivityID, d.Name, d.Service)
		}
	}
}
