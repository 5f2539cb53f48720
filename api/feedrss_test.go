package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

const rssPath = "/v1.1/activity/feed.rss"

// rss asks for a feed and reads it by a parser of feeds.
func (h *fixture) rss(query string) *gofeed.Feed {
	h.t.Helper()
	w := h.get(rssPath + query)
	h.status(w, http.StatusOK, query)
	equal(h.t, "application/rss+xml", w.Header().Get("Content-Type"))
	feed, err := gofeed.NewParser().ParseString(w.Body.String())
	if err != nil {
		h.t.Fatalf("%v: %s", err, w.Body)
	}
	equal(h.t, "rss 2.0", feed.FeedType+" "+feed.FeedVersion)
	return feed
}

// A reader of feeds finds in each item what the feed in JSON has, and no e-mail address.
func TestRSS_ItemsAsTheFeedHasThem(t *testing.T) {
	h := newFixture(t, fed(2))
	m := h.engine.members[4097]
	m.Profile = m.Profile.With(domain.Fields{{Field: domain.EmailAddress, Value: "ada@example.com"}})
	h.engine.content = &domain.Content{
		Recorded: 1773565201234, Link: "https://x.example/?a=1&b=<2>",
		Content: `{"TrackName":"Rock & <b>Roll</b> \u0007","Artists":["Ada",{"Name":"Bo"}],"Plays":3,"Live":true,"None":null,"Empty":""}`,
	}
	list := answered[wire.Feed](h, h.get("/v1.1/activity/feed?brandID=1"))
	feed := h.rss("?brandID=1")
	equal(t, "The Moons", feed.Title)
	equal(t, 2, len(feed.Items))
	item := feed.Items[0]
	equal(t, "Ada Fan played a track by The Moons", item.Title)
	equal(t, "https://x.example/?a=1&b=<2>", item.Link)
	equal(t, list.Items[0].ID, item.GUID)
	equal(t, []string{list.Items[0].ActivityType}, item.Categories)
	if at := item.PublishedParsed; at == nil || at.Format(time.DateTime) != list.Items[0].CompleteDate {
		t.Errorf("published %q, want %s", item.Published, list.Items[0].CompleteDate)
	}
	equal(t, "Rock &amp; &lt;b&gt;Roll&lt;/b&gt; \uFFFD, Ada, Bo, 3, true", item.Description, "a description is HTML")
	equal(t, "followed", feed.Items[1].Title, "the item of a member that is gone")
	if body := h.get(rssPath).Body.String(); strings.Contains(body, "@") || !strings.Contains(body, `<guid isPermaLink="false">`) {
		t.Errorf("%s", body)
	}
}

// A member whose only name is an e-mail address has none in the feed; other usernames are shown.
func TestRSS_NoAddressInTheNameOfAMember(t *testing.T) {
	h := newFixture(t, fed(2))
	for username, title := range map[string]string{
		"ada@example.com": "played a track by The Moons", "@ada": "@ada played a track by The Moons", "a & b": "a & b played a track by The Moons",
	} {
		h.engine.members[4097].Profile = domain.Fields{{Field: domain.Username, Value: username}}
		equal(t, title, h.rss("").Items[0].Title, username)
	}
}

// The channel names its own address, with every parameter but the key.
func TestRSS_SelfLinkWithoutTheKey(t *testing.T) {
	h := newFixture(t, fed(35))
	for query, want := range map[string]string{
		"": "", "?period=1+Day&Services=custom&x=%26%22%3C&limit=5": "?period=1+Day&Services=custom&x=%26%22%3C&limit=5",
		"?timeout_ms=5&brandID=1": "?brandID=1",
	} {
		links := h.rss(query).Extensions["atom"]["link"]
		want := []ext.Extension{{
			Name: "link", Children: map[string][]ext.Extension{},
			Attrs: map[string]string{"rel": "self", "type": "application/rss+xml", "href": "https://api.example" + rssPath + want},
		}}
		equal(t, want, links, query)
	}
	w := h.get(rssPath + "?limit=5")
	if link := w.Header().Get("Link"); !strings.HasPrefix(link, "<https://api.example"+rssPath+"?") || strings.Contains(link+w.Body.String(), keyAdvanced) {
		t.Errorf("%s: %s", link, w.Body)
	}
}

