package usage

import (
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// most is how many steps an interval may have, in words too.
var most = map[string]struct {
	steps int
	words string
}{
	"hour":  {7 * 24, "7 days"},
	"day":   {90, "90 days"},
	"month": {12, "12 months"},
}

// steps is a range of whole hours, days or months, UTC, never empty.
type steps struct {
	interval   string
	start, end time.Time
	warnings   []string
}

// steps are what the parameters mean at a moment: widened to whole steps, and clamped to the
// length that the interval may have and to the year before today.
func (in *usageIn) steps(now time.Time) (*steps, error) {
	s := &steps{interval: in.Interval}
	start := time.Unix(in.StartDate.Unix, 0).UTC()
	end := time.Unix(in.EndDate.Unix, 0).UTC()
	switch {
	case !in.EndDate.Given:
		end = in.Period.After(start)
	case !in.Period.IsZero():
		s.warnings = append(s.warnings, "period was ignored: end_date says the same bound")
	}
	if last := time.Date(9999, 12, 1, 0, 0, 0, 0, time.UTC); end.After(last) {
		end = last
	}
	if !start.Before(end) {
		return nil, domain.Bad(domain.InvalidParameter, "start_date", "the range must start before it ends")
	}
	s.start, s.end = s.begin(start), s.begin(end)
	if s.end.Before(end) {
		s.end = s.next(s.end, 1)
	}
	if first := s.next(s.end, -most[s.interval].steps); s.start.Before(first) {
		s.start = first
		s.warnings = append(s.warnings, "the range was clamped at its start: at most "+most[s.interval].words)
	}
	day := now.UTC().Truncate(24 * time.Hour)
	oldest := s.begin(bind.Period{Amount: 1, Unit: bind.Year}.Before(day))
	if s.start.Before(oldest) {
		s.start = oldest
		if !s.end.After(oldest) {
			s.end = s.next(oldest, 1)
		}
		s.warnings = append(s.warnings, fmt.Sprintf("the range was clamped at its start: hits are known since %s", stamp(oldest)))
	}
	return s, nil
}

// begin is the beginning of the step that a moment lies in.
func (s *steps) begin(t time.Time) time.Time {
	y, m, d := t.Date()
	switch s.interval {
	case "hour":
		return time.Date(y, m, d, t.Hour(), 0, 0, 0, time.UTC)
	case "day":
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
}

// next is the beginning of the n-th step after the one that begins at t.
func (s *steps) next(t time.Time, n int) time.Time {
	switch s.interval {
	case "hour":
		return t.Add(time.Duration(n) * time.Hour)
	case "day":
		return t.AddDate(0, 0, n)
	}
	return t.AddDate(0, n, 0)
}

// names are the steps as the series shows them.
func (s *steps) names() []string {
	layout := map[string]string{"hour": time.DateTime, "day": time.DateOnly, "month": "2006-01"}[s.interval]
	var out []string
	for t := s.start; t.Before(s.end); t = s.next(t, 1) {
		out = append(out, t.Format(layout))
	}
	return out
}

// index is the place of the step that an hour of the range lies in.
func (s *steps) index(hour uint32) int {
	n := int(hour - hourOf(s.start))
	switch s.interval {
	case "hour":
		return n
	case "day":
		return n / 24
	}
	y, m, _ := time.Unix(int64(hour)*3600, 0).UTC().Date()
	return (y-s.start.Year())*12 + int(m-s.start.Month())
}

func (s *steps) span() bind.Span { return bind.Span{From: s.start.Unix(), To: s.end.Unix()} }

// hourOf is the hour since 1970 that begins at t.
func hourOf(t time.Time) uint32 { return uint32(t.Unix() / 3600) }

func stamp(t time.Time) string { return t.Format(time.DateTime) }
