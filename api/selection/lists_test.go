package selection

import (
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/serve"
)

// A segment's period goes from parameters into the log and back by its code.
func TestPeriod_UnitsHaveOneCode(t *testing.T) {
	for unit, want := range map[bind.Unit]domain.Unit{
		bind.Hour: domain.UnitHour, bind.Day: domain.UnitDay, bind.Week: domain.UnitWeek, bind.Month: domain.UnitMonth, bind.Year: domain.UnitYear,
	} {
		if domain.Unit(unit) != want {
			t.Errorf("unit %d is %d", unit, want)
		}
	}
}

// A period that is longer than all time is all time until now.
func TestWithin_BoundToTheWholeRangeOfTimes(t *testing.T) {
	now := time.Date(2026, 3, 15, 12, 34, 56, 789_000_000, time.UTC)
	req := &serve.Request{Clock: poll.Clock{Now: now}}
	if r := Within(req, domain.Period{Amount: 9999, Unit: domain.UnitYear}); r.From != 0 || r.To != 1773578100 {
		t.Errorf("%+v", r)
	}
	if r := Within(req, domain.Period{Amount: 1, Unit: domain.UnitHour}); r.To-r.From != 3600 {
		t.Errorf("%+v", r)
	}
}
