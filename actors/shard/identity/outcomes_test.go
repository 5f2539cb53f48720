package identity

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

// pair is two shards that deliver what they send to each other at once.
type pair struct {
	t         *testing.T
	shards    [testShards]*testShard
	outcomes  map[domain.RequestID]domain.Outcome
	requests  byte
	delivered int // records that the shards sent
	now       int64
}

func withPair(t *testing.T, f func(*pair)) {
	t.Helper()
	childrentest.Run(t, func(kids *children.Children) {
		p := &pair{t: t, outcomes: map[domain.RequestID]domain.Outcome{}, now: txtest.Clock}
		for i := range p.shards {
			p.shards[i] = newTestShard(t, i, kids, p.outcomes)
		}
		f(p)
	})
}

// do applies a command in the shard of its place, delivers what follows, and gives the outcome.
func (p *pair) do(c domain.Command) domain.Outcome {
	p.t.Helper()
	p.requests++
	r := &domain.Record{Kind: c.Kind(), Account: 1, Application: 1, Request: domain.RequestID{p.requests}, Time: p.now, Command: c}
	var slot domain.Slot
	switch c := c.(type) {
	case *domain.RegisterMember:
		slot = c.Identity.Slot()
	case *domain.LogIn:
		slot = c.Member.Slot()
	case *domain.ResetPassword:
		slot = c.Member.Slot()
	case *domain.EraseMember:
		slot = c.Member.Slot()
	default:
		slot = memberOf(c).Slot()
	}
	p.take(slot.Shard(testShards), r)
	for !idle(p.shards) {
		for _, s := range p.shards {
			for to := range s.outbox {
				sent := s.outbox[to]
				s.outbox[to] = nil
				p.delivered += len(sent)
				for _, o := range sent {
					p.take(to, o)
				}
			}
		}
	}
	out, ok := p.outcomes[r.Request]
	if !ok {
		p.t.Fatalf("%T has no outcome", c)
	}
	return out
}

func (p *pair) take(shard int, r *domain.Record) {
	p.t.Helper()
	if err := p.shards[shard].take(r); err != nil {
		p.t.Fatal(err)
	}
}

// refused requires an outcome that is an error of a code about a parameter.
func (p *pair) refused(what string, out domain.Outcome, code domain.Code, param string) {
	p.t.Helper()
	if out.Code != code || out.Parameter != param {
		p.t.Errorf("%s: code %v about %q, want %v about %q", what, out.Code, out.Parameter, code, param)
	}
}

// done requires the outcome of a member.
func (p *pair) done(what string, out domain.Outcome, id domain.MemberID) {
	p.t.Helper()
	if out.Code != 0 || out.Again || out.Member != id {
		p.t.Errorf("%s: %+v, want member %d", what, out, id)
	}
}

// name is an identity in a shard.
func name(shard int, n byte) domain.IdentityHash {
	h := domain.IdentityHash{1: n, 15: n}
	for h.Slot().Shard(testShards) != shard {
		h[0]++
	}
	return h
}

const (
	rightHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$right"
	wrongHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$wrong"
	otherSalt = "$argon2id$v=19$m=8,t=1,p=1$c2FsdB$right"
)

// byEmail is a registration by an email address.
func byEmail(address domain.IdentityHash, hash string) *domain.RegisterMember {
	return &domain.RegisterMember{
		Application: 1, Service: domain.Email, Identity: address, Password: hash, Domain: "a.example", At: txtest.Clock,
	}
}

