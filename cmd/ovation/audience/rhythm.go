package audience

import (
	"math/rand/v2"
	"time"
)

// How much is done in each hour of the local day, on working days and at the weekend:
// a dip at night, breakfast and the way to work, the evening; later and flatter on
// Saturday and Sunday.
var (
	workday = [24]uint64{22, 11, 6, 4, 4, 8, 22, 44, 56, 48, 44, 45, 50, 48, 46, 50, 58, 66, 68, 69, 74, 76, 66, 42}
	weekend = [24]uint64{46, 32, 20, 11, 6, 5, 7, 12, 22, 36, 50, 58, 60, 60, 60, 62, 62, 62, 62, 62, 60, 60, 58, 52}
)

// week is how much is done on each local day, beside the others: percent, from Monday.
var week = [7]uint64{93, 95, 97, 101, 113, 116, 105}

// slots are half hours: time zones are a half hour apart.
const (
	slots    = 48
	slotTime = day / slots
)

// habit is a rhythm that members share: their time zone, and by how much they live
// later than others.
type habit struct{ minutes, late int }

// rhythm is what the hours of a UTC day mean to the members of each habit.
type rhythm struct {
	hours map[habit]*[7]weights // by weekday of the UTC day: its slots
	list  []*[7]weights         // by number of the habit
}

// lateKinds is how many habits a zone has: each is lived an hour later than the one before.
const lateKinds = 4

// habitOf is the number of the member's habit: its zone, in half hours from the
// earliest on, and how late it lives. The young live later.
func habitOf(r *rand.Rand, m *Member) int {
	kinds := [lateKinds]int{25, 50, 20, 5}
	if m.age < 25 {
		kinds = [lateKinds]int{8, 37, 35, 20}
	}
	n, kind := r.IntN(100), 0
	for n >= kinds[kind] {
		n -= kinds[kind]
		kind++
	}
	return (m.Home().Minutes/30+slots)*lateKinds + kind
}

func newRhythm(members []Member) *rhythm {
	y := &rhythm{hours: map[habit]*[7]weights{}, list: make([]*[7]weights, 2*slots*lateKinds)}
	for i := range members {
		n := members[i].habit
		if y.list[n] == nil {
			h := habit{(n/lateKinds - slots) * 30, n%lateKinds - 1}
			y.list[n] = h.week()
		}
	}
	return y
}

// week is how much is done in each slot of each UTC day.
func (h habit) week() *[7]weights {
	var out [7]weights
	for d := range out {
		for s := range slots {
			// The local half hour, and the one by which this habit lives.
			local := d*slots + s + h.minutes/30
			lived := local - 2*h.late
			on := weekdayOf(local)
			hours := &workday
			if by := weekdayOf(lived); by >= 5 {
				hours = &weekend
			}
			n := hours[(lived+7*slots)%slots/2] * week[on]
			if on == 4 && (local+7*slots)%slots >= 36 { // Friday evening
				n = n * 115 / 100
			}
			out[d] = out[d].add(n)
		}
	}
	return &out
}

// weekdayOf is the day, 0 for Monday, of a half hour of the week; it may lie in the
// week before or after.
func weekdayOf(slot int) int { return (slot + 7*slots) / slots % 7 }

// of is the member's day: how much it does in each slot.
func (y *rhythm) of(m *Member, d int) weights { return y.list[m.habit][d%7] }

// moment draws a time of the UTC day.
func (y *rhythm) moment(r *rand.Rand, m *Member, d int) time.Duration {
	slot := y.of(m, d).pick(r)
	return time.Duration(slot)*slotTime + time.Duration(r.IntN(int(slotTime/time.Second)))*time.Second
}
