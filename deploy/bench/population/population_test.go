package population

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// entered is a mix as it is after Enter.
func entered(seed uint64) *Mix {
	m := NewMix(1000, 100, seed)
	m.Account = 7
	for i := range m.Brands {
		m.Brands[i] = domain.BrandID(100 + i)
	}
	for i := range m.Definitions {
		m.Definitions[i].ID = domain.DefinitionID(100 + i)
	}
	for i := range m.Members {
		m.Members[i].ID = domain.MemberID(i+1) << 12
	}
	return m
}

func TestPopulation_Message(t *testing.T) {
	m := entered(3)
	a := Activity{Member: 5, Brand: 23, Definition: 1, At: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), Track: "Lantern", Song: 9}
	for _, id := range []string{"1", "2"} {
		member, message := m.Message(a)
		var got map[string]any
		if err := json.Unmarshal(message.Value, &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"id": id, "source": "bench/collector", "time": "2024-05-06T07:08:09Z", "account": 7.0, "activityID": 101.0, "brandID": 123.0,
			"content": map[string]any{"TrackName": "Lantern", "TrackArtist": "Artist 23", "ISRC": "GBAYE1000009"},
		}
		if id == "2" {
			want["memberID"] = float64(6 << 12)
		} else {
			want["service"] = domain.Spotify.String()
			want["serviceUserID"] = "fan-5"
		}
		if diff := cmp.Diff(want, got); diff != "" || member != 5 || string(message.Key) != "fan-5" {
			t.Errorf("member %d, key %s: %s", member, message.Key, diff)
		}
	}
}

func TestMix_SameSeedSameLoad(t *testing.T) {
	draw := func(seed uint64) (out []Activity) {
		m := entered(seed)
		for range 200 {
			out = append(out, m.Any(time.Unix(1_700_000_000, 0)))
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

// Few brands get most, a tenth of the members do a third, and the warm-up has each member.
func TestMix_Skew(t *testing.T) {
	m := entered(1)
	warm := map[int]bool{}
	for i := range len(m.Members) {
		warm[m.WarmUp(i, time.Now()).Member] = true
	}
	if len(warm) != len(m.Members) {
		t.Errorf("%d of %d members are warmed up", len(warm), len(m.Members))
	}
	brands, often := map[int]int{}, 0
	for range 10_000 {
		a := m.Any(time.Now())
		brands[a.Brand]++
		if a.Member < len(m.Members)/10 {
			often++
		}
	}
	if brands[0] < 5*brands[50] || len(brands) < 50 {
		t.Errorf("the first brand has %d, the fiftieth %d, of %d", brands[0], brands[50], len(brands))
	}
	if often < 2500 || often > 4000 {
		t.Errorf("a tenth of the members did %d of 10000", often)
	}
}
