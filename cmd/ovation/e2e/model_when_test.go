package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// when is how a question gives its range, other than by both dates: any of the four
// parameters, or none. The dates given are those of the question's span.
type when struct {
	said, start, end  bool // said: given in this way at all
	period, periodEnd amount
}

// amount is so many units; none: the parameter is absent.
type amount struct {
	n    int
	unit string
}

// units are those of a period, with about how many seconds one has.
var units = []struct {
	name    string
	seconds int64
}{{"Hour", 3600}, {"Day", day}, {"Week", 7 * day}, {"Month", 30 * day}, {"Year", 365 * day}}

// sayWhen says about the span in a random one of all combinations.
func sayWhen(rnd *rand.Rand, s span) when {
	w := when{said: true, start: rnd.IntN(2) == 0, end: rnd.IntN(2) == 0}
	if rnd.IntN(2) == 0 {
		w.period = about(rnd, s.to-s.from)
	}
	if rnd.IntN(2) == 0 {
		w.periodEnd = about(rnd, time.Now().Unix()-s.to)
	}
	return w
}

// about is an amount near so many seconds.
func about(rnd *rand.Rand, seconds int64) amount {
	u := pick(rnd, units)
	return amount{int(min(max(seconds/u.seconds+rnd.Int64N(2), 1), 9999)), u.name}
}

// into adds the parameters of a range.
func (w when) into(p client.Params, s span) {
	if !w.said || w.start {
		p["start_date"] = wire.Seconds(s.from)
	}
	if !w.said || w.end {
		p["end_date"] = wire.Seconds(s.to)
	}
	for name, a := range map[string]amount{"period": w.period, "period_end": w.periodEnd} {
		if a.n > 0 {
			p[name] = fmt.Sprintf("%d %s", a.n, []string{a.unit, strings.ToLower(a.unit) + "s"}[a.n%2])
		}
	}
}

// meant is the range that the parameters mean at a moment, at most so many months
// long, as the contract says it: clamped at its start where it is longer. lost are the
// parameters that a date made say nothing.
func (w when) meant(s span, now time.Time, months int) (means span, clamped bool, lost []string) {
	minute := now.Unix() / 60 * 60
	means.to = minute + 60
	switch {
	case !w.said || w.end:
		means.to = s.to
		if w.periodEnd.n > 0 {
			lost = append(lost, "period_end")
		}
	case w.periodEnd.n > 0:
		means.to = w.periodEnd.after(means.to, -1)
	case w.start && w.period.n > 0:
		means.to = w.period.after(s.from, 1)
	}
	switch {
	case !w.said || w.start:
		means.from = s.from
		if w.period.n > 0 && (w.end || w.periodEnd.n > 0) {
			lost = append(lost, "period")
		}
	case w.period.n > 0:
		means.from = w.period.after(means.to, -1)
	default:
		means.from = means.to - 7*day
	}
	if means.from >= means.to { // an error, whatever is the longest
		return means, false, nil
	}
	if first := monthsAfter(means.to, -months); means.from < first {
		means.from, clamped = first, true
	}
	return means, clamped, lost
}

// after is the moment an amount later, or with a sign of -1 earlier.
func (a amount) after(at int64, sign int) int64 {
	n := int64(a.n * sign)
	switch a.unit {
	case "Month":
		return monthsAfter(at, int(n))
	case "Year":
		return monthsAfter(at, 12*int(n))
	}
	i := slices.IndexFunc(units, func(u struct {
		name    string
		seconds int64
	},
	) bool {
		return u.name == a.unit
	})
	return at + n*units[i].seconds
}

// monthsAfter is a moment so many calendar months later, on the month's last day
// where it has no such day.
func monthsAfter(at int64, months int) int64 {
	t := time.Unix(at, 0).UTC()
	count := 12*t.Year() + int(t.Month()) - 1 + months
	year, month := count/12, time.Month(count%12+1)
	days := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == time.February && (year%4 == 0 && year%100 != 0 || year%400 == 0) {
		days = 29
	}
	midnight := time.Date(year, month, min(t.Day(), days), 0, 0, 0, 0, time.UTC)
	return midnight.Unix() + at%day
}

// ear keeps the headers of the last answer: its range and its
// warnings. One goroutine uses it.
type ear struct {
	span     string
	warnings []string
}

// RoundTrip implements http.RoundTripper.
func (e *ear) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		e.span, e.warnings = res.Header.Get("X-Range"), res.Header.Values("Warning")
	}
	return res, err
}

// warned reports a warning with the words.
func (e *ear) warned(words string) bool {
	return slices.ContainsFunc(e.warnings, func(w string) bool { return strings.Contains(w, words) })
}

// answered is the question with the range that was answered, which must be what its
// parameters mean at a moment between two: X-Range has it, warnings name what was
// clamped and what a date already determines. Where they mean nothing the answer must be
// the error 4; the question is then not answered.
func (q question) answered(months int, from, to time.Time, heard *ear, err error) (question, error) {
	if months == 0 {
		return q, err
	}
	var want []string
	for _, now := range []time.Time{from, to} {
		means, clamped, lost := q.when.meant(q.span, now, months)
		if means.from >= means.to {
			return q, refused(err, "start_date", "period")
		}
		is := wire.Seconds(means.from) + "/" + wire.Seconds(means.to)
		if want = append(want, is); err != nil || heard.span != is {
			continue
		}
		q.span = means
		if heard.warned("clamped at its start") != clamped {
			return q, fmt.Errorf("clamped: %t; the warnings are %q", clamped, heard.warnings)
		}
		for _, name := range []string{"period", "period_end"} {
			if heard.warned(name+" was ignored") != slices.Contains(lost, name) {
				return q, fmt.Errorf("ignored: %q; the warnings are %q", lost, heard.warnings)
			}
		}
		return q, nil
	}
	if err != nil {
		return q, err
	}
	return q, fmt.Errorf("X-Range is %q, want one of %q", heard.span, want)
}

// refused wants error 4 of one of the parameters.
func refused(err error, parameters ...string) error {
	e, ok := errors.AsType[*client.Error](err)
	if ok && e.Code == domain.InvalidParameter && slices.Contains(parameters, e.Parameter) {
		return nil
	}
	return fmt.Errorf("want error 4 of one of %q, got %v", parameters, err)
}
