package activity

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
)

// contents takes what the activity has beside its columns.
func (e *event) contents(c *domain.Content) (r refusal) {
	if c.Content, r = e.content(); r != accepted {
		return r
	}
	if c.Link, r = e.text("link", link, maxURL); r != accepted {
		return r
	}
	if c.Media, r = e.text("media", media, maxURL); r != accepted {
		return r
	}
	if c.Marker, r = e.words("marker", marker); r != accepted {
		return r
	}
	return e.where(&c.Geo)
}

// content is the JSON text of an object: compact, valid UTF-8, and within the bounds of package
// jsonvalue. A text s becomes {"Text":s}, so that all content that is kept is an object; the text
// alone is measured.
func (e *event) content() (string, refusal) {
	const before, after = `{"Text":"`, `"}`
	t := &e.fields[content]
	if !t.given() {
		return "", accepted
	}
	raw, size := t.raw, 0
	switch t.kind {
	case object:
		if t.odd {
			if jsonvalue.Check(raw) != nil {
				return "", badEvent("content")
			}
			raw = jsonvalue.Mend(raw)
		}
		if t.loose || t.wide && !utf8.Valid(raw) {
			raw = tight(make([]byte, 0, len(raw)), raw)
		}
		if t.wide {
			raw = jsonvalue.Compose(raw)
		}
		size = len(raw)
	case text:
		s, _ := t.text()
		size = len(composed.Text(s))
		if t.escaped {
			raw = jsonvalue.Mend(raw)
		}
		b := make([]byte, 0, len(before)+len(raw)+len(after))
		b = append(b, before...)
		if t.wide && !utf8.Valid(raw) {
			b = tightInside(b, raw)
		} else {
			b = append(b, raw...)
		}
		raw = append(b, after...)
		if t.wide {
			raw = jsonvalue.Compose(raw)
		}
	default:
		return "", badEvent("content")
	}
	if size > MaxContent {
		return "", tooLarge("content")
	}
	return alias(raw), accepted
}

// where takes the place. Coordinates are rounded to 0.1 degree here, before
// anything of them is kept.
func (e *event) where(g *domain.Geo) (r refusal) {
	f := &e.fields
	if !f[geo].given() {
		return accepted
	}
	if f[geo].kind != object {
		return badEvent("geo")
	}
	if f[country].given() {
		// An action is worth more than its place: what is no country is left out.
		code, _ := f[country].text()
		var known bool
		g.Country, known = domain.ParseCountry(code)
		e.abroad = !known
	}
	if g.Region, r = e.words("geo.region", region); r != accepted {
		return r
	}
	if g.City, r = e.words("geo.city", city); r != accepted {
		return r
	}
	switch {
	case f[lat].given() != f[lon].given():
		return badEvent("geo.lat and geo.lon come together")
	case !f[lat].given():
		return accepted
	}
	y, ok := f[lat].tenths(90)
	if !ok {
		return badEvent("geo.lat")
	}
	x, ok := f[lon].tenths(180)
	if !ok {
		return badEvent("geo.lon")
	}
	b := appendTenths(make([]byte, 0, 12), y)
	n := len(b)
	b = appendTenths(b, x)
	g.Lat, g.Lon = alias(b[:n]), alias(b[n:])
	return accepted
}

// tenths is a decimal number of JSON's grammar, as number or text, of at most this
// size, in tenths.
func (t *token) tenths(maxValue float64) (int, bool) {
	raw := t.raw
	if t.kind == text {
		if t.escaped {
			raw = unescape(nil, raw)
		}
		s := scanner{b: raw}
		var n token
		if !s.value(maxDepth, &n) || n.kind != number || s.i != len(raw) {
			return 0, false
		}
	} else if t.kind != number {
		return 0, false
	}
	v, err := strconv.ParseFloat(alias(raw), 64)
	if err != nil || math.Abs(v) > maxValue {
		return 0, false
	}
	return int(math.Round(v * 10)), true
}

func appendTenths(b []byte, n int) []byte {
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, int64(n/10), 10)
	return append(b, '.', byte('0'+n%10))
}
