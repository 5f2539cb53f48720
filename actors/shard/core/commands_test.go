package core_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// settle applies what the partition has sent to itself, until nothing comes any more.
func (p *partition) settle() {
	p.t.Helper()
	seen := p.m.State.Shard.Published
	for {
		p.commit()
		var came []domain.Record
		for _, o := range p.outbox() {
			if o.Sequence > seen {
				if seen = o.Sequence; o.Forward != nil && o.To == p.c.Partition.ID {
					came = append(came, *o.Forward)
				}
			}
		}
		if len(came) == 0 {
			p.apply(domain.Record{Kind: domain.KindPublished, Command: &domain.Published{UpTo: seen}})
			p.commit()
			return
		}
		p.apply(came...)
	}
}

// A request that comes again changes nothing, and its command does nothing twice.
func TestCommands_Repeats(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		id := p.member(1)
		in := command(&domain.OptIn{Member: id, Opt: domain.Opt{Kind: domain.OptGlobal}, At: 1}, 1)
		p.want(in, domain.OK)
		p.want(command(&domain.OptOut{Member: id, Opt: domain.Opt{Kind: domain.OptGlobal}, At: 2}, 2), domain.OK)
		p.want(in, domain.OK)
		m, err := p.m.State.Loaded.Load(place(p, id))
		if err != nil {
			t.Fatal(err)
		}
		if opts := m.State().Member.Opts; len(opts) != 1 || !opts[0].Out || opts[0].At != 2 {
			t.Errorf("%+v", opts)
		}
		again := register(1)
		again.Request = domain.RequestID{9}
		if out := p.want(again, domain.OK); out.Member != id || out.New {
			t.Errorf("the identity's second registration came to %+v", out)
		}
		if p.c.Stats.Members.Registered.Load() != 2 {
			t.Errorf("%d registrations", p.c.Stats.Members.Registered.Load())
		}
	})
}

// A command that comes into the journal after its time changes nothing and is not remembered: a repeat of it is
// the first. Its time is the journal's, and the last moment counts.
func TestCommands_AfterTheirTime(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		id := p.member(1)
		out := command(&domain.OptOut{Member: id, Opt: domain.Opt{Kind: domain.OptGlobal}, At: 2}, 1)
		p.want(out, domain.OK)
		late := command(&domain.OptIn{Member: id, Opt: domain.Opt{Kind: domain.OptGlobal}, At: 1}, 2)
		heard := played(id, 7)
		heard.Request = domain.RequestID{3}
		clock := p.m.State.Shard.Clock
		for _, r := range []domain.Record{late, heard, register(2)} {
			r.Time, r.Until = clock+1000, clock+999
			p.apply(r)
			p.commit()
			if q := p.m.Completed(r.Request); q != nil {
				t.Errorf("%+v", q)
			}
		}
		m, err := p.m.State.Loaded.Load(place(p, id))
		if err != nil {
			t.Fatal(err)
		}
		if opts := m.State().Member.Opts; len(opts) != 1 || !opts[0].Out {
			t.Errorf("%+v", opts)
		}
		if s := p.c.Stats; s.Void.Load() != 3 || p.m.State.Shard.Rows != 0 || s.Members.Registered.Load() != 1 {
			t.Errorf("%d are void, %d rows, %d registered", s.Void.Load(), p.m.State.Shard.Rows, s.Members.Registered.Load())
		}
		late.Time, late.Until = clock+1000, clock+1000
		p.want(late, domain.OK)
		if opts := m.State().Member.Opts; len(opts) != 1 || !opts[0].In {
			t.Errorf("in time: %+v", opts)
		}
	})
}

// A command for a member who is not there, of another account, or erased, is completed with its error.
func TestCommands_NeedAnActiveMember(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		id, gone := p.member(1), p.member(2)
		p.want(command(&domain.EraseMember{Member: gone, At: 5}, 1), domain.OK)
		n := byte(10)
		for who, code := range map[domain.MemberID]domain.Code{gone: domain.Gone, domain.MemberIDOf(9, 1): domain.NotFound} {
			for _, c := range []domain.Command{
				&domain.OptIn{Member: who}, &domain.OptOut{Member: who}, &domain.DeleteAction{Member: who},
				&domain.MergeMembers{Member: who, From: id}, &domain.UnmergeMember{Member: who, From: id}, &domain.EraseMember{Member: who},
				&domain.UpdateMember{Member: who}, &domain.RemoveService{Member: who}, &domain.ResetPassword{Member: who},
				&domain.AttachService{Member: who},
			} {
				n++
				p.want(command(c, n), code)
			}
			n++
			p.want(command(&domain.LogIn{Member: who}, n), domain.NoAccount)
		}
		of := command(&domain.OptIn{Member: id}, 2)
		of.Account = 2
		p.want(of, domain.NotFound)
	})
}

