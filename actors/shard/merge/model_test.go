package merge

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

var (
	historySeed = flag.Uint64("seed", 0, "of one history of the model test; 0: random ones")
	histories   = flag.Int("histories", 250, "of the model test")
)

// Whatever is done, merged, taken back, deleted and erased, in whichever order the shards deliver, commit and
// crash: once all is delivered every action counts once, for the member that a naive model says, every request has
// an outcome, shards agree on what changed hands, borrowers know the records of their lenders, and a replay with
// other commits sends the same (I2, I4, I6, I10, I11).
func TestMerge_RandomHistories(t *testing.T) {
	seed, n := rand.Uint64(), *histories
	if *historySeed != 0 {
		seed, n = *historySeed, 1
	}
	saw := map[string]int{}
	for i := range uint64(n) {
		if t.Failed() {
			break
		}
		childrentest.Run(t, func(kids *children.Children) {
			x := newHistory(t, kids, seed+i)
			defer func() {
				if t.Failed() {
					t.Logf("the history of -seed %d", seed+i)
				}
			}()
			x.run(30 + x.rnd.IntN(90))
			for what, times := range x.saw {
				saw[what] += times
			}
		})
	}
	t.Log(saw) // of all histories
	if *historySeed == 0 && n >= 200 {
		for _, what := range []string{"merged", "parted", "erased", "covered", "closed", "chain of 2", "refused", "in steps"} {
			if saw[what] == 0 { // of each there are dozens
				t.Errorf("no history had one that is %s: %v", what, saw)
			}
		}
	}
}

const historyMembers = 7

// history is a random history.
type history struct {
	*harness
	rnd      *rand.Rand
	large    bool // actions are: members are copied in steps
	actions  map[string][]domain.ActionID
	requests []asked
	hash     uint64
	saw      map[string]int
}

// asked is a request, and the shard that got it.
type asked struct {
	r     *domain.Record
	shard *testShard
}

func newHistory(t testing.TB, kids *children.Children, seed uint64) *history {
	x := &history{
		harness: newHarness(t, kids), rnd: rand.New(rand.NewPCG(seed, 1)), actions: map[string][]domain.ActionID{},
		hash: 100, saw: map[string]int{},
	}
	x.large = x.rnd.IntN(8) == 0
	for i := range historyMembers {
		x.member(fmt.Sprint("M", i), i%testShards)
	}
	return x
}

func (x *history) run(steps int) {
	if x.large {
		for range 8 {
			x.actRandom(fmt.Sprint("M", x.rnd.IntN(2)))
		}
	}
	for range steps {
		x.randomStep()
	}
	x.settle()
	for into, from := range x.check() {
		for _, from := range from {
			if x.rnd.IntN(2) == 0 {
				x.ask(into, &domain.UnmergeMember{Member: x.ids[into], From: x.ids[from]})
			}
		}
	}
	x.settle()
	x.check()
	x.replay()
}

// settle delivers all, and has the shards start again.
func (x *history) settle() {
	x.deliverAll()
	if x.rnd.IntN(2) == 0 {
		x.restart()
	}
}

func (x *history) name() string { return fmt.Sprint("M", x.rnd.IntN(historyMembers)) }

// ask has a member's shard apply a command.
func (x *history) ask(name string, c domain.Command) {
	r := x.record(c)
	x.requests = append(x.requests, asked{r, x.shardOf(name)})
	x.shardOf(name).take(r)
}

// randomStep has something happen.
func (x *history) randomStep() {
	name, other := x.name(), x.name()
	shard := x.shards[x.rnd.IntN(testShards)]
	switch n := x.rnd.IntN(100); {
	case n < 22:
		if x.large {
			name = fmt.Sprint("M", x.rnd.IntN(2))
		}
		x.actRandom(name)
	case n < 29:
		if of := x.actions[name]; len(of) > 0 {
			x.ask(name, &domain.DeleteAction{Member: x.ids[name], Action: of[x.rnd.IntN(len(of))]})
		}
	case n < 41:
		x.ask(name, &domain.MergeMembers{Member: x.ids[name], From: x.ids[other]})
	case n < 46:
		if a := x.state(name).Absorbed; len(a) > 0 && x.rnd.IntN(4) > 0 {
			other = x.names[a[x.rnd.IntN(len(a))].Member]
		}
		x.ask(name, &domain.UnmergeMember{Member: x.ids[name], From: x.ids[other]})
	case n < 47:
		x.ask(name, &domain.EraseMember{Member: x.ids[name], At: x.clock})
	case n < 52:
		x.optRandom(name)
	case n < 54:
		if len(x.requests) > 0 { // one is asked again
			q := x.requests[x.rnd.IntN(len(x.requests))]
			q.shard.take(q.r)
		}
	case n < 56:
		shard.crash()
	case n < 58: // what was sent is sent again
		to := x.rnd.IntN(testShards)
		shard.delivered[to] = max(0, shard.delivered[to]-x.rnd.IntN(5))
	case n < 75:
		shard.commit()
	default:
		for range 1 + x.rnd.IntN(4) {
			x.deliver(shard.id, x.rnd.IntN(testShards))
		}
	}
}

