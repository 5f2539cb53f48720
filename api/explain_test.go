package api

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// explained is a fixture whose answers explain: of n actions, a second apart, each page has
// those after the one asked for.
func explained(t testing.TB, n int) *fixture { return explainedBy(t, n, 1, new(uint64)) }

// explainedBy is explained with so many actions in each second, at a number of handovers.
func explainedBy(t testing.TB, n, inOne int, handedOver *uint64) *fixture {
	h := counting(t)
	rows := make([]domain.Row, n)
	for i := range rows {
		rows[i] = domain.Row{Seq: uint64(i + 1), Slot: 7, Time: domain.Second(1000 + i/inOne)}
	}
	slices.SortFunc(rows, func(a, b domain.Row) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Seq, b.Seq)) })
	tally := h.engine.answer
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		a, err := tally(q)
		if q.Shape != domain.ShapeTally {
			a.Timeline = &domain.Timeline{}
		}
		if !q.Explain {
			return a, err
		}
		a.Feed = &domain.Feed{Total: uint64(n), HandedOver: *handedOver}
		for _, row := range rows {
			switch after := q.Listing.After; {
			case after != nil && (int64(row.Time) > after.At || int64(row.Time) == after.At && row.ID() <= after.ID):
				a.Feed.Ahead++
			case len(a.Feed.Items) < q.Listing.Limit:
				a.Feed.Items = append(a.Feed.Items, domain.FeedItem{Row: row})
			}
		}
		return a, err
	}
	return h
}

// thatExplain are the statistics that explain themselves.
var thatExplain = []string{
	"/v1.1/brand/1/stats/activity", "/v1.1/brand/1/stats/timeline", "/v1.1/brand/1/stats/location", "/v1.1/brand/1/stats/gender", "/v1.1/brand/1/stats/age",
	"/v1.1/brand/1/stats/members", "/v1.1/activity/count/daily", "/v1.1/activity/count/services",
}

type explainedAnswer struct {
	Explain *wire.Explanation `json:"explain"`
}

// Each statistic lists the actions that it counted, page by page.
func TestExplain_EveryStatistic(t *testing.T) {
	for _, path := range thatExplain {
		h := explained(t, 2500)
		out := answered[explainedAnswer](h, h.get(path))
		if q := h.engine.asked[0]; out.Explain != nil || q.Explain {
			t.Errorf("%s: explains without being asked to", path)
		}
		var got []string
		target := path + "?explain=1&country=DE&period=1+Day"
		for page := range 3 {
			w := h.get(target)
			e := answered[explainedAnswer](h, w).Explain
			if e == nil || e.TotalSize != "2500" || e.Position != w.Header().Get("X-Position") || (e.Next == nil) != (page == 2) {
				t.Fatalf("%s: page %d: %+v at %s", path, page, e, w.Header().Get("X-Position"))
			}
			got = append(got, e.Actions...)
			if e.Next != nil {
				next, err := url.Parse(*e.Next)
				if err != nil {
					t.Fatal(err)
				}
				q := next.Query()
				if next.Host != "api.example" || q.Has("apiKey") || q.Has("period") || q.Get("country") != "DE" || q.Get("explain") != "1" || q.Get("end_date") != "2026-03-15 12:35:00" {
					t.Errorf("%s: next is %s", path, *e.Next)
				}
				target = next.RequestURI()
			}
		}
		var want []string
		for i := uint64(2500); i > 0; i-- {
			want = append(want, wire.Number(domain.ActionIDOf(i, 7)))
		}
		equal(t, want, got, path)
		for _, q := range h.engine.asked[1:] {
			if !q.Explain || !q.Listing.Every || q.Listing.Limit != 1001 {
				t.Errorf("%s: asked %+v", path, q)
			}
		}
	}
}

