package member

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// lenderOf is a member with a service record, opt-ins and a profile.
func lenderOf(id domain.MemberID, s domain.Service, profile domain.Fields, opts ...domain.OptState) domain.Member {
	return domain.Member{
		ID: id, Account: 1, Ord: domain.Ordinal(id), State: domain.MemberActive, Profile: profile, Opts: opts,
		Services: []domain.ServiceRecord{{ID: uint64(domain.ActionIDOf(uint64(id)*10, 0)), Service: s}},
	}
}

func optState(id uint32, in, out bool) domain.OptState {
	return domain.OptState{Opt: domain.Opt{Kind: domain.OptBrand, ID: id}, In: in, Out: out}
}

// A union has the service records and opt-ins of all, and each value of the first that has it; who is
// only about to be merged is no part of it.
func TestUnion_OfAll(t *testing.T) {
	a := lenderOf(1, domain.Spotify, domain.Fields{{Field: domain.Gender, Value: "F"}}, optState(1, false, true), optState(2, true, false))
	c := lenderOf(3, domain.Deezer, domain.Fields{{Field: domain.City, Value: "Bonn"}}, optState(3, true, false))
	b := lenderOf(2, domain.Twitter, domain.Fields{{Field: domain.Gender, Value: "M"}, {Field: domain.Country, Value: "DE"}}, optState(1, true, false), optState(2, false, true))
	b.Absorbed = []domain.Absorbed{{Member: 3, Done: true, Record: &c}}
	b.Personal.Has, b.Personal.Born = 4, 99
	other := lenderOf(4, domain.Google, domain.Fields{{Field: domain.Bio, Value: "x"}})
	a.Absorbed = []domain.Absorbed{{Member: 2, Done: true, Record: &b}, {Member: 4, Record: &other}}
	u := Union(&a)
	var services []domain.Service
	for _, s := range u.Services {
		services = append(services, s.Service)
	}
	if !slices.Equal(services, []domain.Service{domain.Spotify, domain.Twitter, domain.Deezer}) {
		t.Errorf("services %v", services)
	}
	if got := u.Profile; got.Get(domain.Gender) != "F" || got.Get(domain.Country) != "DE" || got.Get(domain.City) != "Bonn" || got.Get(domain.Bio) != "" {
		t.Errorf("profile %v", got)
	}
	if want := []domain.OptState{optState(1, true, false), optState(2, true, false), optState(3, true, false)}; !slices.Equal(u.Opts, want) {
		t.Errorf("opt-ins %+v", u.Opts)
	}
	if u.Personal.Has != 4 || u.Personal.Born != 99 || len(a.Services) != 1 || len(a.Opts) != 2 {
		t.Errorf("%+v of %+v", u, a)
	}
	if one := lenderOf(9, domain.Email, nil); Union(&one) != &one {
		t.Error("a copy of a member that none is merged into")
	}
}

// Who opts out is out with all that are merged into it, also what they know of others.
func TestState_OptOutIsOfAllThatAreMerged(t *testing.T) {
	opt := domain.Opt{Kind: domain.OptBrand, ID: 1}
	c := lenderOf(3, domain.Deezer, nil, optState(1, true, false))
	b := lenderOf(2, domain.Twitter, nil)
	b.Absorbed = []domain.Absorbed{{Member: 3, Done: true, Record: &c}}
	d := lenderOf(4, domain.Google, nil, optState(2, true, false))
	a := lenderOf(1, domain.Spotify, nil)
	a.Absorbed = []domain.Absorbed{{Member: 2, Done: true, Record: &b}, {Member: 4, Done: true, Record: &d}}
	if got := OptedLenders(&a, opt); !slices.Equal(got, []domain.MemberID{2}) {
		t.Fatalf("opted in are %v", got)
	}
	s := NewState(&a)
	before := filterableOf(&s.Member)
	if !slices.Contains(before.bits, bitValue{domain.AttrOptIn, opt.Value()}) {
		t.Fatal("it is not filtered by the opt-in of one merged into it")
	}
	s.OptOut(nil, opt, 5)
	if got := OptedLenders(&s.Member, opt); len(got) > 0 {
		t.Errorf("still opted in are %v", got)
	}
	after := filterableOf(&s.Member)
	if slices.Contains(after.bits, bitValue{domain.AttrOptIn, opt.Value()}) || !slices.Contains(after.bits, bitValue{domain.AttrOptOut, opt.Value()}) {
		t.Errorf("%+v", after.bits)
	}
	if !c.Opts[0].In || len(b.Opts) > 0 {
		t.Error("what others hold was changed")
	}
}

// A signup that is not valid is filtered by the copy that counts, not by the row at home.
func TestFilterable_SignupsAreThoseOfTheCopies(t *testing.T) {
	b := lenderOf(2, domain.Spotify, nil)
	b.Services[0].Invalid = true
	a := lenderOf(1, domain.Spotify, nil)
	a.Absorbed = []domain.Absorbed{{
		Member: 2, Done: true, Record: &b, Signups: []domain.LentSignup{{Record: b.Services[0].ID, Seq: 77}},
	}}
	void := bitValue{domain.AttrVoid, domain.VoidValue(domain.Spotify, uint64(domain.ActionIDOf(77, 0)))}
	if f := filterableOf(&a); !slices.Contains(f.bits, void) {
		t.Errorf("%+v", f.bits)
	}
	b.Lent = &domain.Loan{To: 1, Done: true}
	if f := filterableOf(&b); len(f.bits) > 0 || f.times != [3]uint32{} {
		t.Errorf("of one who is merged: %+v", f)
	}
}
