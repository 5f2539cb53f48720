package page

import (
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// explained is a feed of n actions, newest first, one a second.
func explained(n int) *domain.Feed {
	f := &domain.Feed{Total: uint64(n)}
	for i := range min(n, explainedAtOnce+1) {
		f.Items = append(f.Items, domain.FeedItem{Row: domain.Row{Time: uint32(10_000 - i)}})
	}
	return f
}

var asking = &Explaining{Explain: true}

// explain_after needs explain.
func TestExplaining_Missing(t *testing.T) {
	has := func(names ...string) func(string) bool {
		return func(name string) bool { return len(names) > 0 && names[0] == name }
	}
	equal(t, "explain", (&Explaining{}).Missing(has("explain_after")))
	equal(t, "", (&Explaining{}).Missing(has()))
	equal(t, "", asking.Missing(has("explain_after")))
}

// A question that does not explain is left as it is.
func TestExplaining_NotAsked(t *testing.T) {
	r := must(continued("explain=0"))(t)
	var q domain.Question
	if err := (&Explaining{}).Ask(r, &q, bind.Span{From: 1, To: 2}); err != nil {
		t.Fatal(err)
	}
	equal(t, false, q.Explain)
	equal(t, domain.Listing{}, q.Listing)
}

// An explanation of more actions than a page has goes on after the last one, at the time and in the range of the
// first page. The list beside it is no part of it.
func TestExplainedPage(t *testing.T) {
	span := bind.Span{From: 60, To: 20_000}
	var q domain.Question
	r := must(continued("explain=1&a=b&apiKey=secret"))(t)
	if err := asking.Ask(r, &q, span); err != nil {
		t.Fatal(err)
	}
	equal(t, true, q.Explain)
	equal(t, domain.Listing{Every: true, Limit: 1001}, q.Listing)
	r.list.Resolved(bind.Range{})
	items, next, err := ExplainedPage(r, explained(1001))
	if err != nil || len(items) != 1000 {
		t.Fatal(len(items), err)
	}
	query := queryOf(t, next)
	for name, want := range map[string]string{"explain": "1", "a": "b", "start_date": "1970-01-01 00:01:00", "end_date": "1970-01-01 05:33:20", "apiKey": ""} {
		equal(t, want, parameter(t, query, name), name)
	}
	equal(t, 0, len(r.links.Header)) // it is no page of the list

	further := newRequest(query)
	further.now = noon.Add(time.Hour)
	at, err := further.list.ContinueExplanation(further.links.Params, 7, "GET /list")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, noon, at)
	q = domain.Question{}
	if err := asking.Ask(further, &q, span); err != nil {
		t.Fatal(err)
	}
	equal(t, int64(10_000-999), q.Listing.After.At)
	refused(t, asking.Ask(further, &q, bind.Span{From: 61, To: 20_000}), ExplainAfter)
	if _, next, err := ExplainedPage(further, explained(1000)); err != nil || next != nil {
		t.Errorf("the last page: next %v, %v", next, err)
	}
}

// An explanation of all time has no dates in its address.
func TestExplainedPage_OfAllTime(t *testing.T) {
	r := must(continued("explain=1"))(t)
	if err := asking.Ask(r, new(domain.Question), bind.Span{}); err != nil {
		t.Fatal(err)
	}
	_, next, err := ExplainedPage(r, explained(1001))
	if err != nil {
		t.Fatal(err)
	}
	query := queryOf(t, next)
	equal(t, "", parameter(t, query, "start_date"))
	second := must(continued(query))(t)
	equal(t, noon, second.now) // no range was resolved: any minute is that of the first page
	_, err = continued("explain=1&explain_after=x")
	refused(t, err, ExplainAfter)
	list := newRequest(query)
	_, err = list.list.ContinueExplanation(list.links.Params, 8, "GET /list")
	refused(t, err, ExplainAfter)
	_, err = continued("cursor=" + parameter(t, query, ExplainAfter)) // of the list it is no cursor
	refused(t, err, "cursor")
}
