package actors

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// onPage is an action as a page of a feed shows it.
type onPage struct {
	domain.FeedItem
	domain.Shown
}

// pages asks for a feed page by page; the total is the same on each.
func (r *harness) pages(q domain.Question, size int) (all []onPage, total uint64) {
	r.t.Helper()
	for q.Listing.Offset, q.Listing.Limit = 0, size; ; q.Listing.Offset += size {
		a, err := r.node.Ask(context.Background(), &q, domain.Position{})
		if err != nil {
			r.t.Fatal(err)
		}
		shown, err := r.node.Show(context.Background(), q.Account, a.Feed.Items, a.Position)
		if err != nil {
			r.t.Fatal(err)
		}
		if q.Listing.Offset > 0 && a.Feed.Total != total {
			r.t.Fatalf("a total of %d after one of %d", a.Feed.Total, total)
		}
		total = a.Feed.Total
		for i, item := range a.Feed.Items {
			all = append(all, onPage{item, shown[i]})
		}
		if len(a.Feed.Items) < size {
			return all, total
		}
	}
}

// feeding is activities of fans as published, in seconds that several share.
type feeding struct {
	acts []domain.Activity
	who  []domain.MemberID
}

func (f *feeding) add(rnd *rand.Rand, ids []domain.MemberID, brands int) domain.Activity {
	n := len(f.acts)
	m := rnd.IntN(len(ids))
	a := domain.Activity{
		Definition: 100, Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)), Service: domain.LastFM,
		Time: 1_650_000_000 + rnd.Int64N(4000)*1000, Hash: rnd.Uint64(), Member: ids[m],
		Content: domain.Content{Marker: strconv.Itoa(n), Content: fmt.Sprintf(`{"Track":"Song %d"}`, rnd.IntN(30))},
	}
	f.acts, f.who = append(f.acts, a), append(f.who, ids[m])
	return a
}

// want is the markers that a feed lists in each second, the slow way. Of actions of a
// member's latest second any may be the one listed.
func (f *feeding) want(q *domain.Question) (all map[string]int, members map[domain.MemberID]int64) {
	all, members = map[string]int{}, map[domain.MemberID]int64{}
	for i := range f.acts {
		a := &f.acts[i]
		if q.Brand != 0 && a.Brand != q.Brand || a.Time < int64(q.Range.From) || a.Time >= int64(q.Range.To) ||
			!strings.Contains(strings.ToLower(a.Content.Content), q.Listing.Keyword) {
			continue
		}
		all[a.Content.Marker] = i
		members[f.who[i]] = max(members[f.who[i]], a.Time)
	}
	return all, members
}

// check compares a feed, page by page, with the slow way.
func (f *feeding) check(r *harness, q domain.Question, size int) {
	r.t.Helper()
	got, total := r.pages(q, size)
	all, members := f.want(&q)
	want := len(all)
	if !q.Listing.Every {
		want = len(members)
	}
	if len(got) != want || total != uint64(want) {
		r.t.Fatalf("%+v: %d listed of %d, want %d", q.Listing, len(got), total, want)
	}
	met := map[domain.ActionID]bool{}
	seen := map[domain.MemberID]bool{}
	for _, l := range got {
		i, ok := all[l.Content.Marker]
		if !ok || met[l.Row.ID()] {
			r.t.Fatalf("%+v: %q is listed", q.Listing, l.Content.Marker)
		}
		met[l.Row.ID()] = true
		a := &f.acts[i]
		if a.Time != int64(l.Row.Time) || a.Brand != l.Row.Brand || l.Row.Points != 1 || a.Content.Content != l.Content.Content ||
			f.who[i] != l.FeedItem.Member || l.Shown.Member == nil || l.Shown.Member.ID != f.who[i] || l.Row.Slot != f.who[i].Slot() {
			r.t.Fatalf("%+v: %+v is shown as %+v", q.Listing, a, l)
		}
		if !q.Listing.Every && (seen[f.who[i]] || members[f.who[i]] != a.Time) {
			r.t.Fatalf("%+v is not member %d's latest", a, f.who[i])
		}
		seen[f.who[i]] = true
	}
	if !slices.IsSortedFunc(got, func(a, b onPage) int {
		by := cmp.Compare(a.Row.Time, b.Row.Time)
		if q.Listing.Recorded {
			by = cmp.Compare(a.Content.Recorded, b.Content.Recorded)
		}
		if !q.Listing.Up {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.Row.ID(), b.Row.ID()))
	}) {
		r.t.Fatalf("%+v: not in order", q.Listing)
	}
}

// A node lists as a naive model does, over several shards, with small brands, large
// ones, and large ones that are on disk only.
func TestTheNodeListsAsANaiveModelDoes(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 8))
	const fans, brands = 30, 5
	r := newHarness(t, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	ids := make([]domain.MemberID, fans)
	for i := range ids {
		ids[i] = r.register(i)
	}
	f := &feeding{}
	for range 2 {
		var fresh []domain.Activity
		for range 3500 {
			fresh = append(fresh, f.add(rnd, ids, brands))
		}
		r.publish(fresh...)
		r.settled()
		for n := range 24 {
			q := domain.Question{
				Account: 1, Shape: domain.ShapeFeed, Brand: domain.BrandID(rnd.IntN(brands + 1)), Range: domain.Range{To: 1<<32 - 1},
				Groups:  []domain.Group{{Definition: 100}},
				Listing: domain.Listing{Every: n&1 > 0, Recorded: n&2 > 0, Up: n&4 > 0},
			}
			if n >= 16 {
				q.Listing.Keyword = []string{"song 7", "song 1", "nothing"}[rnd.IntN(3)]
			}
			if rnd.IntN(2) == 0 {
				q.Range = domain.Range{From: 1_650_500_000, To: 1_653_000_000}
			}
			f.check(r, q, 300+rnd.IntN(3000))
			f.totals(r, q)
		}
	}
}

// totals compares the total with the tally of the same question (I12).
func (f *feeding) totals(r *harness, q domain.Question) {
	r.t.Helper()
	if q.Listing.Keyword != "" {
		return
	}
	ask := func(shape domain.Shape) *domain.Answer {
		q.Shape = shape
		a, err := r.node.Ask(context.Background(), &q, domain.Position{})
		if err != nil {
			r.t.Fatal(err)
		}
		return a
	}
	total, want := ask(domain.ShapeFeed).Feed.Total, ask(domain.ShapeTally).Tally.Total
	if q.Listing.Every && total != want.Actions || !q.Listing.Every && total != want.Members {
		r.t.Fatalf("%+v: a total of %d beside a tally of %+v", q.Listing, total, want)
	}
}
