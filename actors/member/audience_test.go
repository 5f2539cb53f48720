package member

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// marks are attributes with values of which a member may have several, or of a region one; the last
// value is of no member.
var marks = [5]struct {
	attribute domain.Attribute
	values    []string
}{
	{domain.AttrRegion, []string{"be", "by", "bavaria", "nowhere"}},
	{domain.AttrDomain, []string{"a.de", "b.de", "c.de", "nowhere"}},
	{domain.AttrOptIn, []string{domain.OptValue(domain.OptBrand, 1), domain.OptValue(domain.OptSegment, 1), domain.OptValue(domain.OptGlobal, 0), "nowhere"}},
	{domain.AttrService, []string{"\x02", "\x09", "\x01", "\x0f"}},
	{domain.AttrHas, []string{"\x01", "\x02", "\x11", "\x03"}},
}

var optables = []domain.Opt{{Kind: domain.OptBrand, ID: 1}, {Kind: domain.OptSegment, ID: 1}, {Kind: domain.OptGlobal}}

// toggled is a list with a value, or without it.
func toggled[T comparable](list []T, v T, on bool) []T {
	list = slices.DeleteFunc(slices.Clone(list), func(x T) bool { return x == v })
	if on {
		list = append(list, v)
	}
	return list
}

// mark sets or clears a value of an attribute, in the audience and in the reference.
func mark(rnd *rand.Rand, a *Audience, o domain.Ordinal, x *reference.Member) {
	k, v := rnd.IntN(len(marks)), rnd.IntN(3)
	value, on := marks[k].values[v], rnd.IntN(3) > 0
	put := func(value string, on bool) {
		a.Put(&domain.Bit{Ord: o, Attribute: marks[k].attribute, Value: value, On: on})
	}
	switch k {
	case 0:
		if x.Region != "" {
			put(x.Region, false)
		}
		if x.Region = ""; on {
			x.Region = value
		}
	case 1:
		x.Domains = toggled(x.Domains, value, on)
	case 2:
		x.Opts = maps.Clone(x.Opts)
		x.Opts[optables[v]] = domain.OptState{In: on}
	case 3:
		x.Services = toggled(x.Services, domain.Service(value[0]), on)
	case 4:
		x.Fields = toggled(x.Fields, domain.Field(value[0]), on)
	}
	put(value, on)
}

// The members that an index selects are those that pass the filter as of its commit.
func TestI7_IndexSelectsAsOfItsCommit(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	a, r := NewAudience(), NewRoster(0, 16)
	var members []reference.Member
	alive := map[domain.MemberID]bool{}
	type version struct {
		index   *Index
		members []reference.Member // that are alive
	}
	var versions []version
	countries := []uint16{0, domain.CountryCode("DE"), domain.CountryCode("FR"), domain.CountryCode("US")}
	for i := range 30 { // few members have one of these
		countries = append(countries, domain.CountryCode(string([]byte{'A' + byte(i%26), 'X' + byte(i/26)})))
	}
	for range 60 {
		for range rnd.IntN(400) {
			if rnd.IntN(2) == 0 || len(members) == 0 {
				id := r.Next(domain.Slot(rnd.IntN(16)))
				r.Add(id, Place{1, domain.Ordinal(len(members))})
				a.Add(id)
				members = append(members, reference.Member{ID: id, Opts: map[domain.Opt]domain.OptState{}})
			}
			o := domain.Ordinal(rnd.IntN(len(members)))
			x := &members[o]
			switch rnd.IntN(7) {
			case 0:
				alive[x.ID] = rnd.IntN(4) > 0
				a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrMember, On: alive[x.ID]})
			case 1:
				x.Paid = rnd.IntN(2) > 0
				a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrPaid, On: x.Paid})
			case 2:
				x.Country = countries[rnd.IntN(4)]
				if rnd.IntN(8) == 0 {
					x.Country = countries[rnd.IntN(len(countries))]
				}
				a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrCountry, Value: x.Country})
			case 3:
				x.Born = uint16(rnd.IntN(5) * 9000)
				a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrBirthDay, Value: x.Born})
			case 4:
				if x.Gender > 0 {
					a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrGender, Value: domain.Genders[x.Gender-1]})
				}
				if x.Gender = uint16(rnd.IntN(4)); x.Gender > 0 {
					a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrGender, Value: domain.Genders[x.Gender-1], On: true})
				}
			default:
				mark(rnd, a, o, x)
			}
		}
		living := slices.DeleteFunc(slices.Clone(members), func(x reference.Member) bool { return !alive[x.ID] })
		versions = append(versions, version{a.Commit(), living})
	}
	ordinal := func(id domain.MemberID) (domain.Ordinal, bool) {
		p, ok := r.Find(id)
		return p.Ord, ok
	}
	for range 400 {
		v := versions[rnd.IntN(len(versions))]
		f := randomFilter(rnd, members, countries)
		got, set := map[domain.MemberID]bool{}, v.index.Select(nil, &f, ordinal)
		for o := range v.index.Members() {
			if set == nil || set[o>>6]>>(o&63)&1 == 1 {
				got[v.index.ID(domain.Ordinal(o))] = true
			}
		}
		want := (&reference.Model{Members: v.members}).Passing(&domain.Question{Filter: f})
		if !maps.Equal(want, got) || len(v.members) != v.index.Alive() {
			t.Fatalf("seed %d: %+v: %d members, want %d; alive %d, want %d", seed, f, len(got), len(want), v.index.Alive(), len(v.members))
		}
	}
}