// The parameters are those of the feed in JSON: the same question is asked.
func TestRSS_AsksWhatTheFeedAsks(t *testing.T) {
	h := newFixture(t, fed(2))
	for _, query := range []string{
		"", "?all_member_actions=1&order_by_recorded=1&sort=asc&keyword=Blue&limit=20,5", "?limit=0",
		"?optedin=1&brandID=1", "?activityID=100,101&includeOneTime=1&country=DE&region=BY&members=4097&period=1+Year", "?cursor=&limit=1",
	} {
		h.engine.asked = nil
		json := h.get("/v1.1/activity/feed" + query)
		asked := h.engine.asked
		h.engine.asked = nil
		rss := h.get(rssPath + query)
		equal(t, asked, h.engine.asked, query)
		for _, name := range []string{"X-Range", "X-Position", "X-Lag-Ms", "Warning", "Cache-Control"} {
			equal(t, json.Header().Values(name), rss.Header().Values(name), query, name)
		}
		_ = answered[wire.Feed](h, json)
	}
}

// A walk by cursor through the addresses of next pages stays within the feed as RSS.
func TestRSS_NextPageIsRSS(t *testing.T) {
	h := newFixture(t, fed(35))
	w := h.get(rssPath + "?cursor=&limit=1")
	to, err := url.Parse(strings.Trim(strings.Split(w.Header().Get("Link"), ";")[0], "<>"))
	if err != nil || to.Path != rssPath || to.Query().Get("cursor") == "" {
		t.Fatalf("%v %v", to, err)
	}
	equal(t, "application/rss+xml", h.get(to.RequestURI()).Header().Get("Content-Type"))
}

// Errors are problems in JSON, in the order of the contract.
func TestRSS_ErrorsAreProblems(t *testing.T) {
	h := newFixture(t, fed(2))
	for query, want := range map[string]struct {
		code      domain.Code
		parameter string
	}{
		"?limit=x": {domain.InvalidParameter, "limit"}, "?brandID=77": {domain.NotFound, "brandID"}, "?brandID=0": {domain.InvalidParameter, "brandID"},
		"?sort=up": {domain.InvalidParameter, "sort"}, "?limit=1&limit=2": {domain.InvalidParameter, "limit"}, "?region=BY": {domain.InvalidParameter, "region"},
		"?activityID=9999": {domain.NotFound, "activityID"}, "?cursor=x": {domain.InvalidParameter, "cursor"},
	} {
		h.refused(h.get(rssPath+query), want.code, want.parameter)
	}
	h.refused(h.do(http.MethodGet, rssPath, ""), domain.MissingKey, "apiKey")
	h.refused(h.do(http.MethodGet, keyed(rssPath, keyRevoked), ""), domain.InvalidKey, "apiKey")
	h.refused(h.do(http.MethodGet, keyed(rssPath+"?brandID=1", keyStranger), ""), domain.NotFound, "brandID")
	h.refused(h.do(http.MethodPost, keyed(rssPath, keyAdvanced), ""), domain.MethodNotAllowed, "")
}

// A poll is a 304 where the client has the feed; HEAD has the headers alone.
func TestRSS_NotModifiedAndHead(t *testing.T) {
	h := newFixture(t, fed(2))
	first := h.get(rssPath)
	tag := first.Header().Get("Etag")
	if w := h.get(rssPath, "If-None-Match", tag); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	head := h.do(http.MethodHead, keyed(rssPath, keyAdvanced), "")
	if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("Content-Length") != first.Header().Get("Content-Length") {
		t.Errorf("%d %v", head.Code, head.Header())
	}
	h.engine.brands[0].Fields["Name"] = "The Suns"
	h.status(h.get(rssPath, "If-None-Match", tag), http.StatusOK, "another name of the brand")
}
