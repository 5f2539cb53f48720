package identity

import (
	"flag"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

const testShards = 2

// testShard is a registrar with a shard without a log. Nothing is committed: all is staged, and members stay loaded.
type testShard struct {
	*Registrar
	*txtest.Shard
	outbox   [testShards][]*domain.Record // to each shard, in order
	outcomes map[domain.RequestID]domain.Outcome
	deleted  map[domain.KeyID]bool // by the outbox
	late     int                   // grants that came for a member who was erased
}

func newTestShard(t *testing.T, id int, kids *children.Children, outcomes map[domain.RequestID]domain.Outcome) *testShard {
	s := &testShard{Shard: txtest.New(t, kids, id, testShards), outcomes: outcomes, deleted: map[domain.KeyID]bool{}}
	s.Registrar = New(NewLedger(s.Store, 100), new(atomic.Int64))
	return s
}

// take applies a registration, or what another shard sent, and notes what came of it.
func (s *testShard) take(r *domain.Record) error {
	one := *r // a copy has a place of its own
	one.Offset = 0
	if err := s.Do(&one, func(t *tx.Tx) error { return s.apply(t, &one) }); err != nil {
		return err
	}
	for _, o := range s.Take() {
		for _, id := range o.Keys {
			s.deleted[id] = true
		}
		if o.Forward != nil {
			s.outbox[o.To] = append(s.outbox[o.To], o.Forward)
		}
	}
	asked := r.AskedBy()
	if c, ok := r.Command.(*domain.Claim); ok {
		asked = c.Asked
	}
	if q := s.Request(asked); q != nil && !q.Pending {
		s.outcomes[asked] = q.Outcome
	}
	return nil
}

func (s *testShard) apply(t *tx.Tx, r *domain.Record) error {
	if q := s.Request(r.AskedBy()); q != nil {
		return s.Repeated(t, r, q)
	}
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		return s.Register(t, r, c)
	case *domain.AttachService:
		return s.Attach(t, r, c)
	case *domain.UpdateMember:
		return s.Update(t, r, c)
	case *domain.RemoveService:
		return s.RemoveService(t, r, c)
	case *domain.LogIn:
		return s.Login(t, r, c)
	case *domain.ResetPassword:
		return s.ResetPassword(t, r, c)
	case *domain.EraseMember:
		m, err := s.Active(t, r, c.Member)
		if m == nil || err != nil {
			return err
		}
		return s.Erase(t, r, m, c)
	default:
		claim := c.(*domain.Claim)
		if claim.Step == domain.ClaimGranted && s.state(claim.Member) == domain.MemberErased {
			s.late++
		}
		_, err := s.Claim(t, r, claim)
		return err
	}
}

// state is that of a member of the shard.
func (s *testShard) state(id domain.MemberID) domain.MemberState {
	at, _ := s.State.Roster.Find(id)
	k, err := s.State.Loaded.Load(at)
	if err != nil {
		return domain.MemberActive
	}
	return k.State().Member.State
}

var raceRuns = flag.Int("races", 1, "runs of 50 rounds of the registrar's race")

// Registrations, updates, removals and erasures that race for few identities in two shards, in any
// order of delivery: each has an outcome, no member waits, and each identity is held for the one
// member that has it. One who is erased holds none (I10), and no data key is left but those of
// members who live.
func TestRegistrar_EachIdentityHasOneMember(t *testing.T) {
	for range *raceRuns {
		races(t, rand.Uint64())
	}
}

func races(t *testing.T, seed uint64) {
	t.Log("seed", seed)
	var saw seen
	childrentest.Run(t, func(kids *children.Children) {
		// A grant for one who is erased is rare: in one of a thousand runs 50 rounds have none.
		for round := 0; round < 50 || saw.late == 0 && round < 1000; round++ {
			race(t, kids, rand.New(rand.NewPCG(seed, uint64(round))), &saw)
		}
	})
	if saw.taken == 0 || saw.erased == 0 || saw.late == 0 {
		t.Errorf("in no round one of what must be held against the other: %+v", saw)
	}
}

// seen counts what races came to.
type seen struct {
	taken  int // identities that another member has
	erased int // members
	late   int // grants for one who is erased
}

