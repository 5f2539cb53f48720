package actors

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// erasure is members who register, act and are erased, beside what must be left of them.
type erasure struct {
	*harness
	rnd    *rand.Rand
	brands int
	ids    []domain.MemberID // by fan; 0: erased
	key    map[domain.MemberID]domain.KeyID
	acts   []domain.Activity
	erased []domain.MemberID
	wanted map[domain.KeyID]bool // keys to be deleted
	at     domain.Position
}

// register registers a fan by an identity of one shard and a partner's of another.
func (e *erasure) register(fan int) {
	e.t.Helper()
	home, partner := identityOf(2*fan), identityOf(2*fan+1)
	s := registration(home, partner, "u")
	c := s.Command.(*domain.RegisterMember)
	c.Email, c.At = identityOf(100_000+fan%7), 1_600_000_000_000
	c.Personal = domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{1: 1}, Data: "sealed"}}
	for i := range 8 {
		c.Personal.Key[8+i] = byte(e.rnd.Uint32())
	}
	c.Visit.Key = e.rnd.Uint64()
	out := e.submit(s)
	if !out.New || slices.Contains(e.erased, out.Member) {
		e.t.Fatalf("fan %d is member %d, new %t", fan, out.Member, out.New)
	}
	e.ids[fan], e.key[out.Member] = out.Member, c.Personal.Key
}

// act publishes activities of members, by either name, of one-time definitions too.
func (e *erasure) act(n int) {
	var fresh []domain.Activity
	for range n {
		fan := e.rnd.IntN(len(e.ids))
		if e.ids[fan] == 0 {
			continue
		}
		a := domain.Activity{
			Identity: identityOf(2*fan + e.rnd.IntN(2)), Definition: domain.DefinitionID(100 + e.rnd.IntN(4)/3),
			Brand: domain.BrandID(1 + e.rnd.IntN(e.brands)), Time: 1_600_000_000 + e.rnd.Int64N(9_000_000), Hash: e.rnd.Uint64(),
			Content: domain.Content{Content: "of a fan", Link: "https://a.example"},
		}
		fresh = append(fresh, a)
		a.Member = e.ids[fan]
		e.acts = append(e.acts, a)
	}
	e.publish(fresh...)
}

// erase erases a fan.
func (e *erasure) erase(fan int) {
	e.t.Helper()
	id := e.ids[fan]
	out := e.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.EraseMember{Member: id, At: 1_600_000_000_000}})
	if out.Member != id {
		e.t.Fatalf("%+v", out)
	}
	e.at = e.at.Reach(out.Position)
	e.wanted[e.key[id]] = true
	e.erased, e.ids[fan] = append(e.erased, id), 0
	e.acts = slices.DeleteFunc(e.acts, func(a domain.Activity) bool { return a.Member == id })
}

// check compares all answers with those of members who are left.
func (e *erasure) check() {
	e.t.Helper()
	alive := slices.DeleteFunc(slices.Clone(e.ids), func(id domain.MemberID) bool { return id == 0 })
	want := modelOf(e.membersOf(alive), e.acts)
	e.identify(want)
	for b := range domain.BrandID(e.brands + 1) {
		e.compare(want, allOf(domain.ShapeTally, b))
	}
	for range 20 {
		e.compareRankings(e.rnd, want, alive, e.brands)
		e.compareMembers(e.rnd, want, alive, e.brands)
	}
	for _, id := range e.erased {
		if m, _, err := e.node.Member(context.Background(), 1, id, e.at); !errors.Is(err, domain.ErrErased) {
			e.t.Fatalf("of member %d there is %+v: %v", id, m, err)
		}
	}
	for fan, id := range e.ids {
		for i := range 2 {
			if got, _, err := e.node.Resolve(context.Background(), 1, domain.ByService, identityOf(2*fan+i), e.at); err != nil || got != id {
				e.t.Fatalf("identity %d of fan %d names %d, want %d: %v", i, fan, got, id, err)
			}
		}
	}
}

// deletedAll requires that the keys of members who were erased are deleted, and no others.
func (e *erasure) deletedAll() {
	e.t.Helper()
	e.eventually("deleted keys", func() bool {
		e.deleted.mu.Lock()
		defer e.deleted.mu.Unlock()
		return len(e.deleted.ids) >= len(e.wanted)
	})
	e.deleted.mu.Lock()
	defer e.deleted.mu.Unlock()
	for id := range e.deleted.ids {
		if !e.wanted[id] {
			e.t.Fatalf("key %s was deleted", id)
		}
	}
}

// Members who are erased are in no answer and no number, what names them is free, their keys are
// deleted, and neither restarts nor power cuts nor a replay bring anything back (I10).
func TestErase_NothingComesBack(t *testing.T) {
	rnd := seeded(t)
	e := &erasure{
		harness: furnished(t, 3, 4, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000, CachedIdentities: 4}}),
		rnd:     rnd, brands: 4, ids: make([]domain.MemberID, 30), key: map[domain.MemberID]domain.KeyID{}, wanted: map[domain.KeyID]bool{},
	}
	for fan := range e.ids {
		e.register(fan)
	}
	for round := range 5 {
		e.act(1200)
		e.settled()
		for range 1 + rnd.IntN(8) {
			if fan := rnd.IntN(len(e.ids)); e.ids[fan] != 0 {
				e.erase(fan)
			}
		}
		switch round {
		case 1:
			e.restart()
		case 2, 3:
			e.crash(rnd)
		}
		e.settled()
		e.check()
		for fan, id := range e.ids {
			if id == 0 && rnd.IntN(2) == 0 {
				e.register(fan)
			}
		}
	}
	e.settled()
	e.check()
	e.deletedAll()
	e.replaysEqual(t)
}

