package actors

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/querytest"
)

// forwardedMembers are members with an identity each whose slot is another shard's, which was
// attached later: what comes by it is forwarded.
type forwardedMembers struct {
	r        *harness
	rnd      *rand.Rand
	ids      []domain.MemberID
	partners []domain.IdentityHash
	brands   int
	oneTime  bool // some of what is published may take another's place
	n        int
}

func newForwardedMembers(r *harness, rnd *rand.Rand, n, brands int) *forwardedMembers {
	w := &forwardedMembers{r: r, rnd: rnd, brands: brands}
	shards := r.journal.Partitions()
	for i := 0; len(w.ids) < n; i++ {
		home, partner := identityOf(2*i), identityOf(2*i+1)
		if home.Slot().Shard(shards) == partner.Slot().Shard(shards) {
			continue
		}
		w.ids = append(w.ids, r.submit(domain.Submission{Account: 1, Slot: home.Slot(), Command: &domain.RegisterMember{
			Application: 1, Identity: home, Service: domain.LastFM, Partner: partner, PartnerCode: "acme",
		}}).Member)
		w.partners = append(w.partners, partner)
	}
	return w
}

// burst says how many records of the journal have one time from here on, and moves its
// clock, also back: a broker's may be put right.
func (w *forwardedMembers) burst() {
	l := w.r.journal
	l.mu.Lock()
	defer l.mu.Unlock()
	l.burst = 1 + w.rnd.IntN(1+w.rnd.IntN(200))
	l.clock += w.rnd.Int64N(300) - 100
}

// publish has so many activities of any member arrive, by its id or by the identity in
// another shard.
func (w *forwardedMembers) publish(n int) {
	w.burst()
	acts := make([]domain.Activity, n)
	for i := range acts {
		w.n++
		m := w.rnd.IntN(len(w.ids))
		a := domain.Activity{
			Member: w.ids[m], Definition: 100, Brand: domain.BrandID(1 + w.rnd.IntN(w.brands)*w.rnd.IntN(2)),
			Time: 1_650_000_000 + w.rnd.Int64N(4_000_000), Hash: w.rnd.Uint64(),
			Content: domain.Content{Content: fmt.Sprintf(`{"Track":"Song %d"}`, w.rnd.IntN(4))},
		}
		if w.oneTime && w.rnd.IntN(5) == 0 {
			a.Definition = 101
		}
		if w.rnd.IntN(3) == 0 {
			a.Member, a.Identity = 0, w.partners[m]
		}
		acts[i] = a
	}
	w.r.publish(acts...)
}

// delete takes out up to n of the rows.
func (w *forwardedMembers) delete(items []domain.FeedItem, n int) {
	w.r.t.Helper()
	for range min(n, len(items)) {
		item := &items[w.rnd.IntN(len(items))]
		w.n++
		out, err := w.r.node.Submit(context.Background(), domain.Submission{
			Account: 1, Application: 1, Request: domain.RequestID{7, byte(w.n), byte(w.n >> 8), byte(w.n >> 16)}, Slot: item.Member.Slot(),
			Command: &domain.DeleteAction{Member: item.Member, Action: item.Row.ID()},
		})
		if err != nil || out.Code != domain.OK && out.Code != domain.NotFound {
			w.r.t.Fatalf("%+v %v", out, err)
		}
	}
}

// whole is the listing in one page.
func (w *forwardedMembers) whole(q *domain.Question) []domain.FeedItem {
	w.r.t.Helper()
	return w.r.ask(querytest.Whole(q)).Feed.Items
}

// recordedFeed is a listing of all actions by recording.
func recordedFeed(l domain.Listing) *domain.Question {
	l.Recorded = true
	return &domain.Question{
		Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 1<<32 - 1},
		Groups: []domain.Group{{Definition: 100}, {Definition: 101}}, Listing: l,
	}
}

// byRecording is the order of a feed by recording: ties by id.
func byRecording(up bool) func(a, b domain.FeedItem) int {
	return func(a, b domain.FeedItem) int {
		by := cmp.Compare(a.Recorded, b.Recorded)
		if !up {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.Row.ID(), b.Row.ID()))
	}
}

