package input

import (
	"strings"
	"testing"
	"time"
)

func TestTime_EveryFormatIsParsed(t *testing.T) {
	t.Parallel()
	const at = "2011-03-13T07:06:40Z" // 1300000000
	for _, c := range []struct{ mapping, value, want string }{
		{`"{t}"`, "2011-03-13T07:06:40Z", at},
		{`"{t}"`, "2011-03-13T08:06:40.999+01:00", at},
		{`"{t}"`, " 2011-03-13T07:06:40Z ", at},
		{`{value: "{t}", layout: rfc3339}`, "2011-03-13T07:06:40Z", at},
		{`{value: "{t}", layout: RFC1123}`, "Sun, 13 Mar 2011 07:06:40 UTC", at},
		{`{value: "{t}", layout: rfc1123z}`, "Sun, 13 Mar 2011 08:06:40 +0100", at},
		{`{value: "{t}", layout: rfc822}`, "13 Mar 11 07:06 UTC", "2011-03-13T07:06:00Z"},
		{`{value: "{t}", layout: rfc822z}`, "13 Mar 11 08:06 +0100", "2011-03-13T07:06:00Z"},
		{`{value: "{t}", layout: datetime}`, "2011-03-13 07:06:40", at},
		{`{value: "{t}", layout: datetime, zone: Europe/Berlin}`, "2011-03-13 08:06:40", at},
		{`{value: "{t}", layout: datetime, zone: Europe/Berlin}`, "2011-07-13 09:06:40", "2011-07-13T07:06:40Z"},
		{`{value: "{t}", layout: date}`, "2011-03-13", "2011-03-13T00:00:00Z"},
		{`{value: "{t}", layout: ansic}`, "Sun Mar 13 07:06:40 2011", at},
		{`{value: "{t}", layout: unixdate}`, "Sun Mar 13 07:06:40 UTC 2011", at},
		{`{value: "{t}", layout: compact}`, "20110313070640", at},
		{`{value: "{t}", layout: "02/01/2006 15h04"}`, "13/03/2011 07h06", "2011-03-13T07:06:00Z"},
		{`{value: "{t}", unit: s}`, "1300000000", at},
		{`{value: "{t}", unit: s}`, "1300000000.75", at},
		{`{value: "{t}", unit: ms}`, "1300000000999", at},
		{`{value: "{t}", unit: us}`, "1300000000999999", at},
		{`{value: "{t}", unit: ns}`, "1300000000999999999", at},
		{`{value: "{t}", unit: auto}`, "1300000000", at},
		{`{value: "{t}", unit: auto}`, "1300000000999", at},
		{`{value: "{t}", unit: auto}`, "1300000000999999", at},
		{`{value: "{t}", unit: auto}`, "1300000000999999999", at},
		{`{value: "{t}", layout: [date, "02.01.2006 15:04:05", rfc3339]}`, "2011-03-13", "2011-03-13T00:00:00Z"},
		{`{value: "{t}", layout: [date, "02.01.2006 15:04:05", rfc3339]}`, "13.03.2011 07:06:40", at},
		{`{value: "{t}", layout: [date, "02.01.2006 15:04:05", rfc3339]}`, "2011-03-13T08:06:40+01:00", at},
		{`{year: "{t}", month: 3, day: 13}`, "2011", "2011-03-13T00:00:00Z"},
		{`{year: 2011, month: "{t}", day: 13, hour: 7, minute: 6, second: 40}`, "03", at},
		{`{year: 2011, month: 3, day: "{t}", hour: 8, zone: Europe/Berlin}`, "13", "2011-03-13T07:00:00Z"},
		{`{year: 2008, month: 2, day: "{t}"}`, "29", "2008-02-29T00:00:00Z"},

		{`"{t}"`, "2011-03-13", "!not a time"},
		{`{value: "{t}", layout: [date, compact]}`, "13.3.2011", "!not a time YYYY-MM-DD, or YYYYMMDDhhmmss"},
		{`{value: "{t}", unit: auto}`, "x", "!not a number since 1970"},
		{`"{t}"`, "", "!no value for t"},
		{`"{t}"`, "1999-12-31T23:59:59Z", "!before the year 2000"},
		{`"{t}"`, "2107-01-01T00:00:00Z", "!after the year 2105"},
		{`{value: "{t}", unit: s}`, "13e8", "!not a number since 1970"},
		{`{value: "{t}", unit: s}`, "-5", "!before the year 2000"},
		{`{value: "{t}", unit: s}`, "1300000000.x", "!not a number since 1970"},
		{`{value: "{t}", unit: s}`, "99999999999999999999", "!not a number since 1970"},
		{`{year: 2011, month: "{t}", day: 13}`, "13", "!month: not a number from 1 to 12"},
		{`{year: 2011, month: 2, day: "{t}"}`, "29", "!the month has no such day"},
		{`{year: 2011, month: 4, day: "{t}"}`, "31", "!the month has no such day"},
		{`{year: 2011, month: 4, day: 1, hour: "{t}"}`, "24", "!hour: not a number from 0 to 23"},
	} {
		m, err := ParseMapping([]byte("source: s\nmember: {id: 1}\nactivities: {a: {id: 1}}\ninput: {columns: [t]}\ntime: " + c.mapping))
		if err != nil {
			t.Errorf("%s: %v", c.mapping, err)
			continue
		}
		mapper, err := m.compile()
		if err != nil {
			t.Fatal(err)
		}
		got, err := mapper.clock.second(&row{cells: []cell{{text: c.value}}})
		text := time.Unix(int64(got), 0).UTC().Format(time.RFC3339)
		if err != nil {
			text = "!" + strings.TrimPrefix(err.Error(), "no value: ")
		}
		if text != c.want && !(err != nil && strings.HasPrefix(c.want, "!") && strings.Contains(text, c.want[1:])) {
			t.Errorf("%s of %q: %s, want %s", c.mapping, c.value, text, c.want)
		}
	}
}

func TestMapping_InvalidTimeIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mapping, says string }{
		{`{value: "{t}", layout: "YYYY-MM-DD"}`, "layout: not one of the names"},
		{`{value: "{t}", layout: "15:04:05"}`, "layout: not one of the names"},
		{`{value: "{t}", unit: h}`, "unit: none of s, ms, us"},
		{`{value: "{t}", unit: s, layout: date}`, "either a layout or a unit"},
		{`{value: "{t}", zone: Atlantis}`, "zone: no such time zone"},
		{`{value: "{t}", year: 2010}`, "either a value or year"},
		{`{year: 2010}`, "year, month and day come together"},
		{`{year: 2010, month: 1, day: 1, unit: s}`, "not of parts"},
		{`{}`, "either a value or year"},
	} {
		_, err := ParseMapping([]byte("source: s\nmember: {id: 1}\nactivities: {a: {id: 1}}\ntime: " + c.mapping))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.mapping, err, c.says)
		}
	}
}

func TestSpread_SharesAddUpToTheTotal(t *testing.T) {
	t.Parallel()
	for _, counts := range [][]uint64{{1}, {0, 0, 5}, {1, 1, 1, 1, 1}, {maxCount, maxCount, 1}, {352698, 7, 0, 13883}} {
		s := &spread{total: maxCount}
		for _, n := range counts {
			s.sum += n
		}
		for _, total := range []uint64{1, 3, 1000, maxCount} {
			s.total = total
			before, sum := uint64(0), uint64(0)
			for _, n := range counts {
				sum += s.share(before, n)
				before += n
			}
			if sum != total {
				t.Errorf("%v: %d of %d", counts, sum, total)
			}
		}
	}
}