func race(t *testing.T, kids *children.Children, rnd *rand.Rand, saw *seen) {
	keyed := rnd.IntN(2) == 0
	var keys []domain.KeyID
	outcomes := map[domain.RequestID]domain.Outcome{}
	shards := [testShards]*testShard{newTestShard(t, 0, kids, outcomes), newTestShard(t, 1, kids, outcomes)}
	const commands = 30
	var sentTo []delivery
	for sent := 0; ; {
		from, to := rnd.IntN(testShards), rnd.IntN(testShards)
		var r *domain.Record
		if queue := &shards[from].outbox[to]; len(*queue) > 0 {
			r, *queue = (*queue)[0], (*queue)[1:]
		} else if len(sentTo) > 0 && rnd.IntN(8) == 0 {
			r, to = repeat(rnd, sentTo, keyed, &keys)
		} else if sent < commands {
			sent++
			r = &domain.Record{Account: 1, Request: domain.RequestID{byte(sent)}}
			r.Command, to = anyCommand(rnd, shards, anyMember(rnd, outcomes))
			r.Kind = r.Command.Kind()
			if put := domain.PersonalOf(r.Command); put != nil && keyed {
				of := memberOf(r.Command)
				if of == 0 && rnd.IntN(3) == 0 { // a node that is behind takes it for the one with the identity
					of = anyMember(rnd, outcomes)
				}
				keys = append(keys, give(shards, of, put, byte(sent)))
			}
			sentTo = append(sentTo, delivery{r, to})
		} else if idle(shards) {
			break
		} else {
			continue
		}
		if err := shards[to].take(r); err != nil {
			t.Error(err)
			return
		}
	}
	if len(outcomes) != commands {
		t.Errorf("%d of %d commands have an outcome", len(outcomes), commands)
	}
	for _, out := range outcomes {
		if out.Code == domain.Conflict {
			saw.taken++
		}
	}
	for _, s := range shards {
		saw.late += s.late
	}
	saw.erased += checkLedgers(t, shards)
	checkKeys(t, shards, keys)
}

// delivery is a command that was sent to a shard.
type delivery struct {
	r  *domain.Record
	to int
}

// repeat is a command that was sent, once more: a copy of its record, or a registration by another
// one, which has a data key of its own.
func repeat(rnd *rand.Rand, sent []delivery, keyed bool, keys *[]domain.KeyID) (*domain.Record, int) {
	d := sent[rnd.IntN(len(sent))]
	c, ok := d.r.Command.(*domain.RegisterMember)
	if !ok || !keyed || rnd.IntN(3) == 0 {
		return d.r, d.to
	}
	again, other := *d.r, *c
	other.Personal.Base, other.Personal.Key = 0, domain.KeyID{byte(len(*keys)), byte(len(*keys) >> 8), 2, 15: 1}
	*keys = append(*keys, other.Personal.Key)
	again.Command = &other
	return &again, d.to
}

// give gives a command the personal part that it is made with, of a member: with a new key where that
// one is to be.
func give(shards [testShards]*testShard, id domain.MemberID, put *domain.PersonalPut, n byte) domain.KeyID {
	put.Key = domain.KeyID{n, 15: 1}
	if id != 0 {
		s := shards[id.Slot().Shard(testShards)]
		if at, ok := s.State.Roster.Find(id); ok {
			if k, err := s.State.Loaded.Load(at); err == nil && k.State().Member.Personal.Version > 0 {
				has := &k.State().Member.Personal
				put.Base, put.Key = has.Version, has.Key
			}
		}
	}
	return put.Key
}

// memberOf is the member that a command names; 0: none.
func memberOf(c domain.Command) domain.MemberID {
	switch c := c.(type) {
	case *domain.AttachService:
		return c.Member
	case *domain.UpdateMember:
		return c.Member
	case *domain.RemoveService:
		return c.Member
	}
	return 0
}

// checkKeys requires that the data keys of what commands say are deleted, but for those that members
// have.
func checkKeys(t *testing.T, shards [testShards]*testShard, keys []domain.KeyID) {
	has := map[domain.KeyID]domain.MemberID{}
	for _, s := range shards {
		for ord := range s.State.Accounts.Of(1).Audience.Members() {
			m := &s.State.Loaded.At(member.Place{Account: 1, Ord: ord}).State().Member
			for _, id := range append(slices.Clone(m.Personal.Keys), m.Personal.Key) {
				has[id] = m.ID
			}
		}
	}
	for _, id := range keys {
		if deleted := shards[0].deleted[id] || shards[1].deleted[id]; deleted == (has[id] != 0) {
			t.Errorf("key %s is deleted: %v, and member %d has it", id, deleted, has[id])
		}
	}
}

// anyCommand is a registration, or a command about a member if there is one, and the shard that
// applies it.
func anyCommand(
	rnd *rand.Rand, shards [testShards]*testShard, id domain.MemberID,
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
	if at, ok := s.State.Roster.Find(id); ok {
		if k, err := s.State.Loaded.Load(at); err == nil && len(k.State().Member.Services) > 0 {
			record = k.State().Member.Services[0].ID
		}
	}
	switch rnd.IntN(6) {
	case 0:
		return &domain.UpdateMember{
			Member: id, Records: []domain.RecordUpdate{{ID: record, Login: name(3), Verified: name(4)}},
		}, to
	case 1:
		return &domain.RemoveService{Member: id, Record: record}, to
	case 2, 3:
		return &domain.EraseMember{Member: id, At: 1}, to
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
func checkLedgers(t *testing.T, shards [testShards]*testShard) (erased int) {
	held := map[domain.IdentityHash]domain.MemberID{}
	for _, s := range shards {
		for hash, i := range s.ledger.staged {
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
		for ord := range s.State.Accounts.Of(1).Audience.Members() {
			k := s.State.Loaded.At(member.Place{Account: 1, Ord: ord})
			m := &k.State().Member
			if len(m.Pending) > 0 {
				t.Errorf("member %d still waits for %d registrations", m.ID, len(m.Pending))
			}
			if m.State == domain.MemberErased {
				erased++
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
	return erased
}
