package sending

import "time"

// clock is the time of day at a moment of the machine's clock. A Sender waits by the machine's; what is kept is by the time
// of day, which is the same at every node.
type clock func(machine time.Time) time.Time

// ms is a moment of the machine's clock in ms since 1970, by the time of day; 0: none.
func (c clock) ms(machine time.Time) int64 {
	if machine.IsZero() {
		return 0
	}
	return c(machine).UnixMilli()
}

// moment is the moment of the machine's clock at a time of day; of 0 none.
func (c clock) moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	day := time.UnixMilli(ms)
	return day.Add(day.Sub(c(day))) // the two clocks differ by as much at every moment
}
