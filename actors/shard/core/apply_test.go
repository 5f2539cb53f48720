package core_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// command is a record of a command with a request of its own.
func command(c domain.Command, request byte) domain.Record {
	return domain.Record{Kind: c.Kind(), Account: 1, Application: 1, Request: domain.RequestID{request}, Command: c}
}

// register is the registration of the n-th member.
func register(n int) domain.Record {
	r := command(&domain.RegisterMember{Application: 1, Identity: identityOf(n), Service: domain.LastFM}, 0)
	r.Request = domain.RequestID{2, byte(n), byte(n >> 8)}
	return r
}

// played is an activity of a member, or of an identity, with a hash of its own.
func played(of any, hash uint64) domain.Record {
	r := domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{
		Definition: 100, Brand: domain.BrandID(1 + hash%brandCount), Service: domain.LastFM, Time: 1_699_000_000 + int64(hash), Hash: hash,
	}}
	switch of := of.(type) {
	case domain.MemberID:
		r.Activity.Member = of
	case domain.IdentityHash:
		r.Activity.Identity = of
	}
	return r
}

// member registers the n-th member.
func (p *partition) member(n int) domain.MemberID {
	p.t.Helper()
	r := register(n)
	p.apply(r)
	return p.outcome(r).Member
}

// outcome is what a request came to.
func (p *partition) outcome(r domain.Record) domain.Outcome {
	p.t.Helper()
	q, err := p.m.State.Requests.Find(uint32(p.m.State.Shard.Clock/(24*3600*1000)), r.Request)
	if err != nil || q == nil || q.Pending {
		p.t.Fatalf("the request of %T has no outcome: %+v %v", r.Command, q, err)
	}
	return q.Outcome
}

// want requires the outcome of a command.
func (p *partition) want(r domain.Record, code domain.Code) domain.Outcome {
	p.t.Helper()
	p.apply(r)
	out := p.outcome(r)
	if out.Code != code {
		p.t.Errorf("%T came to %v %q, want %v", r.Command, out.Code, out.Message, code)
	}
	return out
}

// activityOf is a random one, the n-th record: of a collector or of a request, some of them for the second time, or unlike the first.
func activityOf(rnd *rand.Rand, id domain.MemberID, n int) domain.Record {
	hash := rnd.IntN(300) + n/60*70
	r := played(id, uint64(hash))
	r.Activity.Time += int64(hash) * 3000 // within days before the clock of a history
	if r.Activity.OneTime = rnd.IntN(3) == 0; r.Activity.OneTime {
		r.Activity.Definition, r.Activity.Brand = 101, domain.BrandID(1+rnd.IntN(3))
	}
	if rnd.IntN(5) == 0 {
		r.Activity.Points = uint16(rnd.IntN(2))
		r.Activity.Brand = 1 + r.Activity.Brand%brandCount
	}
	if rnd.IntN(3) == 0 {
		r.Activity.Member, r.Activity.Identity = 0, identityOf(rnd.IntN(60))
	}
	if rnd.IntN(2) == 0 {
		r.Request, r.Activity.Raw = domain.RequestID{3, byte(rnd.IntN(80))}, "raw"
	} else {
		r.Origin = domain.Origin{Topic: domain.TopicID{7}, Partition: int32(rnd.IntN(3)), Offset: int64(n)}
	}
	return r
}

