package admin

import "time"

// OperatorAt is an operator whose clock always gives the same time.
func OperatorAt(engine submitter, ms int64) Operator {
	return Operator{engine: engine, now: func() time.Time { return time.UnixMilli(ms) }}
}
