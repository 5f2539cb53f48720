package domain

import (
	"fmt"
	"testing"
	"time"
)

// wholeYears is the years from one birthday to the next until a day; -1 for who is not
// born yet.
func wholeYears(born, on time.Time) int {
	if born.After(on) {
		return -1
	}
	years := on.Year() - born.Year()
	if time.Date(on.Year(), born.Month(), born.Day(), 0, 0, 0, 0, time.UTC).After(on) { // 29 February becomes 1 March
		years--
	}
	return years
}

func TestAge_WholeYearsOnTheLastDayOfTheRange(t *testing.T) {
	date := func(s string) time.Time {
		d, err := time.Parse(time.DateTime, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	bandOf := func(years int) int {
		for band := len(youngest) - 1; band >= 0; band-- {
			if years >= youngest[band] {
				return band
			}
		}
		return UnknownAge
	}
	for _, end := range []string{
		"2026-03-15 12:35:00", "2026-03-01 00:00:00", "2026-03-01 00:00:01", "2024-02-29 00:00:00", "2024-02-29 00:00:01",
		"2024-03-01 00:00:00", "2023-02-28 23:59:59", "2023-03-01 00:00:00", "2100-03-01 12:00:00", "2026-01-01 00:00:00", "1970-01-01 00:00:01",
	} {
		to := date(end)
		on := to.Add(-time.Second).Truncate(24 * time.Hour)
		ages := AgesAt(Range{To: Second(to.Unix())})
		for day := date("1900-01-01 00:00:00"); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
			years := wholeYears(day, on)
			if got, want := ages.Band(BirthDay(day)), bandOf(years); got != want {
				t.Fatalf("until %s: born %s, %d years: band %d, want %d", end, day.Format(time.DateOnly), years, got, want)
			}
		}
		if ages.Band(0) != UnknownAge {
			t.Errorf("until %s: no birth day is in band %d", end, ages.Band(0))
		}
	}
}

func TestDemography_CodesAreUnique(t *testing.T) {
	for i, g := range Genders {
		if got := GenderCode(g); got != uint16(i+1) {
			t.Errorf("%s: %d", g, got)
		}
	}
	if GenderCode("") != 0 || GenderCode("f") != 0 {
		t.Error("what is no gender has a code")
	}
	for day, want := range map[string]uint16{"1899-12-31": 0, "1900-01-01": 1, "1970-01-01": 25568, "2079-06-04": 65534, "2079-06-05": 65535, "2500-01-01": 65535} {
		d, _ := time.Parse(time.DateOnly, day)
		if got := BirthDay(d); got != want {
			t.Errorf("%s: %d, want %d", day, got, want)
		}
	}
}

// The name of a band begins with its least age, and a band ends where the next one begins.
func TestAgeBands_NamesHaveTheirAges(t *testing.T) {
	for band, name := range AgeBands {
		want := fmt.Sprint(youngest[band], "+")
		if band < UnknownAge-1 {
			want = fmt.Sprint(youngest[band], "-", youngest[band+1]-1)
		}
		if name != want {
			t.Errorf("band %d is named %q, want %q", band, name, want)
		}
	}
}

// The birth days of a range of ages are those of members that old.
func TestBornForAges_CountsBirthdays(t *testing.T) {
	for _, end := range []string{"2024-02-29", "2024-03-01", "2025-02-28", "2025-03-01", "2026-11-25"} {
		last, err := time.Parse(time.DateOnly, end)
		if err != nil {
			t.Fatal(err)
		}
		r := Range{To: Second(last.Unix()) + 1}
		for _, ages := range [][2]int{{0, 0}, {0, 999}, {1, 1}, {29, 35}, {18, 18}, {120, 130}, {999, 999}} {
			days := BornForAges(r, ages[0], ages[1])
			for day := range 366 * 130 {
				birth := last.AddDate(0, 0, 100-day)
				if birth.Year() < 1900 {
					break
				}
				age := wholeYears(birth, last)
				born := BirthDay(birth)
				in := born >= days.First && born <= days.Last
				if want := age >= ages[0] && age <= ages[1]; in != want {
					t.Fatalf("%s is %d on %s: in %v is %v", birth.Format(time.DateOnly), age, end, ages, in)
				}
			}
		}
	}
}