// A handover between two pages gives actions other IDs, by which those of one second are listed: where a
// page ends with a second the next one follows, else it is error 4.
func TestExplain_OverAHandover(t *testing.T) {
	for _, c := range []struct{ inOne, code int }{{1, 200}, {2, 200}, {3, 400}, {500, 200}, {2000, 400}} {
		handedOver := uint64(5)
		h := explainedBy(t, 2000, c.inOne, &handedOver)
		const path = "/v1.1/brand/1/stats/activity?explain=1"
		first := answered[explainedAnswer](h, h.get(path)).Explain
		next, err := url.Parse(*first.Next)
		if err != nil {
			t.Fatal(err)
		}
		if again := answered[explainedAnswer](h, h.get(next.RequestURI())).Explain; len(again.Actions) != 1000 || again.Next != nil || again.Actions[0] == first.Actions[999] {
			t.Errorf("%d in one second: %d actions from %s on, next %v", c.inOne, len(again.Actions), again.Actions[0], again.Next)
		}
		handedOver = 6
		w := h.get(next.RequestURI())
		if w.Code != c.code || c.code == http.StatusBadRequest && !strings.Contains(w.Body.String(), `"parameter":"explain_after"`) {
			t.Errorf("%d in one second: %d %s", c.inOne, w.Code, w.Body)
		}
	}
}

// A page of a tally is explained by the actions of its rows: of the question that made the totals.
func TestExplain_ShownPage(t *testing.T) {
	for query, want := range map[string]string{
		"":          "1 question, 100 102 103 explained",
		"&limit=1":  "2 questions, 103 explained",
		"&limit=9":  "2 questions, 100 102 103 explained",
		"&limit=0":  "1 question, nothing",
		"&limit=77": "2 questions, 100 102 103 explained",
	} {
		h := explained(t, 3)
		out := answered[explainedAnswer](h, h.get("/v1.1/brand/1/stats/activity?explain=1"+query))
		last := h.engine.asked[len(h.engine.asked)-1]
		words := []string{fmt.Sprint(len(h.engine.asked), " question", strings.Repeat("s", len(h.engine.asked)-1), ",")}
		if last.Explain {
			for _, g := range last.Groups {
				if g.Definition != 104 { // of which there is nothing
					words = append(words, fmt.Sprint(g.Definition))
				}
			}
			words = append(words, "explained")
		} else if out.Explain.TotalSize == "0" && len(out.Explain.Actions) == 0 && out.Explain.Next == nil && out.Explain.Position != "" {
			words = append(words, "nothing")
		}
		equal(t, want, strings.Join(words, " "), query)
	}
}

// The position of an explanation is not in the ETag.
func TestExplain_PositionIsNotInTheETag(t *testing.T) {
	h := explained(t, 3)
	target := "/v1.1/brand/1/stats/activity?explain=1"
	first := h.get(target)
	answer := h.engine.answer
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		a, err := answer(q)
		a.Position.Shards = []domain.ShardOffset{{Shard: 1, Next: 99}}
		return a, err
	}
	second := h.get(target)
	if first.Body.String() == second.Body.String() || first.Header().Get("Etag") != second.Header().Get("Etag") {
		t.Errorf("%s\n%s", first.Body, second.Body)
	}
}

// A token belongs to its question and range.
func TestExplain_TokenOfAnotherQuestion(t *testing.T) {
	h := explained(t, 1001)
	out := answered[explainedAnswer](h, h.get("/v1.1/brand/1/stats/activity?explain=1&start_date=2026-01-01+00:00:00&end_date=2026-02-01+00:00:00"))
	next, err := url.Parse(*out.Explain.Next)
	if err != nil {
		t.Fatal(err)
	}
	good := next.Query().Get("explain_after")
	with := func(path, token string, pairs ...string) string {
		q := next.Query()
		q.Set("explain_after", token)
		for i := 0; i < len(pairs); i += 2 {
			q.Set(pairs[i], pairs[i+1])
		}
		return path + "?" + q.Encode() // in another order: it is the same question
	}
	h.ok(h.get(with(next.Path, good, "wait_for", "", "timeout_ms", "5")), &out)
	for name, target := range map[string]string{
		"of another path":    with("/v1.1/brand/1/stats/age", good),
		"of another brand":   with("/v1.1/brand/2/stats/activity", good),
		"of another range":   with(next.Path, good, "end_date", "2026-02-01 00:00:01"),
		"beside a filter":    with(next.Path, good, "country", "DE"),
		"altered":            with(next.Path, "B"+good[1:]),
		"cut":                with(next.Path, good[1:]),
		"invalid":            with(next.Path, "%%%"),
		"altered at its end": with(next.Path, good[:len(good)-2]+"AA"),
	} {
		w := h.get(target)
		if w.Code != 400 || !strings.Contains(w.Body.String(), `"parameter":"explain_after"`) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	h.refused(h.get("/v1.1/brand/1/stats/activity?explain_after="+good), domain.MissingParameter, "explain")
}
