package member

import (
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// facts is what of a member questions filter by. A member that is not active has
// none.
type facts struct {
	bits  []bitValue // without repeats
	since uint16     // birth day: days since 1900
	land  uint16     // effective country
}

type bitValue struct {
	attribute domain.Attribute
	value     string
}

func factsOf(m *domain.Member) facts {
	var f facts
	if m.State != domain.MemberActive || len(m.Services) == 0 {
		return f
	}
	f.put(domain.AttrMember, "")
	if g := m.Profile.Get(domain.Gender); g != "" {
		f.put(domain.AttrGender, g)
	}
	for i := range m.Services {
		r := &m.Services[i]
		f.put(domain.AttrService, string([]byte{byte(r.Service)}))
		if r.Paid() {
			f.put(domain.AttrPaid, "")
		}
		for _, d := range r.Domains {
			f.put(domain.AttrDomain, d)
		}
	}
	f.land = effectiveCountry(m.Profile)
	f.since = birthDay(m.Profile.Get(domain.Birthdate))
	return f
}

func (f *facts) put(a domain.Attribute, value string) {
	if v := (bitValue{a, value}); !slices.Contains(f.bits, v) {
		f.bits = append(f.bits, v)
	}
}

// effectiveCountry is GeoCountry, or Country where that is not known.
func effectiveCountry(p domain.Fields) uint16 {
	if c := domain.CountryCode(p.Get(domain.GeoCountry)); c != 0 {
		return c
	}
	return domain.CountryCode(p.Get(domain.Country))
}

// birthDay is the days from 1900 to the date plus 1, so that 0 is unknown.
func birthDay(date string) uint16 {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil || t.Year() < 1900 {
		return 0
	}
	days := t.Unix()/86400 + 25567 + 1
	return uint16(min(days, 1<<16-1))
}

// to appends what turns f into g.
func (f facts) to(dst []domain.Change, g facts, m *domain.Member) []domain.Change {
	bit := func(v bitValue, on bool) {
		dst = append(dst, domain.Change{Kind: domain.BitPut, Value: &domain.Bit{
			Account: m.Account, Ord: m.Ord, Attribute: v.attribute, Value: v.value, On: on,
		}})
	}
	for _, v := range f.bits {
		if !slices.Contains(g.bits, v) {
			bit(v, false)
		}
	}
	for _, v := range g.bits {
		if !slices.Contains(f.bits, v) {
			bit(v, true)
		}
	}
	column := func(a domain.Attribute, from, to uint16) {
		if from != to {
			dst = append(dst, domain.Change{Kind: domain.ColumnPut, Value: &domain.Column{
				Account: m.Account, Ord: m.Ord, Attribute: a, Value: to,
			}})
		}
	}
	column(domain.AttrCountry, f.land, g.land)
	column(domain.AttrBirthDay, f.since, g.since)
	return dst
}
