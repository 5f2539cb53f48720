package domain

import "time"

// GenderCode is a gender as a column holds it; 0 is unknown.
func GenderCode(gender string) uint16 {
	for i, g := range Genders {
		if g == gender {
			return uint16(i + 1)
		}
	}
	return 0
}

// Genders are those that a member can have, in the order of their codes from 1 on.
var Genders = [...]string{"M", "F", "Other"}

// BirthDay is a day as a column holds it: the days from 1900 to it plus 1, so that 0
// is unknown. Days that do not fit are the last that does.
func BirthDay(day time.Time) uint16 {
	if day.Year() < 1900 {
		return 0
	}
	return uint16(min(day.Unix()/86400+daysTo1970+1, 1<<16-1))
}

const daysTo1970 = 25567 // from 1900 on

// AgeBands are the bands of ages, youngest first; after them comes the band of members of no
// known age.
var AgeBands = [...]string{"0-12", "13-17", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"}

// UnknownAge is the place of those whose age is not known.
const UnknownAge = len(AgeBands)

// youngest are the least ages of the bands, which the names begin with.
var youngest = [UnknownAge]int{0, 13, 18, 25, 35, 45, 55, 65}

// Ages tells the band of an age by the day of birth. An age is whole years on one day:
// a year is full on the date of birth, of one born on 29 February in other years on 1
// March.
type Ages struct {
	last [UnknownAge]uint16 // of each band the last birth day that is in it or in an older one
}

// AgesAt are the ages at the end of a range: on the UTC day of its last second.
func AgesAt(r Range) (a Ages) {
	for band, years := range youngest {
		a.last[band] = lastBorn(r, years)
	}
	return a
}

// lastBorn is the last birth day of those who are so many years old at the end of a range; 0: it
// is before 1900.
func lastBorn(r Range, years int) uint16 {
	y, m, d := time.Unix(int64(max(r.To, 1)-1), 0).UTC().Date()
	day := time.Date(y-years, m, d, 0, 0, 0, 0, time.UTC)
	if day.Day() != d { // there is no 29 February: who was born on 1 March has yet to wait
		day = day.AddDate(0, 0, -1)
	}
	return BirthDay(day)
}

// BirthDays are days of birth, the last one included, as a column holds them.
type BirthDays struct{ First, Last uint16 }

// BornForAges are the birth days of those who are between from and to years old, both included, at the end of a
// range, in whole years.
func BornForAges(r Range, from, to int) BirthDays {
	return BirthDays{First: lastBorn(r, to+1) + 1, Last: lastBorn(r, from)}
}

// Band is the place in AgeBands of who was born on the day. Of who was not born yet,
// or was on no known day, it is UnknownAge.
func (a *Ages) Band(born uint16) int {
	if born == 0 {
		return UnknownAge
	}
	for band := UnknownAge - 1; band >= 0; band-- {
		if born <= a.last[band] {
			return band
		}
	}
	return UnknownAge
}
