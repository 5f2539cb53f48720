package actors

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/query/reference"
	"github.com/ovation-analytics/ovation/storage/store"
)

// merges is members who act, are merged, parted and erased, beside what answers must say of them.
type merges struct {
	*harness
	rnd     *rand.Rand
	brands  int
	fans    []domain.MemberID                   // those who are not erased
	names   map[domain.MemberID][]int           // their identities
	into    map[domain.MemberID]domain.MemberID // of those who are merged
	acts    []domain.Activity                   // of those who did them, named by their contents
	gone    map[string]bool                     // by content: deleted
	removed int                                 // how often that was done
	done    int                                 // acts so far
	at      domain.Position
	twin    *merges // the same without merges; nil: there is none
}

// newMerges is so many members, with so little memory for what they do that most is read from disk.
func newMerges(t *testing.T, rnd *rand.Rand, fans, acts int) *merges {
	few := Memory{MemberBytes: 12 * acts, ResidentBytes: 30 * acts, CachedIdentities: 4}
	x := &merges{
		harness: furnished(t, 3, 4, Options{Memory: few}),
		rnd:     rnd, brands: 4, names: map[domain.MemberID][]int{}, into: map[domain.MemberID]domain.MemberID{}, gone: map[string]bool{},
	}
	for fan := range fans {
		x.register(fan)
	}
	return x
}

// root is the member that one stands for.
func (x *merges) root(id domain.MemberID) domain.MemberID {
	for x.into[id] != 0 {
		id = x.into[id]
	}
	return id
}

// below is how many merges are below a member, one below the other.
func (x *merges) below(id domain.MemberID) (depth int) {
	for from, into := range x.into {
		if into == id {
			depth = max(depth, 1+x.below(from))
		}
	}
	return depth
}

// roots are the members that answers know.
func (x *merges) roots() []domain.MemberID {
	return slices.DeleteFunc(slices.Clone(x.fans), func(id domain.MemberID) bool { return x.into[id] != 0 })
}

func (x *merges) register(fan int) {
	s := registration(identityOf(2*fan), identityOf(2*fan+1), "u")
	c := s.Command.(*domain.RegisterMember)
	c.At, c.Visit.Key = 1_600_000_000_000+int64(fan), uint64(fan+1)
	id := x.submit(s).Member
	x.fans, x.names[id] = append(x.fans, id), []int{2 * fan, 2*fan + 1}
}

// act publishes activities of members, by any of their names, of one-time definitions too.
func (x *merges) act(n int) {
	var fresh []domain.Activity
	for range n {
		id := x.fans[x.rnd.IntN(len(x.fans))]
		names := x.names[id]
		a := domain.Activity{
			Identity: identityOf(names[x.rnd.IntN(len(names))]), Definition: domain.DefinitionID(100 + x.rnd.IntN(3)/2),
			Brand: domain.BrandID(1 + x.rnd.IntN(x.brands)), Time: 1_600_000_000 + x.rnd.Int64N(9_000_000), Hash: x.rnd.Uint64(),
		}
		a.Content = domain.Content{Content: fmt.Sprintf("act %d", x.done), Link: "https://a.example"}
		x.done++
		fresh = append(fresh, a)
		a.Member = id
		x.acts = append(x.acts, a)
	}
	x.publish(fresh...)
	if x.twin != nil {
		x.twin.publish(fresh...)
		x.twin.acts = slices.Clone(x.acts)
	}
}

// do submits a command for a member and gives its outcome's code. A machine that is busy is asked again.
func (x *merges) do(id domain.MemberID, c domain.Command) domain.Code {
	x.t.Helper()
	s := domain.Submission{Account: 1, Slot: id.Slot(), Command: c}
	binary.BigEndian.PutUint64(s.Request[8:], x.rnd.Uint64())
	out, err := x.repeated(s)
	x.must(err)
	x.at = x.at.Reach(out.Position)
	return out.Code
}

func (x *merges) expect(want domain.Code, id domain.MemberID, c domain.Command) {
	x.t.Helper()
	if got := x.do(id, c); got != want {
		x.t.Fatalf("%+v of %d: code %d, want %d", c, id, got, want)
	}
}

// merge merges two members, where that is possible.
func (x *merges) merge() {
	x.t.Helper()
	a, b := x.fans[x.rnd.IntN(len(x.fans))], x.fans[x.rnd.IntN(len(x.fans))]
	want := domain.OK
	switch {
	case a == b:
		want = domain.InvalidParameter
	case x.into[a] != 0:
		want = domain.Gone
	case x.into[b] == a:
	case x.into[b] != 0:
		want = domain.Conflict
	case x.below(b) == domain.DeepestMerge:
		want = domain.PlanLimit
	}
	x.expect(want, a, &domain.MergeMembers{Member: a, From: b})
	if want == domain.OK {
		x.into[b] = a
	}
}

