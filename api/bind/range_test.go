package bind

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// clock is a moment in the middle of a minute.
var clock = time.Date(2026, 3, 31, 12, 34, 56, 0, time.UTC)

// ranged resolves a range given as name=value, separated by ;.
func ranged(t *testing.T, given string, maxPeriod Period) (string, []string, *domain.Error) {
	t.Helper()
	var r Range
	for part := range strings.SplitSeq(given, ";") {
		name, v, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "period":
			err = r.Period.ParseParam(v)
		case "period_end":
			err = r.PeriodEnd.ParseParam(v)
		case "start":
			err = r.StartDate.ParseParam(v)
		case "end":
			err = r.EndDate.ParseParam(v)
		}
		if err != nil {
			t.Fatal(part, err)
		}
	}
	span, warnings, fault := r.Resolve(clock, maxPeriod)
	if fault != nil {
		return "", nil, fault
	}
	return span.String(), warnings, nil
}

// Dates, periods and their combinations give the range of the contract.
func TestRange_Resolve(t *testing.T) {
	years := Period{5, Year}
	for _, c := range []struct {
		given, want string
		warnings    int
	}{
		{"", "2026-03-24 12:35:00/2026-03-31 12:35:00", 0},
		{"period=1 Month", "2026-02-28 12:35:00/2026-03-31 12:35:00", 0}, // the last day where the day is missing
		{"period=13 Month", "2025-02-28 12:35:00/2026-03-31 12:35:00", 0},
		{"period=1 Year", "2025-03-31 12:35:00/2026-03-31 12:35:00", 0},
		{"period=3 Hour", "2026-03-31 09:35:00/2026-03-31 12:35:00", 0},
		{"period_end=1 Day", "2026-03-23 12:35:00/2026-03-30 12:35:00", 0},
		{"period=2 Day;period_end=1 Week", "2026-03-22 12:35:00/2026-03-24 12:35:00", 0},
		{"start=2026-03-30 00:00:00", "2026-03-30 00:00:00/2026-03-31 12:35:00", 0},
		{"end=2026-01-08 00:00:01", "2026-01-01 00:00:01/2026-01-08 00:00:01", 0},
		{"start=2026-01-01;end=2026-01-01", "2026-01-01 00:00:00/2026-01-02 00:00:00", 0},
		{"start=2024-02-28;end=2024-02-28", "2024-02-28 00:00:00/2024-02-29 00:00:00", 0},
		{"start=2026-01-01;end=2026-01-31", "2026-01-01 00:00:00/2026-02-01 00:00:00", 0},
		{"start=2026-01-01;end=2026-01-31 00:00:00", "2026-01-01 00:00:00/2026-01-31 00:00:00", 0},
		{"start=2026-01-01;period=1 Day", "2026-01-01 00:00:00/2026-01-02 00:00:00", 0},
		{"end=2026-01-07", "2026-01-01 00:00:00/2026-01-08 00:00:00", 0},
		{"start=9999-12-31;end=9999-12-31", "9999-12-31 00:00:00/9999-12-31 23:59:59", 0},
		{"start=2024-01-31 00:00:00;period=1 Month", "2024-01-31 00:00:00/2024-02-29 00:00:00", 0},
		{"start=2026-01-01 00:00:00;end=2026-01-02 00:00:00;period=1 Hour", "2026-01-01 00:00:00/2026-01-02 00:00:00", 1},
		{"end=2026-01-02 00:00:00;period_end=1 Hour", "2025-12-26 00:00:00/2026-01-02 00:00:00", 1},
		{"start=2026-03-01 00:00:00;period=1 Hour;period_end=1 Day", "2026-03-01 00:00:00/2026-03-30 12:35:00", 1},
		{"period=6 Year", "2021-03-31 12:35:00/2026-03-31 12:35:00", 1},
		{"period=5 Year", "2021-03-31 12:35:00/2026-03-31 12:35:00", 0},
		{"start=1900-01-01 00:00:00;end=1960-01-01 00:00:00", "1955-01-01 00:00:00/1960-01-01 00:00:00", 1},
		{"period=9999 Year", "2021-03-31 12:35:00/2026-03-31 12:35:00", 1},
		{"start=2026-01-01 00:00:00;period=9999 Year", "9994-12-31 23:59:59/9999-12-31 23:59:59", 1},
	} {
		got, warnings, fault := ranged(t, c.given, years)
		if fault != nil || got != c.want || len(warnings) != c.warnings {
			t.Errorf("%s: %s %v %v, want %s and %d warnings", c.given, got, warnings, fault, c.want, c.warnings)
		}
	}
}

