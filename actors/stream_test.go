package actors

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// follower reads a stream page by page, as its cursor says.
type follower struct {
	question domain.Question
	events   []domain.StreamEvent
}

// read reads one page of so many events, and reports that there may be more.
func (f *follower) read(r *harness, limit int) bool {
	r.t.Helper()
	q := f.question
	q.Stream.Limit = limit
	s := r.ask(&q).Stream
	if len(s.Events) > limit {
		r.t.Fatalf("%d events on a page of %d", len(s.Events), limit)
	}
	for shard, next := range s.Next {
		if next < q.Stream.AboveIn(shard) {
			r.t.Fatalf("shard %d: the cursor goes back from %d to %d", shard, q.Stream.AboveIn(shard), next)
		}
	}
	f.events = append(f.events, s.Events...)
	f.question.Stream.Above = s.Next
	return s.More
}

// drain reads all that is visible, in pages of random sizes.
func (f *follower) drain(r *harness, rnd *rand.Rand) {
	r.t.Helper()
	for f.read(r, 1+rnd.IntN(domain.MaxStreamPage)) {
	}
}

// want requires that the events are the model's actions that the question matches and whose place is above
// another's, each once, of each shard in order of its sequences.
func (f *follower) want(r *harness, m *reference.Model, above []uint64) {
	r.t.Helper()
	shards := r.journal.Partitions()
	got, want := make([][]domain.FeedItem, shards), make([][]domain.FeedItem, shards)
	for _, e := range f.events {
		if e.Item.Member.Slot().Shard(shards) != e.Shard {
			r.t.Fatalf("%+v", e)
		}
		got[e.Shard] = append(got[e.Shard], e.Item)
	}
	for a := range m.Counted(&f.question) {
		shard := a.Member.Slot().Shard(shards)
		if a.Row.Seq > above[shard] && reference.Mentions(a.Content, f.question.Listing.Keyword) {
			item := a.FeedItem
			item.Recorded = 0
			want[shard] = append(want[shard], item)
		}
	}
	for shard := range want {
		slices.SortFunc(want[shard], func(a, b domain.FeedItem) int { return cmp.Compare(a.Row.Seq, b.Row.Seq) })
		if !slices.Equal(got[shard], want[shard]) {
			r.t.Fatalf("%+v: shard %d streams %d actions, want %d\n%+v\n%+v",
				f.question, shard, len(got[shard]), len(want[shard]), got[shard], want[shard])
		}
	}
}

// streamOf is a question that streams what a brand, or with 0 any, has of the definitions.
func streamOf(brand domain.BrandID) domain.Question {
	q := *allOf(domain.ShapeStream, brand)
	q.Stream.Kinds = domain.FeedEvents
	return q
}

