package main

import (
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
)

// someStage is a scene as a node has it, without one.
func someStage() *staged {
	s := &staged{node: &node{http: "localhost:1"}, scene: peers.NewScene(peers.Sizes{Rows: 1000, Members: 100, Brands: 8, Seed: 1}, 20_700*86400)}
	s.scene.Invent()
	s.names.Account, s.names.Key = 7, "key"
	return s
}

func TestQuestionsAreAskedWhereTheContractHasThem(t *testing.T) {
	s := someStage()
	const span = "&end_date=2026-09-04+00%3A00%3A00&start_date=2026-08-28+00%3A00%3A00"
	for _, c := range []struct {
		q    peers.Question
		want string
	}{
		{peers.Question{Shape: domain.ShapeTally}, "/v1.1/brand/1/stats/activity?apiKey=key" + span},
		{peers.Question{Shape: domain.ShapeTally, Brand: peers.Everywhere}, ""},
		{peers.Question{Shape: domain.ShapeTimeline, Filter: peers.ByService}, "/v1.1/brand/1/stats/timeline?apiKey=key&end_date=2026-09-04+00%3A00%3A00&services=lastfm%2Cspotify&start_date=2026-08-28+00%3A00%3A00"},
		{peers.Question{Shape: domain.ShapeTimeline, Brand: peers.Everywhere}, "/v1.1/activity/count/services?apiKey=key" + span},
		{peers.Question{Shape: domain.ShapeLocation, Brand: 2}, "/v1.1/brand/3/stats/location?apiKey=key" + span},
		{peers.Question{Shape: domain.ShapeLeaders, Filter: peers.ByMember}, "/v1.1/members/active?apiKey=key&brandID=1&country=DE%2CGB%2CUS&end_date=2026-09-04+00%3A00%3A00&paid_only=1&start_date=2026-08-28+00%3A00%3A00"},
		{peers.Question{Shape: domain.ShapeCrossover}, "/v1.1/brands/1/crossover?apiKey=key" + span},
		{peers.Question{Shape: domain.ShapeCrossover, Brand: peers.Everywhere}, "/v1.1/brands/crossover?apiKey=key" + span},
		{peers.Question{Shape: domain.ShapeFeed, Every: true, Keyword: "blue"}, "/v1.1/activity/feed?all_member_actions=1&apiKey=key&brandID=1&end_date=2026-09-04+00%3A00%3A00&keyword=blue&start_date=2026-08-28+00%3A00%3A00"},
	} {
		c.q.Days = 7
		want := c.want
		if want != "" {
			want = "http://localhost:1" + want
		}
		if got := s.address(&c.q); got != want {
			t.Errorf("%s\n got %s\nwant %s", c.q.Name(), got, want)
		}
	}
}