// actRandom has a member do something. What counts each time has few ids: members have actions of the same.
func (x *history) actRandom(name string) {
	x.harness.requests++
	a := &domain.Activity{Definition: plain, Brand: domain.BrandID(1 + x.rnd.IntN(2)), Hash: uint64(1 + x.rnd.IntN(12))}
	a.Time = txtest.Clock/1000 + int64(a.Hash)
	if x.rnd.IntN(2) == 0 {
		x.hash++ // no two of them are at one time and of one id
		a.Definition, a.Brand, a.Hash = once, 1, x.hash
		a.Time = txtest.Clock/1000 + int64(x.rnd.IntN(40))
	}
	if x.large {
		a.Content.Content = largeContent
	}
	x.actions[name] = append(x.actions[name], x.activity(name, a))
}

func (x *history) optRandom(name string) {
	opt := domain.Opt{Kind: domain.OptSegment, ID: uint32(1 + x.rnd.IntN(2))}
	if x.rnd.IntN(2) == 0 {
		x.ask(name, &domain.OptIn{Member: x.ids[name], Opt: opt, At: x.clock})
		return
	}
	x.ask(name, &domain.OptOut{Member: x.ids[name], Opt: opt, At: x.clock})
}

// modelAct is an action in the model.
type modelAct struct {
	id      domain.ActionID
	time    domain.Second
	hash    uint64
	once    bool
	deleted bool
}

// precedes orders one-time actions.
func (a *modelAct) precedes(b *modelAct) bool {
	return a.time < b.time || a.time == b.time && a.hash < b.hash
}

// model is what counts for whom: of each member its own actions, into which other it is merged, and whether it is
// erased.
type model struct {
	acts   map[domain.MemberID][]*modelAct
	merges map[merged]bool
	into   map[domain.MemberID]domain.MemberID
	erased map[domain.MemberID]bool
	ended  map[domain.MemberID]bool // by its own shard
}

// merged is that a member is merged into another, by that one's shard.
type merged struct{ into, from domain.MemberID }

// model reads the logs. What became of a request is its outcome.
func (x *history) model() *model {
	m := &model{
		acts: map[domain.MemberID][]*modelAct{}, merges: map[merged]bool{}, into: map[domain.MemberID]domain.MemberID{},
		erased: map[domain.MemberID]bool{}, ended: map[domain.MemberID]bool{},
	}
	known := map[domain.RequestID]bool{}
	for _, s := range x.shards {
		for i := range s.log {
			var r domain.Record
			if err := codec.DecodeRecord(&r, s.log[i].bytes); err != nil {
				x.t.Fatal(err)
			}
			var out domain.Outcome
			if !r.Request.IsZero() {
				if known[r.Request] {
					continue
				}
				known[r.Request] = true
				if out = x.outcome(r.Request); !done(&out) {
					x.t.Fatalf("a request waits: %T", r.Command)
				}
			}
			m.apply(x, &r, &out)
		}
	}
	for of := range m.merges {
		switch {
		case m.erased[of.into] || m.erased[of.from]:
		case m.into[of.from] != 0:
			x.t.Errorf("%s is merged into %s and %s", x.names[of.from], x.names[m.into[of.from]], x.names[of.into])
		default:
			m.into[of.from] = of.into
		}
	}
	return m
}

// done reports that a request has an outcome.
func done(out *domain.Outcome) bool { return out.Code != domain.OK || out.Member != 0 }

func (m *model) apply(x *history, r *domain.Record, out *domain.Outcome) {
	ok := out.Code == domain.OK
	switch c := r.Command.(type) {
	case nil, *domain.RegisterMember:
		if ok && out.New {
			m.acts[out.Member] = append(m.acts[out.Member], actOf(&out.Row))
		}
	case *domain.DeleteAction:
		for _, a := range m.acts[c.Member] {
			if ok && a.id == c.Action {
				a.deleted = true
				x.saw["closed"] += map[bool]int{true: 1}[a.once]
			}
		}
	case *domain.MergeMembers:
		if !ok {
			x.saw["refused"]++
			return
		}
		m.merges[merged{c.Member, c.From}] = true
		x.saw["merged"]++
	case *domain.UnmergeMember:
		if ok {
			delete(m.merges, merged{c.Member, c.From})
			x.saw["parted"]++
		}
	case *domain.EraseMember:
		m.erase(x, c.Member)
	}
}

