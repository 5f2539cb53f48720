package domain

import "testing"

func TestRepeatMonths_AreTheRecordsOwnAndTheClocksTwo(t *testing.T) {
	const nov = 1_699_999_999 // November 2023
	november := MonthOf(nov)
	at := func(m Month) Second { return m.Start() + 86400 }
	for _, c := range []struct {
		time  Second
		clock int64
		want  RepeatMonths
	}{
		{nov, nov * 1000, RepeatMonths{november, november, november - 1}},
		{at(november - 8), nov * 1000, RepeatMonths{november - 8, november, november - 1}},
		{(november + 1).Start(), int64((november+1).Start())*1000 - 1, RepeatMonths{november + 1, november, november - 1}},
		{(november + 1).Start() - 1, int64((november + 1).Start()) * 1000, RepeatMonths{november, november + 1, november}},
		{FirstSecond, 0, RepeatMonths{360, 0, 0}},
	} {
		got := RepeatMonthsOf(c.time, c.clock)
		if got != c.want {
			t.Errorf("time %d, clock %d: %v, want %v", c.time, c.clock, got, c.want)
		}
		for i := range got {
			if first := got.Find(at(got[i])); first > i || got[first] != got[i] {
				t.Errorf("%v: month %d is found at %d", got, i, first)
			}
		}
		if n := got.Find(at(got[0] + 3)); n != len(got) {
			t.Errorf("%v: another month is found at %d", got, n)
		}
	}
	if got := (RepeatMonths{7, 9, 8}).First(2); got != (RepeatMonths{7, 9, 7}) {
		t.Errorf("the first two: %v", got)
	}
}
