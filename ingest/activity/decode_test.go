package activity

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
)

func decode(t testing.TB, in Incoming) (domain.Record, domain.Slot) {
	t.Helper()
	var rec domain.Record
	slot := NewDecoder(testHasher(t), &Stats{}).Decode(&rec, in)
	return rec, slot
}

// decodeText decodes a plain record that has id and source beside what is given.
func decodeText(t testing.TB, members string) domain.Record {
	t.Helper()
	rec, _ := decode(t, Incoming{TimeMs: 1, Value: []byte(`{"id":"1","source":"s",` + members + `}`)})
	return rec
}

func TestDecode_OneActivityInEveryMode(t *testing.T) {
	h := testHasher(t)
	const inner = `"account":7,"service":"the service","serviceUserID":"u 1","activityID":"104","brandID":9,` +
		`"content":{ "a" : [1, "x y"] },"link":"https://e.org/1","media":"m","marker":"mk",` +
		`"geo":{"country":"gb","region":"ENG","city":"K\u00f6ln","lat":51.5074,"lon":"-0.04"}`
	attrs := []string{"ce_specversion", "1.0", "ce_type", EventType, "ce_id", "e-1", "ce_source", "//c", "ce_time", "2026-11-21T11:00:00.9+01:00"}
	outer := `"specversion":"1.0","type":"ovation.activity.v1","id":"e-1","source":"//c","time":"2026-11-21T11:00:00.9+01:00"`
	events := []string{"content-type", "application/cloudevents+json; charset=UTF-8"}
	id := h.Identity(7, domain.ByService, "spotify", "u 1")
	from := domain.Origin{Topic: domain.TopicID{1}, Partition: 2, Epoch: 3, Offset: 4}
	want := domain.Record{Kind: domain.KindActivity, Account: 7, Origin: from, Activity: domain.Activity{
		Identity: id, Definition: 104, Brand: 9, Time: 1795255200, Hash: h.ID("//c", "e-1"),
		Content: domain.Content{
			Content: `{"a":[1,"x y"]}`, Link: "https://e.org/1", Media: "m", Marker: "mk",
			Geo: domain.Geo{Country: "GB", Region: "ENG", City: "Köln", Lat: "51.5", Lon: "0.0"},
		},
	}}
	for name, in := range map[string]Incoming{
		"binary":                           {Headers: headersOf(append(attrs, "content-type", "application/json")), Value: []byte("{" + inner + "}")},
		"structured":                       {Headers: headersOf(events), Value: []byte("{" + outer + `,"data":{` + inner + "}}")},
		"structured, without content type": {Value: []byte("{" + `"data":{` + inner + "}," + outer + "}")},
		"structured, of the data's content type": {
			Headers: headersOf([]string{"content-type", "application/json"}), Value: []byte("{" + outer + `,"account":8,"data":{` + inner + "}}"),
		},
		"packed": {Headers: headersOf(events), Value: []byte("{" + outer + `,"data_base64":"` + base64Of("{"+inner+"}") + `"}`)},
		"plain":  {Value: []byte(`{"id":"e-1","source":"//c","time":"2026-11-21T11:00:00.9+01:00",` + inner + "}")},
		"plain, type given": {Value: []byte(`{"id":"e-1","type":"ovation.activity.v1","source":"//c","time":"2026-11-21T11:00:00.9+01:00",` +
			inner + "}"), Headers: headersOf([]string{"traceparent", "00-1", "content-type", "application/json"})},
	} {
		in.Topic, in.Partition, in.Epoch, in.Offset, in.TimeMs = from.Topic, from.Partition, from.Epoch, from.Offset, 5
		got, slot := decode(t, in)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if slot != id.Slot() {
			t.Errorf("%s: slot %d, want %d", name, slot, id.Slot())
		}
	}
}

