package domain

import "testing"

// What is zero of an account's limits is its plan's.
func TestLimits_Under(t *testing.T) {
	for _, c := range []struct {
		own, want Limits
		plan      Plan
	}{
		{Limits{}, Limits{50, 100, HardLimit, 0}, Standard},
		{Limits{}, Limits{500, 1000, HardLimit, 0}, Advanced},
		{Limits{}, Limits{2000, 4000, SoftLimit, 0}, Enterprise},
		{Limits{}, Limits{50, 100, HardLimit, 0}, 0},
		{Limits{}, Limits{2000, 4000, SoftLimit, 0}, 99},
		{Limits{Rate: 3}, Limits{3, 6, HardLimit, 0}, Standard},
		{Limits{Burst: 3}, Limits{50, 3, HardLimit, 0}, Standard},
		{Limits{Rate: 1, Burst: 2, Mode: HardLimit, Month: 5}, Limits{1, 2, HardLimit, 5}, Enterprise},
		{Limits{Rate: 1 << 31}, Limits{1 << 31, 1<<32 - 1, SoftLimit, 0}, Enterprise},
	} {
		if got := c.own.Under(c.plan); got != c.want {
			t.Errorf("%+v under %d: %+v, want %+v", c.own, c.plan, got, c.want)
		}
	}
	if p := PlanOf([]*Application{{Plan: Advanced}, {Plan: Standard}}); p != Advanced || PlanOf(nil) != Standard {
		t.Errorf("plan %s", p)
	}
	for _, word := range []string{"", "plan", "hard", "soft"} {
		if m, ok := ParseLimitMode(word); !ok || word != "" && m.String() != word {
			t.Errorf("%q is read as %s, %v", word, m, ok)
		}
	}
	if _, ok := ParseLimitMode("firm"); ok {
		t.Error("an unknown mode was read")
	}
}