// place is where a member is kept.
func place(p *partition, id domain.MemberID) (at member.Place) {
	at, ok := p.m.State.Roster.Find(id)
	if !ok {
		p.t.Fatalf("no member %d", id)
	}
	return at
}

// An action is deleted by its id, once, at its own member.
func TestCommands_DeleteAction(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		id, other := p.member(1), p.member(2)
		r := played(id, 5)
		r.Request = domain.RequestID{5}
		p.apply(r)
		row := p.outcome(r).Row
		action := row.ID()
		visit := domain.ActionIDOf(1, id.Slot()) // the registration: no action that can be deleted
		for n, c := range []struct {
			member domain.MemberID
			action domain.ActionID
			code   domain.Code
			rows   uint64
		}{
			{other, action, domain.NotFound, 1},
			{id, visit, domain.NotFound, 1},
			{id, domain.ActionIDOf(1000, id.Slot()), domain.NotFound, 1},
			{id, action, domain.OK, 0},
			{id, action, domain.NotFound, 0},
		} {
			p.want(command(&domain.DeleteAction{Member: c.member, Action: c.action}, byte(20+n)), c.code)
			if got := p.m.State.Shard.Rows; got != c.rows {
				t.Errorf("%d: %d rows, want %d", n, got, c.rows)
			}
		}
		if p.c.Stats.Deleted.Load() != 1 {
			t.Error(p.c.Stats.Deleted.Load())
		}
		next := row.Seq + 1
		if got := p.m.State.Shard.Sequence; got != next {
			t.Errorf("the last sequence is %d, want %d: that of the one notice", got, next)
		}
		erase := command(&domain.EraseMember{Member: id, At: 5}, 30)
		p.want(erase, domain.OK)
		p.want(erase, domain.OK)
		p.want(command(&domain.EraseMember{Member: id, At: 6}, 31), domain.Gone)
		if got := p.m.State.Shard.Sequence; got != next+1 {
			t.Errorf("the last sequence is %d, want %d: that of the one erasure", got, next+1)
		}
	})
}

// Members of one shard are merged and parted, and those merged into one go with it: out of a list, and when it is erased.
func TestCommands_Merges(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		a, b := p.member(1), p.member(2)
		p.apply(played(b, 5), played(b, 6), played(a, 7))
		merge := command(&domain.MergeMembers{Member: a, From: b}, 1)
		p.apply(merge)
		p.settle()
		if out := p.outcome(merge); out.Code != domain.OK || p.c.Stats.Merges.Merged.Load() != 1 {
			t.Fatalf("%+v", out)
		}
		if p.m.LastSent(1, 1) != nil || len(p.m.LastSent(0, 0)) == 0 {
			t.Error("of a lone merge nothing is sent on at depth 1")
		}
		p.apply(played(b, 8))
		p.settle()
		if got := p.m.State.Shard.Rows; got != 4 {
			t.Errorf("%d actions count, want 4: each once", got)
		}
		p.open() // which makes again as whose rows count
		p.apply(played(b, 9))
		p.settle()
		if got := p.m.State.Shard.Rows; got != 5 {
			t.Errorf("after a start %d actions count, want 5", got)
		}
		unmerge := command(&domain.UnmergeMember{Member: a, From: b}, 2)
		p.apply(unmerge)
		p.settle()
		if got := p.m.State.Shard.Rows; got != 5 || p.c.Stats.Merges.Unmerged.Load() != 1 {
			t.Errorf("after it is taken back %d actions count", got)
		}
		p.apply(command(&domain.MergeMembers{Member: a, From: b}, 3))
		p.settle()
		global := domain.Opt{Kind: domain.OptGlobal}
		p.want(command(&domain.OptIn{Member: a, Opt: global, At: 1}, 4), domain.OK)
		p.want(command(&domain.OptOut{Member: a, Opt: global, At: 2}, 5), domain.OK)
		p.want(command(&domain.EraseMember{Member: a, At: 9}, 6), domain.OK)
		p.settle()
		if got := p.m.State.Shard.Rows; got != 0 {
			t.Errorf("%d actions are left of erased members", got)
		}
		for _, id := range []domain.MemberID{a, b} {
			m, err := p.m.State.Loaded.Load(place(p, id))
			if err != nil || m.State().Member.State != domain.MemberErased {
				t.Errorf("member %d is not erased: %v", id, err)
			}
		}
		if a, err := p.s.Recompute(); err != nil || a != p.s.State().Facts {
			t.Errorf("the state hash is not that of what is stored: %v", err)
		}
	})
}

