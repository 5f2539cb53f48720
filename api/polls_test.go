package api

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// unchanged has the fake engine report that everything is unchanged, and records the
// read sets that it was asked of.
func (h *fixture) unchanged() *[]domain.ReadSet {
	var seen []domain.ReadSet
	h.engine.unchanged = func(_ domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
		if len(since) != 1 || since[0] != 7 || len(moved) != len(f.Rows) {
			h.t.Errorf("%v of %v since %v", moved, f.Rows, since)
		}
		seen = append(seen, *f)
		return domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 0, Next: 9}}}, true
	}
	return &seen
}

func (h *fixture) fromCache() uint64 { return h.api.Polls().ByMemory }

// Of every GET of the table: a poll is answered from the cache when the engine reports
// all unchanged, without a question, if the operation is cached; else never.
func TestPolls_AnsweredFromTheCacheOnlyOfCachedOperations(t *testing.T) {
	targets := map[string]string{
		"/v1.1/brands/:brandid/crossover": "/v1.1/brands/1/crossover", "/v1.1/member": "/v1.1/member?email=ada@example.com",
	}
	cached := 0
	for _, op := range Operations() {
		if op.Method != http.MethodGet || op.Outcomes[0].Streamed {
			continue
		}
		h := newFixture(t)
		h.unchanged()
		target := targets[op.Path]
		if target == "" {
			target = strings.NewReplacer(":brandid", "1", ":brandID", "1", ":activityid", "100", ":segmentid", "1", ":memberid", "4097").Replace(op.Path)
		}
		first := h.get(target)
		if first.Code != http.StatusOK {
			t.Logf("%s: %d %s", target, first.Code, first.Body)
			continue
		}
		h.engine.asked, h.engine.waited = nil, nil
		w := h.get(target, "If-None-Match", first.Header().Get("Etag"))
		if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		equal(t, op.Cached, h.fromCache() == 1, target)
		if op.Cached {
			cached++
			equal(t, 0, len(h.engine.asked)+len(h.engine.waited), target)
		}
		for _, name := range []string{"X-Position", "X-Range", "Link", "Warning", "Cache-Control", "Etag"} {
			if name == "X-Position" && strings.HasPrefix(op.Path, "/v1.1/member") { // the fake engine has one position for a member and another for Unchanged
				continue
			}
			equal(t, first.Header().Values(name), w.Header().Values(name), target, name)
		}
	}
	if cached < 20 {
		t.Errorf("%d operations are cached", cached)
	}
}

// The engine is asked whether the read set of the answer is unchanged.
func TestPolls_ReadSet(t *testing.T) {
	h := newFixture(t)
	seen := h.unchanged()
	for target, want := range map[string]domain.ReadSet{
		"/v1.1/brand/1/stats/activity?period=1+Day&country=DE": {
			Rows:  []domain.RowsOf{{Brand: 1, Range: domain.Range{From: 1773491700, To: 1773578100}}},
			Known: domain.AttrMember.Set() | domain.AttrCountry.Set(),
		},
		"/v1.1/members/active?brandID=1&limit=5": {
			Rows:  []domain.RowsOf{{Brand: 1, Range: domain.Range{From: 1772973300, To: 1773578100}}},
			Known: domain.AttrMember.Set(), Members: []domain.MemberID{4097},
		},
		"/v1.1/member/4097": {Members: []domain.MemberID{4097}},
		"/v1.1/member?email=ada@example.com": {
			Members: []domain.MemberID{4097},
			Names: []domain.IdentityHash{
				testHasher{}.Identity(1, domain.ByLogin, "ada@example.com"), testHasher{}.Identity(1, domain.ByEmail, "ada@example.com"),
			},
		},
	} {
		tag := h.get(target).Header().Get("Etag")
		*seen = nil
		h.get(target, "If-None-Match", tag)
		equal(t, []domain.ReadSet{want}, *seen, target)
	}
}

// An answer that may have changed is made and compared by its tag.
func TestPolls_ChangedIsMadeAndCompared(t *testing.T) {
	const target = "/v1.1/brand/1/stats/activity"
	h := newFixture(t)
	tag := h.get(target).Header().Get("Etag")
	h.engine.asked = nil
	if w := h.get(target, "If-None-Match", tag); w.Code != http.StatusNotModified || len(h.engine.asked) != 1 {
		t.Errorf("%d after %d questions", w.Code, len(h.engine.asked))
	}
	h.engine.answer = always(&domain.Answer{Tally: &domain.Tally{Total: domain.Count{Actions: 1, Members: 1}}})
	w := h.get(target, "If-None-Match", tag)
	if w.Code != http.StatusOK || w.Header().Get("Etag") == tag {
		t.Errorf("%d %s", w.Code, w.Header())
	}
	h.unchanged()
	for _, given := range []string{tag, `W/"x"`} { // the tag of an earlier answer, and one of no answer
		h.status(h.get(target, "If-None-Match", given), http.StatusOK, given)
	}
	got := h.api.Polls()
	if got.ByMemory != 0 || got.ByComparison != 1 || got.Missed != 3 || got.Entries != 1 || got.Bytes <= 0 {
		t.Errorf("%+v", got)
	}
}

