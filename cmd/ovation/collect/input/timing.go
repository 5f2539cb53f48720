package input

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// layouts are the times that have a name. Any other layout is one of Go: how it would
// write 15:04:05 on 2 January 2006.
var layouts = map[string]string{
	"rfc3339":  anyTime,
	"rfc1123":  time.RFC1123,
	"rfc1123z": time.RFC1123Z,
	"rfc822":   time.RFC822,
	"rfc822z":  time.RFC822Z,
	"datetime": time.DateTime,
	"date":     time.DateOnly,
	"ansic":    time.ANSIC,
	"unixdate": time.UnixDate,
	"compact":  "20060102150405",
}

// anyTime is the layout of every other road into the engine (domain.ParseTime), and the default.
const anyTime = ""

// words are layouts as errors show them; of any other an example is shown.
var words = map[string]string{
	anyTime:          "YYYY-MM-DDThh:mm:ssZ or YYYY-MM-DD hh:mm:ss",
	time.DateTime:    "YYYY-MM-DD hh:mm:ss",
	time.DateOnly:    "YYYY-MM-DD",
	"20060102150405": "YYYYMMDDhhmmss",
}

// inWords is a layout as its field's words, or an example of it.
func inWords(layout string) string {
	if w, ok := words[layout]; ok {
		return w
	}
	return "such as " + time.Date(2026, time.May, 31, 23, 59, 58, 0, time.UTC).Format(layout)
}

// units are parts of a second of numbers since 1970.
var units = map[string]int64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}

// UnmarshalYAML reads one text, RFC 3339 or YYYY-MM-DD hh:mm:ss, or how to read it.
func (t *Time) UnmarshalYAML(n ast.Node) error {
	if _, mapping := n.(ast.MapNode); !mapping {
		return t.Value.UnmarshalYAML(n)
	}
	type plain Time
	return yaml.NodeToValue(n, (*plain)(t), yaml.Strict())
}

// Layouts are ways to write a time.
type Layouts []string

// UnmarshalYAML reads one text or a list of them.
func (l *Layouts) UnmarshalYAML(n ast.Node) error {
	if _, list := n.(*ast.SequenceNode); list {
		return yaml.NodeToValue(n, (*[]string)(l), yaml.Strict())
	}
	s, err := scalar(n)
	*l = Layouts{s}
	return err
}

// clock reads times as the mapping says.
type clock struct {
	of      *Time
	layouts []string // tried in order
	number  bool     // since 1970
	per     int64    // parts of a second; 0: by how large the number is
	zone    *time.Location
}

func (t *Time) compile() (*clock, error) {
	c := &clock{of: t, zone: time.UTC}
	for _, l := range t.Layout {
		if named, ok := layouts[strings.ToLower(l)]; ok {
			l = named
		} else if err := tellsDay(l); err != nil {
			return nil, err
		}
		c.layouts = append(c.layouts, l)
	}
	if c.layouts == nil {
		c.layouts = []string{anyTime}
	}
	if c.number = t.Unit != ""; c.number && t.Unit != "auto" {
		if c.per = units[t.Unit]; c.per == 0 {
			return nil, errors.New("unit: none of s, ms, us, ns and auto")
		}
	}
	if t.Zone != "" {
		var err error
		if c.zone, err = time.LoadLocation(t.Zone); err != nil {
			return nil, errors.New("zone: no such time zone; such as Europe/Berlin")
		}
	}
	parts := t.Year.given() || t.Month.given() || t.Day.given() || t.Hour.given() || t.Minute.given() ||
		t.SecondPart.given()
	switch {
	case t.Value.given() == parts:
		return nil, errors.New("either a value or year, month and day")
	case parts && !(t.Year.given() && t.Month.given() && t.Day.given()):
		return nil, errors.New("year, month and day come together")
	case parts && (t.Layout != nil || t.Unit != ""):
		return nil, errors.New("layout and unit are of a value, not of parts")
	case t.Layout != nil && t.Unit != "":
		return nil, errors.New("either a layout or a unit")
	}
	return c, nil
}