// Streams give every action that a naive model has, once and in order, to readers that read while it arrives, over
// restarts and power cuts, with brands that are small, large, and on disk only: whatever the filter, from wherever
// they begin, and in pages of any size.
func TestNode_StreamsMatchTheReferenceModel(t *testing.T) {
	rnd := seeded(t)
	const fans, brands, rounds, each = 30, 5, 6, 900
	r := newHarness(t, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	population := make([]*attendee, fans)
	for i := range population {
		population[i] = &attendee{Member: reference.Member{
			Services: []domain.Service{domain.LastFM}, Opts: map[domain.Opt]domain.OptState{},
		}}
		population[i].say(r, rnd, i)
		population[i].opt(r, rnd)
	}
	none := make([]uint64, 3)
	var live []*follower
	for brand := range domain.BrandID(brands + 1) {
		f := &follower{question: streamOf(brand)}
		f.question.Filter = randomFilter(rnd, population)
		f.question.Listing.Keyword = []string{"", "", "song 7"}[rnd.IntN(3)]
		live = append(live, f, &follower{question: streamOf(brand)})
	}
	var acts []domain.Activity
	var late *follower
	var from []uint64
	for round := range rounds {
		for n := range each {
			acts = append(acts, domain.Activity{
				Definition: domain.DefinitionID(100 + rnd.IntN(20)/19), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
				Time: 1_650_000_000 + rnd.Int64N(4000)*1000, Hash: rnd.Uint64(), Member: population[rnd.IntN(fans)].ID,
				Service: domain.LastFM, Content: domain.Content{
					Marker: strconv.Itoa(round*each + n), Content: fmt.Sprintf(`{"Track":"Song %d"}`, rnd.IntN(30)),
				},
			})
			if rnd.IntN(40) == 0 {
				r.publish(acts[len(acts)-1])
				live[rnd.IntN(len(live))].read(r, 1+rnd.IntN(40))
				continue
			}
			r.publish(acts[len(acts)-1])
		}
		switch round {
		case rounds / 2: // one begins with what is visible now
			r.settled()
			late = &follower{question: streamOf(0)}
			late.question.Stream.Start = domain.StreamNow
			if late.read(r, 0); len(late.events) > 0 {
				t.Fatalf("a stream that begins now has %+v", late.events)
			}
			from = late.question.Stream.Above
			late.question.Stream.Start = domain.StreamAbove
		case 1:
			r.restart()
		case 2:
			r.crash(rnd)
		}
	}
	r.settled()
	var members []reference.Member
	for _, a := range population {
		members = append(members, a.Member)
	}
	m := modelOf(members, acts)
	once := map[domain.DefinitionID]bool{101: true}
	m.Actions = slices.DeleteFunc(m.Actions, func(a reference.Action) bool { return once[a.Row.Definition] })
	for _, f := range append(live, late) { // an earlier one-time action that comes later is one more event
		f.question.Groups = []domain.Group{{Definition: 100, Group: 100}}
		f.events = slices.DeleteFunc(f.events, func(e domain.StreamEvent) bool { return once[e.Item.Row.Definition] })
	}
	r.identifyBy(m, []domain.Group{{Definition: 100}})
	for _, f := range live {
		f.drain(r, rnd)
		f.want(r, m, none)
	}
	late.drain(r, rnd)
	late.want(r, m, from)
	if len(late.events) == 0 || len(live[1].events) == 0 {
		t.Error("nothing was streamed: the test shows nothing")
	}
	for range 60 { // again, by every filter, in other pages
		f := &follower{question: streamOf(domain.BrandID(rnd.IntN(brands + 1)))}
		f.question.Groups = []domain.Group{{Definition: 100, Points: uint16(rnd.IntN(5)), Own: rnd.IntN(2) == 0}}
		f.question.Filter = randomFilter(rnd, population)
		f.question.Listing.Keyword = []string{"", "song 7", "song 1", "nothing"}[rnd.IntN(4)]
		if rnd.IntN(3) == 0 {
			f.question.Range = domain.Range{From: 1_650_500_000, To: 1_653_000_000}
			f.question.Filter.AnyOf = []domain.Performed{{Definition: 100, Brand: domain.BrandID(1 + rnd.IntN(brands))}}
		}
		f.drain(r, rnd)
		f.want(r, m, none)
	}
	r.beginAtMoments(rnd, m)
}

// beginAtMoments requires of streams that begin at a time of recording that they have what was recorded then and later.
func (r *harness) beginAtMoments(rnd *rand.Rand, m *reference.Model) {
	r.t.Helper()
	var times []int64
	for i := range m.Actions {
		times = append(times, m.Actions[i].Recorded)
	}
	slices.Sort(times)
	for range 20 {
		at := times[rnd.IntN(len(times))] + int64(rnd.IntN(2))
		f := &follower{question: streamOf(domain.BrandID(rnd.IntN(3)))}
		f.question.Groups = []domain.Group{{Definition: 100}}
		f.question.Stream = domain.StreamQuery{Kinds: domain.FeedEvents, Start: domain.StreamRecorded, From: at}
		f.read(r, 0)
		f.question.Stream.Start = domain.StreamAbove
		f.drain(r, rnd)
		since := &reference.Model{Members: m.Members}
		for _, a := range m.Actions {
			if a.Recorded >= at {
				since.Actions = append(since.Actions, a)
			}
		}
		f.want(r, since, make([]uint64, r.journal.Partitions()))
	}
}

// Two nodes that apply the same journal stream the same under the same cursor, a page at each in turn.
func TestNode_StreamsGoOnAtAnotherNode(t *testing.T) {
	rnd := seeded(t)
	r := furnished(t, 2, 2, Options{})
	ids := r.members(6)
	publish := func() {
		for range 200 {
			r.publish(r.actOf(ids[rnd.IntN(len(ids))], rnd.Uint64()))
		}
	}
	publish()
	r.settled()
	other := r.beside(Options{})
	other.settled()
	both, here := &follower{question: streamOf(0)}, &follower{question: streamOf(0)}
	for n := range 12 {
		if n == 6 {
			publish()
			r.settled()
			other.settled()
		}
		at := r
		if rnd.IntN(2) == 0 {
			at = other
		}
		both.read(at, 1+rnd.IntN(60))
	}
	both.drain(other, rnd)
	here.drain(r, rnd)
	order := func(a, b domain.StreamEvent) int { return cmp.Compare(a.Shard, b.Shard) }
	slices.SortStableFunc(both.events, order)
	slices.SortStableFunc(here.events, order)
	if len(here.events) != 400 || !slices.Equal(both.events, here.events) {
		t.Errorf("%d events at two nodes, %d at one", len(both.events), len(here.events))
	}
}

// Who waits for rows of a brand is told of them, and of notices, also where they came before the waiting began, and not of others.
func TestNode_AwaitRows(t *testing.T) {
	r := furnished(t, 2, 2, Options{})
	id := r.memberOf(1)
	q := streamOf(1)
	since := r.node.Versions()
	told := make(chan error, 1)
	ctx := t.Context()
	go func() { told <- r.node.AwaitRows(ctx, &q, since) }()
	other := r.actOf(id, 1)
	other.Brand = 2
	r.publish(other)
	r.eventually("the other brand's action", func() bool { return r.tally(2).Total.Actions == 1 })
	select {
	case err := <-told:
		t.Fatalf("told of another brand's row: %v", err)
	default:
	}
	r.publish(r.actOf(id, 2))
	if err := <-told; err != nil {
		t.Fatal(err)
	}
	r.counts(1)
	if err := r.node.AwaitRows(ctx, &q, since); err != nil { // it is there
		t.Fatal(err)
	}
	gone := r.memberOf(0) // who did nothing
	since = r.node.Versions()
	r.submit(domain.Submission{Account: 1, Slot: gone.Slot(), Command: &domain.EraseMember{Member: gone, At: 1}})
	if err := r.node.AwaitRows(ctx, &q, since); err != nil { // it is to be taken back
		t.Fatal(err)
	}
	since = r.node.Versions()
	brief, end := context.WithTimeout(context.Background(), time.Millisecond)
	defer end()
	if err := r.node.AwaitRows(brief, &q, since); err == nil {
		t.Error("told of nothing")
	}
}
