package actors

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// halfMerged is a member of the second of two shards that is being merged into one of the first: its shard
// stands still after the first of several steps.
type halfMerged struct {
	*powers
	rows    uint64 // of the member
	mu      sync.Mutex
	armed   bool
	outbox  uint64        // what the lender's shard has sent when it halts
	release chan struct{} // closed: the shard goes on
}

// newHalfMerged has two members of the first shard, and one with many large actions of the second.
func newHalfMerged(t *testing.T) *halfMerged {
	x := &halfMerged{powers: &powers{harness: newHarness(t, 2, Options{})}, rows: 60}
	x.close()
	x.wrapShard(1, func(s shard.Store) shard.Store { return hookedStore{Store: s, commit: x.commit} })
	x.open()
	x.furnish(1)
	for n := 0; len(x.ids) < 3; n++ {
		want := 0
		if len(x.ids) == 2 {
			want = 1
		}
		if identityOf(n).Slot().Shard(2) == want {
			x.ids = append(x.ids, x.register(n))
		}
	}
	for i := range x.rows {
		a := x.actOf(x.ids[2], i+1)
		a.Content.Content = strings.Repeat("x", 60<<10)
		x.publish(a)
	}
	x.settled()
	return x
}

// commit halts the shard before it sends more.
func (x *halfMerged) commit(state domain.ShardState) {
	x.mu.Lock()
	halts := x.armed && state.Outbox > x.outbox
	release := x.release
	x.mu.Unlock()
	if halts {
		<-release
	}
}

// arm has the lender's shard halt before it has sent more than so many steps, until goOn.
func (x *halfMerged) arm(steps uint64) (goOn func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.armed, x.outbox, x.release = true, x.outboxOf(1)+steps, make(chan struct{})
	return func() {
		x.mu.Lock()
		x.armed = false
		x.mu.Unlock()
		close(x.release)
	}
}

// begin submits a command, of which the outcome comes later.
func (x *halfMerged) begin(id domain.MemberID, c domain.Command) (outcome func() error) {
	done := make(chan error, 1)
	go func() { done <- x.do(id, c) }()
	return func() error { return <-done }
}

// arrives waits until a shard has applied a step.
func (x *halfMerged) arrives(shard int, step domain.LendStep) {
	x.t.Helper()
	x.eventually("step", func() bool {
		return x.lends(shard, step) > 0 && x.node.running[shard].Applied.Load() == x.end(shard)
	})
}

// outboxOf is how many entries a shard has sent.
func (x *halfMerged) outboxOf(shard int) (n uint64) {
	to := 1 - shard
	x.eachRecord(to, func(r *domain.Record) {
		if r.Origin.Topic == x.journal.id && r.Origin.Partition == int32(shard) {
			n = max(n, uint64(r.Origin.Offset))
		}
	})
	return n
}

// lends is how many steps of a kind came to a shard.
func (r *harness) lends(shard int, step domain.LendStep) (n int) {
	r.eachRecord(shard, func(rec *domain.Record) {
		if l, is := rec.Command.(*domain.Lend); is && l.Step == step {
			n++
		}
	})
	return n
}

func (r *harness) eachRecord(p int, f func(*domain.Record)) {
	r.journal.mu.Lock()
	all := slices.Clone(r.journal.parts[p])
	r.journal.mu.Unlock()
	for i := range all {
		f(&all[i])
	}
}

// When a member is erased while another is being merged into it, nothing of that one stays with it: the
// other counts at home, and can be merged into a neighbour (I2, I10).
func TestErase_OfABorrowerWhileItBorrows(t *testing.T) {
	x := newHalfMerged(t)
	goOn := x.arm(1)
	outcome := x.begin(x.ids[0], &domain.MergeMembers{Member: x.ids[0], From: x.ids[2]})
	x.arrives(0, domain.LendRows)
	x.submit(domain.Submission{Account: 1, Slot: x.ids[0].Slot(), Command: &domain.EraseMember{Member: x.ids[0]}})
	if err := outcome(); domain.CodeOf(err) != domain.Gone {
		t.Errorf("the merge ends with %v", err)
	}
	goOn()
	x.settled()
	x.counts(x.rows)
	x.must(x.do(x.ids[1], &domain.MergeMembers{Member: x.ids[1], From: x.ids[2]}))
	x.settled()
	x.counts(x.rows)
	x.restart()
	x.settled()
	x.counts(x.rows)
	x.must(x.do(x.ids[1], &domain.UnmergeMember{Member: x.ids[1], From: x.ids[2]}))
	x.settled()
	x.counts(x.rows)
	x.replaysEqual(t)
}