// A row is recorded when it takes its sequence in its member's shard: the later the
// sequence, the later the recording, wherever the activity had come first, also where the
// broker's clock is put back. Then the order of recordings and ids is one order in all
// shards.
func TestI12_RecordedRisesWithTheSequence(t *testing.T) {
	rnd := seeded(t)
	const shards = 4
	r := furnished(t, shards, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	w := newForwardedMembers(r, rnd, 20, 3)
	for range 8 {
		w.publish(200)
		if rnd.IntN(2) == 0 {
			r.settled()
		}
	}
	r.settled()
	if r.node.running[0].Stats.Records.Forwarded.Load() == 0 {
		t.Fatal("nothing was forwarded")
	}
	for _, up := range []bool{true, false} {
		q := recordedFeed(domain.Listing{Every: true, Up: up})
		all := w.whole(q)
		if len(all) != 1600 {
			t.Fatalf("%d rows", len(all))
		}
		if !slices.IsSortedFunc(all, byRecording(up)) {
			t.Error("the whole list is not in order of recording and id")
		}
		slices.SortFunc(all, func(a, b domain.FeedItem) int { return cmp.Compare(a.Row.Seq, b.Row.Seq) })
		last := [shards]int64{}
		for _, item := range all {
			at := &last[item.Member.Slot().Shard(shards)]
			if item.Recorded < *at {
				t.Fatalf("sequence %d was recorded at %d, an earlier one at %d", item.Row.Seq, item.Recorded, *at)
			}
			*at = item.Recorded
		}
		var paged []domain.FeedItem
		for q.Listing.Limit = 170; len(paged) < len(all); q.Listing.Offset += 170 {
			a := r.ask(q)
			paged = append(paged, a.Feed.Items...)
		}
		if slices.SortFunc(all, byRecording(up)); !slices.EqualFunc(all, paged, func(a, b domain.FeedItem) bool { return a.Row.ID() == b.Row.ID() }) {
			t.Error("pages by offset are not the list")
		}
	}
}

// A walk by keys over a feed in order of recording meets every row once, in both
// directions and with pages of any size, while rows come, are forwarded, and are deleted.
func TestI12_WalksByRecordingHaveEachRowOnce(t *testing.T) {
	rnd := seeded(t)
	for _, shards := range []int{2, 3, 5} {
		r := furnished(t, shards, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
		w := newForwardedMembers(r, rnd, 20, 3)
		w.oneTime = true
		w.publish(700)
		r.settled()
		for n := range 6 + sampled(10) {
			q := recordedFeed(domain.Listing{Every: n&1 == 0, Up: n&2 > 0, Limit: []int{1, 3, 20, 100, 1000}[rnd.IntN(5)]})
			if q.Listing.Limit < 20 { // few rows
				q.Range.From, q.Range.To = 1_650_000_000, 1_650_200_000
			}
			moving := n&4 > 0
			change := func() {
				if !moving {
					return
				}
				w.publish(rnd.IntN(10))
				if q.Listing.Every { // else a member's earlier row may take the place of the deleted
					w.delete(w.whole(q), rnd.IntN(3))
				}
				r.settled()
			}
			ask := func(q *domain.Question) (*domain.Answer, error) { return r.node.Ask(t.Context(), q, domain.Position{}) }
			if err := querytest.Walk(q, ask, change); err != nil {
				t.Fatalf("%d shards, moving %v, %+v: %v", shards, moving, q.Listing, err)
			}
		}
	}
}

// Over HTTP order_by_recorded lists by the time of recording, and a walk that follows
// next from an empty cursor holds every action of the range once, as a walk by offset
// does.
func TestFeed_OrderByRecordedIsWalkedWhole(t *testing.T) {
	rnd := seeded(t)
	r := newPollHarness(t, 3, 3)
	w := newForwardedMembers(r.harness, rnd, 20, 3)
	w.publish(900)
	w.publish(300)
	r.settled()
	const base = "/v1.1/activity/feed?all_member_actions=1&order_by_recorded=1&start_date=2022-04-01+00:00:00&end_date=2022-07-01+00:00:00&apiKey=" + pollKey
	for _, sort := range []string{"ASC", "DESC"} {
		for _, more := range []string{"cursor=&limit=7", "cursor=&limit=100", "cursor=&limit=1000", "limit=100"} {
			t.Run(sort+" "+more, func(t *testing.T) {
				met, markers, total := map[string]bool{}, []string(nil), 0
				for at, pages := base+"&sort="+sort+"&"+more, 0; at != ""; pages++ {
					answer := r.serve(r.oracle, http.MethodGet, at, "")
					var page struct {
						TotalSize json.RawMessage
						Items     []struct{ ID, Marker string } `json:"items"`
					}
					if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != http.StatusOK {
						t.Fatalf("%d %v %s", answer.Code, err, answer.Body)
					}
					if total, _ = strconv.Atoi(strings.Trim(string(page.TotalSize), `"`)); pages > total {
						t.Fatalf("%d pages of %d rows", pages, total)
					}
					for _, item := range page.Items {
						if met[item.ID] {
							t.Fatalf("action %s is met again on page %d", item.ID, pages)
						}
						met[item.ID] = true
						markers = append(markers, item.Marker)
					}
					at = nextOf(t, answer.Header().Get("Link"))
				}
				if len(met) != 1200 || total != 1200 {
					t.Errorf("%d actions of %d were met", len(met), total)
				}
				if sort == "DESC" {
					slices.Reverse(markers)
				}
				if !slices.IsSorted(markers) {
					t.Error("not in order of recording")
				}
			})
		}
	}
}

// A walk that begins with what was recorded since a moment has each action of then and later once, whenever it was
// completed, and none of before.
func TestFeed_RecordedSince(t *testing.T) {
	rnd := seeded(t)
	r := newPollHarness(t, 3, 3)
	w := newForwardedMembers(r.harness, rnd, 20, 3)
	w.publish(900)
	r.settled()
	const base = "/v1.1/activity/feed?all_member_actions=1&start_date=2022-04-01+00:00:00&end_date=2022-07-01+00:00:00&apiKey=" + pollKey
	walk := func(at string) (markers []string) {
		for at != "" {
			answer := r.serve(r.oracle, http.MethodGet, at, "")
			var page struct {
				Items []struct{ ID, Marker string } `json:"items"`
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != http.StatusOK {
				t.Fatalf("%d %v %s", answer.Code, err, answer.Body)
			}
			for _, item := range page.Items {
				markers = append(markers, item.Marker+" "+item.ID)
			}
			at = nextOf(t, answer.Header().Get("Link"))
		}
		return markers
	}
	all := walk(base + "&order_by_recorded=1&sort=ASC&cursor=&limit=1000")
	first, last := all[0][:len(time.DateTime)], all[len(all)-1][:len(time.DateTime)]
	from, err := time.Parse(time.DateTime, first)
	to, wrong := time.Parse(time.DateTime, last)
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	seconds := int(to.Sub(from)/time.Second) + 1
	for _, n := range []int{-1, 0, seconds / 2, rnd.IntN(seconds + 1), seconds - 1, seconds} {
		since := from.Add(time.Duration(n) * time.Second).Format(time.DateTime)
		want := slices.DeleteFunc(slices.Clone(all), func(m string) bool { return m < since })
		for _, more := range []string{"&cursor=&limit=1000", "&cursor=&limit=70", "&limit=170"} {
			got := walk(base + more + "&recorded_since=" + url.QueryEscape(since))
			if !slices.Equal(got, want) {
				t.Errorf("since %s, %d seconds of %d: %d actions, not %d of %d", since, n, seconds, len(got), len(want), len(all))
			}
		}
	}
}

// nextOf is the path of the next page that a Link names; empty: there is none.
func nextOf(t *testing.T, link string) string {
	t.Helper()
	for part := range strings.SplitSeq(link, ",") {
		if at, rel, ok := strings.Cut(part, ">;"); ok && strings.Contains(rel, `rel="next"`) {
			u, err := url.Parse(strings.TrimLeft(at, " <"))
			if err != nil {
				t.Fatal(err)
			}
			return u.RequestURI() + "&apiKey=" + pollKey
		}
	}
	return ""
}

// TestI12_PagesHaveEachRowOnceWhileTheNodeIngests walks over the lists of a node
// that applies activities meanwhile: late ones, and earlier ones of one-time pairs, which
// take the places of others.
func TestI12_PagesHaveEachRowOnceWhileTheNodeIngests(t *testing.T) {
	rnd := seeded(t)
	const fans, brands, start = 40, 3, 1_650_000_000
	r := furnished(t, 3, brands, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	ids := r.members(fans)
	latest := int64(2000)
	publish := func(n int) {
		var acts []domain.Activity
		for range n {
			latest += rnd.Int64N(3)
			at := latest
			if rnd.IntN(3) == 0 {
				at = rnd.Int64N(latest)
			}
			acts = append(acts, domain.Activity{
				Member: ids[rnd.IntN(fans)], Definition: domain.DefinitionID(100 + rnd.IntN(2)), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
				Time: start + at, Hash: rnd.Uint64(), Content: domain.Content{Content: fmt.Sprintf(`{"Track":"Song %d"}`, rnd.IntN(4))},
			})
		}
		r.publish(acts...)
		r.settled()
	}
	publish(3000)
	for n := range 48 {
		q := querytest.Question(rnd)
		q.Range, q.Brand, q.Groups = domain.Range{To: 1<<32 - 1}, domain.BrandID(rnd.IntN(brands+1)), []domain.Group{{Definition: 100}, {Definition: 101}}
		q.Listing = domain.Listing{Every: n&1 > 0, Recorded: n&2 > 0, Up: n&4 > 0, Limit: 100 + rnd.IntN(500)}
		q.Top.Offset, q.Top.Limit = 0, 5+rnd.IntN(20)
		if n%6 == 5 {
			q.Listing.Keyword = "song 1"
		}
		ask := func(q *domain.Question) (*domain.Answer, error) { return r.node.Ask(t.Context(), q, domain.Position{}) }
		if err := querytest.Walk(q, ask, func() { publish(rnd.IntN(20)) }); err != nil {
			t.Fatalf("%+v %+v: %v", q.Listing, q.Top, err)
		}
	}
}
