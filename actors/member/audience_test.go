package member

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// fan is a member as the naive model knows it.
type fan struct {
	id      domain.MemberID
	alive   bool
	paid    bool
	country uint16
	has     [5][4]bool // of marks, by attribute and value
}

// marks are attributes with values of which a member may have several; the last
// value is nobody's.
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

func TestI7CrowdSelectsAsANaiveModelDoesAtItsCommit(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	a, r := NewAudience(), NewRoster(0, 16)
	var fans []fan
	type moment struct {
		index *Index
		fans  []fan
	}
	var moments []moment
	countries := []uint16{0, domain.CountryCode("DE"), domain.CountryCode("FR"), domain.CountryCode("US")}
	for i := range 30 { // few members have one of these
		countries = append(countries, domain.CountryCode(string([]byte{'A' + byte(i%26), 'X' + byte(i/26)})))
	}
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
			switch rnd.IntN(5) {
			case 0:
				f.alive = rnd.IntN(4) > 0
				a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrMember, On: f.alive})
			case 1:
				f.paid = rnd.IntN(2) > 0
				a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrPaid, On: f.paid})
			case 2:
				f.country = countries[rnd.IntN(4)]
				if rnd.IntN(8) == 0 {
					f.country = countries[rnd.IntN(len(countries))]
				}
				a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrCountry, Value: f.country})
			default:
				k, v := rnd.IntN(len(marks)), rnd.IntN(3)
				f.has[k][v] = rnd.IntN(3) > 0
				a.Put(&domain.Bit{Ord: o, Attribute: marks[k].attribute, Value: marks[k].values[v], On: f.has[k][v]})
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
		set := m.index.Select(nil, &f, ordinal)
		for o := range m.index.Members() {
			if set == nil || set[o>>6]>>(o&63)&1 == 1 {
				got = append(got, m.index.ID(domain.Ordinal(o)))
			}
		}
		if fmt.Sprint(want) != fmt.Sprint(got) || alive != m.index.Alive() {
			t.Fatalf("seed %d: %+v: %d members, want %d; alive %d, want %d", seed, f, len(got), len(want), m.index.Alive(), alive)
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

func passes(x fan, f *domain.Filter) bool {
	return (len(f.Members) == 0 || slices.Contains(f.Members, x.id)) && !slices.Contains(f.Exclude, x.id) &&
		(len(f.Countries) == 0 || x.country != 0 && slices.Contains(f.Countries, x.country)) && (!f.Paid || x.paid) &&
		x.hasAny(0, f.Regions...) && x.hasAny(1, f.Domain) && x.hasAny(2, f.OptIn) && x.hasAny(3, serviceValues(f.Holds)...) &&
		!slices.ContainsFunc(f.Has, func(v domain.Field) bool { return !x.hasAny(4, string(rune(v))) }) && (!f.Opted || x.opted(f.Ended))
}

// opted reports that the member opted in to something that has not ended.
func (x fan) opted(ended []string) bool {
	for i, in := range x.has[2] {
		if in && !slices.Contains(ended, marks[2].values[i]) {
			return true
		}
	}
	return false
}

// hasAny reports that the member has one of the values; of no value that it may.
func (x fan) hasAny(k int, values ...string) bool {
	for _, v := range values {
		if v == "" || x.has[k][slices.Index(marks[k].values, v)] {
			return true
		}
	}
	return len(values) == 0
}

func TestARegionIsFilteredByInLowerCaseAndGeoRegionWins(t *testing.T) {
	long := strings.Repeat("Ä", 200) // more than a key of the store holds
	for _, c := range []struct{ geo, given, want string }{
		{"", "", ""},
		{"", " Bayern ", "bayern"},
		{"BY", "Berlin", "by"},
		{" ", "BE", "be"},
		{"", strings.Repeat("A", 255), strings.Repeat("a", 255)},
		{"", long, domain.RegionValue(strings.ToLower(long))},
	} {
		got := effectiveRegion(domain.Fields{{Field: domain.Region, Value: c.given}, {Field: domain.GeoRegion, Value: c.geo}})
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
	changes := s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, UID: "x", Given: given, Domain: "a.de", At: 5000}, 1)
	got := say(changes)
	want := []string{`1 "" true`, `2 "F" true`, `3 "\t" true`, `5 "a.de" true`, `10 "\x05" true`, `10 "\t" true`, `10 "\f" true`, "64=17477", "65=2", "67=5", "69=5", "71=5"}
	if !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	given = domain.Fields{{Field: domain.Gender, Value: "M"}, {Field: domain.Country, Value: ""}}
	changes = s.Register(nil, &domain.RegisterMember{Application: 2, Service: domain.Spotify, UID: "x", Given: given, At: 6000}, 2)
	got = say(changes)
	if want = []string{`2 "F" false`, `2 "M" true`, `10 "\t" false`, "64=0", "69=6", "71=6"}; !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	if n := len(s.Member.Services); n != 2 || s.Member.Profile.Get(domain.Birthdate) != "1900-01-02" {
		t.Fatalf("%+v", s.Member)
	}
}