// unmerge takes a merge back.
func (x *merges) unmerge() {
	x.t.Helper()
	for _, b := range x.fans {
		a := x.into[b]
		if a == 0 || x.rnd.IntN(2) == 0 {
			continue
		}
		if x.into[a] != 0 {
			x.expect(domain.Gone, a, &domain.UnmergeMember{Member: a, From: b})
			continue
		}
		x.expect(domain.OK, a, &domain.UnmergeMember{Member: a, From: b})
		x.expect(domain.NotFound, a, &domain.UnmergeMember{Member: a, From: b})
		delete(x.into, b)
	}
}

// remove deletes an action, by the id that it has in a feed.
func (x *merges) remove() {
	x.t.Helper()
	x.rested() // no action that was deleted is shown
	if feed := x.feed(); len(feed.Items) > 0 {
		x.delete(feed.Items[x.rnd.IntN(len(feed.Items))])
	}
}

// feed is all that answers show.
func (x *merges) feed() *domain.Feed {
	q := allOf(domain.ShapeFeed, 0)
	q.Listing = domain.Listing{Every: true, Limit: 1 << 20}
	return x.ask(q).Feed
}

// shown is what is shown of items.
func (x *merges) shown(items ...domain.FeedItem) []domain.Shown {
	x.t.Helper()
	shown, err := x.node.Show(context.Background(), 1, items, domain.Position{})
	if err != nil {
		x.t.Fatal(err)
	}
	return shown
}

// delete deletes an item of a feed, in the twin too.
func (x *merges) delete(item domain.FeedItem) {
	x.t.Helper()
	c := x.shown(item)[0].Content
	i := slices.IndexFunc(x.acts, func(a domain.Activity) bool { return a.Content.Content == c.Content })
	home := x.acts[i].Member
	action := cmp.Or(c.Action, item.Row.ID())
	if x.root(home) != item.Member || action.Slot() != home.Slot() {
		x.t.Fatalf("action %d of %d, merged into %d, is %+v of %d", action, home, x.root(home), item.Row, item.Member)
	}
	x.expect(domain.OK, home, &domain.DeleteAction{Member: home, Action: action})
	x.gone[c.Content] = true
	x.removed++
	if x.twin == nil {
		return
	}
	x.twin.rested()
	feed := x.twin.feed()
	for i, s := range x.twin.shown(feed.Items...) {
		if s.Content.Content == c.Content {
			x.twin.delete(feed.Items[i])
			return
		}
	}
	x.t.Fatalf("the twin has no %s", c.Content)
}

// model is the members that answers know, with what they did.
func (x *merges) model() *reference.Model {
	type pair struct {
		member domain.MemberID
		brand  domain.BrandID
	}
	before := func(a, b *domain.Activity) bool {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Hash, b.Hash)) < 0
	}
	// A deleted one-time action closes the pair of the member that did it.
	closed := map[pair]*domain.Activity{}
	for i := range x.acts {
		if a := &x.acts[i]; a.Definition == 101 && x.gone[a.Content.Content] {
			closed[pair{a.Member, a.Brand}] = a
		}
	}
	first := map[pair]*domain.Activity{} // of a pair of a root: the one that counts, or that is deleted
	own := map[pair]*domain.Activity{}
	for i := range x.acts {
		a := &x.acts[i]
		if a.Definition != 101 {
			continue
		}
		p := pair{a.Member, a.Brand}
		if c := closed[p]; c != nil {
			own[p] = c
		} else if f := own[p]; f == nil || before(a, f) {
			own[p] = a
		}
	}
	for p, a := range own {
		r := pair{x.root(p.member), p.brand}
		if f := first[r]; f == nil || before(a, f) {
			first[r] = a
		}
	}
	var acts []domain.Activity
	for i := range x.acts {
		a := x.acts[i]
		if x.gone[a.Content.Content] || a.Definition == 101 && first[pair{x.root(a.Member), a.Brand}] != &x.acts[i] {
			continue
		}
		a.Member = x.root(a.Member)
		acts = append(acts, a)
	}
	roots := x.roots()
	m := modelOf(nil, acts)
	for _, id := range roots {
		of, _, err := x.node.Member(context.Background(), 1, id, x.at)
		if err != nil {
			x.t.Fatal(err)
		}
		u := member.Union(of)
		m.Members = append(m.Members, reference.Member{
			ID: id, Created: domain.Second(u.Created / 1000), LastLogin: domain.Second(u.LastLogin() / 1000), Changed: max(domain.Second(u.Changed()/1000), of.HandedOver),
		})
	}
	return m
}

