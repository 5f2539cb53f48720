package storage

import "github.com/ovation-analytics/ovation/actors/domain"

// Width classes: how much time a key of R or C spans. A month that holds more rows
// of a brand is written under finer keys; what is there stays where it is.
const (
	classMonth = 0
	classDay   = 1
	classHour  = 2
	classes    = 3

	dayClassFrom  = 4 << 10
	hourClassFrom = 128 << 10
)

// widths says from how many rows of a month on the finer classes are used.
type widths struct{ day, hour uint64 }

// class is the width class for a brand's month that holds so many rows.
func (w widths) class(held uint64) uint8 {
	switch {
	case held < w.day:
		return classMonth
	case held < w.hour:
		return classDay
	}
	return classHour
}

// slotOf is the slot of a time in a month that starts at start.
func slotOf(class uint8, start, t domain.Second) uint16 {
	switch class {
	case classDay:
		return uint16((t - start) / 86400)
	case classHour:
		return uint16((t - start) / 3600)
	}
	return 0
}

// slotsOf is the first and the last slot of a month that a range touches, which it does.
func slotsOf(class uint8, month domain.Month, r domain.Range) (first, last uint16) {
	start := month.Start()
	first, last = slotOf(class, start, max(r.From, start)), 1<<16-1
	if domain.MonthOf(r.To-1) == month {
		last = slotOf(class, start, r.To-1)
	}
	return first, last
}

// spanOf is the times whose slot in a month that is.
func spanOf(class uint8, month domain.Month, slot uint16) domain.Range {
	start := month.Start()
	var width domain.Second
	switch class {
	case classDay:
		width = 86400
	case classHour:
		width = 3600
	default:
		return domain.Range{From: start, To: (month + 1).Start()}
	}
	start += domain.Second(slot) * width
	return domain.Range{From: start, To: start + width}
}

// page is a slot of C: its blocks.
type page struct {
	shard uint16
	of    brandMonth
	class uint8
	slot  uint16
}

// compare is the order of the keys of R.
func (k brandMonth) compare(o brandMonth) int {
	for _, c := range [...]int{
		compareU64(uint64(k.month), uint64(o.month)), compareU64(uint64(k.account), uint64(o.account)), compareU64(uint64(k.brand), uint64(o.brand)),
	} {
		if c != 0 {
			return c
		}
	}
	return 0
}

// compare is the order of the keys of t.
func (k accountMonth) compare(o accountMonth) int {
	return brandMonth{account: k.account, month: k.month}.compare(brandMonth{account: o.account, month: o.month})
}
