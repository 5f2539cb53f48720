package member

import "github.com/ovation-analytics/ovation/actors/domain"

// halves are the columns that hold a time: its upper half and its lower.
type halves [2]domain.Attribute

// timeAttributes are those of creation, last login and last change.
var timeAttributes = [3]halves{
	{domain.AttrCreatedHigh, domain.AttrCreatedLow},
	{domain.AttrLoginHigh, domain.AttrLoginLow},
	{domain.AttrChangedHigh, domain.AttrChangedLow},
}

// handedOver are those of Member.HandedOver.
var handedOver = halves{domain.AttrHandedOverHigh, domain.AttrHandedOverLow}

// seconds is a time in milliseconds as a column holds it.
func seconds(ms int64) uint32 { return uint32(min(max(ms/1000, 0), 1<<32-1)) }

// Created is when the member came to be.
func (c *Index) Created(ord domain.Ordinal) domain.Second { return c.time(0, ord) }

// LastLogin is when the member last logged in; a registration is a login.
func (c *Index) LastLogin(ord domain.Ordinal) domain.Second { return c.time(1, ord) }

// Changed is when the member last changed; see domain.Member.
func (c *Index) Changed(ord domain.Ordinal) domain.Second { return c.time(2, ord) }

// HandedOver is the sum of Member.HandedOver of all members that there are or were: another one after
// each handover of the account.
func (c *Index) HandedOver() uint64 { return c.handedSum }

func (c *Index) time(i int, ord domain.Ordinal) domain.Second {
	return domain.Second(c.times[i][0].at(ord))<<16 | domain.Second(c.times[i][1].at(ord))
}
