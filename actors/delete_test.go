package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// graveyard is activities, each in a second of its own, and which of them were
// deleted: plain ones by that second, one-time ones by their pair.
type graveyard struct {
	r      *harness
	ids    []domain.MemberID
	acts   []domain.Activity // published
	gone   map[int64]bool
	closed map[string]bool
	n      uint32 // of requests
}

func newGraveyard(r *harness, fans, brands int) *graveyard {
	g := &graveyard{r: r, gone: map[int64]bool{}, closed: map[string]bool{}}
	r.furnish(brands)
	for i := range fans {
		g.ids = append(g.ids, r.register(i))
	}
	return g
}

// act is a new activity of a random member.
func (g *graveyard) act(rnd *rand.Rand, n, brands int) domain.Activity {
	m := min(rnd.IntN(len(g.ids)), rnd.IntN(len(g.ids)))
	return domain.Activity{
		Member: g.ids[m], Definition: domain.DefinitionID(100 + rnd.IntN(4)/3), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
		Time: 1_600_000_000 + int64(n)*7919%9_000_000, Hash: rnd.Uint64(),
	}
}

// did notes an activity, which is published with the others.
func (g *graveyard) did(a domain.Activity) { g.acts = append(g.acts, a) }

// publish publishes the activities from the n-th on, in their order.
func (g *graveyard) publish(n int) {
	for part := range slices.Chunk(g.acts[n:], 100) {
		records := make([]domain.Record, len(part))
		for i, a := range part {
			records[i] = domain.Record{Kind: domain.KindActivity, Account: 1, Activity: a}
		}
		_, _ = g.r.source.Append(context.Background(), n%2, records)
		n++
	}
}

func pairKey(member domain.MemberID, brand domain.BrandID) string {
	return fmt.Sprint(member, "/", brand)
}

// wants is what is left to be counted.
func (g *graveyard) wants() *reference.Model {
	var acts []domain.Activity
	for _, a := range g.acts {
		if !g.gone[a.Time] && (a.Definition != 101 || !g.closed[pairKey(a.Member, a.Brand)]) {
			acts = append(acts, a)
		}
	}
	return modelOf(g.r.membersOf(g.ids), acts)
}

func (g *graveyard) check(brands int) {
	g.r.t.Helper()
	want := g.wants()
	for b := range domain.BrandID(brands + 1) {
		g.r.compare(want, allOf(domain.ShapeTally, b))
	}
	rows := int64(len(want.Actions))
	for _, s := range g.r.node.Status().Shards {
		rows -= s.Rows
	}
	if rows != 0 {
		g.r.t.Fatalf("%d rows are missing", rows)
	}
}

// listedAtOnce is how many items listed gives.
const listedAtOnce = 300

// listed is a part of what the feed lists now.
func (g *graveyard) listed(offset int, up bool) []domain.FeedItem {
	g.r.t.Helper()
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100}, {Definition: 101}},
		Listing: domain.Listing{Every: true, Up: up, Offset: offset, Limit: listedAtOnce},
	}
	var items []domain.FeedItem
	g.r.eventually("answer", func() bool { // a machine that is busy with other tests may be late
		a, err := g.r.node.Ask(context.Background(), q, domain.Position{})
		if err != nil {
			return domain.CodeOf(err) != domain.Unavailable
		}
		items = a.Feed.Items
		return true
	})
	return items
}

// bury submits a delete.
func (g *graveyard) bury(account domain.AccountID, member domain.MemberID, action domain.ActionID, request uint32) domain.Outcome {
	g.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := g.r.node.Submit(ctx, domain.Submission{
		Account: account, Application: 1, Request: domain.RequestID{7, byte(request), byte(request >> 8), byte(request >> 16)}, BodyHash: uint64(action),
		Slot: member.Slot(), Command: &domain.DeleteAction{Member: member, Action: action},
	})
	if err != nil {
		g.r.t.Fatal(err)
	}
	return out
}

// delete deletes an item of the feed; one that lost its place meanwhile is none.
func (g *graveyard) delete(item *domain.FeedItem, sure bool) {
	g.r.t.Helper()
	g.n++
	first := g.bury(1, item.Member, item.Row.ID(), g.n)
	if first.Code == domain.NotFound && !sure && item.Row.Definition == 101 {
		return
	}
	if first.Code != domain.OK || first.Replayed || first.Member != item.Member {
		g.r.t.Fatalf("%+v is deleted: %+v", item, first)
	}
	if item.Row.Definition == 101 {
		g.closed[pairKey(item.Member, item.Row.Brand)] = true
	} else {
		g.gone[int64(item.Row.Time)] = true
	}
	if again := g.bury(1, item.Member, item.Row.ID(), g.n); again.Code != domain.OK || !again.Replayed {
		g.r.t.Fatalf("the same request again: %+v", again)
	}
	g.n++
	if second := g.bury(1, item.Member, item.Row.ID(), g.n); second.Code != domain.NotFound || second.Replayed {
		g.r.t.Fatalf("a second delete: %+v", second)
	}
}

func (g *graveyard) facts() (all []string) {
	for _, s := range g.r.node.Status().Shards {
		all = append(all, fmt.Sprint(s.Facts, " ", s.Rows))
	}
	return all
}

