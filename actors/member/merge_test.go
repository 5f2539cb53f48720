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

// Each time that rows change hands the time of it rises, also within one second and when the clock stands,
// and with it the sum of the account's members; erasure keeps it. Members then have changed, by it alone.
func TestIndex_HandedOver(t *testing.T) {
	a := NewAudience()
	put := func(changes []domain.Change) {
		for _, c := range changes {
			if v, ok := c.Value.(*domain.Column); ok {
				a.PutColumn(v)
			}
		}
	}
	into, from := lenderOf(1, domain.Spotify, nil), lenderOf(2, domain.Twitter, nil)
	registered := func(m *domain.Member) *State {
		m.Ord--
		m.Created = 70_000_000
		a.Add(m.ID)
		s := NewState(&domain.Member{})
		put(s.change(nil, func(of *domain.Member) { *of = *m }))
		return s
	}
	s, l, record := registered(&into), registered(&from), from
	var sums []uint64
	for n, step := range []struct {
		name string
		hand bool // rows change hands
		do   func(clock int64) []domain.Change
	}{
		{"asked", false, func(at int64) []domain.Change {
			return Absorb(nil, s, domain.Absorbed{Member: 2, Ticket: 7}, at)
		}},
		{"lends", false, func(at int64) []domain.Change { return Lend(nil, l, &domain.Loan{To: 1}, at) }},
		{"handed over", true, func(at int64) []domain.Change { return Lend(nil, l, &domain.Loan{To: 1, Done: true}, at) }},
		{"received", true, func(at int64) []domain.Change {
			return Absorb(nil, s, domain.Absorbed{Member: 2, Ticket: 7, Done: true, Record: &record}, at)
		}},
		{"a record later", false, func(at int64) []domain.Change {
			return Absorb(nil, s, domain.Absorbed{Member: 2, Ticket: 7, Done: true, Record: &record}, at)
		}},
		{"given back", true, func(at int64) []domain.Change { return Discharge(nil, s, 2, at) }},
		{"taken back", true, func(at int64) []domain.Change { return Lend(nil, l, nil, at) }},
		{"nothing given back", false, func(at int64) []domain.Change { return Discharge(nil, s, 2, at) }},
		{"erased", false, func(int64) []domain.Change {
			changes, _ := Erase(nil, l, 9, nil)
			return changes
		}},
	} {
		put(step.do(80_000_900))
		sum := a.Commit().HandedOver()
		if was := append([]uint64{0}, sums...)[n]; step.hand != (sum > was) || !step.hand && sum != was {
			t.Errorf("%s: the sum is %d, and was %d", step.name, sum, was)
		}
		sums = append(sums, sum)
	}
	c := a.Commit()
	if want := domain.Second(80_001); s.Member.HandedOver != want || l.Member.HandedOver != want || c.HandedOver() != 2*uint64(want) {
		t.Errorf("%d and %d, in all %d", s.Member.HandedOver, l.Member.HandedOver, c.HandedOver())
	}
	if c.Changed(0) != 80_001 || s.Member.Changed() != 70_000_000 {
		t.Errorf("changed at %d, of the record at %d", c.Changed(0), s.Member.Changed())
	}
}
