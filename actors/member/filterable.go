package member

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// filterable is what of a member questions filter by. A member that is not active has
// none.
type filterable struct {
	bits    []bitValue // without repeats
	has     uint64     // bits of the profile's fields with a value, by their codes
	born    uint16     // domain.BirthDay
	country uint16     // effective country
	times   [3]uint32  // as timeAttributes, in seconds
}

type bitValue struct {
	attribute domain.Attribute
	value     string
}

func filterableOf(m *domain.Member) filterable {
	var f filterable
	if m.State != domain.MemberActive || len(m.Services) == 0 || m.IsLent() {
		return f
	}
	f.put(domain.AttrMember, "")
	muted := mutedOf(m) // of its own activities
	m = copied(m)
	for ; muted != 0; muted &= muted - 1 {
		f.put(domain.AttrMuted, serviceValue(domain.Service(bits.TrailingZeros32(muted))))
	}
	if g := m.Profile.Get(domain.Gender); g != "" {
		f.put(domain.AttrGender, g)
	}
	for i := range m.Services {
		r := &m.Services[i]
		f.put(domain.AttrService, serviceValue(r.Service))
		if r.Invalid {
			f.lapse(m, r.Service, r.ID)
		}
		if r.Paid() {
			f.put(domain.AttrPaid, "")
		}
		for _, d := range r.Domains {
			f.put(domain.AttrDomain, d)
		}
	}
	for _, r := range m.Removed {
		f.putIf(holdsValid(m, r.Service), domain.AttrVoid, domain.VoidValue(r.Service, r.ID))
	}
	for _, o := range m.Opts {
		f.putIf(o.In, domain.AttrOptIn, o.Value())
		f.putIf(o.Out, domain.AttrOptOut, o.Value())
		f.putIf(o.Listed, domain.AttrListed, o.Value())
	}
	if r := effectiveRegion(m.Profile); r != "" {
		f.put(domain.AttrRegion, r)
	}
	f.has = m.Profile.Bits() | m.Personal.Has
	f.country = effectiveCountry(m.Profile)
	f.born = m.Personal.Born
	f.times = [3]uint32{seconds(m.Created), seconds(m.LastLogin()), max(seconds(m.Changed()), uint32(m.HandedOver))}
	return f
}

// lapse puts what a record that is not valid is filtered by: of a service without a valid one the
// service, else the signup alone.
func (f *filterable) lapse(m *domain.Member, s domain.Service, record uint64) {
	if holdsValid(m, s) {
		f.put(domain.AttrVoid, domain.VoidValue(s, record))
	} else {
		f.put(domain.AttrLapsed, serviceValue(s))
	}
}

// holdsValid reports that the member has a valid record of the service.
func holdsValid(m *domain.Member, s domain.Service) bool {
	return slices.ContainsFunc(m.Services, func(r domain.ServiceRecord) bool { return r.Service == s && !r.Invalid })
}

func (f *filterable) put(a domain.Attribute, value string) {
	if v := (bitValue{a, value}); !slices.Contains(f.bits, v) {
		f.bits = append(f.bits, v)
	}
}

func (f *filterable) putIf(on bool, a domain.Attribute, value string) {
	if on {
		f.put(a, value)
	}
}

// effectiveCountry is GeoCountry, or Country where that is not known.
func effectiveCountry(p domain.Fields) uint16 {
	if c := domain.CountryCode(p.Get(domain.GeoCountry)); c != 0 {
		return c
	}
	return domain.CountryCode(p.Get(domain.Country))
}

// effectiveRegion is GeoRegion without the country's part, or Region where that is not known, as it
// is filtered by.
func effectiveRegion(p domain.Fields) string {
	geo := strings.TrimPrefix(p.Get(domain.GeoRegion), p.Get(domain.GeoCountry)+"-")
	if r := domain.RegionValue(geo); r != "" {
		return r
	}
	return domain.RegionValue(p.Get(domain.Region))
}

// to appends what turns f into g.
func (f filterable) to(dst []domain.Change, g filterable, m *domain.Member) []domain.Change {
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
	for changed := f.has ^ g.has; changed != 0; changed &= changed - 1 {
		field := domain.Field(bits.TrailingZeros64(changed))
		bit(bitValue{domain.AttrHas, domain.HasValue(field)}, g.has>>field&1 == 1)
	}
	dst = putColumn(dst, m, domain.AttrCountry, f.country, g.country)
	dst = putColumn(dst, m, domain.AttrBirthDay, f.born, g.born)
	for i, a := range timeAttributes {
		dst = putTime(dst, m, a, f.times[i], g.times[i])
	}
	return dst
}

// putColumn appends what turns a member's value of a column into another.
func putColumn(dst []domain.Change, m *domain.Member, a domain.Attribute, from, to uint16) []domain.Change {
	if from == to {
		return dst
	}
	return append(dst, domain.Change{Kind: domain.ColumnPut, Value: &domain.Column{
		Account: m.Account, Ord: m.Ord, Attribute: a, Value: to,
	}})
}

// putTime is putColumn of the two columns that hold a time.
func putTime(dst []domain.Change, m *domain.Member, a halves, from, to uint32) []domain.Change {
	dst = putColumn(dst, m, a[0], uint16(from>>16), uint16(to>>16))
	return putColumn(dst, m, a[1], uint16(from), uint16(to))
}