// history makes a random journal of the first of two shards by a partition of its own: what that sends to itself is among it. A calm
// one begins with members, of whom few are merged or erased.
func history(rnd *rand.Rand, p *partition, calm bool) (log []domain.Record) {
	var members []domain.MemberID
	var actions []domain.Row
	seen := uint64(0) // sequences of the outbox
	readers, hours := map[domain.SegmentID]*listReader{}, int64(0)
	put := func(r domain.Record) {
		r.Time = 1_700_000_000_000 + 1000*p.end + hours*3600_000
		log = append(log, r)
		p.apply(r)
		p.commit()
		p.checkLists(readers)
		if q, err := p.m.State.Requests.Find(uint32(p.m.State.Shard.Clock/(24*3600*1000)), r.Request); err == nil && q != nil {
			if q.Outcome.New && q.Outcome.Row.Seq == 0 {
				members = append(members, q.Outcome.Member)
			} else if q.Outcome.Row.Seq > 0 {
				actions = append(actions, q.Outcome.Row)
			}
		}
	}
	any := func() domain.MemberID {
		if len(members) == 0 {
			return 0
		}
		return members[rnd.IntN(len(members))]
	}
	if calm {
		for n := range 30 {
			put(register(n))
		}
	}
	burst := 0 // activities to come one after the other
	for n := range 600 {
		for _, o := range p.outbox() { // what came back by the journal
			if o.Sequence > seen {
				if seen = o.Sequence; o.Forward != nil && o.To == 0 {
					put(*o.Forward)
				}
			}
		}
		var r domain.Record
		if burst--; burst < -10 {
			burst = rnd.IntN(40)
		}
		if rnd.IntN(12) == 0 {
			hours += rnd.Int64N(12) * rnd.Int64N(6)
		}
		if n < 10 || rnd.IntN(8) == 0 {
			put(listRecord(rnd, any(), n))
		}
		k := rnd.IntN(20)
		if calm && k >= 15 && rnd.IntN(5) > 0 {
			k = 10
		}
		switch {
		case burst > 0:
			r = activityOf(rnd, any(), n)
		case k < 3:
			r = register(rnd.IntN(60))
		case k < 12:
			r = activityOf(rnd, any(), n)
		case k < 13:
			r = command(&domain.OptIn{Member: any(), Opt: domain.Opt{Kind: domain.OptGlobal}, At: int64(n)}, 0)
		case k < 14:
			r = command(&domain.OptOut{Member: any(), Opt: domain.Opt{Kind: domain.OptGlobal}, At: int64(n)}, 0)
		case k < 15 && len(actions) > 0:
			row := actions[rnd.IntN(len(actions))]
			r = command(&domain.DeleteAction{Member: any(), Action: row.ID()}, 0)
		case k < 17:
			r = command(&domain.MergeMembers{Member: any(), From: any()}, 0)
		case k < 18:
			r = command(&domain.UnmergeMember{Member: any(), From: any()}, 0)
		case k < 19 && rnd.IntN(3) == 0:
			r = command(&domain.EraseMember{Member: any(), At: int64(n)}, 0)
		default:
			r = command(&domain.LogIn{Member: any(), Service: domain.LastFM}, 0)
		}
		if r.Command != nil && r.Request == (domain.RequestID{}) {
			r.Request = domain.RequestID{1, byte(n), byte(n >> 8)}
		}
		put(r)
	}
	return log
}

// The state, its hash and what is sent are a function of the records: whichever of them make a micro-batch, wherever commits
// are, and wherever a shard starts again (I6).
func TestI6_CutsDecideNothing(t *testing.T) {
	for i := range 4 {
		seed := rand.Uint64()
		t.Log("seed", seed)
		rnd := rand.New(rand.NewPCG(seed, 0))
		childrentest.Run(t, func(kids *children.Children) {
			c := core.Config{Partition: core.Partition{Shards: 2}, MarkEvery: 64}
			one := newPartition(t, kids, c)
			defer one.close()
			one.open()
			log := history(rnd, one, i%2 == 0)
			t.Logf("%d records, %d memberships", len(log), len(one.memberships()))
			for range 3 {
				other := newPartition(t, kids, c)
				other.open()
				for left := slices.Clone(log); len(left) > 0; {
					n := min(len(left), 1+rnd.IntN(2*tx.MicroBatch)>>rnd.IntN(6))
					other.apply(left[:n]...)
					left = left[n:]
					if rnd.IntN(4) == 0 {
						other.commit()
					}
					if rnd.IntN(8) == 0 {
						other.commit()
						other.open()
					}
				}
				other.commit()
				if diff := cmp.Diff(one.s.State(), other.s.State()); diff != "" {
					t.Errorf("what is stored differs: %s", diff)
				}
				if diff := cmp.Diff(one.memberships(), other.memberships()); diff != "" {
					t.Errorf("who came onto lists differs: %s", diff)
				}
				if diff := cmp.Diff(one.outbox(), other.outbox()); diff != "" {
					t.Errorf("what is sent differs: %s", diff)
				}
				if a, err := other.s.Recompute(); err != nil || a != other.s.State().Facts {
					t.Errorf("the state hash is not that of what is stored: %v", err)
				}
				other.close()
			}
		})
	}
}