// A login gives its member where all of it is right, and says what is wrong where it is not; wrong passwords
// lock the address.
func TestLogin_Outcomes(t *testing.T) {
	withPair(t, func(p *pair) {
		address := name(1, 1)
		id := p.do(byEmail(address, rightHash)).Member
		login := func(change func(*domain.LogIn)) *domain.LogIn {
			l := &domain.LogIn{Member: id, Application: 1, Identity: address, Service: domain.Email, Password: rightHash, At: p.now}
			change(l)
			return l
		}
		same := func(*domain.LogIn) {}
		p.done("right", p.do(login(same)), id)
		p.done("on a domain that it registered on", p.do(login(func(l *domain.LogIn) { l.Strict, l.Domain = true, "a.example" })), id)
		p.refused("on another domain", p.do(login(func(l *domain.LogIn) { l.Strict, l.Domain = true, "b.example" })), domain.WrongApplication, "domain")
		p.refused("of another application", p.do(login(func(l *domain.LogIn) { l.Application = 2 })), domain.NoAccount, "")
		p.refused("by another service", p.do(login(func(l *domain.LogIn) { l.Service = domain.Spotify })), domain.NoAccount, "")
		p.refused("of no member", p.do(login(func(l *domain.LogIn) { l.Member = domain.MemberIDOf(99, id.Slot()) })), domain.NoAccount, "")
		if out := p.do(login(func(l *domain.LogIn) { l.Password = otherSalt })); !out.Again {
			t.Errorf("under another salt: %+v", out)
		}
		if out := p.do(login(func(l *domain.LogIn) { l.Personal.Key, l.Personal.Base = domain.KeyID{7}, 3 })); !out.Again {
			t.Errorf("made of another personal part: %+v", out)
		}
		wrong := func(l *domain.LogIn) { l.Password = wrongHash }
		for i := 0; ; i++ {
			out := p.do(login(wrong))
			if out.Code == domain.Locked && i > 1 {
				p.refused("locked", out, domain.Locked, "email")
				if out.RetryAfter == 0 {
					t.Error("a lock does not say when it ends")
				}
				locked := p.do(login(same))
				p.refused("right, but locked", locked, domain.Locked, "email")
				p.now += int64(locked.RetryAfter) * 1000
				break
			}
			p.refused(fmt.Sprint("wrong, try ", i+1), out, domain.WrongPassword, "password")
			if i == 100 {
				t.Fatal("wrong passwords lock nothing")
			}
		}
		p.done("after the lock", p.do(login(same)), id)
		out := p.do(&domain.EraseMember{Member: id, At: 1})
		p.done("erased", out, id)
		key := domain.KeyID{9}
		p.refused("erased", p.do(login(func(l *domain.LogIn) { l.Personal.Key = key })), domain.NoAccount, "")
		if !p.shards[1].deleted[key] {
			t.Error("the data key of a login of one who is erased is kept")
		}
	})
}

// A registration by an address that has a password needs the right one; under another salt it is made again.
func TestRegister_PasswordOutcomes(t *testing.T) {
	withPair(t, func(p *pair) {
		address := name(0, 1)
		first := p.do(byEmail(address, rightHash))
		if p.done("first", first, first.Member); !first.New {
			t.Error("the first is not new")
		}
		again := p.do(byEmail(address, rightHash))
		if p.done("again", again, first.Member); again.New {
			t.Error("the second is new")
		}
		if out := p.do(byEmail(address, otherSalt)); !out.Again {
			t.Errorf("under another salt: %+v", out)
		}
		for i := 0; ; i++ {
			out := p.do(byEmail(address, wrongHash))
			if out.Code == domain.Locked && i > 1 {
				if p.refused("locked", out, domain.Locked, "email"); out.RetryAfter == 0 {
					t.Error("a lock does not say when it ends")
				}
				break
			}
			if p.refused("wrong", out, domain.Conflict, "password"); i == 100 {
				t.Fatal("wrong passwords lock nothing")
			}
		}
		p.refused("right, but locked", p.do(byEmail(address, rightHash)), domain.Locked, "email")
	})
}

// A password that is reset is the one that logs in; an address that the member does not have is refused, and so
// are one who is not there and one who is erased.
func TestResetPassword_Outcomes(t *testing.T) {
	withPair(t, func(p *pair) {
		address := name(0, 1)
		id := p.do(byEmail(address, rightHash)).Member
		reset := func(address domain.IdentityHash) *domain.ResetPassword {
			return &domain.ResetPassword{Member: id, Address: address, Password: wrongHash, TokenHash: [16]byte{5}, At: p.now}
		}
		login := func(hash string) domain.Outcome {
			return p.do(&domain.LogIn{Member: id, Application: 1, Identity: address, Service: domain.Email, Password: hash, At: p.now})
		}
		p.refused("of another address", p.do(reset(name(0, 2))), domain.NotFound, "serviceid")
		p.done("before", login(rightHash), id)
		p.done("reset", p.do(reset(address)), id)
		p.done("the new password", login(wrongHash), id)
		p.refused("the old password", login(rightHash), domain.WrongPassword, "password")
		stale := reset(address)
		stale.Personal.Key, stale.Personal.Base = domain.KeyID{7}, 9
		if out := p.do(stale); !out.Again {
			t.Errorf("made of another personal part: %+v", out)
		}
		none := reset(address)
		none.Member = domain.MemberIDOf(99, id.Slot())
		p.refused("of no member", p.do(none), domain.NotFound, "memberid")
		p.do(&domain.EraseMember{Member: id, At: 1})
		if out := p.do(reset(address)); out.Code != domain.Gone {
			t.Errorf("of one who is erased: %+v", out)
		}
	})
}

