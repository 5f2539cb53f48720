package identity

import (
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/mailbox"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/view"
)

const testShards = 2

// emptyStore has nothing: all is staged, and members stay loaded.
type emptyStore struct{ members.Store }

func (emptyStore) Identity(domain.AccountID, domain.IdentityHash) (domain.Identity, bool, error) {
	return domain.Identity{}, false, nil
}

// testShard is a registrar with the effects that it has, without a log or a store.
type testShard struct {
	*Registrar
	outbox   [testShards][]*domain.Record // to each shard, in order
	outcomes map[domain.RequestID]domain.Outcome
	sequence uint64
}

func newTestShard(id int, outcomes map[domain.RequestID]domain.Outcome) *testShard {
	s := &testShard{outcomes: outcomes}
	s.Registrar = New(Config{
		Effects: s, Shard: s, Ledger: NewLedger(emptyStore{}, 100), Shards: testShards, Registered: new(atomic.Int64),
		Roster:   member.NewRoster(id*domain.Slots/testShards, (id+1)*domain.Slots/testShards),
		Loaded:   members.New(1<<30, emptyStore{}, new(atomic.Int64)),
		Accounts: accounts.New(accounts.Config{View: &view.Holder{}, Stats: &accounts.Stats{}}),
	})
	return s
}

func (s *testShard) Change(domain.Change) {}

func (s *testShard) Apply(ctx actor.Context, k *members.Actor, m members.Message) {
	k.Send(ctx, m, nil)
}

func (s *testShard) Send(o *domain.Outgoing) { s.outbox[o.To] = append(s.outbox[o.To], o.Forward) }

func (s *testShard) Clock() int64 { return 1_700_000_000_000 }

func (s *testShard) NewRecord(slot domain.Slot) uint64 {
	s.sequence++
	return uint64(domain.ActionIDOf(s.sequence, slot))
}

func (s *testShard) Complete(r *domain.Record, out domain.Outcome) {
	if asked := r.AskedBy(); !asked.IsZero() {
		s.outcomes[asked] = out
	}
}

func (s *testShard) Await(*domain.Record)                                          {}
func (s *testShard) MovedOn(*domain.Record, int)                                   {}
func (s *testShard) BodyOf(domain.RequestID) uint64                                { return 0 }
func (s *testShard) Stage(actor.Context) error                                     { return nil }
func (s *testShard) ApplyParked(actor.Context, *domain.Record, member.Place) error { return nil }

// take applies a registration, or what another shard sent.
func (s *testShard) take(ctx actor.Context, r *domain.Record) error {
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		return s.Register(ctx, r, c)
	case *domain.AttachService:
		return s.Attach(ctx, r, c, &c.Register)
	case *domain.UpdateMember:
		return s.Update(ctx, r, c)
	case *domain.RemoveService:
		return s.RemoveService(ctx, r, c)
	default:
		return s.Claim(ctx, r, c.(*domain.Claim))
	}
}

// Registrations, updates and removals that race for few identities in two shards, in any order of
// delivery: each has an outcome, no member waits, and each identity is held for the one member
// that has it.
func TestRegistrar_EachIdentityHasOneMember(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
	t.Cleanup(system.Shutdown)
	taken := 0
	pid := system.Root.Spawn(mailbox.Props(func() actor.Actor {
		return actor.ReceiveFunc(func(ctx actor.Context) {
			if round, ok := ctx.Message().(int); ok {
				taken += race(ctx, t, rand.New(rand.NewPCG(seed, uint64(round))))
			}
		})
	}))
	for round := range 50 {
		system.Root.Send(pid, round)
	}
	if taken == 0 {
		t.Error("no identity was taken in any round: the test shows nothing")
	}
}

