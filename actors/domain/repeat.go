package domain

// RepeatMonths are the months in which the first of an activity's repeats is looked for, in
// this order: the month of its own time, that of its shard's clock at its record, and the
// one before. They hang on the record alone, so that every replay finds the same (I6). A
// member has at most one action of an id in a month. One that is named twice is looked at
// once.
type RepeatMonths [3]Month

// RepeatMonthsOf are the months for an activity of that time; clock is in ms.
func RepeatMonthsOf(time Second, clock int64) RepeatMonths {
	now := MonthOf(Second(clock / 1000))
	return RepeatMonths{MonthOf(time), now, max(now, 1) - 1}
}

// Find returns the place of a time's month; len(r) where it is not one of r.
func (r RepeatMonths) Find(time Second) int {
	m := MonthOf(time)
	for i := range r {
		if r[i] == m {
			return i
		}
	}
	return len(r)
}

// First are the first n of r, at least one.
func (r RepeatMonths) First(n int) RepeatMonths {
	for i := max(n, 1); i < len(r); i++ {
		r[i] = r[0]
	}
	return r
}