// A structured event is the same with and without its content type, place and disposition, when
// it has specversion, type and data; another value is never one.
func TestDecode_AStructuredEventNeedsNoContentType(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var stats Stats
	dec := NewDecoder(testHasher(t), &stats)
	both, apart := 0, 0
	for i := range 4000 {
		d := newDraft(r)
		if i%2 == 0 {
			malformed[r.IntN(len(malformed))].spoil(d, r)
		}
		headers, value := d.render(r)
		if d.mode != structuredMode || len(d.extra) > 0 {
			continue
		}
		var object map[string]any
		_ = json.Unmarshal([]byte(value), &object)
		given := func(name string) bool { return object[name] != nil && object[name] != "" }
		in := Incoming{Value: []byte(value), Headers: headersOf(headers), TimeMs: d.time}
		var with, without domain.Record
		slot := dec.Decode(&with, in)
		in.Headers = nil
		bare := dec.Decode(&without, in)
		if !given("specversion") || !given("type") || !given("data") {
			if apart++; without.Activity.Refusal == domain.Accepted || dec.event.mode != plainMode {
				t.Fatalf("seed %d, record %d: taken: %.300s", seed, i, value)
			}
			continue
		}
		both++
		if diff := cmp.Diff(with, without); diff != "" || slot != bare {
			t.Fatalf("seed %d, record %d: slots %d and %d: %s\n%.300s", seed, i, slot, bare, diff, value)
		}
	}
	if both < 500 || apart < 100 {
		t.Errorf("%d records compared, %d that need the content type: the test shows little", both, apart)
	}
}

// A content type asks for an event by the format's whole name, in any case, whatever its parameters;
// any other type is that of the data.
func TestFormat_OfAContentType(t *testing.T) {
	for s, want := range map[string]mode{
		"application/cloudevents+json":                      structuredMode,
		"Application/CloudEvents+JSON;charset=utf-8":        structuredMode,
		"\tapplication/cloudevents+json ; x=y":              structuredMode,
		"application/cloudevents+avro":                      foreignMode,
		"application/cloudevents-batch+json":                foreignMode,
		"application/cloudevents":                           foreignMode,
		"application/cloudeventz+json":                      plainMode,
		"application/json":                                  plainMode,
		"application/jsonseq; application/cloudevents+json": plainMode,
		"": plainMode,
	} {
		if got := formatOf([]byte(s)); got != want {
			t.Errorf("%q: mode %d, want %d", s, got, want)
		}
	}
}

func TestDecode_AcceptsRandomActivities(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 2000 {
		d := newDraft(r)
		in := d.incoming(r)
		rec, slot := decode(t, in)
		a := rec.Activity
		if a.Refusal != domain.Accepted {
			t.Fatalf("seed %d, record %d: %s (%s)\n%s", seed, i, a.Refusal, a.Detail, in.Value)
		}
		if a.Time == 0 || a.Hash == 0 || a.Definition == 0 || rec.Account == 0 {
			t.Fatalf("seed %d, record %d: %+v", seed, i, rec)
		}
		switch {
		case a.Member != 0 && a.Identity.IsZero() && slot == a.Member.Slot():
		case a.Member == 0 && !a.Identity.IsZero() && slot == a.Identity.Slot():
		default:
			t.Fatalf("seed %d, record %d: slot %d of member %d, identity %s", seed, i, slot, a.Member, a.Identity)
		}
		if a.Content.Content != "" && !json.Valid([]byte(a.Content.Content)) {
			t.Fatalf("seed %d, record %d: content %q", seed, i, a.Content.Content)
		}
	}
}

func TestDecode_TimeDefaultsToTheRecords(t *testing.T) {
	for _, c := range []struct {
		time      string
		ms        int64
		want      int64
		defaulted bool
	}{
		{`"time":"1999-12-31T23:59:59Z",`, 5, 946684799, false},
		{`"time":"1969-12-31T23:59:59.5Z",`, 5, -1, false},
		{`"time":null,`, 1_700_000_000_999, 1_700_000_000, false},
		{`"time":"",`, 1_700_000_000_999, 1_700_000_000, false},
		{``, 0, 0, false},
		{``, -1, 0, true},
		{``, -2, -1, false},
		{``, -1000, -1, false},
	} {
		rec, _ := decode(t, Incoming{TimeMs: c.ms, Value: []byte(`{` + c.time + `"id":"1","source":"s","account":1,"memberID":4097,"activityID":100}`)})
		a := rec.Activity
		if a.Refusal != domain.Accepted || a.Time != c.want || a.Defaulted != c.defaulted {
			t.Errorf("%s %d: %d %v %s, want %d %v", c.time, c.ms, a.Time, a.Defaulted, a.Refusal, c.want, c.defaulted)
		}
	}
}

