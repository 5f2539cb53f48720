package api

import (
	"net/url"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// fed answers questions with a page of a feed of total actions of the member 4097 and
// of one that is no more.
func fed(total uint64) asked {
	return func(q *domain.Question) (*domain.Answer, error) {
		f := &domain.Feed{Total: total}
		for i, row := range []domain.Row{
			{Seq: 9, Slot: 1, Account: 1, Time: 1773565200, Brand: 1, Definition: 100, Points: 3, Service: domain.Custom},
			{Seq: 8, Slot: 1, Account: 1, Time: 1773565100, Brand: 2, Definition: 101, Service: domain.Spotify},
		} {
			f.Items = append(f.Items, domain.FeedItem{Row: row, Member: domain.MemberID(4097 + i)})
		}
		return &domain.Answer{Feed: f, Position: domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 1, Next: 4}}}}, nil
	}
}

// The parameters of a feed are in its question.
func TestFeed_Question(t *testing.T) {
	h := newFixture(t)
	all := []domain.Group{{Definition: 100}}
	for query, want := range map[string]domain.Question{
		"": {Range: lastWeek, Groups: all, Listing: domain.Listing{Limit: 10}},
		"?all_member_actions=1&order_by_recorded=1&sort=asc&keyword=Blue+%C3%9C&limit=20,5": {
			Range: lastWeek, Groups: all, Listing: domain.Listing{Every: true, Recorded: true, Up: true, Keyword: "Blue Ü", Offset: 20, Limit: 5},
		},
		"?limit=100000,0": {Range: lastWeek, Groups: all},
		"?brandID=2&activityID=101,100&includeOneTime=1&sort=Desc&limit=5000": {
			Brand: 2, Range: lastWeek, Groups: []domain.Group{{Definition: 100}, {Definition: 101}}, Listing: domain.Listing{Limit: 1000},
		},
		"?optedin=1": {Range: lastWeek, Groups: all, Filter: domain.Filter{OptIn: domain.OptValue(domain.OptGlobal, 0)}, Listing: domain.Listing{Limit: 10}},
		"?optedin=1&brandID=1": {
			Brand: 1, Range: lastWeek, Groups: all, Filter: domain.Filter{OptIn: domain.OptValue(domain.OptBrand, 1)}, Listing: domain.Listing{Limit: 10},
		},
		"?period=1+Year": {Range: domain.Range{From: 1757939700, To: 1773578100}, Groups: all, Listing: domain.Listing{Limit: 10}},
	} {
		want.Shape = domain.ShapeFeed
		h.asks("/v1.1/activity/feed"+query, want)
	}
}

// Items are read at the answer's position; what is gone has no member.
func TestFeed_Items(t *testing.T) {
	h := newFixture(t)
	h.engine.answer, h.engine.content = fed(2), &domain.Content{Recorded: 1773565201234, Content: `{"TrackName":"Blue"}`, Link: "https://x.y"}
	w := h.get("/v1.1/activity/feed")
	out := answered[wire.Feed](h, w)
	if out.TotalSize != "2" || len(out.Items) != 2 || strings.Contains(w.Body.String(), "paging") || w.Header().Get("Link") != "" {
		t.Fatalf("%s %v", w.Body, w.Header())
	}
	item := out.Items[0]
	if item.ID != wire.Number(domain.ActionIDOf(9, 1)) || item.Marker != "2026-03-15 09:00:01.234000" || *item.BrandID != "1" || *item.BrandName != "The Moons" ||
		item.Name != "played a track by The Moons" || item.CompleteDate != "2026-03-15 09:00:00" || item.Value != "3" || item.ActivityType != "Listened" ||
		item.ServiceType != "custom" || *item.MemberName != "Ada Fan" || string(item.Content) != `{"TrackName":"Blue"}` || item.ServiceUserID != nil {
		t.Errorf("%+v", item)
	}
	// A member that is gone by now leaves an item without a name.
	if gone := out.Items[1]; gone.MemberID != "4098" || gone.MemberName != nil || gone.MemberAvatarURL != "https://api.example/avatar/4098.svg" || gone.Value != "0" {
		t.Errorf("%+v", gone)
	}
	if at := h.engine.waited[len(h.engine.waited)-1]; at.Next(1) != 4 {
		t.Errorf("items were asked for at %+v", at)
	}
}

// An action is shown as of the member that it counted for, also where that one is merged into another by the time that it is shown: the
// other's actions of the same answer counted beside it.
func TestFeed_NamesWhomActionsCountedFor(t *testing.T) {
	h := newFixture(t)
	h.engine.answer, h.engine.content = fed(2), &domain.Content{Recorded: 1773565201234}
	h.merge()
	if item := answered[wire.Feed](h, h.get("/v1.1/activity/feed")).Items[0]; item.MemberID != "4097" || *item.MemberName != "Ada Fan" {
		t.Errorf("%+v", item)
	}
}

// Addresses of other pages have all parameters but the key.
func TestFeed_Links(t *testing.T) {
	h := newFixture(t, fed(35))
	rest := "all_member_actions=1&Services=custom&x=%26&start_date=2026-03-14+12%3A35%3A00&end_date=2026-03-15+12%3A35%3A00&limit="
	for _, method := range []string{"GET", "HEAD"} {
		w := h.do(method, keyed("/v1.1/activity/feed?all_member_actions=1&period=1+day&Services=custom&limit=10,20&x=%26", keyAdvanced), "")
		want := []string{
			`<https://api.example/v1.1/activity/feed?` + rest + `30%2C20>; rel="next"`,
			`<https://api.example/v1.1/activity/feed?` + rest + `0%2C10>; rel="prev"`,
		}
		equal(t, want, w.Header().Values("Link"), method)
	}
	// The last page that can be asked for has none after it.
	h.engine.answer = fed(1 << 40)
	w := h.get("/v1.1/activity/feed?limit=99999,2")
	if links := w.Header().Values("Link"); len(links) != 1 || !strings.HasSuffix(links[0], `rel="prev"`) {
		t.Errorf("%v", links)
	}
	to, err := url.Parse(strings.Trim(strings.Split(w.Header().Get("Link"), ";")[0], "<>"))
	if err != nil || to.Query().Get("limit") != "99997,2" {
		t.Errorf("%v %v", to, err)
	}
}