// A merge of a member that another one has is refused, and that one keeps it, also where the merge is taken back
// before it is (I2, I11).
func TestMerge_OfAMemberThatANeighbourHas(t *testing.T) {
	x := newHalfMerged(t)
	x.must(x.do(x.ids[1], &domain.MergeMembers{Member: x.ids[1], From: x.ids[2]}))
	x.counts(x.rows)
	merge := &domain.MergeMembers{Member: x.ids[0], From: x.ids[2]}
	if err := x.do(x.ids[0], merge); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("it ends with %v", err)
	}
	x.counts(x.rows)
	goOn := x.arm(0)
	refused := x.begin(x.ids[0], merge)
	x.eventually("the question", func() bool { return x.lends(1, domain.LendAsk) == 3 })
	part := x.begin(x.ids[0], &domain.UnmergeMember{Member: x.ids[0], From: x.ids[2]})
	x.eventually("the return", func() bool { return x.lends(1, domain.LendReturn) == 1 })
	goOn()
	if err := refused(); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("it ends with %v", err)
	}
	x.must(part())
	x.settled()
	x.counts(x.rows)
	x.must(x.do(x.ids[1], &domain.UnmergeMember{Member: x.ids[1], From: x.ids[2]}))
	x.counts(x.rows)
	x.replaysEqual(t)
}

// No step of a merge is larger than the journal takes, whatever an erasure has to say at once.
func TestMerge_StepsFitIntoTheJournal(t *testing.T) {
	large(t)
	x := newMerges(t, seeded(t), 3, 1000)
	last, second, third := x.fans[0], x.fans[1], x.fans[2]
	const visits = 1500
	for n := range visits {
		s := registration(identityOf(4), identityOf(5), "u")
		c := s.Command.(*domain.RegisterMember)
		c.At, c.Visit.Key, c.Visit.Page = 1_600_000_000_000+int64(n), uint64(100+n), strings.Repeat("p", 1500)
		x.submit(s)
	}
	x.expect(domain.OK, second, &domain.MergeMembers{Member: second, From: third})
	x.expect(domain.OK, last, &domain.MergeMembers{Member: last, From: second})
	x.rested()
	x.expect(domain.OK, third, &domain.EraseMember{Member: third})
	x.rested()
	x.wantFitting()
}

// Domains of visits and places of actions count in the size of a step as all else of them does: the last step,
// which has the member's record, fits too.
func TestMerge_StepsWithPlacesFitIntoTheJournal(t *testing.T) {
	large(t)
	const rows = 3990 // one step has 4000
	for what, fill := range map[string]func(*merges, domain.MemberID){
		"domains of visits": func(x *merges, _ domain.MemberID) {
			for n := range rows {
				s := registration(identityOf(2), identityOf(3), "u")
				c := s.Command.(*domain.RegisterMember)
				c.At, c.Visit.Key = 1_600_000_000_000+int64(n), uint64(100+n)
				c.Domain = fmt.Sprintf("%s%d.example", strings.Repeat("d", 240), n)
				x.submit(s)
			}
		},
		"places of actions": func(x *merges, of domain.MemberID) {
			for n := range rows {
				a := x.actOf(of, uint64(n+1))
				a.Content.Geo = domain.Geo{Country: "FR", Region: strings.Repeat("é", 255), City: strings.Repeat("é", 255)}
				x.publish(a)
			}
			x.settled()
		},
	} {
		t.Run(what, func(t *testing.T) {
			x := newMerges(t, seeded(t), 2, 1000)
			into, from := x.fans[0], x.fans[1]
			fill(x, from)
			s := registration(identityOf(2), identityOf(3), "u")
			c := s.Command.(*domain.RegisterMember)
			c.Personal.Key, c.Personal.Data = domain.KeyID{1}, strings.Repeat("x", 960<<10)
			x.submit(s)
			x.expect(domain.OK, into, &domain.MergeMembers{Member: into, From: from})
			x.settled()
			x.wantFitting()
		})
	}
}

