package domain

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// grammar is what of the standard library's leniency is left out: a comma before the
// fraction, an hour of one digit, a zone of 24 hours or 60 minutes.
var grammar = regexp.MustCompile(`^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)| \d\d:\d\d:\d\d(\.\d+)?)$`)

// standard is a time of the grammar in the form that the standard library takes.
func standard(s string) string {
	if len(s) < 19 {
		return s
	}
	rest := strings.ToUpper(s[11:])
	if s[10] == ' ' && !strings.ContainsAny(rest, "Z+-") {
		rest += "Z"
	}
	return s[:10] + "T" + rest
}

// ParseTime takes what grammar and standard library take, and gives the same second.
func FuzzTime(f *testing.F) {
	for _, s := range []string{
		"2026-11-21T10:00:00Z", "2026-11-21T10:00:00.123456789+05:30", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "2000-02-29T00:00:00Z",
		"1900-02-29T00:00:00Z", "2026-11-21T10:00:00,5Z", "2026-11-21t10:00:00z", "2026-11-21T10:00:00.Z", "2026-11-21T10:00:60Z", "2026-11-21T10:00:00+24:00",
		"2026-11-21T10:00:00+23:60", "2026-11-21T10:00:00+0x:00", "2026-11-21T10:00:00-05:3/", "2026-11-21T10:00:00", "", "2026-11-21T1:00:00Z", "2026-11-21 10:00:00", "2026-11-21 10:00:00.5", "2026-11-21 10:00:00z", "2026-11-21 10:00:00+01:00", "2026-11-21", "2026-11-21 24:00:00", "-026-11-21T10:00:00Z", "1969-12-31T23:59:59.999Z", "2026-00-01T00:00:00Z",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := ParseTime(s)
		var want time.Time
		err := want.UnmarshalText([]byte(standard(s)))
		if ok != (err == nil && grammar.MatchString(s)) {
			t.Fatalf("%q: %v, want %v", s, ok, err)
		}
		if ok && got != want.Unix() {
			t.Fatalf("%q: %d, want %d", s, got, want.Unix())
		}
	})
}

func TestTime_EveryDayOfTheCalendarParses(t *testing.T) {
	for day := time.Date(0, 1, 1, 12, 0, 0, 0, time.UTC); day.Year() < 3000; day = day.AddDate(0, 0, 1) {
		if got, ok := ParseTime(day.Format(time.RFC3339)); !ok || got != day.Unix() {
			t.Fatalf("%s: %d %v, want %d", day, got, ok, day.Unix())
		}
	}
}
