package page

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// limit is the page that a text asks for.
func limit(t *testing.T, text string) bind.Page {
	t.Helper()
	p := bind.Page{Given: true}
	if err := p.ParseParam(text); err != nil {
		t.Fatal(err)
	}
	p.Given = true
	return p
}

// A list without a limit has ten rows a page; one that is clamped says so.
func TestPaged_Page(t *testing.T) {
	r := newRequest("")
	equal(t, 10, Paged{}.Page(r).Limit)
	equal(t, 3, Paged{Limit: limit(t, "5,3")}.Page(r).Limit)
	equal(t, nil, r.warnings)
	equal(t, bind.MaxLimit, Paged{Limit: limit(t, "5000")}.Page(r).Limit)
	equal(t, []string{"limit was clamped to 1000"}, r.warnings)
}

func byNumber(n *uint64) Row { return Row{ID: *n} }

// By offset the addresses of the pages beside it are in the answer and in the header, with the dates of the range and
// without the key. Where offsets end, a warning says how to go on.
func TestResultPage_ByOffset(t *testing.T) {
	for _, c := range []struct {
		limit, next, prev string
		size, warnings    int
	}{
		{limit: "0,10", size: 10},
		{limit: "0,10", size: 11, next: "10,10"},
		{limit: "10,10", size: 20, prev: "0,10"},
		{limit: "10,10", size: 21, next: "20,10", prev: "0,10"},
		{limit: "3,10", size: 13, prev: "0,3"},
		{limit: "0,0", size: 13},
		{limit: "5,0", size: 13},
		{limit: "100000,10", size: 100_020, prev: "99990,10", warnings: 1},
		{limit: "99990,10", size: 100_020, next: "100000,10", prev: "99980,10"},
	} {
		r := newRequest("apiKey=secret&a=b&period=1d&limit=" + c.limit)
		rows := []uint64{1, 2, 3}
		got, paging := ResultPage(r, limit(t, c.limit), rows, c.size, byNumber, Dates(bind.Span{From: 60, To: 120})...)
		equal(t, rows, got)
		var links []string
		for rel, want := range map[string]string{"next": c.next, "prev": c.prev} {
			address := map[string]*string{"next": paging.Next, "prev": paging.Previous}[rel]
			if want == "" {
				if address != nil {
					t.Errorf("%+v: %s is %s", c, rel, *address)
				}
				continue
			}
			query := queryOf(t, address)
			equal(t, want, parameter(t, query, "limit"), c, rel)
			for name, value := range map[string]string{"a": "b", "start_date": "1970-01-01 00:01:00", "end_date": "1970-01-01 00:02:00", "apiKey": "", "period": ""} {
				equal(t, value, parameter(t, query, name), c, rel, name)
			}
			links = append(links, "<"+*address+`>; rel="`+rel+`"`)
		}
		slices.Sort(links)
		equal(t, links, slices.Sorted(slices.Values(r.links.Header)), c)
		equal(t, c.warnings, len(r.warnings), c, r.warnings)
	}
}

// A walk by cursor has each row whose key stays exactly once, in order, while rows come and go around it; it is of
// the minute and the range of its first page.
func TestPageOf_Walk(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		var staying, all []uint64
		for n := uint64(2); n < 200; n += 2 {
			staying = append(staying, n)
		}
		span := bind.Span{From: 60, To: 3600}
		query, later := "a=b&cursor=&limit="+strconv.Itoa(1+r.IntN(40)), noon
		var met []uint64
		for query != "" {
			all = slices.Clone(staying)
			for n := uint64(1); n < 200; n += 2 { // rows that are there for one page
				if r.IntN(2) == 0 {
					all = append(all, n)
				}
			}
			slices.Sort(all)
			req := newRequest(query)
			req.now = later
			at, err := req.list.Continue(req.links.Params, 7, "GET /list")
			if err != nil {
				t.Fatal(err)
			}
			req.set(at)
			equal(t, noon.Unix()/60, req.Minute())
			req.list.Resolved(bind.Range{})
			if err := req.list.Keyset.Hold(span); err != nil {
				t.Fatal(err)
			}
			rows, paging := PageOf(req, limit(t, parameter(t, query, "limit")), all, byNumber, ByID, Dates(span)...)
			for _, n := range rows {
				if n%2 == 0 {
					met = append(met, n)
				}
			}
			query, later = "", later.Add(time.Hour)
			if paging.Next != nil {
				query = queryOf(t, paging.Next)
				equal(t, 1, len(req.links.Header))
			}
			if paging.Previous != nil {
				t.Fatal("a walk goes one way")
			}
		}
		equal(t, staying, met)
	}
}

