package member

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// fan is a member as the naive model knows it.
type fan struct {
	id      domain.MemberID
	alive   bool
	paid    bool
	country uint16
}

func TestI7CrowdSelectsAsANaiveModelDoesAtItsCommit(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	a, r := NewAudience(), NewRoster(0, 16)
	var fans []fan
	type moment struct {
		crowd *Crowd
		fans  []fan
	}
	var moments []moment
	countries := []uint16{0, domain.CountryCode("DE"), domain.CountryCode("FR"), domain.CountryCode("US")}
	for range 60 {
		for range rnd.IntN(400) {
			if rnd.IntN(2) == 0 || len(fans) == 0 {
				id := r.Next(domain.Slot(rnd.IntN(16)))
				r.Add(id, Place{1, domain.Ordinal(len(fans))})
				a.Add(id)
				fans = append(fans, fan{id: id})
			}
			o := domain.Ordinal(rnd.IntN(len(fans)))
			f := &fans[o]
			switch rnd.IntN(3) {
			case 0:
				f.alive = rnd.IntN(4) > 0
				a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrMember, On: f.alive})
			case 1:
				f.paid = rnd.IntN(2) > 0
				a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrPaid, On: f.paid})
			case 2:
				f.country = countries[rnd.IntN(4)]
				a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrCountry, Value: f.country})
			}
		}
		moments = append(moments, moment{a.Commit(), slices.Clone(fans)})
	}
	ordinal := func(id domain.MemberID) (domain.Ordinal, bool) {
		p, ok := r.Find(id)
		return p.Ord, ok
	}
	for range 400 {
		m := moments[rnd.IntN(len(moments))]
		f := question(rnd, fans, countries)
		var want, got []domain.MemberID
		alive := 0
		for _, x := range m.fans {
			if x.alive {
				alive++
			}
			if x.alive && passes(x, &f) {
				want = append(want, x.id)
			}
		}
		set := m.crowd.Select(nil, &f, ordinal)
		for o := range m.crowd.Members() {
			if set == nil || set[o>>6]>>(o&63)&1 == 1 {
				got = append(got, m.crowd.ID(domain.Ordinal(o)))
			}
		}
		if fmt.Sprint(want) != fmt.Sprint(got) || alive != m.crowd.Alive() {
			t.Fatalf("seed %d: %+v: %d members, want %d; alive %d, want %d", seed, f, len(got), len(want), m.crowd.Alive(), alive)
		}
	}
}

func question(rnd *rand.Rand, fans []fan, countries []uint16) domain.Filter {
	var f domain.Filter
	some := func() (ids []domain.MemberID) {
		for range 1 + rnd.IntN(5) {
			ids = append(ids, fans[rnd.IntN(len(fans))].id)
		}
		return append(ids, domain.MemberIDOf(1<<30, 3), domain.MemberIDOf(1, 4000))
	}
	if rnd.IntN(3) == 0 {
		f.Members = some()
	}
	if rnd.IntN(3) == 0 {
		f.Exclude = some()
	}
	if rnd.IntN(3) == 0 {
		f.Countries = countries[1 : 2+rnd.IntN(3)]
	}
	f.Paid = rnd.IntN(3) == 0
	return f
}

func passes(x fan, f *domain.Filter) bool {
	return (len(f.Members) == 0 || slices.Contains(f.Members, x.id)) && !slices.Contains(f.Exclude, x.id) &&
		(len(f.Countries) == 0 || slices.Contains(f.Countries, x.country)) && (!f.Paid || x.paid)
}

func TestRegisterPutsAndMovesWhatIsFilteredBy(t *testing.T) {
	s := New(&domain.RegisterMember{Application: 1, At: 5000}, 1, domain.MemberIDOf(1, 7), 3)
	say := func(changes []domain.Change) (out []string) {
		for _, c := range changes {
			switch v := c.Value.(type) {
			case *domain.Bit:
				out = append(out, fmt.Sprintf("%d %q %v", v.Attribute, v.Value, v.On))
			case *domain.Column:
				out = append(out, fmt.Sprintf("%d=%d", v.Attribute, v.Value))
			}
		}
		return out
	}
	given := domain.Fields{{Field: domain.Gender, Value: "F"}, {Field: domain.Country, Value: "DE"}, {Field: domain.Birthdate, Value: "1900-01-02"}}
	changes, _ := s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, UID: "x", Given: given, Domain: "a.de", At: 5000}, 1, false)
	got := say(changes)
	want := []string{`1 "" true`, `2 "F" true`, `3 "\t" true`, `5 "a.de" true`, "64=17477", "65=2"}
	if !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	given = domain.Fields{{Field: domain.Gender, Value: "M"}, {Field: domain.Country, Value: ""}}
	changes, _ = s.Register(nil, &domain.RegisterMember{Application: 2, Service: domain.Spotify, UID: "x", Given: given, At: 6000}, 2, false)
	got = say(changes)
	if want = []string{`2 "F" false`, `2 "M" true`, "64=0"}; !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	if n := len(s.Member.Services); n != 2 || s.Member.Profile.Get(domain.Birthdate) != "1900-01-02" {
		t.Fatalf("%+v", s.Member)
	}
	if got = say(s.Refuse(nil)); len(got) != 5 {
		t.Fatalf("a refused member is still found: %q", got)
	}
}