// rested waits until all that was sent has arrived, over as many shards as there are.
func (x *merges) rested() {
	for range 3 {
		x.settled()
	}
}

// check compares all answers with those of the members that are left.
func (x *merges) check() {
	x.t.Helper()
	want := x.model()
	x.identify(want)
	for b := range domain.BrandID(x.brands + 1) {
		x.compare(want, allOf(domain.ShapeTally, b))
	}
	for range 12 {
		x.compareRankings(x.rnd, want, x.roots(), x.brands)
		x.compareMembers(x.rnd, want, x.roots(), x.brands)
	}
}

// Whatever is merged, parted, deleted and erased meanwhile, every answer is that of members who were
// always one, or never: in memory, from disk, after restarts and power cuts, and in a replay
// (I11, I12).
func TestMerge_AnswersAreOfOneMember(t *testing.T) {
	for range mergeSeeds {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			rnd := seeded(t)
			x := newMerges(t, rnd, mergeFans, mergeActs)
			for round := range 6 {
				x.round(round)
			}
			x.replaysEqual(t)
		})
	}
}

// round acts, merges, deletes, parts and erases, and checks in between.
func (x *merges) round(n int) {
	x.t.Helper()
	x.act(mergeActs * 8 / 10)
	for range mergeFans / 4 {
		x.merge()
		if x.rnd.IntN(2) == 0 {
			x.act(mergeActs / 2 / mergeFans)
		}
	}
	x.rested()
	x.remove()
	x.remove()
	x.check()
	switch n {
	case 1:
		x.restart()
	case 3:
		x.crash(x.rnd)
	}
	x.rested()
	x.check()
	x.unmerge()
	if n%3 == 2 {
		x.erase()
	}
	x.rested()
	x.check()
}

// facts are the state hashes of the shards.
func (r *harness) facts() (all [][16]byte) {
	r.stored(func(_ int, s *store.Shard) { all = append(all, s.State().Facts) })
	return all
}

// When every merge is taken back, also one that others followed on, what is stored is that of a
// history without merges, whatever was done and deleted meanwhile (I9, I11).
func TestUnmerge_IsIdentity(t *testing.T) {
	rnd := seeded(t)
	x := newMerges(t, rnd, 16, 1000)
	x.twin = newMerges(t, rnd, 16, 1000)
	if !slices.Equal(x.twin.fans, x.fans) {
		t.Fatalf("%v, %v", x.twin.fans, x.fans)
	}
	for range 4 {
		x.act(300)
		x.merge()
		x.merge()
		x.act(100)
		x.merge()
		x.rested()
		x.remove()
		x.remove()
		if rnd.IntN(2) == 0 {
			x.unmerge()
		}
	}
	for len(x.into) > 0 {
		x.unmerge()
	}
	x.rested()
	x.check()
	x.twin.check()
	for i, st := range x.node.Status().Shards {
		if of := x.twin.node.Status().Shards[i]; st.Rows != of.Rows {
			t.Errorf("shard %d has %d rows, %d without merges", i, st.Rows, of.Rows)
		}
	}
	x.close()
	x.twin.close()
	if a, b := x.facts(), x.twin.facts(); !slices.Equal(a, b) {
		t.Errorf("facts %x with merges, %x without", a, b)
	}
}

// BenchmarkMerge merges a member of 100,000 actions of 50 brands into one of another shard, and takes
// that back.
func BenchmarkMerge(b *testing.B) {
	const actions = 100_000
	r := furnished(b, 2, 50, Options{})
	into := r.memberOf(0)
	from := r.memberOf(1)
	for i := range actions {
		a := r.actOf(from, uint64(i+1))
		a.Brand, a.Time = domain.BrandID(1+i%50), 1_600_000_000+int64(i)*300
		r.publish(a)
	}
	r.settled()
	var merging, parting time.Duration
	for b.Loop() {
		began := time.Now()
		r.submit(domain.Submission{Account: 1, Slot: into.Slot(), Command: &domain.MergeMembers{Member: into, From: from}})
		merging += time.Since(began)
		began = time.Now()
		r.submit(domain.Submission{Account: 1, Slot: into.Slot(), Command: &domain.UnmergeMember{Member: into, From: from}})
		parting += time.Since(began)
		r.settled()
	}
	n := float64(b.N) * actions
	b.ReportMetric(float64(merging.Nanoseconds())/n, "ns/action-merged")
	b.ReportMetric(float64(parting.Nanoseconds())/n, "ns/action-parted")
}
