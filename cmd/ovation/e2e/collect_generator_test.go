package e2e

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// TestCollect_GeneratedAudienceCountsOnce publishes what the generator makes up, twice: all of
// it counts, once.
func TestCollect_GeneratedAudienceCountsOnce(t *testing.T) {
	t.Parallel()
	onEitherLog(t, madeUpAudience)
}

func madeUpAudience(t *testing.T, on site) {
	const actions = 6_000
	fans, err := audience.New(audience.Options{Seed: 3, Members: 150, Actions: actions, Brands: 5, End: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	n := on.start(t)
	number, key := n.account("generated")
	folder := t.TempDir()
	for _, want := range []string{"6,000 actions published from 6,000 rows", "0 actions published from 0 rows"} {
		c := exec.Command(program(t), "collect", "generator", "--create", "--kafka", n.Kafka, "--topic-prefix", n.Prefix, "--api", "http://"+n.HTTP, "--key", key,
			"--account", id(domain.AccountID(number)), "--seed", "3", "--members", "150", "--actions", "6000", "--brands", "5", "--end", "2026-11-16")
		var errs bytes.Buffer
		c.Dir, c.Stderr = folder, &errs
		out, err := c.Output()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Fatalf("%v: %s%s", err, out, errs.String())
		}
	}
	n.settled(actions)
	counts := map[string]uint64{} // by brand, one-time actions left out
	for a := range fans.History() {
		if !fans.Definitions[a.Definition].OneTime {
			counts[fans.Brands[a.Brand].Name]++
		}
	}
	brands, _, err := client.Do(ctx(t), n.api(key), client.ListBrands{})
	if err != nil || len(brands.Items) != len(counts) {
		t.Fatalf("%d brands, want %d: %v", len(brands.Items), len(counts), err)
	}
	for _, b := range brands.Items {
		tally, _, err := client.Do(ctx(t), n.api(key), client.GetBrandActivityStats{BrandID: b.ID, Period: "2 Years"})
		if err != nil || tally.TotalCount != id(counts[b.Fields["Name"]]) {
			t.Errorf("%s: %s actions, want %d: %v", b.Fields["Name"], tally.TotalCount, counts[b.Fields["Name"]], err)
		}
	}
}