// A record that is set aside becomes a dead letter that names it, and its request fails.
func TestApply_SetsAside(t *testing.T) {
	aside := func(offset int64) any { return &domain.SetAside{Topic: topic, Offset: offset, Epoch: 4} }
	on(t, shards(1), func(p *partition) {
		id := p.member(1)
		act := played(id, 5)
		act.Request, act.Epoch, act.Activity.Raw = domain.RequestID{5}, 4, "raw"
		cmd := command(&domain.OptIn{Member: id}, 6)
		cmd.Epoch = 4
		step := command(&domain.Lend{Step: domain.LendAsk, Member: id, Other: 77, Ticket: 3}, 0)
		step.Request, step.Epoch = domain.RequestID{}, 4
		p.apply(act, cmd, step, act)
		p.commit()
		if out := p.outcome(act); out.Code != domain.Internal || p.outcome(cmd).Code != domain.Internal {
			t.Errorf("%+v", out)
		}
		if p.m.State.Shard.Dead[domain.Poison] != 3 || p.m.State.Shard.Rows != 0 {
			t.Errorf("%d letters, %d rows", p.m.State.Shard.Dead[domain.Poison], p.m.State.Shard.Rows)
		}
		sent := p.outbox()
		if len(sent) != 4 {
			t.Fatalf("%+v", sent)
		}
		if d := sent[0].Dead; d.Raw != "raw" || d.Detail != "set aside" || d.Request != act.Request {
			t.Errorf("%+v", d)
		}
		if d := sent[1].Dead; d.Origin != (domain.Origin{Topic: topic, Epoch: 4, Offset: 2}) || d.Detail != "set aside, in partition 0 of the journal at offset 2" {
			t.Errorf("%+v", d)
		}
		// The step of a merge is refused, so that its merge ends.
		if l, ok := sent[2].Forward.Command.(*domain.Lend); !ok || l.Step != domain.LendRefused || l.Code != domain.Internal || l.Ticket != 3 {
			t.Errorf("%+v", sent[2].Forward)
		}
	}, aside(1), aside(2), aside(3))
}

// A value of another program and a record for another partition are dead letters, and change neither the clock nor a stream.
func TestApply_Foreign(t *testing.T) {
	on(t, shards(2), func(p *partition) {
		far := played(domain.MemberIDOf(1, domain.Slots-1), 5)
		far.Kind = domain.KindForward
		far.Origin = domain.Origin{Topic: topic, Partition: 1, Offset: 9}
		foreign := domain.Record{Kind: domain.KindForeign}
		p.apply(foreign, far)
		p.commit()
		s := &p.m.State.Shard
		if s.Dead[domain.Foreign] != 2 || s.Clock != 0 || s.Next != 2 || p.c.Stats.Foreign.Count() != 2 {
			t.Errorf("%+v", s)
		}
		if got := p.m.State.Sources.Applied(tx.Stream{Topic: topic, Partition: 1}); !got.IsZero() {
			t.Errorf("the stream moved to %+v", got)
		}
		sent := p.outbox()
		for i, detail := range []string{"a value of another program", "a record for another partition"} {
			if d := sent[i].Dead; d.Detail != fmt.Sprintf("%s, in partition 0 of the journal at offset %d", detail, i) {
				t.Errorf("%+v", d)
			}
		}
	})
}

// What a stream brings again is dropped, over a start too.
func TestApply_DropsRepeatsOfAStream(t *testing.T) {
	on(t, shards(1), func(p *partition) {
		id := p.member(1)
		r := played(id, 5)
		r.Origin = domain.Origin{Topic: domain.TopicID{7}, Offset: 3}
		again := r
		again.Activity.Hash = 6
		p.apply(r, again)
		p.commit()
		p.open()
		p.apply(again)
		if p.m.State.Shard.Rows != 1 || p.c.Stats.Repeats.Load() != 2 || p.c.Stats.Records.Recorded.Load() != 1 {
			t.Errorf("%d rows, %d repeats", p.m.State.Shard.Rows, p.c.Stats.Repeats.Load())
		}
	})
}