// Deletes among activities, members asleep, columns evicted, kills and restarts: every
// number is that of a naive model, and a node that has only the log comes to the same
// facts (I6). Another node that gets the same activities in another order, and then the
// same deletes, too (I9).
func TestI9_DeletedIsInNoStatistic(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 12))
	const fans, brands, shards = 25, 5, 2
	options := Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000, CachedIdentities: 4}}
	g := newGraveyard(newHarness(t, shards, options), fans, brands)
	acts := 200 + sampled(800) // of a round
	for round := range 4 {
		for range acts {
			if n := len(g.acts); n > 0 && rnd.IntN(5) == 0 { // a repeat
				i := rnd.IntN(n)
				g.did(g.acts[i])
				continue
			}
			g.did(g.act(rnd, len(g.acts), brands))
		}
		g.publish(len(g.acts) - acts)
		for range 25 { // while they are applied
			if items := g.listed(rnd.IntN(acts), rnd.IntN(2) == 0); len(items) > 0 {
				g.delete(&items[rnd.IntN(len(items))], false)
			}
		}
		switch round {
		case 1:
			g.r.close()
			g.r.open()
		case 2:
			g.r.settled()
			g.r.crash(rnd)
		}
		g.r.settled()
		g.check(brands)
	}
	g.publish(0) // all of it again
	g.r.settled()
	g.check(brands)
	facts := g.facts()
	g.r.replaysEqual(t)
	g.r.close()
	g.r.fs = vfs.NewCrashableMem()
	g.r.open()
	g.r.settled()
	g.check(brands)
	if diff := cmp.Diff(facts, g.facts()); diff != "" {
		t.Fatalf("seed %d: made of the log anew: %s", seed, diff)
	}

	other := newGraveyard(newHarness(t, shards, options), fans, brands)
	for _, i := range rnd.Perm(len(g.acts)) {
		other.did(g.acts[i])
	}
	other.publish(0)
	other.r.settled()
	for offset := 0; ; {
		items := other.listed(offset, true)
		if offset += len(items) - other.deleteAs(g, items); len(items) < listedAtOnce {
			break
		}
	}
	other.check(brands)
	if diff := cmp.Diff(facts, other.facts()); diff != "" {
		t.Fatalf("seed %d: in another order: %s", seed, diff)
	}
}

// deleteAs deletes those of the items that are deleted in g.
func (g *graveyard) deleteAs(as *graveyard, items []domain.FeedItem) (n int) {
	for i := range items {
		r := &items[i].Row
		if r.Definition == 100 && as.gone[int64(r.Time)] || r.Definition == 101 && as.closed[pairKey(items[i].Member, r.Brand)] {
			g.delete(&items[i], true)
			n++
		}
	}
	return n
}

func TestDelete_OnlyActionsOfTheMember(t *testing.T) {
	r := newHarness(t, 2, Options{})
	g := newGraveyard(r, 2, 1)
	record := func(a domain.Activity) domain.Outcome {
		a.Member, a.Brand = g.ids[0], 1
		return r.submit(domain.Submission{Account: 1, Slot: a.Member.Slot(), Activity: &a})
	}
	d := func(definition domain.DefinitionID, time int64, hash uint64) domain.Activity {
		return domain.Activity{Definition: definition, OneTime: definition == 101, Service: domain.LastFM, Time: time, Hash: hash}
	}
	plain, late := record(d(100, 1_600_000_000, 1)), record(d(101, 1_600_000_009, 2))
	early := record(d(101, 1_600_000_005, 3)) // takes the place of late
	me, id := g.ids[0], plain.Row.ID()
	for n, c := range []struct {
		account domain.AccountID
		member  domain.MemberID
		action  domain.ActionID
		at      string
	}{
		{1, g.ids[1], id, "actionid"},
		{2, me, id, "memberid"},
		{1, me + 4096, id, "memberid"},
		{1, me, id + 4096<<20, "actionid"},
		{1, me, id ^ 1, "actionid"},
		{1, me, 0, "actionid"},
		{1, me, late.Row.ID(), "actionid"},
		{1, me, domain.ActionID(1<<53 - 1), "actionid"},
	} {
		if out := g.bury(c.account, c.member, c.action, uint32(n)); out.Code != domain.NotFound || out.Parameter != c.at {
			t.Errorf("case %d: %+v", n, out)
		}
	}
	if got := r.tally(1).Total; got.Actions != 2 {
		t.Fatalf("%+v", got)
	}
	for n, id := range []domain.ActionID{id, early.Row.ID()} {
		if out := g.bury(1, me, id, uint32(100+n)); out.Code != domain.OK {
			t.Fatalf("%+v", out)
		}
	}
	for _, again := range []domain.Activity{d(100, 1_600_000_000, 1), d(101, 1_600_000_009, 2), d(101, 1_600_000_005, 3), d(101, 1_600_000_001, 4)} {
		if out := record(again); out.New || out.Row.Flags&domain.Deleted == 0 {
			t.Errorf("a repeat of what was deleted: %+v", out)
		}
	}
	if got := r.tally(1).Total; got.Actions != 0 {
		t.Fatalf("%+v", got)
	}
	if status := r.node.Status(); status.Shards[0].Deleted+status.Shards[1].Deleted != 2 {
		t.Errorf("%+v", status.Shards)
	}
}