// A record that a dead letter was replayed as says when the original was first refused and what time it had; also
// one that is refused again says when. Headers that say neither change nothing.
func TestDecode_OfAReplay(t *testing.T) {
	const event = `{"id":"1","source":"s","account":1,"memberID":2,"activityID":3}`
	for _, c := range []struct {
		name     string
		headers  []string
		value    string
		received int64
		time     int64 // 0: none
	}{
		{"no replay", nil, event, 0, 77},
		{"a replay", []string{HeaderReceived, "5000", HeaderPublished, "9000"}, event, 5000, 9},
		{"a replay of a record without a time", []string{HeaderReceived, "5000", HeaderPublished, "-1"}, event, 5000, 0},
		{"a replay that says no time", []string{HeaderReceived, "5000"}, event, 5000, 77},
		{"a replay with no number", []string{HeaderReceived, "5000", HeaderPublished, "x"}, event, 5000, 77},
		{"a time alone", []string{HeaderPublished, "9000"}, event, 0, 77},
		{"no number", []string{HeaderReceived, "soon", HeaderPublished, "9000"}, event, 0, 77},
		{"below 0", []string{HeaderReceived, "-5", HeaderPublished, "9000"}, event, 0, 77},
		{"a replay that is refused", []string{HeaderReceived, "5000", HeaderPublished, "9000"}, `{`, 5000, 0},
	} {
		rec, _ := decode(t, Incoming{TimeMs: 77_000, Value: []byte(c.value), Headers: func(yield func(key, value []byte)) {
			for i := 0; i < len(c.headers); i += 2 {
				yield([]byte(c.headers[i]), []byte(c.headers[i+1]))
			}
		}})
		a := &rec.Activity
		if refused := a.Refusal != domain.Accepted; a.Received != c.received || a.Time != c.time || a.Defaulted != (c.time == 0 && !refused) {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

func TestDecode_LastValueOfANameWins(t *testing.T) {
	const base = `"account":1,"activityID":100,`
	for _, c := range []struct {
		members string
		member  domain.MemberID
		country string
	}{
		{`"memberID":1,"memberID":2`, 2, ""},
		{`"memberID":1,"member\u0049D":2`, 2, ""},
		{`"memberID":{"memberID":9},"memberID":3`, 3, ""},
		{`"memberID":1,"MemberID":2`, 1, ""},
		{`"memberID":1,"geo":{"country":"GB"},"geo":{"city":"x"}`, 1, ""},
		{`"memberID":1,"geo":{"city":"x"},"geo":{"country":"GB"}`, 1, "GB"},
		{`"memberID":1,"geo":{"country":"GB"},"geo":null`, 1, ""},
		{`"memberID":1,"geo":5,"geo":{"country":"GB"}`, 1, "GB"},
		{`"memberID":1,"country":"DE"`, 1, ""},
	} {
		a := decodeText(t, base+c.members).Activity
		if a.Refusal != domain.Accepted || a.Member != c.member || a.Content.Geo.Country != c.country {
			t.Errorf("%s: member %d country %q refusal %s %s", c.members, a.Member, a.Content.Geo.Country, a.Refusal, a.Detail)
		}
	}
	rec, _ := decode(t, Incoming{
		Headers: headersOf([]string{"ce_specversion", "1.0", "ce_type", "x", "ce_type", EventType, "ce_id", "a", "ce_source", "s"}),
		Value:   []byte(`{"account":1,"memberID":1,"activityID":100,"id":"not an attribute","type":"x"}`),
	})
	if rec.Activity.Refusal != domain.Accepted || rec.Activity.Hash != testHasher(t).ID("s", "a") {
		t.Errorf("headers: %s %s", rec.Activity.Refusal, rec.Activity.Detail)
	}
}

func TestDecode_AttributesAreNotData(t *testing.T) {
	rec, _ := decode(t, Incoming{
		Headers: headersOf([]string{"ce_id", "header", "content-type", "application/cloudevents+json"}),
		Value: []byte(`{"specversion":"1.0","type":"ovation.activity.v1","id":"a","source":"s","account":5,"memberID":6,` +
			`"data":{"account":1,"activityID":100,"memberID":2,"id":"b","source":"t"}}`),
	})
	a := rec.Activity
	if a.Refusal != domain.Accepted || rec.Account != 1 || a.Member != 2 || a.Hash != testHasher(t).ID("s", "a") {
		t.Errorf("account %d member %d refusal %s %s", rec.Account, a.Member, a.Refusal, a.Detail)
	}
}

func TestDecode_ContentIsACompactObject(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:                         `{"a":1}`,
		`{ "a" : " b\" ", "c":[ ] }`:      `{"a":" b\" ","c":[]}`,
		`"plain \"text\""`:                `{"Text":"plain \"text\""}`,
		`""`:                              ``,
		`null`:                            ``,
		"{\"a\":\"\xff\xfe\u00e9\"}":      "{\"a\":\"\ufffd\ufffd\u00e9\"}",
		"\"\xffx\"":                       "{\"Text\":\"\ufffdx\"}",
		`{"s":"\ud800","t":"\u00e9"}`:     `{"s":"\ufffd","t":"\u00e9"}`,
		`{"\udc00":["\ud83c\udfb5"]}`:     `{"\ufffd":["\ud83c\udfb5"]}`,
		`"cut \ud83c"`:                    `{"Text":"cut \ufffd"}`,
		`{"a":[1e308,-0.5E-9]}`:           `{"a":[1e308,-0.5E-9]}`,
		"{\"a\":\n{\"b\":\t[1 , 2]}\r\n}": `{"a":{"b":[1,2]}}`,
	} {
		a := decodeText(t, `"account":1,"memberID":1,"activityID":100,"content":`+in).Activity
		if a.Refusal != domain.Accepted || a.Content.Content != want {
			t.Errorf("%q: %q (%s %s), want %q", in, a.Content.Content, a.Refusal, a.Detail, want)
		}
	}
}

func TestDecode_LimitsAreInclusive(t *testing.T) {
	ok := func(members string) {
		t.Helper()
		if a := decodeText(t, `"account":4294967295,"activityID":4294967295,`+members).Activity; a.Refusal != domain.Accepted {
			t.Errorf("%.40s…: %s %s", members, a.Refusal, a.Detail)
		}
	}
	ok(`"memberID":9007199254740991`)
	ok(`"memberID":"00009007199254740991"`)
	ok(`"service":"CUSTOM","serviceUserID":"` + strings.Repeat("é", maxText) + `"`)
	ok(`"memberID":1,"link":"` + strings.Repeat("é", maxURL) + `"`)
	ok(`"memberID":1,"marker":"` + strings.Repeat("é", maxText) + `"`)
	ok(`"memberID":1,"content":{"a":"` + strings.Repeat("x", MaxContent-8) + `"}`)
	ok(`"memberID":1,"content":{"a":` + strings.Repeat("[", jsonvalue.MaxDepth-1) + strings.Repeat("]", jsonvalue.MaxDepth-1) + `}`)
	ok(`"memberID":1,"content":"` + strings.Repeat("x", MaxContent) + `"`)
	ok(`"memberID":1,"content":"` + strings.Repeat(`\n\u00e9`, MaxContent/3) + `"`)
	ok(`"memberID":1,"geo":{"lat":-90,"lon":180.0}`)
}

// A text of content is measured without its escapes and the object around it, as over HTTP.
func TestDecode_TextOfContentIsMeasuredAsText(t *testing.T) {
	for _, content := range []string{strings.Repeat("x", MaxContent+1), strings.Repeat(`\n\u00e9`, MaxContent/3) + `\n\n`} {
		a := decodeText(t, `"account":1,"memberID":1,"activityID":100,"content":"`+content+`"`).Activity
		if a.Refusal != domain.OverSize || a.Detail != "content" {
			t.Errorf("%.20s…: %s %s", content, a.Refusal, a.Detail)
		}
	}
}

// The names that make a dedup key are bounded as texts and addresses are.
func TestDecode_IDAndSourceAreBounded(t *testing.T) {
	for _, c := range []struct {
		id, source int
		detail     string
	}{
		{maxText, maxURL, ""}, {maxText + 1, 1, "id"}, {1, maxURL + 1, "source"},
	} {
		id, source := strings.Repeat("é", c.id), strings.Repeat("é", c.source)
		data := `"account":1,"memberID":1,"activityID":100`
		outer := `"specversion":"1.0","type":"ovation.activity.v1","id":"` + id + `","source":"` + source + `"`
		headers := []string{"ce_specversion", "1.0", "ce_type", EventType, "ce_id", id, "ce_source", source}
		for form, in := range map[string]Incoming{
			"plain":      {Value: []byte(`{"id":"` + id + `","source":"` + source + `",` + data + `}`)},
			"structured": {Value: []byte(`{` + outer + `,"data":{` + data + `}}`)},
			"binary":     {Headers: headersOf(headers), Value: []byte(`{` + data + `}`)},
		} {
			rec, _ := decode(t, in)
			a := rec.Activity
			if (a.Refusal == domain.OverSize) != (c.detail != "") || a.Detail != c.detail {
				t.Errorf("%s, %d and %d: %s %s", form, c.id, c.source, a.Refusal, a.Detail)
			}
		}
	}
}

// Content that nests deeper than 32 levels, or has a number that no double holds, is refused, whatever the
// record's form.
func TestDecode_ContentHasBounds(t *testing.T) {
	deep := func(levels int) string {
		return `{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
	}
	for _, c := range []struct {
		content string
		want    domain.Reason
	}{
		{deep(32), domain.Accepted},
		{deep(33), domain.BadEvent},
		{deep(60), domain.BadEvent},
		{deep(2000), domain.BadJSON},
		{`{"a":1e999}`, domain.BadEvent},
		{`{"a":{"b":[-1e400]}}`, domain.BadEvent},
		{`{"a":` + strings.Repeat("9", 400) + `}`, domain.BadEvent},
		{`{"a":1e-999}`, domain.Accepted},
		{`{"a":"1e999"}`, domain.Accepted},
	} {
		data := `"account":1,"memberID":1,"activityID":100,"content":` + c.content
		for form, value := range map[string]string{
			"plain":      `{"id":"1","source":"s",` + data + `}`,
			"structured": `{"specversion":"1.0","type":"ovation.activity.v1","id":"1","source":"s","data":{` + data + `}}`,
		} {
			rec, _ := decode(t, Incoming{Value: []byte(value)})
			a := rec.Activity
			if a.Refusal != c.want || c.want == domain.BadEvent && a.Detail != "content" {
				t.Errorf("%s %.30s: %s %s, want %s", form, c.content, a.Refusal, a.Detail, c.want)
			}
		}
	}
}

func TestDecode_RoundsCoordinatesToTenths(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0.0", "-0.04": "0.0", "-0.05": "-0.1", "0.05": "0.1", "51.5074": "51.5", "89.96": "90.0", "-12.349": "-12.3", "1e1": "10.0", `"7"`: "7.0",
		`"\u0037.25"`: "7.3",
	} {
		a := decodeText(t, fmt.Sprintf(`"account":1,"memberID":1,"activityID":100,"geo":{"lat":%s,"lon":%s}`, in, in)).Activity
		if g := a.Content.Geo; g.Lat != want || g.Lon != want {
			t.Errorf("%s: %q %q (%s), want %q", in, g.Lat, g.Lon, a.Detail, want)
		}
	}
}

func TestDecode_AllocatesAtMostTwice(t *testing.T) {
	if underRace {
		t.Skip("allocations are counted without the race detector")
	}
	for _, r := range typicalRecords {
		d := NewDecoder(testHasher(t), &Stats{})
		in := Incoming{Value: []byte(r.value), Headers: headersOf(r.headers)}
		var dst domain.Record
		if n := testing.AllocsPerRun(100, func() { d.Decode(&dst, in) }); n > 2 {
			t.Errorf("%s: %v allocations", r.name, n)
		}
		if dst.Activity.Refusal != domain.Accepted {
			t.Errorf("%s: %s %s", r.name, dst.Activity.Refusal, dst.Activity.Detail)
		}
	}
}

// Whatever the bytes are: no panic, the same twice, an address with every activity
// that is accepted, and JSON bytes that the journal takes.
func FuzzDecode_AnyBytes(f *testing.F) {
	for _, r := range typicalRecords {
		f.Add(strings.Join(r.headers, "\x00"), []byte(r.value))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, m := range malformed {
		d := newDraft(r)
		m.spoil(d, r)
		if headers, value := d.render(r); len(value) < 4096 {
			f.Add(strings.Join(headers, "\x00"), []byte(value))
		}
	}
	f.Fuzz(func(t *testing.T, headers string, value []byte) {
		pairs := strings.Split(headers, "\x00")
		in := Incoming{Value: value, Headers: headersOf(pairs[:len(pairs)&^1])}
		one, slot := decode(t, in)
		two, slot2 := decode(t, in)
		if slot != slot2 || !cmp.Equal(one, two) || slot >= domain.Slots {
			t.Fatalf("twice: slots %d %d %s", slot, slot2, cmp.Diff(one, two))
		}
		a := one.Activity
		if a.Refusal == domain.Accepted && (a.Member != 0) == !a.Identity.IsZero() {
			t.Fatalf("accepted with member %d, identity %s", a.Member, a.Identity)
		}
		if c := a.Content.Content; c != "" && (!json.Valid([]byte(c)) || c[0] != '{') {
			t.Fatalf("content %q", c)
		}
		var back domain.Record
		if err := codec.DecodeRecord(&back, codec.AppendRecord(nil, &one)); err != nil || !cmp.Equal(one, back) {
			t.Fatalf("journal: %v %s", err, cmp.Diff(one, back))
		}
	})
}

// A review of a dead letter gives the disposition that the router gives.
func FuzzReview(f *testing.F) {
	for _, r := range typicalRecords {
		f.Add(strings.Join(r.headers, "\x00"), []byte(r.value), int64(0))
	}
	f.Fuzz(func(t *testing.T, headers string, value []byte, ms int64) {
		pairs := strings.Split(headers, "\x00")
		in := Incoming{Value: value, TimeMs: ms, Headers: headersOf(pairs[:len(pairs)&^1])}
		judged, _ := decode(t, in)
		r := NewDecoder(testHasher(t), &Stats{}).Review(in)
		a := judged.Activity
		if r.Refusal != a.Refusal || r.Detail != a.Detail || a.Refusal == domain.Accepted && (r.Account != judged.Account || !r.Keyed) {
			t.Fatalf("reviewed as %+v, judged %s %s of %d", r, a.Refusal, a.Detail, judged.Account)
		}
		if a.Refusal == domain.Accepted && testHasher(t).ID(r.Source, r.ID) != a.Hash {
			t.Fatalf("another dedup key: %+v", r)
		}
	})
}

// An activity is worth more than its place: what is no country is left out and counted, whatever it is.
func TestDecode_UnknownCountryIsLeftOut(t *testing.T) {
	t.Parallel()
	var stats Stats
	d := NewDecoder(testHasher(t), &stats)
	for country, want := range map[string]string{
		`"de"`: "DE", `" DE "`: "DE", `"UK"`: "GB", `"el"`: "GR", `null`: "", `"ZZ"`: "", `"XX"`: "", `"EU"`: "", `"T1"`: "", `"Germany"`: "", `""`: "",
		`44`: "", `{}`: "", `["DE"]`: "", `true`: "", `"\ud800"`: "", `"G\u0000"`: "", `"é"`: "",
	} {
		var record domain.Record
		before := stats.NoCountry()
		d.Decode(&record, Incoming{TimeMs: 1, Value: []byte(`{"id":"1","source":"s","account":1,"memberID":4097,"activityID":100,"brandID":1,` +
			`"geo":{"country":` + country + `,"city":"Bonn","lat":1,"lon":2}}`)})
		if a := &record.Activity; a.Refusal != domain.Accepted || a.Content.Geo != (domain.Geo{Country: want, City: "Bonn", Lat: "1.0", Lon: "2.0"}) {
			t.Errorf("%s: %+v, %s %s", country, a.Content.Geo, a.Refusal, a.Detail)
		}
		given := country != `null` && country != `""`
		if counted := stats.NoCountry() - before; (counted == 1) != (given && want == "") {
			t.Errorf("%s: %d counted", country, counted)
		}
	}
}

// A time counts in the form of every other road: RFC 3339 in any case, and YYYY-MM-DD hh:mm:ss.
func TestDecode_TimesOfEveryRoad(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"2026-11-20 12:00:00", "2026-11-20t12:00:00z", "2026-11-20T12:00:00Z", "2026-11-20 12:00:00Z", "2026-11-20T13:00:00.9+01:00"} {
		record := decodeText(t, `"account":1,"memberID":4097,"activityID":100,"brandID":1,"time":"`+at+`"`)
		if record.Activity.Refusal != domain.Accepted || record.Activity.Time != 1795176000 {
			t.Errorf("%s: %d %s", at, record.Activity.Time, record.Activity.Refusal)
		}
	}
}
