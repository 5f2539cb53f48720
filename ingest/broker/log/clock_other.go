//go:build !linux

package log

import "time"

// asleep is not known here: a machine that wakes after more than an hour has a clock that
// leapt.
func asleep() time.Duration { return 0 }