// An identity has one member, be it judged in the member's shard or in another: the second is told which it is.
// Once the first one is erased the identity is free.
func TestClaims_TakenByKind(t *testing.T) {
	for shard := range testShards {
		withPair(t, func(p *pair) {
			first := &domain.RegisterMember{
				Application: 1, Service: domain.Spotify, Identity: name(0, 1), Partner: name(shard, 2), PartnerCode: "p", At: 1,
			}
			one := p.do(first).Member
			two := p.do(byEmail(name(1, 3), rightHash)).Member
			record := p.shards[two.Slot().Shard(testShards)].serviceOf(two)
			set := func(u domain.RecordUpdate) *domain.UpdateMember {
				u.ID = record
				return &domain.UpdateMember{Member: two, Records: []domain.RecordUpdate{u}, At: 2}
			}
			p.done("verified", p.do(&domain.UpdateMember{Member: one, Records: []domain.RecordUpdate{{
				ID: p.shards[one.Slot().Shard(testShards)].serviceOf(one), Verified: name(shard, 4),
			}}, At: 2}), one)
			other := *first
			other.Identity = name(0, 5)
			p.refused("the partner's identity", p.do(&other), domain.Conflict, "sourceuid")
			p.refused("a verified address", p.do(set(domain.RecordUpdate{Verified: name(shard, 4)})), domain.Conflict, "verified_email")
			third := p.do(byEmail(name(shard, 6), rightHash)).Member
			p.refused("a login address", p.do(set(domain.RecordUpdate{Login: name(shard, 6)})), domain.Conflict, "email")
			p.refused("a service record of another", p.do(&domain.UpdateMember{Member: two, Records: []domain.RecordUpdate{{ID: 77}}, At: 2}), domain.NotFound, "serviceid")
			p.refused("the last record", p.do(&domain.RemoveService{Member: two, Record: record, At: 2}), domain.Conflict, "serviceid")
			p.refused("a record that is not there", p.do(&domain.RemoveService{Member: two, Record: 77, At: 2}), domain.NotFound, "serviceid")
			attach := &domain.AttachService{Member: two, Register: *first}
			without := *first
			without.Partner = domain.IdentityHash{}
			p.refused("a service identity", p.do(&domain.AttachService{Member: two, Register: without}), domain.Conflict, "uid")
			p.done("erased", p.do(&domain.EraseMember{Member: one, At: 3}), one)
			p.done("erased", p.do(&domain.EraseMember{Member: third, At: 3}), third)
			p.done("the partner's identity is free", p.do(attach), two)
			p.done("the verified address is free", p.do(set(domain.RecordUpdate{Verified: name(shard, 4)})), two)
			p.done("the login address is free", p.do(set(domain.RecordUpdate{Login: name(shard, 6)})), two)
			checkLedgers(t, p.shards)
		})
	}
}

// serviceOf is the first service record of a member.
func (s *testShard) serviceOf(id domain.MemberID) uint64 {
	at, _ := s.State.Roster.Find(id)
	m, err := s.State.Loaded.Load(at)
	if err != nil {
		panic(err) // which fails the test
	}
	return m.State().Member.Services[0].ID
}

// pointers are those that the shards have, by what was staged.
func (p *pair) pointers() (all []domain.Pointer) {
	for _, s := range p.shards {
		for _, c := range s.Store.Staged {
			one, ok := c.Value.(*domain.Pointer)
			switch {
			case !ok:
			case c.Kind == domain.PointerDrop:
				all = slices.DeleteFunc(all, func(q domain.Pointer) bool { return q == *one })
			default:
				all = append(all, *one)
			}
		}
	}
	return all
}