// A range that does not start before it ends is refused.
func TestRange_StartsBeforeItEnds(t *testing.T) {
	for given, parameter := range map[string]string{
		"start=2027-01-01 00:00:00":                            "start_date",
		"start=2026-01-01 00:00:00;end=2026-01-01 00:00:00":    "start_date",
		"start=2026-03-31 00:00:00;period_end=1 Week":          "start_date",
		"start=2026-03-31 12:35:00":                            "start_date",
		"period_end=9999 Year":                                 "period",
		"start=2026-01-02 00:00:00;end=2026-01-01T00:00:00.5Z": "start_date",
	} {
		if _, _, fault := ranged(t, given, Period{5, Year}); fault == nil || fault.Code != domain.InvalidParameter || fault.Parameter != parameter {
			t.Errorf("%s: %v", given, fault)
		}
	}
}

// Within one minute a period gives one range.
func TestRange_FullMinutes(t *testing.T) {
	minute := clock.Truncate(time.Minute)
	first, _, _ := Range{}.Resolve(minute, Period{5, Year})
	for _, later := range []time.Duration{time.Nanosecond, time.Second, time.Minute - 1} {
		if span, _, _ := (Range{}).Resolve(minute.Add(later), Period{5, Year}); span != first {
			t.Errorf("after %s: %s, not %s", later, span, first)
		}
	}
	if span, _, _ := (Range{}).Resolve(minute.Add(time.Minute), Period{5, Year}); span == first {
		t.Error("the next minute is the same question")
	}
	if first.To <= minute.Unix() {
		t.Error("what happened in this minute is not in the range")
	}
}

// No range is longer than its maximum, nor outside the countable time.
func TestRange_Maximum(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	period := func() (p Period) {
		if rnd.IntN(2) == 0 {
			p = Period{1 + rnd.IntN(9999), Unit(1 + rnd.IntN(5))}
		}
		return p
	}
	at := func() (m Time) {
		if rnd.IntN(2) == 0 {
			m = Time{-62135596800 + rnd.Int64N(315537897600), true} // years 1 to 9999
		}
		return m
	}
	for range 20_000 {
		r := Range{period(), period(), Start{at()}, End{at()}}
		span, _, fault := r.Resolve(clock, Period{3, Month})
		if fault != nil {
			continue
		}
		first := Period{3, Month}.add(time.Unix(span.To, 0).UTC(), -1).Unix()
		if s := span.Seconds(); span.From >= span.To || span.From < first || s.From > s.To {
			t.Fatalf("%+v: %s, seconds %v", r, span, s)
		}
		from, to, _ := strings.Cut(span.String(), "/") // as an address of a page has it
		var again Range
		if again.StartDate.ParseParam(from) != nil || again.EndDate.ParseParam(to) != nil {
			t.Fatalf("%+v: %s cannot be asked for again", r, span)
		}
		if same, _, _ := again.Resolve(clock, Period{3, Month}); same != span {
			t.Fatalf("%+v: %s, asked for again %s", r, span, same)
		}
	}
}

// Months and years are those of the calendar.
func TestPeriod_Months(t *testing.T) {
	for day := time.Date(2023, 1, 1, 5, 6, 7, 0, time.UTC); day.Year() < 2026; day = day.AddDate(0, 0, 1) {
		for n := 1; n < 30; n += 7 {
			got := Period{n, Month}.add(day, -1)
			want := day.AddDate(0, -n, 0) // overflows into the next month where the day is missing
			if want.Day() != day.Day() {
				want = want.AddDate(0, 0, -want.Day())
			}
			if !got.Equal(want) {
				t.Fatalf("%d months before %s: %s, want %s", n, day, got, want)
			}
		}
	}
}

// A date alone is a bound of a range, and no moment.
func TestTime_DatesAreBoundsAlone(t *testing.T) {
	for _, given := range []string{"2026-02-29", "2026-1-1", "20260101", "2026-01-01 ", "2026-01-01T", "2026-01-01 00:00", "2026-01", "tomorrow", "1767225600"} {
		if err := new(Start).ParseParam(given); err == nil {
			t.Errorf("start %q is taken", given)
		}
		if err := new(End).ParseParam(given); err == nil {
			t.Errorf("end %q is taken", given)
		}
	}
	if err := new(Time).ParseParam("2026-01-01"); err == nil {
		t.Error("a date alone is a moment")
	}
	for _, given := range []string{"2026-01-02 03:04:05", "2026-01-02T03:04:05Z", "2026-01-02T05:04:05+02:00"} {
		var at Time
		var start Start
		var end End
		for _, p := range []Parser{&at, &start, &end} {
			if err := p.ParseParam(given); err != nil {
				t.Errorf("%q: %v", given, err)
			}
		}
		if at.Unix != 1767323045 || start.Time != at || end.Time != at {
			t.Errorf("%q: %v, %v, %v", given, at, start, end)
		}
	}
}
