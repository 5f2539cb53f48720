package domain

import "math"

// LimitMode says what becomes of a request over the rate of its account.
type LimitMode uint8

// A request over a hard rate is refused, one over a soft rate is served with a warning.
const (
	ModeOfPlan LimitMode = iota
	HardLimit
	SoftLimit
)

var limitModes = [...]string{"plan", "hard", "soft"}

// String is the mode's word.
func (m LimitMode) String() string {
	if int(m) >= len(limitModes) {
		return ""
	}
	return limitModes[m]
}

// ParseLimitMode reads a mode's word; empty: that of the plan.
func ParseLimitMode(s string) (LimitMode, bool) {
	for i, n := range limitModes {
		if n == s {
			return LimitMode(i), true
		}
	}
	return ModeOfPlan, s == ""
}

// Limits bound the requests of an account over all of its keys. A zero value is that of the
// account's plan.
type Limits struct {
	Rate  uint32 // requests a second
	Burst uint32 // requests at once; beside a Rate of the account's own twice that
	Mode  LimitMode
	Month uint64 // requests a calendar month; no plan has such a bound
}

// The greatest limits that an account may have.
const (
	MaxRate  = 1_000_000
	MaxBurst = 10_000_000
	MaxMonth = MaxID
)

// planLimits are the limits of the plans.
var planLimits = [...]Limits{
	Standard:   {Rate: 50, Burst: 100, Mode: HardLimit},
	Advanced:   {Rate: 500, Burst: 1000, Mode: HardLimit},
	Enterprise: {Rate: 2000, Burst: 4000, Mode: SoftLimit},
}

// Under are the limits in force of an account that has these of its own: what is zero is the
// plan's.
func (l Limits) Under(p Plan) Limits {
	of := planLimits[min(max(p, Standard), Enterprise)]
	switch {
	case l.Rate == 0:
		l.Rate = of.Rate
		if l.Burst == 0 {
			l.Burst = of.Burst
		}
	case l.Burst == 0:
		l.Burst = uint32(min(2*uint64(l.Rate), math.MaxUint32))
	}
	if l.Mode == ModeOfPlan {
		l.Mode = of.Mode
	}
	return l
}

// PlanOf is the plan of an account: the highest one of its applications.
func PlanOf(applications []*Application) Plan {
	p := Standard
	for _, a := range applications {
		p = max(p, a.Plan)
	}
	return p
}

// PutPlan gives an application another plan.
type PutPlan struct {
	Application ApplicationID
	Plan        Plan
	At          int64
}

// Kind is KindPutPlan.
func (*PutPlan) Kind() Kind { return KindPutPlan }

// PutLimits gives an account limits of its own, all of them: what is zero is the plan's.
type PutLimits struct {
	Account AccountID
	Limits  Limits
	At      int64
}

// Kind is KindPutLimits.
func (*PutLimits) Kind() Kind { return KindPutLimits }