// A pointer is in the shard of its hash, of both shards, while the member has what it points by: it is there
// after a registration, is another after an update, and is gone with the member.
func TestPointers_FollowTheMember(t *testing.T) {
	for shard := range testShards {
		withPair(t, func(p *pair) {
			id := p.do(&domain.RegisterMember{
				Application: 1, Service: domain.Spotify, Identity: name(0, 1), Email: name(shard, 2), Username: name(shard, 3), At: 5,
			}).Member
			at := func(hash domain.IdentityHash) domain.Pointer {
				return domain.Pointer{Hash: hash, Member: id, Created: 5}
			}
			p.has("registered", at(name(shard, 2)), at(name(shard, 3)))
			p.done("updated", p.do(&domain.UpdateMember{Member: id, Email: name(shard, 4), At: 6}), id)
			p.has("updated", at(name(shard, 3)), at(name(shard, 4)))
			p.done("the same", p.do(&domain.UpdateMember{Member: id, Email: name(shard, 4), At: 7}), id)
			p.has("the same", at(name(shard, 3)), at(name(shard, 4)))
			p.done("none", p.do(&domain.UpdateMember{Member: id, At: 8}), id)
			p.has("without an address", at(name(shard, 3)))
			for i, s := range p.shards {
				for _, c := range s.Store.Staged {
					if q, ok := c.Value.(*domain.Pointer); ok && q.Hash.Slot().Shard(testShards) != i {
						t.Errorf("shard %d has a pointer of the other one", i)
					}
				}
			}
			p.do(&domain.EraseMember{Member: id, At: 9})
			p.has("erased")
		})
	}
}

func (p *pair) has(what string, want ...domain.Pointer) {
	p.t.Helper()
	got := p.pointers()
	byHash := func(a, b domain.Pointer) int { return slices.Compare(a.Hash[:], b.Hash[:]) }
	slices.SortFunc(got, byHash)
	slices.SortFunc(want, byHash)
	if !slices.Equal(got, want) {
		p.t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// An activity's member is the one it names, else the one of its identity; an identity is of whom it was given
// to last, over commits.
func TestLedger_Resolve(t *testing.T) {
	withPair(t, func(p *pair) {
		hash := name(0, 1)
		id := p.do(&domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: hash, At: 1}).Member
		s := p.shards[0]
		resolve := func(what string, a domain.Activity, want domain.MemberID) {
			t.Helper()
			if got, err := s.ledger.Resolve(1, &a); got != want || err != nil {
				t.Errorf("%s: member %d, want %d: %v", what, got, want, err)
			}
		}
		all := func(when string, of domain.MemberID) {
			t.Helper()
			resolve(when+", named", domain.Activity{Member: 77, Identity: hash}, 77)
			resolve(when+", by identity", domain.Activity{Identity: hash}, of)
			resolve(when+", by another identity", domain.Activity{Identity: name(0, 9)}, 0)
			resolve(when+", by nothing", domain.Activity{}, 0)
		}
		all("staged", id)
		if got := s.ledger.Peek(hash); got != 0 {
			t.Errorf("member %d is remembered of a claim that is not committed", got)
		}
		s.Commit()
		s.ledger.Committed()
		if got := s.ledger.Peek(hash); got != id {
			t.Errorf("member %d is remembered, want %d", got, id)
		}
		all("committed", id)
		s.ledger = NewLedger(s.Store, 100)
		all("read again", id)
		p.do(&domain.EraseMember{Member: id, At: 9})
		all("erased", 0)
		s.Commit()
		s.ledger.Committed()
		all("erased and committed", 0)
		next := p.do(&domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: hash, At: 10}).Member
		if next == id {
			t.Error("a member came back")
		}
		all("of another member", next)
	})
}

// sent is how many records the shards have sent to any shard while f ran.
func (p *pair) sent(f func()) int {
	before := p.delivered
	f()
	return p.delivered - before
}

