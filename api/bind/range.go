package bind

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Unit is a unit of a period.
type Unit uint8

// The units.
const (
	Hour Unit = iota + 1
	Day
	Week
	Month
	Year
)

var unitNames = [...]string{"", "Hour", "Day", "Week", "Month", "Year"}

// Period is an amount of units: "2 Month".
type Period struct {
	Amount int
	Unit   Unit
}

// IsZero reports that no period is given.
func (p Period) IsZero() bool { return p.Amount == 0 }

// String is the period as it is given.
func (p Period) String() string { return strconv.Itoa(p.Amount) + " " + unitNames[p.Unit] }

var errPeriod = errors.New("must be an amount from 1 to 9999 and Hour, Day, Week, Month or Year")

// ParseParam reads a period, singular or plural, in any case.
func (p *Period) ParseParam(s string) error {
	words := strings.Fields(s)
	if len(s) > 64 || len(words) != 2 {
		return errPeriod
	}
	amount, err := strconv.ParseUint(words[0], 10, 16)
	if err != nil || amount < 1 || amount > 9999 {
		return errPeriod
	}
	word := strings.ToLower(words[1])
	for u, name := range unitNames {
		if name = strings.ToLower(name); u > 0 && (word == name || word == name+"s") {
			*p = Period{int(amount), Unit(u)}
			return nil
		}
	}
	return errPeriod
}

// add is t moved by n periods, n being 1 or -1.
func (p Period) add(t time.Time, n int) time.Time {
	return domain.Period{Amount: uint16(p.Amount), Unit: domain.Unit(p.Unit)}.Add(t, n)
}

// After is the moment a period after t.
func (p Period) After(t time.Time) time.Time { return p.add(t, 1) }

// Before is the moment a period before t.
func (p Period) Before(t time.Time) time.Time { return p.add(t, -1) }

// Time is a moment in seconds since 1970; Given reports whether there is one.
type Time struct {
	Unix  int64
	Given bool
}

// ParseParam reads YYYY-MM-DD HH:MM:SS or RFC 3339.
func (t *Time) ParseParam(s string) error {
	if len(s) > 64 {
		return errTime
	}
	at, ok := domain.ParseTime(s)
	if !ok {
		return errTime
	}
	*t = Time{at, true}
	return nil
}

// Start is a moment at which a range begins: a date alone is its first second.
type Start struct{ Time }

// ParseParam reads a time or a date.
func (t *Start) ParseParam(s string) error { return t.parse(s, 0) }

// End is a moment at which a range ends, and which is no part of it: a date alone is the first
// second of the next day, so the day itself is in the range.
type End struct{ Time }

// ParseParam reads a time or a date.
func (t *End) ParseParam(s string) error { return t.parse(s, 1) }

// parse reads a time, or a date as the first second of the day so many days later.
func (t *Time) parse(s string, days int) error {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		*t = Time{day.AddDate(0, 0, days).Unix(), true}
		return nil
	}
	if t.ParseParam(s) != nil {
		return errDate
	}
	return nil
}

var (
	errTime = errors.New("must be a time YYYY-MM-DD HH:MM:SS")
	errDate = errors.New("must be a time YYYY-MM-DD HH:MM:SS or a date YYYY-MM-DD")
)

// Range is the parameters of a range of time.
type Range struct {
	Period    Period `name:"period" doc:"length of the range: an amount and Hour, Day, Week, Month or Year" eg:"1 Month"`
	PeriodEnd Period `name:"period_end" doc:"the range ends so long before now" eg:"1 Day"`
	StartDate Start  `name:"start_date" doc:"start of the range" eg:"2026-01-01 00:00:00"`
	EndDate   End    `name:"end_date" doc:"end of the range, not part of it; of a date alone the day is part of it" eg:"2099-01-01 00:00:00"`
}

// Span is a resolved range: seconds since 1970, which a date may put before 0.
type Span struct{ From, To int64 }