// What comes of a member after it is erased is a dead letter without bytes, a command is gone, and
// the key of a personal part that came with it is deleted.
func TestErase_LaterRecordsAreGone(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	id := r.memberOf(0)
	erase := domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.EraseMember{Member: id, At: 1}}
	r.submit(erase)
	a := r.actOf(id, 7)
	a.Raw = "what it did"
	r.publish(a)
	r.settled()
	if n := r.letters.reasons()[domain.GoneMember]; n != 1 || r.letters.all[0].Raw != "" {
		t.Errorf("%d letters: %+v", n, r.letters.all)
	}
	late := domain.KeyID{3, 4}
	for i, c := range []domain.Command{
		erase.Command, &domain.OptIn{Member: id, Opt: domain.Opt{Kind: domain.OptGlobal}},
		&domain.UpdateMember{Member: id, Personal: domain.PersonalPut{Sealed: domain.Sealed{Key: late}}},
	} {
		s := domain.Submission{Account: 1, Slot: id.Slot(), Command: c, Request: domain.RequestID{9, byte(i)}}
		out, err := r.node.Submit(t.Context(), s)
		if err != nil || out.Code != domain.Gone {
			t.Errorf("%T: %+v %v", c, out, err)
		}
	}
	r.eventually("deleted key", func() bool {
		r.deleted.mu.Lock()
		defer r.deleted.mu.Unlock()
		return r.deleted.ids[late] > 0
	})
	if st := r.node.Status().Shards[0]; st.Rows != 0 || st.Stopped != "" {
		t.Errorf("%+v", st)
	}
}

// Of a registration that is refused for an identity that is taken, here or in another shard, no
// key is left; that of the member who has the identity is.
func TestErase_RefusedRegistrationLeavesNoKey(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	register := func(home, partner, key byte) (domain.Outcome, error) {
		s := registration(identityOf(int(home)), identityOf(int(partner)), "u")
		s.Request = domain.RequestID{8, key}
		s.Command.(*domain.RegisterMember).Personal = domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{5, key}, Data: "s"}}
		return r.node.Submit(t.Context(), s)
	}
	var homes [2][]byte // identities by shard
	for n := range byte(20) {
		i := identityOf(int(n)).Slot().Shard(2)
		homes[i] = append(homes[i], n)
	}
	taken := homes[1][0]
	if out, err := register(homes[0][0], taken, 1); err != nil || !out.New {
		t.Fatalf("%+v %v", out, err)
	}
	for i, home := range []byte{homes[0][1], homes[1][1]} {
		if out, err := register(home, taken, byte(2+i)); err != nil || out.Code != domain.Conflict {
			t.Fatalf("%+v %v", out, err)
		}
	}
	r.eventually("deleted keys", func() bool {
		r.deleted.mu.Lock()
		defer r.deleted.mu.Unlock()
		return r.deleted.ids[domain.KeyID{5, 2}] > 0 && r.deleted.ids[domain.KeyID{5, 3}] > 0
	})
	r.settled()
	r.deleted.mu.Lock()
	defer r.deleted.mu.Unlock()
	if len(r.deleted.ids) != 2 {
		t.Errorf("%v", r.deleted.ids)
	}
}

// A registration that was made of a member who has lost the identity before it came, by erasure or
// to another member, is made again: else it would bring the personal part of one to the other, under
// a key that is deleted.
func TestErase_RegistrationMadeOfAnotherMember(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	n := byte(0)
	register := func(base uint32, key byte) domain.Outcome {
		s := registration(identityOf(1), domain.IdentityHash{}, "u")
		n++
		s.Request = domain.RequestID{8, n}
		s.Command.(*domain.RegisterMember).Personal = domain.PersonalPut{Base: base, Sealed: domain.Sealed{Key: domain.KeyID{5, key}, Data: "s"}}
		out, err := r.node.Submit(t.Context(), s)
		r.must(err)
		return out
	}
	first := register(0, 1).Member
	r.submit(domain.Submission{Account: 1, Slot: first.Slot(), Command: &domain.EraseMember{Member: first, At: 1}})
	if out := register(1, 1); !out.Again {
		t.Errorf("of one who is erased: %+v", out)
	}
	second := register(0, 2)
	if !second.New || second.Member == first {
		t.Fatalf("%+v", second)
	}
	if out := register(1, 1); !out.Again {
		t.Errorf("of another one with the same version: %+v", out)
	}
	if out := register(1, 2); out.Again || out.Member != second.Member {
		t.Errorf("of the same one: %+v", out)
	}
}

// BenchmarkErase erases members of 100,000 actions of 50 brands each: all in one commit.
func BenchmarkErase(b *testing.B) {
	const actions = 100_000
	r := furnished(b, 1, 50, Options{})
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		id := r.register(n)
		for i := range actions {
			a := r.actOf(id, uint64(i+1))
			a.Brand, a.Time = domain.BrandID(1+i%50), 1_600_000_000+int64(i)*300
			r.publish(a)
		}
		r.settled()
		b.StartTimer()
		r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.EraseMember{Member: id, At: 1}})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/actions, "ns/action")
}