// What the shard itself judges is decided at once: nothing is sent, be it granted or taken.
func TestClaims_OwnAreJudgedAtOnce(t *testing.T) {
	withPair(t, func(p *pair) {
		first := &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(0, 1), Partner: name(0, 2), PartnerCode: "p", At: 1}
		var id domain.MemberID
		if n := p.sent(func() { id = p.do(first).Member }); n != 0 {
			t.Errorf("%d records were sent for claims of the shard", n)
		}
		address := p.do(byEmail(name(0, 3), rightHash)).Member
		record := p.shards[0].serviceOf(address)
		p.do(&domain.UpdateMember{Member: id, Records: []domain.RecordUpdate{{ID: p.shards[0].serviceOf(id), Verified: name(0, 4)}}, At: 2})
		if n := p.sent(func() {
			p.refused("taken here", p.do(&domain.UpdateMember{
				Member: address, Records: []domain.RecordUpdate{{ID: record, Verified: name(0, 4)}}, At: 2,
			}), domain.Conflict, "verified_email")
		}); n != 0 {
			t.Errorf("%d records were sent for a claim that is taken here", n)
		}
		other := *first
		other.Identity, other.Partner = name(0, 5), name(1, 6)
		if n := p.sent(func() { p.do(&other) }); n != 2 {
			t.Errorf("%d records were sent for a claim of the other shard: the question and the answer", n)
		}
		if n := p.shards[0].registered.Load(); n != 3 {
			t.Errorf("%d registrations are counted, want 3", n)
		}
	})
}

// While a new member waits for another shard its own claims are pending, then held; the step that ends its
// registration gives its place, no other one does.
func TestClaims_PendingUntilGranted(t *testing.T) {
	withPair(t, func(p *pair) {
		s := p.shards[0]
		p.take(0, &domain.Record{
			Kind: domain.KindRegister, Account: 1, Request: domain.RequestID{1},
			Command: &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(0, 1), Partner: name(1, 2), PartnerCode: "p", At: 1},
		})
		state := func() domain.ClaimState {
			i, _, err := s.ledger.Find(1, name(0, 1))
			if err != nil {
				t.Fatal(err)
			}
			return i.State
		}
		if got := state(); got != domain.Pending {
			t.Errorf("before the answer the claim is in state %v", got)
		}
		if len(p.outcomes) != 0 {
			t.Errorf("the request has an outcome before: %+v", p.outcomes)
		}
		ask := s.outbox[1][0]
		p.take(1, ask)
		answer := p.shards[1].outbox[0][0]
		var places []*member.Place
		for range 2 { // delivered twice
			err := s.Do(answer, func(t *tx.Tx) error {
				at, err := s.Claim(t, answer, answer.Command.(*domain.Claim))
				places = append(places, at)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Take()
		}
		if places[0] == nil || *places[0] != (member.Place{Account: 1}) || places[1] != nil {
			t.Errorf("the places of who was registered are %v", places)
		}
		if got := state(); got != domain.Held {
			t.Errorf("after the answer the claim is in state %v", got)
		}
		if q := s.Request(domain.RequestID{1}); q == nil || q.Pending || !q.Outcome.New {
			t.Errorf("the request: %+v", q)
		}
	})
}

// keyed gives a command a data key of its own.
func keyed(c *domain.RegisterMember, key domain.KeyID) *domain.RegisterMember {
	one := *c
	one.Personal.Key = key
	return &one
}

// A registration is repeated: the key that a repeat came with is deleted, that of the member stays, whatever of
// the first one is still known.
func TestDataKeys_OfRepeats(t *testing.T) {
	withPair(t, func(p *pair) {
		s := p.shards[0]
		plain := &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(0, 1), At: 1}
		first, again := domain.KeyID{1}, domain.KeyID{2}
		record := func(request byte, key domain.KeyID) *domain.Record {
			c := keyed(plain, key)
			return &domain.Record{Kind: c.Kind(), Account: 1, Application: 1, Request: domain.RequestID{request}, Command: c}
		}
		is := func(what string, key domain.KeyID, deleted bool) {
			t.Helper()
			if s.deleted[key] != deleted {
				t.Errorf("%s: key %v is deleted: %t", what, key, s.deleted[key])
			}
		}
		p.requests = 100
		p.take(0, record(1, first))
		id := p.outcomes[domain.RequestID{1}].Member
		p.take(0, record(1, first))
		is("the same record", first, false)
		p.take(0, record(1, again))
		is("the same request, made again", again, true)
		is("the same request, made again", first, false)
		delete(p.outcomes, domain.RequestID{2})
		p.take(0, record(2, first)) // its request was forgotten
		if out := p.outcomes[domain.RequestID{2}]; !out.Again {
			t.Errorf("a copy whose request is forgotten: %+v", out)
		}
		is("a copy whose request is forgotten", first, false)
		s.Commit()
		s.ledger.Committed()
		p.take(0, record(3, first)) // after the commit too
		if out := p.outcomes[domain.RequestID{3}]; !out.Again {
			t.Errorf("a copy after the commit: %+v", out)
		}
		p.do(&domain.EraseMember{Member: id, At: 1})
		is("erased", first, true)
		delete(s.deleted, first)
		p.take(0, record(4, first))
		if out := p.outcomes[domain.RequestID{4}]; !out.Again {
			t.Errorf("a copy after the erasure: %+v", out)
		}
	})
}

