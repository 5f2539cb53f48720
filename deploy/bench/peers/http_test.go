package peers

import (
	"maps"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

func TestQuestion_Request(t *testing.T) {
	c := someScene(1)
	c.End = 20_700 * 86400
	brand := func(i int) string { return strconv.Itoa(int(c.Brands[i])) }
	for _, k := range []struct {
		q    Question
		path string
		more client.Params
	}{
		{Question{Shape: domain.ShapeTally}, "/v1.1/brand/" + brand(0) + "/stats/activity", nil},
		{Question{Shape: domain.ShapeTally, Brand: Everywhere}, "", nil},
		{Question{Shape: domain.ShapeTimeline, Filter: ByService}, "/v1.1/brand/" + brand(0) + "/stats/timeline", client.Params{"services": "lastfm,spotify"}},
		{Question{Shape: domain.ShapeTimeline, Brand: Everywhere}, "/v1.1/activity/count/services", nil},
		{Question{Shape: domain.ShapeLocation, Brand: 2}, "/v1.1/brand/" + brand(2) + "/stats/location", nil},
		{Question{Shape: domain.ShapeLeaders, Filter: ByMember}, "/v1.1/members/active", client.Params{"brandID": brand(0), "country": "DE,GB,US", "paid_only": "1"}},
		{Question{Shape: domain.ShapeCrossover}, "/v1.1/brands/" + brand(0) + "/crossover", nil},
		{Question{Shape: domain.ShapeCrossover, Brand: Everywhere}, "/v1.1/brands/crossover", nil},
		{Question{Shape: domain.ShapeFeed, Every: true, Keyword: "blue"}, "/v1.1/activity/feed", client.Params{"brandID": brand(0), "all_member_actions": "1", "keyword": "blue"}},
	} {
		k.q.Days = 7
		want := client.Params{"start_date": "2026-08-28 00:00:00", "end_date": "2026-09-04 00:00:00"}
		maps.Copy(want, k.more)
		path, params := k.q.Request(c)
		if diff := cmp.Diff(want, params); path != k.path || diff != "" {
			t.Errorf("%s: %s, want %s %s", k.q.Name(), path, k.path, diff)
		}
	}
}

func TestQuestion_Read(t *testing.T) {
	c := someScene(1)
	id, number := strconv.FormatUint(uint64(c.Members[0].ID), 10), c.Number(c.Members[0].ID)
	for _, k := range []struct {
		shape domain.Shape
		body  string
		want  Answer
	}{
		{domain.ShapeTally, `{"items":[{"ActivityID":"101","Count":"2","DistinctMembers":"1"},{"ActivityID":"100","Count":"1","DistinctMembers":"1"}],"TotalCount":"3","TotalMembers":"2"}`, Answer{{0, 3, 2}, {100, 1, 1}, {101, 2, 1}}},
		{domain.ShapeTally, `{"items":[],"TotalCount":"0","TotalMembers":"0"}`, Answer{}},
		{domain.ShapeTimeline, `{"services":[{"service":"spotify","range":[{"Date":"1970-01-03","Count":"4","DistinctMembers":"3"},{"Date":"1970-01-04","Count":"0","DistinctMembers":"0"}],"TotalCount":"4","TotalMembers":"3"}]}`, Answer{{9, 0, 4, 3}, {9, 2, 4, 3}}},
		{domain.ShapeLocation, `{"Countries":[{"Country":"US","Actions":"5","Members":"2"},{"Country":null,"Actions":"1","Members":"1"}]}`, Answer{{0, 1, 1}, {'U'<<8 | 'S', 5, 2}}},
		{domain.ShapeLeaders, `{"totalSize":"9","items":[{"ID":"` + id + `","Score":"30","ActivityCount":"4","LastActivity":{"CompleteDate":"1970-01-01 00:01:00"}}]}`, Answer{{9}, {number, 30, 4, 60}}},
		{domain.ShapeCrossover, `{"totalSize":"2","items":[{"ID":3,"Name":"x","ActiveMembers":"7","Percentage":"1.00"}]}`, Answer{{2}, {3, 7}}},
		{domain.ShapeFeed, `{"totalSize":"2","items":[{"CompleteDate":"1970-01-01 00:00:09"},{"CompleteDate":"1970-01-01 00:00:08"}]}`, Answer{{2}, {9}, {8}}},
	} {
		got, err := (&Question{Shape: k.shape}).Read(c, []byte(k.body))
		if err != nil || got.Differs(k.want) != "" {
			t.Errorf("%s: %v, %v, want %v", k.body, got, err, k.want)
		}
	}
	for _, body := range []string{`{"totalSize":"many","items":[]}`, `{"totalSize":"1","items":[{"CompleteDate":"today"}]}`, `[`} {
		if got, err := (&Question{Shape: domain.ShapeFeed}).Read(c, []byte(body)); err == nil {
			t.Errorf("%s is read as %v", body, got)
		}
	}
}

// There are 24 statistics, and every question has a request or is known to have none.
func TestQuestions(t *testing.T) {
	c, statistics, without := someScene(1), 0, 0
	for _, q := range Questions(c) {
		if q.Statistic() {
			statistics++
		}
		if path, _ := q.Request(c); path == "" {
			without++
		}
	}
	if statistics != 24 || without != 2 {
		t.Errorf("%d statistics, %d questions without a request", statistics, without)
	}
}
