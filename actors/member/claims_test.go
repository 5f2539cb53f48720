package member

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func identity(b byte) domain.IdentityHash { return domain.IdentityHash{b} }

// waiting is a registration that waits for a service and a partner.
func waiting(ticket uint64, service, partner byte) domain.PendingRegistration {
	c := domain.RegisterMember{
		Application: 1, Service: domain.Spotify, Identity: identity(service),
		Partner: identity(partner), PartnerCode: "p",
	}
	return domain.PendingRegistration{Ticket: ticket, Register: c, Claims: Wants(nil, &c)}
}

func answer(ticket uint64, b byte, granted bool) *domain.Claim {
	c := &domain.Claim{Step: domain.ClaimTaken, Identity: identity(b), Ticket: ticket}
	if granted {
		c.Step = domain.ClaimGranted
	}
	return c
}

func TestSettle_RegistrationNeedsAllItsClaims(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []*domain.Claim
		granted bool
		ends    int // the answer that ends it
	}{
		{"granted", []*domain.Claim{answer(1, 's', true), answer(1, 'p', true)}, true, 1},
		{"in another order", []*domain.Claim{answer(1, 'p', true), answer(1, 's', true)}, true, 1},
		{"the second is taken", []*domain.Claim{answer(1, 's', true), answer(1, 'p', false)}, false, 1},
		{"the first is taken, the other comes late", []*domain.Claim{answer(1, 's', false), answer(1, 'p', true)}, false, 0},
		{"answers to others", []*domain.Claim{answer(2, 's', true), answer(7, 'p', false), answer(1, 's', true), answer(1, 'p', true)}, true, 3},
	} {
		for _, isNew := range []bool{true, false} {
			s := New(&domain.RegisterMember{Application: 1, At: 5}, 1, domain.MemberIDOf(1, 7), 0)
			if !isNew {
				s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.LastFM, Identity: identity('l')}, 9)
			}
			before := s.Member
			s.Await(nil, waiting(1, 's', 'p'), isNew)
			if (s.Member.State == domain.MemberPending) != isNew || Holds(&s.Member, identity('s')) || !Needs(&s.Member, identity('s')) || !Needs(&s.Member, identity('p')) {
				t.Fatalf("%s: %+v", c.name, s.Member)
			}
			ended := -1
			for i, a := range c.answers {
				_, end := s.Settle(nil, a, 11)
				if end.Ended == nil {
					continue
				}
				if ended = i; end.Granted != c.granted || end.IsNew != isNew || end.Ended.Ticket != 1 {
					t.Fatalf("%s: %+v", c.name, end)
				}
			}
			if ended != c.ends {
				t.Errorf("%s: ended by answer %d, want %d", c.name, ended, c.ends)
			}
			want := before
			switch {
			case c.granted:
				p := waiting(1, 's', 'p')
				want = NewState(&before).registered(&p.Register, 11)
			case isNew:
				want.State = domain.MemberRefused
			}
			want.Pending = []domain.PendingRegistration{}
			if d := cmp.Diff(want, s.Member); d != "" {
				t.Errorf("%s: %s", c.name, d)
			}
			if Needs(&s.Member, identity('p')) != c.granted {
				t.Errorf("%s: the partner's identity is needed: %v", c.name, !c.granted)
			}
		}
	}
}

// registered is the member after a registration.
func (s *State) registered(c *domain.RegisterMember, record uint64) domain.Member {
	s.Register(nil, c, record)
	return s.Member
}

func TestSettle_AddressWithANewPasswordIsAskedAgain(t *testing.T) {
	s := New(&domain.RegisterMember{Application: 1}, 1, domain.MemberIDOf(1, 7), 0)
	c := domain.RegisterMember{Application: 1, Service: domain.Email, Identity: identity('e'), Password: "$1$salt1$x"}
	s.Await(nil, domain.PendingRegistration{Ticket: 1, Register: c, Claims: []domain.PendingClaim{{Identity: identity('e'), Type: domain.ByLogin}}}, false)
	other := c
	other.Password = "$1$salt2$y"
	s.Register(nil, &other, 3)
	if _, end := s.Settle(nil, answer(1, 'e', true), 4); end.Granted || !end.Again || !Holds(&s.Member, identity('e')) || s.Member.Password(identity('e')) != "$1$salt2$y" {
		t.Fatalf("%+v %+v", end, s.Member)
	}
}

func TestIdentities_AreThoseOfTheServiceRecords(t *testing.T) {
	s := New(&domain.RegisterMember{Application: 1}, 1, domain.MemberIDOf(1, 7), 0)
	s.Register(nil, &domain.RegisterMember{
		Application: 1, Service: domain.Spotify, Identity: identity('u'), Partner: identity('p'), PartnerCode: "p",
		Username: identity('n'), Email: identity('m'),
	}, 1)
	s.Register(nil, &domain.RegisterMember{Application: 2, Service: domain.Spotify, Identity: identity('u'), Email: identity('m'), Username: identity('n')}, 2)
	s.Register(nil, &domain.RegisterMember{Application: 2, Service: domain.Email, Identity: identity('e'), Email: identity('m'), Password: "$x"}, 3)
	say := func() (out []string) {
		for _, i := range Identities(&s.Member) {
			out = append(out, fmt.Sprintf("%c%d", i.Hash[0], i.Kind))
		}
		for _, p := range Pointers(&s.Member) {
			out = append(out, fmt.Sprintf("%c%d", p.Hash[0], p.Kind))
		}
		return out
	}
	if got, want := say(), []string{"u1", "p2", "e3", "m5", "n6"}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	// Another partner, the name cleared in one of two records, the address cleared.
	s.Register(nil, &domain.RegisterMember{
		Application: 1, Service: domain.Spotify, Identity: identity('u'), Partner: identity('q'), PartnerCode: "q",
	}, 4)
	if got, want := say(), []string{"u1", "q2", "e3", "n6"}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	s.Member.State = domain.MemberPending
	if got := Pointers(&s.Member); got != nil {
		t.Fatalf("a member in no answer is pointed to: %v", got)
	}
}