// A registration that was made of a bare member, whose part could not be opened, is of that member alone, whose
// part it leaves. It makes no member without a part where that one was erased, and changes no other one.
func TestDataKeys_OfABareMember(t *testing.T) {
	withPair(t, func(p *pair) {
		plain := &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(0, 1), At: 1}
		sealed := func(key byte) *domain.RegisterMember {
			c := keyed(plain, domain.KeyID{key})
			c.Personal.Data = "sealed"
			return c
		}
		bare := func(key byte) *domain.RegisterMember {
			m := &domain.Member{Personal: domain.PersonalPart{Sealed: domain.Sealed{Key: domain.KeyID{key}}}}
			b := m.Bare()
			c := keyed(plain, b.Personal.Key)
			c.Personal.Base = b.Personal.Version
			return c
		}
		part := func(id domain.MemberID) domain.PersonalPart {
			at, _ := p.shards[0].State.Roster.Find(id)
			return p.shards[0].State.Loaded.At(at).State().Member.Personal
		}
		id := p.do(sealed(1)).Member
		before := part(id)
		p.done("by the member itself", p.do(bare(1)), id)
		if after := part(id); !reflect.DeepEqual(before, after) || after.Data != "sealed" {
			t.Errorf("the part is %+v, was %+v", after, before)
		}
		p.do(&domain.EraseMember{Member: id, At: 1})
		if out := p.do(bare(1)); !out.Again {
			t.Errorf("of one who is erased: %+v", out)
		}
		second := p.do(sealed(2)).Member
		if out := p.do(bare(1)); !out.Again || p.shards[0].deleted[domain.KeyID{2}] {
			t.Errorf("at another member: %+v", out)
		}
		if after := part(second); after.Version != 1 || after.Data != "sealed" || len(after.Keys) != 0 {
			t.Errorf("the part of another member is %+v", after)
		}
	})
}

// A command that makes no member, or names none, keeps no data key; one made of a member who is gone is made
// again.
func TestDataKeys_OfWhatIsRefused(t *testing.T) {
	withPair(t, func(p *pair) {
		s := p.shards[0]
		plain := &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(0, 1), At: 1}
		based := keyed(plain, domain.KeyID{1})
		based.Personal.Base = 4
		if out := p.do(based); !out.Again {
			t.Errorf("made of a member who is gone: %+v", out)
		}
		if _, ok, _ := s.ledger.Find(1, name(0, 1)); ok || s.deleted[domain.KeyID{1}] {
			t.Error("it made a member, or took another one's key")
		}
		id := p.do(plain).Member
		attach := func(id domain.MemberID, key byte, met bool) domain.Outcome {
			return p.do(&domain.AttachService{Member: id, Register: *keyed(plain, domain.KeyID{key}), Met: met})
		}
		p.refused("of no member", attach(domain.MemberIDOf(99, id.Slot()), 2, false), domain.NotFound, "memberid")
		if !s.deleted[domain.KeyID{2}] {
			t.Error("the key of an attachment to no member is kept")
		}
		p.do(&domain.EraseMember{Member: id, At: 1})
		if out := attach(id, 3, false); out.Code != domain.Gone {
			t.Errorf("of one who is erased: %+v", out)
		}
		if out := attach(id, 4, true); !out.Again {
			t.Errorf("a registration that met one who is erased: %+v", out)
		}
		if !s.deleted[domain.KeyID{3}] || !s.deleted[domain.KeyID{4}] {
			t.Error("the key of an attachment to one who is erased is kept")
		}
	})
}