func actOf(row *domain.Row) *modelAct {
	return &modelAct{id: row.ID(), time: row.Time, hash: row.Hash, once: row.Flags&domain.OneTimeRow != 0}
}

// erase erases a member. Those that are merged into it are to be erased by their own shards.
func (m *model) erase(x *history, id domain.MemberID) {
	if m.ended[id] {
		return
	}
	m.ended[id], m.erased[id] = true, true
	x.saw["erased"]++
	for of := range m.merges {
		if of.into == id {
			x.saw["erased with its borrower"]++
			m.erased[of.from] = true
		}
	}
}

// root is the member as which one counts.
func (m *model) root(id domain.MemberID) (root domain.MemberID, depth int) {
	into, merged := m.into[id]
	if !merged {
		return id, 0
	}
	root, depth = m.root(into)
	return root, depth + 1
}

// counts is what counts for each member, ascending: of one-time actions of a group the earliest, unless it was
// deleted.
func (m *model) counts(x *history) map[string][]domain.ActionID {
	first := map[domain.MemberID]*modelAct{} // of each root
	for id, acts := range m.acts {
		if m.erased[id] {
			continue
		}
		root, depth := m.root(id)
		x.saw[fmt.Sprint("chain of ", depth)]++
		if a := ownOnce(acts); a != nil && (first[root] == nil || a.precedes(first[root])) {
			x.saw["covered"] += map[bool]int{true: 1}[first[root] != nil]
			first[root] = a
		}
	}
	all := map[string][]domain.ActionID{}
	for id, acts := range m.acts {
		if m.erased[id] {
			continue
		}
		root, _ := m.root(id)
		for _, a := range acts {
			if !a.deleted && (!a.once || a == first[root]) {
				all[x.names[root]] = append(all[x.names[root]], a.id)
			}
		}
	}
	for _, ids := range all {
		slices.Sort(ids)
	}
	return all
}

// ownOnce is the one-time action of a member that stands for its pair: the last that was new, as each took the
// place of the one before.
func ownOnce(acts []*modelAct) (own *modelAct) {
	for _, a := range acts {
		if a.once {
			own = a
		}
	}
	return own
}

// check compares the shards with the model, once all is delivered, and gives which members are merged into which.
func (x *history) check() (from map[string][]string) {
	x.t.Helper()
	m := x.model()
	from = map[string][]string{}
	for name, id := range x.ids {
		into, lent := m.into[id]
		of := x.state(name)
		switch {
		case m.erased[id] != (of.State == domain.MemberErased):
			x.t.Errorf("%s is in state %d, and in the model erased: %v", name, of.State, m.erased[id])
		case m.erased[id]:
		case lent:
			from[x.names[into]] = append(from[x.names[into]], name)
			x.sameRecord(x.names[into], name)
			if of.Lent == nil || of.Lent.To != into || !of.Lent.Done {
				x.t.Errorf("%s is merged into %s, and has the loan %+v", name, x.names[into], of.Lent)
			}
		case of.Lent != nil:
			x.t.Errorf("%s has the loan %+v", name, of.Lent)
		}
	}
	for name, id := range x.ids {
		if n := len(x.state(name).Absorbed); n != len(from[name]) && !m.erased[id] {
			x.t.Errorf("into %s are merged %v, and it knows of %d", name, from[name], n)
		}
	}
	x.handovers()
	got, want := x.counted(), m.counts(x)
	for name := range x.ids {
		if !slices.Equal(got[name], want[name]) {
			x.t.Errorf("for %s count %v, want %v", name, got[name], want[name])
		}
	}
	for _, s := range x.shards {
		x.saw["in steps"] += s.nexts()
	}
	return from
}

// nexts is how many steps after the first were asked for.
func (s *testShard) nexts() (n int) {
	for _, o := range s.sent {
		if l, is := o.Forward.Command.(*domain.Lend); is && l.Step == domain.LendNext {
			n++
		}
	}
	return n
}

// replay applies the logs again, with other commits: the same is sent, and counts.
func (x *history) replay() {
	x.t.Helper()
	again := newHarness(x.t, x.kids)
	again.ids, again.names = x.ids, x.names
	for id, s := range again.shards {
		s.log, s.sent = x.shards[id].log, x.shards[id].sent
		for offset := range s.log {
			s.apply(int64(offset))
			switch x.rnd.IntN(12) {
			case 0, 1:
				s.commit()
			case 2:
				s.crash()
			}
			if s.State.Shard.Next <= int64(offset) {
				x.t.Fatalf("shard %d stops at %d", id, offset)
			}
		}
	}
	for name := range x.ids {
		if got, want := again.hashes(name), x.hashes(name); got != want {
			x.t.Errorf("in a replay count for %s %s, want %s", name, got, want)
		}
	}
}