// What a micro-batch reports: how far it came, and whether a request waits or strings of the page live on.
func TestApply_Reports(t *testing.T) {
	on(t, shards(2), func(p *partition) {
		id := p.member(1)
		far := identityOf(2) // of a member of the other shard
		for n := 3; far.Slot().Shard(2) != 0; n++ {
			far = identityOf(n)
		}
		p.apply(domain.Record{Kind: domain.KindClaim, Account: 1, Command: &domain.Claim{
			Step: domain.ClaimAsk, Identity: far, Type: domain.ByService, Member: domain.MemberIDOf(1, domain.Slots-1),
		}})
		asks := played(id, 1)
		asks.Request = domain.RequestID{9}
		for _, c := range []struct {
			name          string
			r             domain.Record
			command, kept bool
		}{
			{"an activity of a log", played(id, 2), false, false},
			{"a request's activity", asks, true, false},
			{"another shard's", played(far, 3), false, true},
			{"a command", command(&domain.OptIn{Member: id}, 8), true, true},
			{"a tick", domain.Record{Kind: domain.KindTick, Command: &domain.Tick{}}, false, true},
		} {
			c.r.Offset, c.r.Epoch, c.r.Time = p.end, 5, 1_700_000_000_000
			p.end++
			got, err := p.m.Apply([]domain.Record{c.r})
			if want := (core.Applied{Passed: 1, Records: 1, Command: c.command, Kept: c.kept}); err != nil || got != want {
				t.Errorf("%s: %+v %v, want %+v", c.name, got, err, want)
			}
			if s := &p.m.State.Shard; s.Next != p.end || s.Epoch != 5 {
				t.Errorf("%s: %d of epoch %d", c.name, s.Next, s.Epoch)
			}
			if got, err := p.m.Apply([]domain.Record{c.r}); err != nil || got.Records != 0 || got.Passed != 1 {
				t.Errorf("%s, once more: %+v %v", c.name, got, err)
			}
		}
		if got, err := p.m.Apply(nil); err != nil || got != (core.Applied{}) {
			t.Errorf("nothing: %+v %v", got, err)
		}
		p.m.Passed(&domain.Page{Next: 100, Epoch: 7})
		p.m.Passed(&domain.Page{Next: 90, Epoch: 7})
		if s := &p.m.State.Shard; s.Next != 100 || s.Epoch != 7 {
			t.Errorf("after a page: %d of epoch %d", s.Next, s.Epoch)
		}
	})
}

// A panic is an error with the record and its place, and the cause.
func TestApply_PanicIsAnError(t *testing.T) {
	on(t, core.Config{Counted: func(*domain.Record) { panic("on purpose") }}, func(p *partition) {
		records := []domain.Record{
			{Offset: 0, Kind: domain.KindTick, Command: &domain.Tick{}},
			{Offset: 1, Epoch: 3, Kind: domain.KindUsage, Command: &domain.Usage{}},
			{Offset: 2, Kind: domain.KindTick, Command: &domain.Tick{}},
		}
		done, err := p.m.Apply(records)
		var panicked *core.PanicError
		if !errors.As(err, &panicked) || panicked.Offset != 1 || panicked.Epoch != 3 || panicked.End != 3 || panicked.Error() != "panic: on purpose" || panicked.Stack == "" {
			t.Fatalf("%+v", err)
		}
		if done.Records != 1 {
			t.Errorf("%+v", done)
		}
	})
}

// What this binary does not know stops it: it would decide otherwise than a newer one.
func TestApply_Newer(t *testing.T) {
	for _, c := range []domain.Record{
		{Kind: domain.KindRules, Command: &domain.Rules{Version: domain.RulesVersion + 1}},
		{Kind: domain.KindExpire},
	} {
		on(t, shards(1), func(p *partition) {
			if _, err := p.m.Apply([]domain.Record{c}); !errors.Is(err, domain.ErrNewer) {
				t.Errorf("%+v: %v", c, err)
			}
		})
	}
}

// A new store begins with the first rules, whatever its program knows; a record names later ones, and never goes
// back. A program that does not know the rules of a store does not open it.
func TestApply_Rules(t *testing.T) {
	c := shards(1)
	c.Partition.Rules = domain.RulesVersion + 2
	rules := func(v uint16) domain.Record {
		return domain.Record{Kind: domain.KindRules, Command: &domain.Rules{Version: v}}
	}
	on(t, c, func(p *partition) {
		want := func(v uint16) {
			t.Helper()
			if got := p.m.State.Shard.Rules; got != v || p.c.Stats.Rules.Load() != uint32(v) {
				t.Errorf("rules %d, shown as %d, want %d", got, p.c.Stats.Rules.Load(), v)
			}
		}
		want(domain.FirstRules)
		for _, v := range []uint16{domain.FirstRules, domain.RulesVersion + 2, domain.RulesVersion + 1, 0} {
			p.apply(rules(v))
		}
		p.commit()
		want(domain.RulesVersion + 2)
		p.open()
		want(domain.RulesVersion + 2)
		p.c.Partition.Rules = 0
		p.m.Quiesce()
		p.c.Readers.View.Retract()
		if err := p.m.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := p.disk.Shard(0)
		if err != nil {
			t.Fatal(err)
		}
		p.m = p.m.Open(oneShard{s})
		if err := p.m.Load(t.Context()); !errors.Is(err, domain.ErrNewer) {
			t.Errorf("a program that does not know the rules of a store opens it: %v", err)
		}
	})
}