func randomFilter(rnd *rand.Rand, members []reference.Member, countries []uint16) domain.Filter {
	var f domain.Filter
	some := func() (ids []domain.MemberID) {
		for range 1 + rnd.IntN(5) {
			ids = append(ids, members[rnd.IntN(len(members))].ID)
		}
		return append(ids, domain.MemberIDOf(1<<30, 3), domain.MemberIDOf(1, 4000))
	}
	if rnd.IntN(3) == 0 {
		f.Members = some()
	}
	if rnd.IntN(3) == 0 {
		f.Exclude = some()
	}
	if rnd.IntN(5) == 0 {
		f.Genders = []uint16{uint16(rnd.IntN(5)), uint16(1 + rnd.IntN(3))}
	}
	if rnd.IntN(5) == 0 {
		f.Born = &domain.BirthDays{First: uint16(rnd.IntN(40_000)), Last: uint16(rnd.IntN(40_000))}
	}
	if rnd.IntN(3) == 0 {
		f.Countries = countries[1 : 2+rnd.IntN(3)]
		if rnd.IntN(2) == 0 {
			f.Countries = []uint16{countries[rnd.IntN(len(countries))], 1, countries[rnd.IntN(len(countries))], 0}
		}
	}
	f.Paid = rnd.IntN(3) == 0
	value := func(k int) string {
		if rnd.IntN(3) > 0 {
			return ""
		}
		return marks[k].values[rnd.IntN(4)]
	}
	for range rnd.IntN(4) {
		if v := value(0); v != "" {
			f.Regions = append(f.Regions, v)
		}
	}
	f.Domain, f.OptIn = value(1), value(2)
	for range rnd.IntN(3) {
		if v := value(3); v != "" {
			f.Holds = append(f.Holds, domain.Service(v[0]))
		}
		if v := value(4); v != "" && rnd.IntN(2) == 0 {
			f.Has = append(f.Has, domain.Field(v[0]))
		}
	}
	if f.Opted = rnd.IntN(5) == 0; f.Opted {
		f.Ended = slices.Sorted(slices.Values(marks[2].values[:rnd.IntN(4)]))
	}
	return f
}

func TestEffectiveRegion_IsLowerCaseAndGeoRegionFirst(t *testing.T) {
	long := strings.Repeat("Ä", 200) // more than a key of the store holds
	for _, c := range []struct{ geo, given, want string }{
		{"", "", ""},
		{"", " Bayern ", "bayern"},
		{"DE-BY", "Berlin", "by"},
		{"BY", "Berlin", "by"},
		{" ", "BE", "be"},
		{"", strings.Repeat("A", 255), strings.Repeat("a", 255)},
		{"", long, domain.RegionValue(strings.ToLower(long))},
	} {
		got := effectiveRegion(domain.Fields{{Field: domain.Region, Value: c.given}, {Field: domain.GeoCountry, Value: "DE"}, {Field: domain.GeoRegion, Value: c.geo}})
		if got != c.want || len(got) > 255 {
			t.Errorf("%q and %q: %q, want %q", c.geo, c.given, got, c.want)
		}
	}
	if domain.RegionValue(long) == domain.RegionValue(long+"Ä") {
		t.Error("two long regions are one")
	}
}