// tellsDay refuses a layout that does not tell one day from another, such as one
// that is written in other words than Go's.
func tellsDay(layout string) error {
	a, b := time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC), time.Date(2014, 11, 22, 0, 0, 0, 0, time.UTC)
	back, err := time.Parse(layout, b.Format(layout))
	if err != nil || a.Format(layout) == b.Format(layout) || back.Year() != b.Year() || back.YearDay() != b.YearDay() {
		return errors.New("layout: not one of the names, and not how Go would write 15:04:05 on 2 January 2006")
	}
	return nil
}

// second is a row's time.
func (c *clock) second(r *row) (domain.Second, error) {
	t, err := c.seconds(r)
	if err != nil {
		return 0, err
	}
	return inRange(t)
}

// inRange refuses what no engine takes, before it is a dead letter.
func inRange(t int64) (domain.Second, error) {
	switch {
	case t < int64(domain.FirstSecond):
		return 0, errors.New("before the year 2000")
	case t > math.MaxUint32:
		return 0, errors.New("after the year 2105")
	}
	return domain.Second(t), nil
}

func (c *clock) seconds(r *row) (int64, error) {
	if !c.of.Value.given() {
		return c.parts(r)
	}
	s, err := c.of.Value.value(r)
	if err != nil {
		return 0, err
	}
	s = strings.TrimSpace(s)
	if c.number {
		return sinceEpoch(s, c.per)
	}
	said := make([]string, len(c.layouts))
	for i, layout := range c.layouts {
		if at, ok := c.parse(layout, s); ok {
			return at, nil
		}
		said[i] = inWords(layout)
	}
	return 0, errors.New("not a time " + strings.Join(said, ", or "))
}

// parse reads a time of one layout.
func (c *clock) parse(layout, s string) (int64, bool) {
	if layout == anyTime {
		at, ok := domain.ParseTime(s)
		if ok && (c.zone == time.UTC || strings.ContainsAny(s[len(time.DateOnly):], "Zz+-")) {
			return at, true
		}
		if c.zone == time.UTC {
			return 0, false
		}
		layout = time.DateTime // in the mapping's zone
	}
	t, err := time.ParseInLocation(layout, s, c.zone)
	return t.Unix(), err == nil
}

// perOf is which part of a second a number counts since 1970, by how large it is: each unit has the years from
// 1973 to 5138.
func perOf(n int64) int64 {
	per := int64(1)
	for ; n >= 1e11 && per < 1e9; per *= 1e3 {
		n /= 1e3
	}
	return per
}

// sinceEpoch is a number of parts of a second since 1970, rounded down; with no parts named, of those that its
// size tells. A fraction of a part is cut off.
func sinceEpoch(s string, per int64) (int64, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if strings.Trim(fraction, "0123456789") != "" {
		return 0, errors.New("not a number since 1970")
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, errors.New("not a number since 1970")
	}
	if n < 0 {
		return -1, nil // before 2000, wherever exactly
	}
	if per == 0 {
		per = perOf(n)
	}
	return n / per, nil
}

// parts puts a time together.
func (c *clock) parts(r *row) (int64, error) {
	var n [6]int
	for i, p := range []struct {
		name string
		text *Text
		min  int
		max  int
	}{
		{"year", &c.of.Year, 1, 9999},
		{"month", &c.of.Month, 1, 12},
		{"day", &c.of.Day, 1, 31},
		{"hour", &c.of.Hour, 0, 23},
		{"minute", &c.of.Minute, 0, 59},
		{"second", &c.of.SecondPart, 0, 59},
	} {
		if !p.text.given() {
			continue
		}
		s, err := p.text.value(r)
		if err != nil {
			return 0, err
		}
		if n[i], err = strconv.Atoi(strings.TrimSpace(s)); err != nil || n[i] < p.min || n[i] > p.max {
			return 0, fmt.Errorf("%s: not a number from %d to %d", p.name, p.min, p.max)
		}
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, c.zone)
	if t.Day() != n[2] {
		return 0, errors.New("the month has no such day")
	}
	return t.Unix(), nil
}