func race(ctx actor.Context, t *testing.T, rnd *rand.Rand) (taken int) {
	outcomes := map[domain.RequestID]domain.Outcome{}
	shards := [testShards]*testShard{newTestShard(0, outcomes), newTestShard(1, outcomes)}
	const commands = 30
	for sent := 0; ; {
		from, to := rnd.IntN(testShards), rnd.IntN(testShards)
		var r *domain.Record
		if queue := &shards[from].outbox[to]; len(*queue) > 0 {
			r, *queue = (*queue)[0], (*queue)[1:]
		} else if sent < commands {
			sent++
			r = &domain.Record{Account: 1, Request: domain.RequestID{byte(sent)}}
			r.Command, to = anyCommand(ctx, rnd, shards, anyMember(rnd, outcomes))
			r.Kind = r.Command.Kind()
		} else if idle(shards) {
			break
		} else {
			continue
		}
		if err := shards[to].take(ctx, r); err != nil {
			t.Error(err)
			return taken
		}
	}
	if len(outcomes) != commands {
		t.Errorf("%d of %d commands have an outcome", len(outcomes), commands)
	}
	for _, out := range outcomes {
		if out.Code == domain.Conflict {
			taken++
		}
	}
	checkLedgers(t, shards)
	return taken
}

// anyCommand is a registration, or a command about a member if there is one, and the shard that
// applies it.
func anyCommand(
	ctx actor.Context, rnd *rand.Rand, shards [testShards]*testShard, id domain.MemberID,
) (c domain.Command, shard int) {
	name := func(kind byte) domain.IdentityHash {
		n := byte(rnd.IntN(4))
		return domain.IdentityHash{n << 6, n, kind, 15: 1}
	}
	register := domain.RegisterMember{Service: 2, Identity: name(1), Partner: name(2), PartnerCode: "p"}
	if id == 0 {
		return &register, register.Identity.Slot().Shard(testShards)
	}
	to := id.Slot().Shard(testShards)
	s := shards[to]
	record := uint64(0)
	if at, ok := s.claims.roster.Find(id); ok {
		if k, err := s.loaded.Load(ctx, at); err == nil && len(k.State().Member.Services) > 0 {
			record = k.State().Member.Services[0].ID
		}
	}
	switch rnd.IntN(4) {
	case 0:
		return &domain.UpdateMember{
			Member: id, Records: []domain.RecordUpdate{{ID: record, Login: name(3), Verified: name(4)}},
		}, to
	case 1:
		return &domain.RemoveService{Member: id, Record: record}, to
	}
	return &domain.AttachService{Member: id, Register: register}, to
}

// anyMember is one that a registration gave, for every other command; 0: none.
func anyMember(rnd *rand.Rand, outcomes map[domain.RequestID]domain.Outcome) domain.MemberID {
	if rnd.IntN(2) == 0 {
		return 0
	}
	return outcomes[domain.RequestID{byte(1 + rnd.IntN(20))}].Member
}

func idle(shards [testShards]*testShard) bool {
	for _, s := range shards {
		for _, queue := range s.outbox {
			if len(queue) > 0 {
				return false
			}
		}
	}
	return true
}

// checkLedgers compares what the shards hold with what the members have.
func checkLedgers(t *testing.T, shards [testShards]*testShard) {
	held := map[domain.IdentityHash]domain.MemberID{}
	for _, s := range shards {
		for hash, i := range s.claims.ledger.staged {
			if i == nil {
				continue
			}
			if i.State != domain.Held {
				t.Errorf("identity %v is in state %v", hash, i.State)
			}
			held[hash] = i.Member
		}
	}
	has := 0
	for _, s := range shards {
		for ord := range s.accounts.Of(1).Audience.Members() {
			k := s.loaded.At(member.Place{Account: 1, Ord: ord})
			if m := &k.State().Member; len(m.Pending) > 0 {
				t.Errorf("member %d still waits for %d registrations", m.ID, len(m.Pending))
			}
			for _, i := range member.Identities(&k.State().Member) {
				has++
				if held[i.Hash] != i.Member {
					t.Errorf("member %d has identity %v, which is held for %d", i.Member, i.Hash, held[i.Hash])
				}
			}
		}
	}
	if has != len(held) {
		t.Errorf("members have %d identities, the ledgers hold %d", has, len(held))
	}
}