// BenchmarkSelect is the filter of a shard with 125,000 members.
func BenchmarkSelect(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	a := NewAudience()
	countries := []uint16{0, domain.CountryCode("DE"), domain.CountryCode("FR"), domain.CountryCode("US")}
	for o := range domain.Ordinal(125_000) {
		a.Add(domain.MemberIDOf(uint64(o)+1, 0))
		a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrMember, On: true})
		a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrCountry, Value: countries[rnd.IntN(4)]})
		a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrRegion, Value: "be", On: rnd.IntN(3) == 0})
	}
	c := a.Commit()
	none := func(domain.MemberID) (domain.Ordinal, bool) { return 0, false }
	for _, f := range []struct {
		name string
		domain.Filter
	}{
		{"country", domain.Filter{Countries: countries[1:3]}},
		{"region", domain.Filter{Regions: []string{"be"}}},
		{"member", domain.Filter{Members: []domain.MemberID{1}}},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.ReportAllocs()
			var dst []uint64
			for b.Loop() {
				dst = c.Select(dst, &f.Filter, none)
			}
		})
	}
}

func TestRegister_ChangesWhatFiltersRead(t *testing.T) {
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
	given := domain.Fields{{Field: domain.Gender, Value: "F"}, {Field: domain.Country, Value: "DE"}}
	put := domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{1}}, Has: 1 << domain.Birthdate, Born: 2}
	changes := s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, Given: given, Personal: put, Domain: "a.de", At: 5000}, 1)
	got := say(changes)
	want := []string{`1 "" true`, `2 "F" true`, `3 "\t" true`, `5 "a.de" true`, `10 "\x05" true`, `10 "\t" true`, `10 "\f" true`, "64=17477", "65=2", "67=5", "69=5", "71=5"}
	if !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	given = domain.Fields{{Field: domain.Gender, Value: "M"}, {Field: domain.Country, Value: ""}}
	changes = s.Register(nil, &domain.RegisterMember{Application: 2, Service: domain.Spotify, Given: given, At: 6000}, 2)
	got = say(changes)
	if want = []string{`2 "F" false`, `2 "M" true`, `10 "\t" false`, "64=0", "69=6", "71=6"}; !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	if n := len(s.Member.Services); n != 2 || s.Member.Personal.Born != 2 {
		t.Fatalf("%+v", s.Member)
	}
}

// A member has a valid record of a service while one of its records of it is valid.
func TestIndex_ValidRecords(t *testing.T) {
	record := func(s domain.Service, invalid bool) domain.ServiceRecord {
		return domain.ServiceRecord{ID: 100 + uint64(s), Service: s, Invalid: invalid}
	}
	a := NewAudience()
	for i, records := range [][]domain.ServiceRecord{
		{record(domain.Email, false), record(domain.Spotify, true)},
		{record(domain.Spotify, true), record(domain.Spotify, false)},
		{record(domain.Spotify, true), record(domain.Spotify, true)},
		{record(domain.Deezer, true), record(domain.Email, true)},
	} {
		m := &domain.Member{Ord: domain.Ordinal(i), State: domain.MemberActive, Services: records}
		a.Add(domain.MemberIDOf(uint64(i+1), 1))
		for _, c := range (filterable{}).to(nil, filterableOf(m), m) {
			if b, ok := c.Value.(*domain.Bit); ok {
				a.Put(b)
			}
		}
	}
	index := a.Commit()
	for s, want := range map[domain.Service]uint64{domain.Email: 1, domain.Spotify: 2, domain.Deezer: 0, domain.Tumblr: 0} {
		if got := index.Valid(s); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %b, want %b", s, got, want)
		}
	}
	void, members := index.Void()
	if len(void) != 1 || len(members) != 1 || members[0] != 2 {
		t.Errorf("void %v of %b", void, members)
	}
	m := &domain.Member{ // removed beside a valid one, and beside none
		Ord: 1, State: domain.MemberActive, Services: []domain.ServiceRecord{record(domain.Spotify, false)},
		Removed: []domain.RemovedRecord{{ID: 300, Service: domain.Spotify}, {ID: 301, Service: domain.Email}},
	}
	if f := filterableOf(m); !slices.Contains(f.bits, bitValue{domain.AttrVoid, domain.VoidValue(domain.Spotify, 300)}) ||
		slices.Contains(f.bits, bitValue{domain.AttrVoid, domain.VoidValue(domain.Email, 301)}) {
		t.Errorf("%+v", f.bits)
	}
}