// wantFitting requires that the journal takes all of its records.
func (x *merges) wantFitting() {
	x.t.Helper()
	for p := range x.journal.Partitions() {
		x.eachRecord(p, func(r *domain.Record) {
			if n := len(codec.AppendRecord(nil, r)); n > maxJournal {
				x.t.Errorf("a record of kind %d has %d bytes", r.Kind, n)
			}
		})
	}
}

// A member is not merged whose record, with those merged into it, is too large for a step. Each that grows
// while it is merged is known to the survivor as it is, however large they are together; one that has grown
// too large for a step alone stays what its survivor knows of it.
func TestMerge_OfALargeRecord(t *testing.T) {
	large(t)
	const fans, small = 52, 10
	x := newMerges(t, seeded(t), fans, 1000)
	versions := map[int]uint32{}
	grow := func(fan, bytes int) {
		s := registration(identityOf(2*fan), identityOf(2*fan+1), "u")
		c := s.Command.(*domain.RegisterMember)
		c.Personal.Key, c.Personal.Base = domain.KeyID{byte(fan + 1)}, versions[fan]
		c.Personal.Data = strings.Repeat("x", bytes)
		x.submit(s)
		versions[fan]++
	}
	into, many := x.fans[0], x.fans[2]
	for fan := 2; fan < fans; fan++ {
		grow(fan, 60<<10)
	}
	for fan := 3; fan < fans-small; fan++ {
		x.expect(domain.OK, many, &domain.MergeMembers{Member: many, From: x.fans[fan]})
	}
	x.expect(domain.PlanLimit, into, &domain.MergeMembers{Member: into, From: many})
	x.expect(domain.NotFound, into, &domain.UnmergeMember{Member: into, From: many})
	some := x.fans[fans-small]
	for fan := fans - small + 1; fan < fans; fan++ {
		x.expect(domain.OK, some, &domain.MergeMembers{Member: some, From: x.fans[fan]})
	}
	x.expect(domain.OK, into, &domain.MergeMembers{Member: into, From: some})
	for fan := fans - small; fan < fans; fan++ {
		grow(fan, 120<<10)
	}
	x.rested()
	withheld := func() (n int64) {
		for _, s := range x.node.Status().Shards {
			n += s.Withheld
		}
		return n
	}
	if n := withheld(); n > 0 {
		t.Errorf("%d records are withheld, of which a step has room for each", n)
	}
	grow(fans-1, 1100<<10)
	x.rested()
	x.wantFitting()
	if withheld() == 0 {
		t.Error("no record is withheld")
	}
	of, _, err := x.node.Member(context.Background(), 1, into, domain.Position{})
	x.must(err)
	known := of.Absorbed[0].Record
	for _, a := range known.Absorbed {
		if got := len(a.Record.Personal.Data); got != 120<<10 {
			t.Errorf("%d bytes of a member are known to the survivor of its survivor", got)
		}
	}
	if got := len(known.Personal.Data); got != 120<<10 || len(known.Absorbed) != small-1 {
		t.Errorf("%d bytes of a member and %d below it are known to its survivor", got, len(known.Absorbed))
	}
	x.expect(domain.OK, into, &domain.UnmergeMember{Member: into, From: some})
	x.rested()
	x.replaysEqual(t)
}

// maxJournal is how many bytes a record of the journal has at most.
const maxJournal = 2<<20 - 1024

// large skips a test that only moves or counts many bytes where the race detector makes it ten times as long: the
// same test runs without it, by .ci/run too.
func large(t *testing.T) {
	t.Helper()
	if sampled(5) < 5 {
		t.Skip("with the race detector it takes minutes; it runs without")
	}
}
