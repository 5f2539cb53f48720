package format

import (
	"cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Width classes: how much time a key of R or C spans. A month that holds more rows
// of a brand is written under finer keys; what is there stays where it is.
const (
	classMonth = 0
	ClassDay   = 1
	classHour  = 2
	Classes    = 3

	DayClassFrom  = 4 << 10
	HourClassFrom = 128 << 10
)

// Widths says from how many rows of a month on the finer classes are used.
type Widths struct{ Day, Hour uint64 }

// Class is the width class for a brand's month that holds so many rows.
func (w Widths) Class(held uint64) uint8 {
	switch {
	case held < w.Day:
		return classMonth
	case held < w.Hour:
		return ClassDay
	}
	return classHour
}

// SlotOf is the slot of a time in a month that starts at start.
func SlotOf(class uint8, start, t domain.Second) uint16 {
	switch class {
	case ClassDay:
		return uint16((t - start) / 86400)
	case classHour:
		return uint16((t - start) / 3600)
	}
	return 0
}

// SlotsOf is the first and the last slot of a month that a range touches, which it does.
func SlotsOf(class uint8, month domain.Month, r domain.Range) (first, last uint16) {
	start := month.Start()
	first, last = SlotOf(class, start, max(r.From, start)), 1<<16-1
	if domain.MonthOf(r.To-1) == month {
		last = SlotOf(class, start, r.To-1)
	}
	return first, last
}

// SpanOf is the times whose slot in a month that is.
func SpanOf(class uint8, month domain.Month, slot uint16) domain.Range {
	start := month.Start()
	var width domain.Second
	switch class {
	case ClassDay:
		width = 86400
	case classHour:
		width = 3600
	default:
		return domain.Range{From: start, To: (month + 1).Start()}
	}
	start += domain.Second(slot) * width
	return domain.Range{From: start, To: start + width}
}

// SlotKey is a slot of C: its blocks.
type SlotKey struct {
	Shard uint16
	Of    BrandMonth
	Class uint8
	Slot  uint16
}

// Compare is the order of the keys of R.
func (k BrandMonth) Compare(o BrandMonth) int {
	return cmp.Or(cmp.Compare(k.Month, o.Month), cmp.Compare(k.Account, o.Account), cmp.Compare(k.Brand, o.Brand))
}

// Compare is the order of the keys of t.
func (k AccountMonth) Compare(o AccountMonth) int {
	return BrandMonth{Account: k.Account, Month: k.Month}.Compare(BrandMonth{Account: o.Account, Month: o.Month})
}

// BucketOf is a member's bucket under a class of so many bits.
func BucketOf(class uint8, ord domain.Ordinal) uint32 { return uint32(ord) & (1<<class - 1) }