// A wait follows as many streams to a shard as merges are below a lender of it, and of that account.
func TestLastSent_ByDepth(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		a, b, c := p.member(1), p.member(2), p.member(3)
		for i, m := range []domain.MergeMembers{{Member: b, From: c}, {Member: a, From: b}} {
			merge := command(&m, byte(i+1))
			p.apply(merge)
			p.settle()
			if out := p.outcome(merge); out.Code != domain.OK {
				t.Fatalf("%+v", out)
			}
		}
		for _, c := range []struct {
			account domain.AccountID
			depth   int
			follows bool
		}{{0, 0, true}, {0, 1, true}, {1, 1, true}, {0, 2, false}, {1, 2, false}, {9, 1, false}} {
			if got := p.m.LastSent(c.account, c.depth) != nil; got != c.follows {
				t.Errorf("%+v: %t", c, got)
			}
		}
	})
}

// What a member does while an identity is claimed of another shard is applied with the answer.
func TestCommands_ClaimsUnpark(t *testing.T) {
	on(t, shards(2), func(p *partition) {
		here, far := identityOf(0), identityOf(0)
		for n := 1; here.Slot().Shard(2) != 0 || far.Slot().Shard(2) != 1; n++ {
			if i := identityOf(n); i.Slot().Shard(2) == 0 {
				here = i
			} else {
				far = i
			}
		}
		r := command(&domain.RegisterMember{Application: 1, Identity: here, Service: domain.LastFM, Partner: far, PartnerCode: "p"}, 1)
		p.apply(r)
		p.commit()
		sent := p.outbox()
		if len(sent) != 1 || sent[0].To != 1 {
			t.Fatalf("%+v", sent)
		}
		claim := *sent[0].Forward.Command.(*domain.Claim)
		act := played(claim.Member, 5)
		act.Request = domain.RequestID{5}
		p.apply(act)
		p.commit()
		if p.m.Completed(act.Request) != nil || p.c.Stats.Members.Parked.Load() != 1 {
			t.Error("it is not parked")
		}
		p.open()
		claim.Step = domain.ClaimGranted
		answer := domain.Record{Kind: domain.KindClaim, Account: 1, Command: &claim}
		p.apply(answer)
		if out := p.outcome(r); out.Member != claim.Member || !out.New {
			t.Errorf("%+v", out)
		}
		if out := p.outcome(act); out.Code != domain.OK || p.m.State.Shard.Rows != 1 {
			t.Errorf("%+v, %d rows", out, p.m.State.Shard.Rows)
		}
		if p.m.Completed(act.Request) != nil {
			t.Error("an outcome before its commit")
		}
		p.commit()
		if q := p.m.Completed(act.Request); q == nil || q.Outcome.Member != claim.Member || p.c.Stats.Members.Parked.Load() != 0 {
			t.Errorf("%+v", q)
		}
	})
}