// Seconds is the span as actions have times.
func (s Span) Seconds() domain.Range {
	clamp := func(t int64) domain.Second { return domain.Second(min(max(t, 0), math.MaxUint32)) }
	return domain.Range{From: clamp(s.From), To: clamp(s.To)}
}

// String is the span as X-Range shows it.
func (s Span) String() string { return moment(s.From) + "/" + moment(s.To) }

// moment is a time as parameters and answers have it.
func moment(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.DateTime) }

// The first and the last moment that a parameter can name: what a range says of itself,
// in a header and in addresses of pages, can be asked for again.
var (
	firstYear = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	lastYear  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// Resolve is the range [start, end) that the parameters mean at a moment, at most
// so long. The warnings name a parameter that another one overrides, and that the range
// was clamped.
//
// Now is the coming full minute, so that what is asked within one minute is one
// question.
func (r Range) Resolve(now time.Time, maxPeriod Period) (Span, []string, *domain.Error) {
	var warnings []string
	lost := func(period, date string) {
		warnings = append(warnings, period+" was ignored: "+date+" says the same bound")
	}
	end := now.UTC().Truncate(time.Minute).Add(time.Minute)
	switch {
	case r.EndDate.Given:
		end = time.Unix(r.EndDate.Unix, 0).UTC()
		if !r.PeriodEnd.IsZero() {
			lost("period_end", "end_date")
		}
	case !r.PeriodEnd.IsZero():
		end = r.PeriodEnd.add(end, -1)
	case r.StartDate.Given && !r.Period.IsZero():
		end = r.Period.add(time.Unix(r.StartDate.Unix, 0).UTC(), 1)
	}
	start := Period{1, Week}.add(end, -1)
	switch {
	case r.StartDate.Given:
		start = time.Unix(r.StartDate.Unix, 0).UTC()
		if !r.Period.IsZero() && (r.EndDate.Given || !r.PeriodEnd.IsZero()) {
			lost("period", "start_date")
		}
	case !r.Period.IsZero():
		start = r.Period.add(end, -1)
	}
	if start.Before(firstYear) {
		start = firstYear
	}
	if end.After(lastYear) {
		end = lastYear
	}
	if !start.Before(end) {
		return Span{}, nil, domain.Bad(domain.InvalidParameter, r.startName(), "the range must start before it ends")
	}
	if first := maxPeriod.add(end, -1); start.Before(first) {
		start = first
		warnings = append(warnings, fmt.Sprintf("the range was clamped at its start: at most %s", maxPeriod))
	}
	return Span{start.Unix(), end.Unix()}, warnings, nil
}

// startName is the parameter at fault when a range is empty.
func (r Range) startName() string {
	if r.StartDate.Given {
		return "start_date"
	}
	return "period"
}

// Page is which rows of a list are asked for.
type Page struct {
	Offset, Limit int
	Given         bool
	Clamped       bool // the limit asked for was above the greatest
}

// The bounds of a page.
const (
	MaxLimit  = 1000
	MaxOffset = 100_000
)

// ParseParam reads <limit> or <offset>,<limit>.
func (p *Page) ParseParam(s string) error {
	a, b, two := strings.Cut(s, ",")
	offset := 0
	if two {
		n, ok := digits(strings.TrimSpace(a))
		if !ok {
			return errPage
		}
		if n > MaxOffset {
			return fmt.Errorf("must have an offset of at most %d: a walk with cursor= has no such limit", MaxOffset)
		}
		offset, a = n, b
	}
	limit, ok := digits(strings.TrimSpace(a))
	if !ok {
		return errPage
	}
	*p = Page{Offset: offset, Limit: min(limit, MaxLimit), Given: true, Clamped: limit > MaxLimit}
	return nil
}

var errPage = errors.New("must be <limit> or <offset>,<limit>")

// digits reads a number without sign; a huge one is huge.
func digits(s string) (int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return math.MaxInt32, len(s) <= 64
	}
	return n, true
}

// Cut is the page's part of a list of n: [from, to).
func (p Page) Cut(n int) (from, to int) {
	from = min(p.Offset, n)
	return from, min(from+p.Limit, n)
}