// An identity that no member had is looked up in the store again once one has it, however many others were
// looked up in between.
func TestLedger_AbsentNoMore(t *testing.T) {
	withPair(t, func(p *pair) {
		s := p.shards[0]
		s.Registrar = New(NewLedger(s.Store, 1), s.registered)
		find := func(n byte) bool {
			_, ok, err := s.ledger.Find(1, name(0, n))
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		for n := range byte(4) {
			p.do(&domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(0, 10+n), At: 1})
		}
		if find(1) {
			t.Fatal("a member has it")
		}
		if err := s.Do(&domain.Record{}, func(t *tx.Tx) error {
			t.Change(s.ledger.hold(domain.Identity{Hash: name(0, 1), State: domain.Held, Member: 5}))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		s.Commit()
		s.ledger.Committed()
		for n := range byte(4) {
			find(10 + n)
		}
		if !find(1) {
			t.Error("the identity is of no member")
		}
	})
}

// A step of a claim that comes twice, or late, changes nothing for another member: a question repeated by the
// same member is granted again, a release by one who does not have the identity leaves it.
func TestClaims_RepeatedSteps(t *testing.T) {
	withPair(t, func(p *pair) {
		s := p.shards[0]
		one, two := domain.MemberIDOf(5, name(1, 9).Slot()), domain.MemberIDOf(6, name(1, 9).Slot())
		step := func(step domain.ClaimStep, of domain.MemberID) (answers []domain.ClaimStep) {
			t.Helper()
			p.take(0, &domain.Record{Kind: domain.KindClaim, Account: 1, Command: &domain.Claim{
				Step: step, Identity: name(0, 1), Type: domain.ByPartner, Member: of, Asked: domain.RequestID{9},
			}})
			for _, o := range s.outbox[1] {
				answers = append(answers, o.Command.(*domain.Claim).Step)
			}
			s.outbox[1] = nil
			return answers
		}
		for _, c := range []struct {
			step domain.ClaimStep
			of   domain.MemberID
			want []domain.ClaimStep
		}{
			{domain.ClaimAsk, one, []domain.ClaimStep{domain.ClaimGranted}},
			{domain.ClaimAsk, one, []domain.ClaimStep{domain.ClaimGranted}},
			{domain.ClaimAsk, two, []domain.ClaimStep{domain.ClaimTaken}},
			{domain.ClaimRelease, two, nil},
			{domain.ClaimAsk, two, []domain.ClaimStep{domain.ClaimTaken}},
			{domain.ClaimRelease, one, nil},
			{domain.ClaimAsk, two, []domain.ClaimStep{domain.ClaimGranted}},
			{domain.ClaimRelease, one, nil},
			{domain.ClaimAsk, one, []domain.ClaimStep{domain.ClaimTaken}},
		} {
			if got := step(c.step, c.of); !slices.Equal(got, c.want) {
				t.Errorf("step %v of member %d is answered by %v, want %v", c.step, c.of, got, c.want)
			}
		}
	})
}

// A registration by an identity of a member in another shard is applied there; made again, the key that it came
// with is deleted there too.
func TestDataKeys_OfForwardedRegistrations(t *testing.T) {
	withPair(t, func(p *pair) {
		id := p.do(&domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(1, 1), At: 1}).Member
		other := &domain.RegisterMember{Application: 1, Service: domain.Deezer, Identity: name(0, 2), At: 1}
		p.done("attached", p.do(&domain.AttachService{Member: id, Register: *other}), id)
		p.done("registered", p.do(keyed(other, domain.KeyID{1})), id)
		p.requests-- // the same request, made again
		p.do(keyed(other, domain.KeyID{2}))
		for key, deleted := range map[byte]bool{1: false, 2: true} {
			if p.shards[1].deleted[domain.KeyID{key}] != deleted || p.shards[0].deleted[domain.KeyID{key}] {
				t.Errorf("key %d is deleted: %t", key, p.shards[1].deleted[domain.KeyID{key}])
			}
		}
	})
}

// A copy of a registration makes no second member, also where the first one was made and erased in the same
// commit.
func TestDataKeys_OfACopyInOneCommit(t *testing.T) {
	withPair(t, func(p *pair) {
		c := keyed(&domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: name(0, 1), At: 1}, domain.KeyID{1})
		id := p.do(c).Member
		p.do(&domain.EraseMember{Member: id, At: 1})
		if out := p.do(c); !out.Again {
			t.Errorf("a copy: %+v", out)
		}
	})
}