// An empty page by cursor is the last one, wherever it is; a page that is not full, too.
func TestResultPage_LastByCursor(t *testing.T) {
	for _, c := range []struct{ limit, rows int }{{0, 3}, {3, 3}, {3, 0}, {3, 2}} {
		r := must(continued("cursor="))(t)
		rows, paging := ResultPage(r, bind.Page{Limit: c.limit, Given: true}, make([]uint64, c.rows), 99, byNumber)
		if len(rows) != c.rows || paging.Next != nil || len(r.links.Header) > 0 {
			t.Errorf("%+v: %d rows, next %v", c, len(rows), paging.Next)
		}
	}
}

// A cursor belongs to its account, operation and parameters, and has no offset beside it.
func TestList_ContinueRefuses(t *testing.T) {
	first := must(continued("cursor=&limit=1"))(t)
	_, paging := ResultPage(first, limit(t, "1"), []uint64{1, 2}, 2, byNumber)
	query := queryOf(t, paging.Next)
	again := newRequest(query)
	if _, err := again.list.Continue(again.links.Params, 7, "GET /list"); err != nil {
		t.Fatal(err)
	}
	_, err := again.list.Continue(again.links.Params, 8, "GET /list")
	refused(t, err, "cursor")
	_, err = again.list.Continue(again.links.Params, 7, "GET /other")
	refused(t, err, "cursor")
	for query, about := range map[string]string{"cursor=x": "cursor", "cursor=&limit=1,2": "limit", strings.Replace(query, "limit=1", "limit=1,1", 1): "limit"} {
		_, err := continued(query)
		refused(t, err, about)
	}
	// A limit that is none is refused where parameters are bound.
	if _, err := continued("cursor=&limit=x"); err != nil {
		t.Error(err)
	}
}

// A ranking is asked for one row more than its page has, after the cursor's row; for an empty page nothing is.
func TestTop(t *testing.T) {
	equal(t, domain.Top{Offset: 20, Limit: 10}, Top(newRequest(""), limit(t, "20,10")))
	equal(t, domain.Top{}, Top(newRequest(""), limit(t, "20,0")))
	first := must(continued("cursor=&limit=1"))(t)
	equal(t, domain.Top{Limit: 2}, Top(first, limit(t, "1")))
	_, paging := ResultPage(first, limit(t, "1"), []uint64{4, 5}, 2, func(n *uint64) Row { return Row{Rank: 9, ID: *n} })
	second := must(continued(queryOf(t, paging.Next)))(t)
	equal(t, domain.Top{Limit: 2, After: &domain.After{Rank: 9, Member: 4}}, Top(second, limit(t, "1")))
}

// A list without ranges, or with fixed ones, does not depend on the clock: its pages are of any minute.
func TestList_ResolvedByFixedDates(t *testing.T) {
	fixed := bind.Range{}
	fixed.StartDate.Time, fixed.EndDate.Time = bind.Time{Unix: 60, Given: true}, bind.Time{Unix: 120, Given: true}
	for _, c := range []struct {
		ranges []bind.Range
		minute int64
	}{{nil, 0}, {[]bind.Range{fixed}, 0}, {[]bind.Range{{}}, noon.Unix() / 60}, {[]bind.Range{{}, fixed}, noon.Unix() / 60}} {
		r := must(continued("cursor="))(t)
		for _, in := range c.ranges {
			r.list.Resolved(in)
		}
		equal(t, c.minute, r.list.Keyset.Next(Row{ID: 1}, r.Minute()).Minute, len(c.ranges))
	}
}
