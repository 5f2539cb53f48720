package delivery

import "time"

// GiveUpAfter is how long a message is tried, from its first try on.
const GiveUpAfter = 3 * 24 * time.Hour

// backOff is how long after a failed try the next one comes, by the number of tries.
var backOff = [...]time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
}

// jitter is by what part a delay is longer or shorter: receivers that failed at one moment are not tried at one.
const jitter = 0.2

// delay is how long after the n-th try, which failed, the next one comes. Chance is in [0, 1).
func delay(tries int, chance float64) time.Duration {
	d := backOff[min(tries, len(backOff))-1]
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*chance))
}