// Hits are counted, and told to the node; published entries leave the outbox.
func TestCommands_UsageAndPublished(t *testing.T) {
	counted := 0
	on(t, core.Config{Counted: func(r *domain.Record) { counted += int(r.Account) }}, func(p *partition) {
		p.apply(domain.Record{Kind: domain.KindUsage, Account: 3, Command: &domain.Usage{Total: 7}})
		if counted != 3 {
			t.Error(counted)
		}
		p.apply(domain.Record{Kind: domain.KindForeign}, domain.Record{Kind: domain.KindForeign}, domain.Record{Kind: domain.KindForeign})
		p.apply(domain.Record{Kind: domain.KindPublished, Command: &domain.Published{DeadUpTo: 2}})
		p.apply(domain.Record{Kind: domain.KindPublished, Command: &domain.Published{DeadUpTo: 1, KeysUpTo: 3}})
		p.commit()
		s := &p.m.State.Shard
		if s.DeadUpTo != 2 || s.KeysUpTo != 3 || s.Published != 0 {
			t.Errorf("%+v", s)
		}
		if left := p.outbox(); len(left) != 1 || left[0].Sequence != 3 {
			t.Errorf("%+v", left)
		}
		p.open()
		p.m.Outbox.Start(func(outbox.Kind, uint64) {})
		p.m.Quiesce() // which ends the publishers
		if p.m.State.Shard.Outbox != 3 {
			t.Error(p.m.State.Shard.Outbox)
		}
	})
}

// A start reads its own journal's state alone, and passes to another one by gaps that were accepted.
func TestLoad_TheStateIsOfTheJournal(t *testing.T) {
	other := domain.TopicID{2}
	on(t, shards(1), func(p *partition) {
		p.member(1)
		p.commit()
		p.c.Partition.Journal = noLog{topic: other}
		p.reopen()
		var gap *domain.GapError
		if err := p.m.Load(context.Background()); !errors.As(err, &gap) || gap.Kind != domain.GapRecreated || gap.TopicID != other || gap.Want != 1 {
			t.Fatalf("%+v", gap)
		}
		if p.m.Position.Lifted() || p.m.Position.Accepted() != nil {
			t.Error("no gap is accepted")
		}
		word := domain.AcceptGap{Topic: topic, NewTopic: other, From: 1, To: 0, Epoch: -1}
		p.know(&domain.AcceptedGap{AcceptGap: word})
		if !p.m.Position.Lifted() {
			t.Error("the accepted gap does not lead on")
		}
		p.open()
		if s := &p.m.State.Shard; s.Journal != other || s.Next != 0 || s.Epoch != -1 {
			t.Errorf("%+v", s)
		}
		if at := p.m.Position.Place(); at.Topic != other || at.Next != 0 {
			t.Errorf("%+v", at)
		}
	})
}

// Records of a life of the journal are applied apart from those of the next: what is sent says which.
func TestApply_CutsWhereALifeEnds(t *testing.T) {
	back := &domain.AcceptedGap{AcceptGap: domain.AcceptGap{Topic: topic, NewTopic: topic, From: 5, To: 3, Epoch: -1}}
	on(t, shards(1), func(p *partition) {
		var records []domain.Record
		for i := range int64(8) {
			records = append(records, domain.Record{Offset: i, Kind: domain.KindForeign})
		}
		life, next := p.c.Partition.Catalog.View().AcceptedGaps().Life(topic, 0, 0)
		if next < 0 {
			t.Fatalf("life %d has no end", life)
		}
		done, err := p.m.Apply(records)
		if err != nil || int64(done.Passed) != next || p.m.State.Shard.Life != life {
			t.Errorf("%+v %v, the life ends at %d", done, err, next)
		}
		done, err = p.m.Apply(records[done.Passed:])
		if err != nil || done.Passed != 8-int(next) || p.m.State.Shard.Life != life+1 {
			t.Errorf("%+v %v in life %d", done, err, p.m.State.Shard.Life)
		}
		p.commit()
		if s := p.m.State.Shard; s.Life > 0 && s.Dead[domain.Foreign] != 8 {
			t.Errorf("%+v", s)
		}
	}, back)
}