// A cached response is found by the question as asked: what is no part of the question is no part of its key,
// and everything else is.
func TestPolls_Key(t *testing.T) {
	const target = "/v1.1/brand/1/stats/activity?period=1+Day"
	h := newFixture(t)
	h.unchanged()
	tag := h.get(target).Header().Get("Etag")
	token := h.get(target).Header().Get("X-Position")
	for target, want := range map[string]bool{
		target: true, target + "&wait_for=" + token + "&timeout_ms=500": true, target + "&foo=1": true, target + "&strict=1": false,
		"/v1.1/brand/1/stats/activity?period=2+Day": false, "/v1.1/brand/2/stats/activity?period=1+Day": false,
	} {
		before := h.fromCache()
		h.get(target, "If-None-Match", tag)
		equal(t, want, h.fromCache() > before, target)
	}
	before := h.fromCache()
	h.do("GET", keyed(target, keyEnterprise), "", "If-None-Match", tag) // another application
	equal(t, before, h.fromCache(), "two applications share what is cached")
	// A link repeats wait_for: a list with another page is not the same with it.
	const list = "/v1.1/brands?limit=1"
	tag = h.get(list).Header().Get("Etag")
	w := h.get(list+"&wait_for="+token, "If-None-Match", tag)
	if !strings.Contains(w.Header().Get("Link"), "wait_for="+token) || w.Code != http.StatusOK {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// The engine is asked about the current ranges; an answer that shows another time is made again.
func TestPolls_ClockMovesRanges(t *testing.T) {
	for _, c := range []struct {
		target string
		later  time.Duration
		want   bool
	}{
		{"/v1.1/brand/1/stats/activity", time.Minute, true},
		{"/v1.1/brand/1/stats/activity", 20 * time.Hour, true},
		{"/v1.1/brand/1/stats/timeline", time.Hour, true},
		{"/v1.1/brand/1/stats/timeline", 12 * time.Hour, false}, // a day more is touched
		{"/v1.1/brand/1/stats/timeline?start_date=2026-01-01+00:00:00&end_date=2026-02-01+00:00:00", 30 * time.Hour, true},
		{"/v1.1/members/active?limit=5", time.Hour, true},
		{"/v1.1/members/active?limit=1", time.Hour, false}, // the address of another page, in the body

		{"/v1.1/brands?limit=1", time.Hour, true},                                                   // a link, but no date in it
		{"/v1.1/activity/feed?limit=1", time.Hour, true},                                            // another page, in the header alone
		{"/v1.1/brand/1/stats/activity?start_date=2021-03-20+00:00:00", 30 * 24 * time.Hour, false}, // clamped now: a warning
		{"/v1.1/segment/1", time.Hour, true},
	} {
		h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
			return &domain.Answer{
				Tally: &domain.Tally{}, Timeline: &domain.Timeline{}, Leaders: &domain.Leaders{Total: domain.Count{Members: 3}},
				Feed: &domain.Feed{Total: 3}, Lists: make([]uint64, len(q.Lists)), Position: domain.Position{Journal: journalID},
			}, nil
		})
		clock := now
		h.api.Config.Now = func() time.Time { return clock }
		h.unchanged()
		tag := h.get(c.target).Header().Get("Etag")
		clock = clock.Add(c.later)
		var asked [][]domain.Range
		stands := h.engine.unchanged
		h.engine.unchanged = func(a domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
			asked = append(asked, slices.Clone(moved))
			return stands(a, since, f, moved)
		}
		w := h.get(c.target, "If-None-Match", tag)
		equal(t, c.want, h.fromCache() == 1, c.target, c.later)
		fresh := h.get(c.target)
		for _, name := range []string{"X-Range", "Link"} {
			if a, b := w.Header().Values(name), fresh.Header().Values(name); !slices.Equal(a, b) {
				t.Errorf("%s: %s %s, want %s", c.target, name, a, b)
			}
		}
		if !c.want || len(asked) == 0 || strings.Contains(c.target, "start_date") || strings.Contains(c.target, "segment") {
			continue
		}
		seconds := domain.Second(clock.Truncate(time.Minute).Add(time.Minute).Unix())
		if want := [][]domain.Range{{{From: seconds - 7*86400, To: seconds}}}; !reflect.DeepEqual(asked, want) {
			t.Errorf("%s: asked about %v, want %v", c.target, asked, want)
		}
	}
}

// A change of the account's catalog ends a cached response.
func TestPolls_ChangedCatalog(t *testing.T) {
	h := newFixture(t)
	h.unchanged()
	const target = "/v1.1/brand/1/stats/activity"
	tag := h.get(target).Header().Get("Etag")
	h.post("/v1.1/brand/2/edit", "name=Other")
	if w := h.get(target, "If-None-Match", tag); w.Code != http.StatusNotModified || h.fromCache() != 0 {
		t.Errorf("%d, %d by memory", w.Code, h.fromCache())
	}
	if h.get(target, "If-None-Match", tag); h.fromCache() != 1 {
		t.Error("what was compared is not cached")
	}
}