func TestAnswersOverHTTPAreReadAsNumbers(t *testing.T) {
	s := someStage()
	id := itoa(int(s.scene.People[0].ID))
	number := s.scene.Number(s.scene.People[0].ID)
	for _, c := range []struct {
		shape domain.Shape
		body  string
		want  peers.Answer
	}{
		{domain.ShapeTally, `{"items":[{"ActivityID":"101","Count":"2","DistinctMembers":"1"},{"ActivityID":"100","Count":"1","DistinctMembers":"1"}],"TotalCount":"3","TotalMembers":"2"}`, peers.Answer{{0, 3, 2}, {100, 1, 1}, {101, 2, 1}}},
		{domain.ShapeTally, `{"items":[],"TotalCount":"0","TotalMembers":"0"}`, peers.Answer{}},
		{domain.ShapeTimeline, `{"services":[{"service":"spotify","range":[{"Date":"1970-01-03","Count":"4","DistinctMembers":"3"},{"Date":"1970-01-04","Count":"0","DistinctMembers":"0"}],"TotalCount":"4","TotalMembers":"3"}]}`, peers.Answer{{9, 0, 4, 3}, {9, 2, 4, 3}}},
		{domain.ShapeLocation, `{"Countries":[{"Country":"US","Actions":"5","Members":"2"},{"Country":null,"Actions":"1","Members":"1"}]}`, peers.Answer{{0, 1, 1}, {'U'<<8 | 'S', 5, 2}}},
		{domain.ShapeLeaders, `{"totalSize":"9","items":[{"ID":"` + id + `","Score":"30","ActivityCount":"4","LastActivity":{"CompleteDate":"1970-01-01 00:01:00"}}]}`, peers.Answer{{9}, {number, 30, 4, 60}}},
		{domain.ShapeCrossover, `{"totalSize":"2","items":[{"ID":3,"Name":"x","ActiveMembers":"7","Percentage":"1.00"}]}`, peers.Answer{{2}, {3, 7}}},
		{domain.ShapeFeed, `{"totalSize":"2","items":[{"CompleteDate":"1970-01-01 00:00:09"},{"CompleteDate":"1970-01-01 00:00:08"}]}`, peers.Answer{{2}, {9}, {8}}},
	} {
		got, err := s.read(&peers.Question{Shape: c.shape}, []byte(c.body))
		if err != nil || got.Differs(c.want) != "" {
			t.Errorf("%s: %v, %v, want %v", c.body, got, err, c.want)
		}
	}
	for _, body := range []string{`{"totalSize":"many","items":[]}`, `{"totalSize":"1","items":[{"CompleteDate":"today"}]}`, `[`} {
		if got, err := s.read(&peers.Question{Shape: domain.ShapeFeed}, []byte(body)); err == nil {
			t.Errorf("%s is read as %v", body, got)
		}
	}
}