// A mark is what all records below it came to, wherever pages and micro-batches end.
func TestApply_Marks(t *testing.T) {
	facts := map[int64][16]byte{} // of all records below an offset
	on(t, shards(1), func(p *partition) {
		id := p.member(1)
		for i := range uint64(34) {
			p.commit()
			facts[p.end] = p.s.State().Facts
			p.apply(played(id, i+1))
		}
	})
	for _, cut := range []int{1, 3, 7, 40} {
		on(t, core.Config{MarkEvery: 10}, func(p *partition) {
			id := p.member(1)
			var acts []domain.Record
			for i := range uint64(34) {
				acts = append(acts, played(id, i+1))
			}
			for some := range slices.Chunk(acts, cut) {
				p.apply(some...)
			}
			p.commit()
			audit, err := p.disk.Audit(0, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer audit.Close()
			marks, err := audit.Marks()
			if err != nil || len(marks) != 3 {
				t.Fatalf("cut by %d: %+v %v", cut, marks, err)
			}
			for i, m := range marks {
				if at := int64(i+1) * 10; m.At != at || m.Hash != facts[at] {
					t.Errorf("cut by %d: the mark of %d is %+v, want that of %x", cut, at, m, facts[at])
				}
			}
		})
	}
}

// A view is of the last commit, and renewed when it is old. A node that stops does not load.
func TestMachine_Views(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		failed := func(err error) { t.Error(err) }
		p.member(1)
		p.commit()
		v := p.c.Readers.View.Acquire()
		if v == nil || v.Next != 1 || v.Account(1) == nil {
			t.Fatalf("%+v", v)
		}
		v.Release()
		if p.m.Headroom() != nil || p.c.Stats.Members.Bytes.Load() == 0 || p.c.Stats.Commits.Load() != 1 {
			t.Error("headroom, bytes of members or commits")
		}
		p.m.Renew(time.Hour, failed)
		if p.c.Readers.View.Peek() != v {
			t.Error("a young view is renewed")
		}
		p.m.Renew(0, failed)
		if p.c.Readers.View.Peek() == v {
			t.Error("an old view is not renewed")
		}
		version := p.m.State.Accounts.Version()
		p.open()
		if got := p.m.State.Accounts.Version(); got <= version {
			t.Errorf("versions go back from %d to %d", version, got)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.reopen()
		if err := p.m.Load(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	empty := core.New(&core.Config{})
	if empty.Close() != nil || empty.Completed(domain.RequestID{1}) != nil || empty.LastSent(0, 0) != nil {
		t.Error("a machine without a store knows something")
	}
	if empty.State.Sources.Reached(tx.Stream{}, 1) {
		t.Error("a stream is reached")
	}
	empty.Quiesce()
}

// How far a webhook came is what the records say that are based on what there is, over a start as well; another one
// changes nothing, and who asked is to ask again.
func TestCommands_Delivered(t *testing.T) {
	on(t, core.Config{}, func(p *partition) {
		event := func(n uint64) domain.Event {
			return domain.Event{EventPlace: domain.EventPlace{Sequence: n, Kind: domain.EventActivity}, Member: domain.MemberIDOf(n, 0)}
		}
		send := func(d domain.Delivered, request byte) domain.Outcome {
			d.Webhook = 7
			r := domain.Record{Kind: domain.KindDelivered, Command: &d}
			if request > 0 {
				r.Request = domain.RequestID{request}
			}
			p.apply(r)
			p.commit()
			if q := p.m.Completed(r.Request); q != nil {
				return q.Outcome
			}
			return domain.Outcome{}
		}
		send(domain.Delivered{Through: 9, Pending: []domain.Undelivered{{Events: []domain.Event{event(3)}, Tries: 1}, {Events: []domain.Event{event(5)}}}}, 0)
		send(domain.Delivered{Through: 99}, 0) // as if the first had not been
		if out := send(domain.Delivered{Base: 2, Through: 99}, 1); !out.Again {
			t.Errorf("of a version that there is not: %+v", out)
		}
		p.open()
		if out := send(domain.Delivered{Base: 1, Node: domain.NodeID{1}, Through: 12, Done: []domain.EventPlace{event(3).EventPlace}, Failing: 4}, 2); out.Again || out.ID != 7 {
			t.Errorf("of the version that there is: %+v", out)
		}
		got, pending, err := p.s.Progress(7)
		want := domain.Progress{Webhook: 7, Version: 2, Node: domain.NodeID{1}, Through: 12, Failing: 4}
		if err != nil || got != want || len(pending) != 1 || pending[0].Place() != event(5).EventPlace {
			t.Errorf("%+v, %+v, %v", got, pending, err)
		}
		send(domain.Delivered{Base: 2, Forget: true}, 0)
		if got, pending, err := p.s.Progress(7); err != nil || got.Version != 0 || len(pending) > 0 {
			t.Errorf("forgotten: %+v, %+v, %v", got, pending, err)
		}
		if out := send(domain.Delivered{Base: 3}, 3); !out.Again {
			t.Errorf("after it was forgotten: %+v", out)
		}
	})
}
