package member

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// twoServices is a member with an email record (id 1, password) and one of a network (id 2).
func twoServices() *State {
	s := New(&domain.RegisterMember{Application: 1, At: 5}, 1, domain.MemberIDOf(1, 7), 0)
	s.Register(nil, &domain.RegisterMember{
		Application: 1, Service: domain.Email, Identity: identity('e'), Email: identity('m'), Password: "$1$salt$x",
	}, 1)
	s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: identity('u'), Email: identity('m')}, 2)
	return s
}

// An update changes the profile, the records it names and the pointers; what a new address was
// before is no claim any more, and the password moves to the new one.
func TestUpdate_ChangesAddressAndProfile(t *testing.T) {
	s := twoServices()
	u := &domain.UpdateMember{
		Member: s.Member.ID, Email: identity('n'), Given: domain.Fields{{Field: domain.Region, Value: "Oslo"}}, At: 9,
		Records: []domain.RecordUpdate{
			{ID: 1, Login: identity('f')},
			{ID: 2, Verified: identity('v'), Validity: domain.TokenRefused, Given: domain.Fields{{Field: domain.RecordSharing, Value: "0"}}},
		},
	}
	wants := UpdateWants(&s.Member, u)
	want := []domain.PendingClaim{
		{Identity: identity('f'), Type: domain.ByLogin}, {Identity: identity('v'), Type: domain.ByVerifiedEmail},
	}
	if d := cmp.Diff(want, wants); d != "" {
		t.Fatal(d)
	}
	for i := range wants {
		wants[i].Granted = true
	}
	if _, end := Update(nil, s, u, &domain.PendingRegistration{Claims: wants}); end != Updated {
		t.Fatal(end)
	}
	m := &s.Member
	if m.Profile.Get(domain.Region) != "Oslo" || m.Email != identity('n') || m.Updated != 9 || m.Changed() != 9 ||
		m.Services[0].Identity != identity('f') || m.Password(identity('f')) != "$1$salt$x" || len(m.Passwords) != 1 ||
		!m.Services[1].Invalid || m.Services[1].Sharing() || m.Services[1].Verified != identity('v') {
		t.Fatalf("%+v", m)
	}
	if Holds(m, identity('e')) || !Holds(m, identity('v')) || len(UpdateWants(m, u)) != 0 {
		t.Fatalf("%v", Identities(m))
	}
}

// An address that is verified without a claim leaves the record none, also on the address before; another
// update of the record leaves the claim.
func TestUpdate_VerifiedWithoutClaim(t *testing.T) {
	s := twoServices()
	update := func(r domain.RecordUpdate) {
		t.Helper()
		r.ID = 2
		u := &domain.UpdateMember{Member: s.Member.ID, Email: identity('m'), Records: []domain.RecordUpdate{r}}
		if _, end := Update(nil, s, u, new(domain.PendingRegistration)); end != Updated {
			t.Fatal(end)
		}
	}
	update(domain.RecordUpdate{Verified: identity('v')})
	update(domain.RecordUpdate{Validity: domain.TokenValid})
	if !Holds(&s.Member, identity('v')) {
		t.Fatalf("%+v", s.Member.Services)
	}
	none := domain.RecordUpdate{ID: 2, NoClaim: true}
	if wants := UpdateWants(&s.Member, &domain.UpdateMember{Records: []domain.RecordUpdate{none}}); len(wants) != 0 {
		t.Fatalf("%+v", wants)
	}
	update(none)
	if Holds(&s.Member, identity('v')) || !s.Member.Services[1].Verified.IsZero() {
		t.Fatalf("%+v", s.Member.Services)
	}
}

// An update whose claims other shards decide changes nothing until all are granted.
func TestUpdate_WaitsForItsClaims(t *testing.T) {
	for _, granted := range []bool{true, false} {
		s := twoServices()
		before := s.Member
		u := &domain.UpdateMember{Member: s.Member.ID, Email: identity('n'), Records: []domain.RecordUpdate{{ID: 2, Verified: identity('v')}}}
		p := &domain.PendingRegistration{Ticket: 3, Claims: UpdateWants(&s.Member, u)}
		if _, end := Update(nil, s, u, p); end != UpdateWaits || !Needs(&s.Member, identity('v')) || Holds(&s.Member, identity('v')) {
			t.Fatalf("%v %+v", end, s.Member)
		}
		_, end := s.Settle(nil, answer(3, 'v', granted), 9)
		if end.Ended == nil || end.Granted != granted || end.IsNew || Holds(&s.Member, identity('v')) != granted {
			t.Fatalf("%+v %+v", end, s.Member)
		}
		if before.Pending = []domain.PendingRegistration{}; !granted && !cmp.Equal(before, s.Member) {
			t.Fatal(cmp.Diff(before, s.Member))
		}
	}
}

