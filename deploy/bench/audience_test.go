package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func someCrowd(seed uint64, share float64) *crowd {
	c := newCrowd(&options{members: 1000, brands: 100, seed: seed, byMember: share})
	c.account, c.hot = 7, 999
	for i := range c.brands {
		c.brands[i] = domain.BrandID(100 + i)
	}
	for i := range c.deeds {
		c.deeds[i].id = domain.DefinitionID(100 + i)
	}
	for i := range c.fans {
		c.fans[i].id = uint64(i+1) << 12
	}
	return c
}

func TestARecordIsJSONThatSaysWhatWasDone(t *testing.T) {
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, byMember := range []bool{false, true} {
		share := 0.0
		if byMember {
			share = 1
		}
		c := someCrowd(3, share)
		var got map[string]any
		if err := json.Unmarshal(c.record(nil, act{fan: 5, brand: 123, deed: 1, at: at}), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"id": "3-1", "source": "bench/collector", "time": "2024-05-06T07:08:09Z", "account": 7.0, "activityID": 101.0, "brandID": 123.0,
			"content": got["content"],
		}
		if byMember {
			want["memberID"] = float64(6 << 12)
		} else {
			want["service"], want["serviceUserID"] = domain.Spotify.String(), "fan-3-5"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if content, ok := got["content"].(map[string]any); !ok || len(content) != 3 {
			t.Errorf("content %v", got["content"])
		}
	}
}

func TestTheSameSeedGivesTheSameActivities(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	draw := func(seed uint64) (out []string) {
		c := someCrowd(seed, 0.5)
		for range 200 {
			out = append(out, string(c.record(nil, c.any(at))), string(c.record(nil, c.played(at))))
		}
		return out
	}
	if diff := cmp.Diff(draw(1), draw(1)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(draw(1), draw(2)) {
		t.Error("two seeds gave the same")
	}
}

func TestTheHistoryOfABrandCountsEachTime(t *testing.T) {
	c := someCrowd(1, 0.5)
	for range 1000 {
		if a := c.played(time.Now()); a.brand != c.hot || c.deeds[a.deed].oneTime == "1" {
			t.Fatalf("%+v", a)
		}
	}
}

func TestFewBrandsGetMostAndEverybodyIsWarmedUp(t *testing.T) {
	c, met := someCrowd(1, 0.5), map[int]bool{}
	for i := range len(c.fans) {
		met[c.warmUp(i, time.Now()).fan] = true
	}
	if len(met) != len(c.fans) {
		t.Errorf("%d of %d are warmed up", len(met), len(c.fans))
	}
	brands, often := map[domain.BrandID]int{}, 0
	for range 10_000 {
		a := c.any(time.Now())
		brands[a.brand]++
		if a.fan < len(c.fans)/10 {
			often++
		}
	}
	if brands[c.brands[0]] < 5*brands[c.brands[50]] || len(brands) < 50 {
		t.Errorf("the first brand has %d, the fiftieth %d, of %d", brands[c.brands[0]], brands[c.brands[50]], len(brands))
	}
	if often < 2500 || often > 4000 {
		t.Errorf("a tenth of the members did %d of 10000", often)
	}
}