func TestARowOfAScenePublishedSaysWhatItIs(t *testing.T) {
	s := someStage()
	row := &s.scene.Rows[9]
	for n := range 2 {
		var got map[string]any
		if err := json.Unmarshal(s.record(nil, row, time.Unix(int64(row.Time), 0)), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"id": got["id"], "source": "bench/scene", "time": time.Unix(int64(row.Time), 0).UTC().Format(time.RFC3339), "account": 7.0,
			"activityID": float64(s.scene.Kinds[row.Kind].ID), "brandID": float64(s.scene.Brands[row.Brand]), "content": got["content"],
		}
		if n == 1 {
			want["memberID"] = float64(s.scene.People[row.Person].ID)
		} else {
			want["service"], want["serviceUserID"] = "spotify", uidOf(int(row.Person))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// ms is a time in milliseconds in all rounds.
func ms(v float64) *Spread { return &Spread{v, v, v} }

func TestGoalsAreJudgedByTheBetterOfTheOthers(t *testing.T) {
	others := []Other{{Engine: "DuckDB 2", Millis: *ms(9)}, {Engine: "ClickHouse 3", Millis: *ms(6)}}
	for _, c := range []struct {
		of   Compared
		want string
	}{
		{Compared{Engine: ms(0.5), Others: others, Goal: Goal{Millis: 0.6, Ratio: 4}}, ""},
		{Compared{Engine: ms(0.7), Others: others, Goal: Goal{Millis: 0.6, Ratio: 4}}, "0.700 ms, not 0.6"},
		{Compared{Engine: ms(2), Others: others, Goal: Goal{Millis: 0.6, Ratio: 4}}, "2.000 ms, not 0.6; 3.0 ×, not 4"},
		{Compared{HTTP: ms(12), Others: others, Goal: Goal{Ratio: 1}}, "0.5 ×, not 1"},
		{Compared{Engine: ms(1), HTTP: ms(12), Others: others, Goal: Goal{Ratio: 1}}, ""},
		{Compared{Engine: ms(1)}, ""},
	} {
		if got := c.of.missed(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
}

func TestTheMeanIsOfTheStatisticsAlone(t *testing.T) {
	of := func(engine float64, statistic bool) Compared {
		return Compared{Engine: ms(engine), Others: []Other{{Millis: *ms(8)}}, Goal: Goal{Statistic: statistic}}
	}
	p := &Peers{Compared: []Compared{of(1, true), of(4, true), of(100, false)}}
	if got := p.mean(inProcess); math.Abs(got-4) > 1e-9 {
		t.Errorf("%v, want the root of 8 × 2", got)
	}
	if got := p.mean(overHTTP); got != 0 {
		t.Errorf("%v of nothing", got)
	}
}

func TestTheTableSetsTheEnginesSideBySide(t *testing.T) {
	r := someReport()
	r.Peers = &Peers{
		Rows: 1000, Members: 100, Brands: 8, Engines: []string{"this", "DuckDB 2", "ClickHouse 3"}, RowBytes: 24.5,
		Compared: []Compared{{
			Name: "tally, 7 days", About: "the hot brand", Rows: 42, Engine: ms(0.5), Tenth: ms(0.125), HTTP: ms(1.25),
			Others: []Other{{Engine: "DuckDB 2", Millis: *ms(10)}, {Engine: "ClickHouse 3", Millis: *ms(6)}}, Goal: Goal{0.25, 4, true},
		}},
		Wide: []Wide{{Brands: 100, RowBytes: 30, Commit: *ms(1.5), Questions: []Compared{{Name: "tally", Engine: ms(3)}}}},
		Live: &Live{
			Polls: []Polls{{Pollers: 1, CPU: *ms(33), Bare: *ms(17), Unchanged: 0.99}, {Pollers: 16, CPU: *ms(21)}}, Resting: 12.5, Idle: *ms(2), Streaming: *ms(5), Streamed: 1000, Found: 2000,
		},
	}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"ENGINES SIDE BY SIDE: 1000 rows", "24.5 bytes"},
		{"MEDIANS IN MS", "ENGINE", "HTTP", "DUCKDB", "CLICKHOUSE", "RATIO", "GOAL"},
		{"tally, 7 days, the hot brand", "42", "0.500", "0.125", "1.250", "10.000", "6.000", "12.0 ×", "4.8 ×", "0.25 ms 4 ×", "0.500 ms, not 0.25"},
		{"geometric mean", "12.0 ×", "4.8 ×", "goal 12"},
		{"AN ACCOUNT OF 100 BRANDS"},
		{"publishing them (µs)", "1.5"},
		{"CPU while nobody asks", "12.5"},
		{"99.00 % were answered 304, one polls", "33.0"},
		{"of a 304 that nothing is looked up for", "17.0"},
		{"16 poll side by side", "21.0"},
		{"ratio of the two", "2.5"},
	} {
		if !hasLine(out.String(), line) {
			t.Errorf("no line with %q in\n%s", line, &out)
		}
	}
	r.Peers.Engines, r.Peers.Skipped = r.Peers.Engines[:1], "no network"
	out.Reset()
	if err := r.print(&out); err != nil || !hasLine(out.String(), []string{"no other engine was asked", "no network"}) {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestEveryGoalOfTheHotBrandHasAQuestion(t *testing.T) {
	c := someStage().scene
	statistics, ratios := 0, 0
	for _, q := range questionsOf(c) {
		g := goalOf(&q)
		if g.Statistic {
			statistics++
		}
		if g.Ratio == 1 {
			ratios++
		}
		if q.Brand == peers.Everywhere && g != (Goal{}) {
			t.Errorf("%s has a goal", q.Name())
		}
		if _, err := url.Parse(someStage().address(&q)); err != nil {
			t.Error(err)
		}
	}
	if statistics != 24 || ratios != 10 {
		t.Errorf("%d statistics, %d that must not be slower", statistics, ratios)
	}
}

func TestARoundOfSlowAnswersIsShort(t *testing.T) {
	for _, c := range []struct {
		n    int
		want int
	}{{1, 1}, {3, 3}, {40, 40}} {
		asked := 0
		ms, err := median(c.n, func() (time.Duration, error) {
			asked++
			return time.Duration(asked) * time.Millisecond, nil
		})
		if err != nil || asked > c.want || asked < min(c.want, roundLeast) || ms != float64(asked/2+1) {
			t.Errorf("%d of %d were asked, the median is %v, %v", asked, c.n, ms, err)
		}
	}
	if _, err := median(5, func() (time.Duration, error) { return 0, errors.New("no answer") }); err == nil {
		t.Error("an ask that fails gives a median")
	}
}