// A service record goes with its claims and its password, the last one stays.
func TestRemoveService_LastStays(t *testing.T) {
	s := twoServices()
	if _, end := RemoveService(nil, s, &domain.RemoveService{Record: 9}); end != UpdateUnknown {
		t.Fatal(end)
	}
	if _, end := RemoveService(nil, s, &domain.RemoveService{Record: 1, At: 8}); end != Updated {
		t.Fatal(end)
	}
	if m := &s.Member; len(m.Services) != 1 || m.Services[0].ID != 2 || m.Passwords != nil || Holds(m, identity('e')) || m.Updated != 8 {
		t.Fatalf("%+v", m)
	}
	before := s.Member
	if _, end := RemoveService(nil, s, &domain.RemoveService{Record: 2}); end != UpdateLast || !cmp.Equal(before, s.Member) {
		t.Fatal(end)
	}
}

// A reset replaces the password and the access token, and ends a lock; none is made for an
// address that the member has not.
func TestResetPassword_EndsALock(t *testing.T) {
	s := twoServices()
	wrong := &domain.RegisterMember{Service: domain.Email, Identity: identity('e'), Password: "$1$salt$y"}
	for range maxWrong {
		s.Guess(nil, wrong, 1000)
	}
	if _, g, _ := s.Guess(nil, wrong, 1000); g != GuessLocked {
		t.Fatal(g)
	}
	c := &domain.ResetPassword{Address: identity('e'), Password: "$1$pepper$z", TokenHash: [16]byte{7}, At: 9000}
	if _, end := ResetPassword(nil, s, c); end != Updated {
		t.Fatal(end)
	}
	if _, g, _ := s.Guess(nil, &domain.RegisterMember{Service: domain.Email, Identity: identity('e'), Password: c.Password}, 1000); g != GuessRight {
		t.Fatal(g)
	}
	if m := &s.Member; m.TokenHash != c.TokenHash || m.TokenMade != 9 || len(m.Passwords) != 1 {
		t.Fatalf("%+v", m)
	}
	if _, end := ResetPassword(nil, s, &domain.ResetPassword{Address: identity('x')}); end != UpdateUnknown {
		t.Fatal(end)
	}
}

// The time of the access token rises with each reset, however fast they follow or late their clock is: jwts
// that were made under the one before are older than those under it.
func TestResetPassword_TokensAreOlder(t *testing.T) {
	s := New(&domain.RegisterMember{At: 9100}, 1, domain.MemberIDOf(1, 7), 0)
	if s.Member.TokensFrom() != 9 {
		t.Fatalf("the first token is from %d", s.Member.TokensFrom())
	}
	for _, at := range []int64{9200, 9900, 8000, 60_000, 60_001} {
		signed := max(at/1000, s.Member.TokensFrom()) // iat of a jwt just before
		if _, end := ResetPassword(nil, s, &domain.ResetPassword{At: at}); end != Updated {
			t.Fatal(end)
		}
		if m := &s.Member; signed >= m.TokensFrom() || m.TokenMade < at/1000 {
			t.Fatalf("at %d: a jwt of %d, the token is of %d", at, signed, m.TokenMade)
		}
	}
}

// A command that was made of another personal part than the member has changes nothing. A key that was made
// for it is noted; one of a member that it was made of is that member's, who may be another one.
func TestUpdate_OutdatedPartIsNotTaken(t *testing.T) {
	for _, base := range []uint32{0, 5} {
		outdatedPart(t, domain.PersonalPut{Base: base, Sealed: domain.Sealed{Key: domain.KeyID{9}}})
	}
}

func outdatedPart(t *testing.T, put domain.PersonalPut) {
	for name, apply := range map[string]func(*State) UpdateEnd{
		"update": func(s *State) UpdateEnd {
			_, end := Update(nil, s, &domain.UpdateMember{Personal: put}, &domain.PendingRegistration{})
			return end
		},
		"remove": func(s *State) UpdateEnd {
			_, end := RemoveService(nil, s, &domain.RemoveService{Record: 1, Personal: put})
			return end
		},
		"reset": func(s *State) UpdateEnd {
			_, end := ResetPassword(nil, s, &domain.ResetPassword{Address: identity('e'), Personal: put})
			return end
		},
	} {
		s := twoServices()
		s.Member.Personal.Version = 4
		before := s.Member
		if end := apply(s); end != UpdateOutdated || slices.Contains(s.Member.Personal.Keys, put.Key) != (put.Base == 0) {
			t.Fatalf("%s, of version %d: %v %+v", name, put.Base, end, s.Member)
		}
		if before.Personal.Keys = s.Member.Personal.Keys; !cmp.Equal(before, s.Member) {
			t.Fatalf("%s: %s", name, cmp.Diff(before, s.Member))
		}
	}
}
