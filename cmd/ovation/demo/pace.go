package demo

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Rate is how many actions a second are done from now on.
type Rate struct {
	History   bool // the rate of the history, which goes on, and more while the demo is new
	PerSecond int  // actions a second where History is false
}

// MaxRate bounds the actions a second of a demo.
const MaxRate = 10_000

// asHistory is the word for a rate that is the history's.
const asHistory = "history"

// UnmarshalText reads the word "history" or a number.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == asHistory {
		*r = Rate{History: true}
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || n > MaxRate {
		return domain.Bad(domain.InvalidParameter, "rate", fmt.Sprintf("--rate: %q is neither %s nor a number from 0 to %d", text, asHistory, MaxRate))
	}
	*r = Rate{PerSecond: n}
	return nil
}

// MarshalText is the word or the number.
func (r Rate) MarshalText() ([]byte, error) {
	if r.History {
		return []byte(asHistory), nil
	}
	return strconv.AppendInt(nil, int64(r.PerSecond), 10), nil
}

// The actions beside those of the history: so many a second when the demo begins, half of it after each halfLife. All together
// they are about a day of the usual audience.
const (
	atFirst  = 2.0
	halfLife = 5 * time.Minute
)

// beside is how many actions are done beside those of the history, from one time since the demo began to another.
func beside(from, to time.Duration) int {
	upTo := func(t time.Duration) float64 {
		return math.Floor(atFirst * halfLife.Seconds() / math.Ln2 * (1 - math.Exp2(-t.Seconds()/halfLife.Seconds())))
	}
	return int(upTo(to) - upTo(from))
}
