package domain

import "time"

// Second is a moment in seconds since 1970, UTC: the unit of everything that is
// counted.
type Second = uint32

// FirstSecond is the earliest time an action can have: the start of 2000.
const FirstSecond Second = 946684800

// Range is [From, To), to the second.
type Range struct{ From, To Second }

// Days is the first UTC day that the range touches, and how many there are; none of
// an empty range.
func (r Range) Days() (first uint32, n int) {
	first = DayOf(r.From)
	if r.From >= r.To {
		return first, 0
	}
	return first, int(DayOf(r.To-1)-first) + 1
}

// Month counts calendar months since January 1970.
type Month uint16

// MonthOf is the UTC month of a time.
func MonthOf(t Second) Month {
	y, m, _ := civil(t / 86400)
	return Month((y-1970)*12 + m - 1)
}

// Start is the month's first second.
func (m Month) Start() Second {
	return Second(time.Date(1970+int(m)/12, time.Month(int(m)%12+1), 1, 0, 0, 0, 0, time.UTC).Unix())
}

// DayOf is the UTC day of a time, counted since 1970.
func DayOf(t Second) uint32 { return t / 86400 }

// civil is the date of a day since 1970 (Hinnant's algorithm): no allocation, no
// location look-up.
func civil(day uint32) (year, month, dom int) {
	z := int(day) + 719468
	era := z / 146097
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	dom = doy - (153*mp+2)/5 + 1
	month = mp + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, dom
}
