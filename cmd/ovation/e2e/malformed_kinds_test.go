package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// spoiled is a record on its way to be spoiled: a good one, in one of the three forms.
type spoiled struct {
	form  form
	attrs map[string]any // of the event: id, source, time, specversion, type
	data  map[string]any
	last  func(value []byte) []byte // the last touch; nil: none
	extra []kafka.Header
}

// message is the record as it is published.
func (s *spoiled) message() kafka.Message {
	var m kafka.Message
	whole := map[string]any{}
	switch s.form {
	case plainForm:
		maps.Copy(whole, s.attrs)
		maps.Copy(whole, s.data)
		delete(whole, "specversion")
		delete(whole, "type")
	case binaryForm:
		whole = s.data
		for name, v := range s.attrs {
			m.Headers = append(m.Headers, kafka.Header{Key: "ce_" + name, Value: fmt.Append(nil, v)})
		}
	case structuredForm:
		whole["data"] = s.data
		maps.Copy(whole, s.attrs)
		m.Headers = append(m.Headers, kafka.Header{Key: "content-type", Value: []byte("application/cloudevents+json")})
	}
	m.Value = encoded(whole)
	if s.last != nil {
		m.Value = s.last(m.Value)
	}
	m.Headers = append(m.Headers, s.extra...)
	return m
}

// enveloped sees to it that the record is a CloudEvent, in the form given.
func (s *spoiled) enveloped(f form) {
	s.form = f
	s.attrs["specversion"], s.attrs["type"] = "1.0", "ovation.activity.v1"
}

// to addresses the record to another member.
func (s *spoiled) to(fields map[string]any) {
	for _, name := range []string{"memberID", "service", "serviceUserID", "partnerCode", "partnerID"} {
		delete(s.data, name)
	}
	maps.Copy(s.data, fields)
}

// value puts a text in place of the record's value.
func (s *spoiled) value(text string) { s.last = func([]byte) []byte { return []byte(text) } }

// raw is JSON that no encoder of ours would write.
func raw(text string) json.RawMessage { return json.RawMessage(text) }

// malformedKind is one way in which a record is no activity of ours.
type malformedKind struct {
	name    string
	reason  domain.Reason
	detail  string // part of it
	applied bool   // decided where it is applied; else at the router
	heavy   bool   // only a few of them
	spoil   func(s *spoiled, w *malformedFixture, i int)
}

// malformedKinds are decided in this order of places: the event, the catalog, the
// member's shard.
var malformedKinds = []malformedKind{
	{"value is null", domain.BadJSON, "empty value", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.last = func([]byte) []byte { return nil }
	}},
	{"value is empty", domain.BadJSON, "empty value", false, false, func(s *spoiled, _ *malformedFixture, _ int) { s.value("") }},
	{"value is cut off", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.last = func(v []byte) []byte { return v[:1+i%(len(v)-1)] }
	}},
	{"value goes on behind its end", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.last = func(v []byte) []byte { return append(v, "}],x\x00"[i%5]) }
	}},
	{"value is not JSON", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.value([]string{"account=1", "<a/>", "\x00\x01\x02", "NaN", "\xef\xbb\xbf{}", "{account:1}", "\xff\xfe"}[i%7])
	}},
	{"number that JSON does not have", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.value(`{"id":"a","source":"b","account":` + []string{"012", "+1", ".5", "0x10", "-"}[i%5] + `}`)
	}},
	{"nested too deep", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		deep := 2000 + i%1000
		s.data["content"] = raw(`{"a":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`)
	}},
	{"data_base64 holds no JSON", domain.BadJSON, "data_base64", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(structuredForm)
		s.attrs["data_base64"] = []string{"!", "bm8=", base64.StdEncoding.EncodeToString([]byte("{"))}[i%3]
		s.last = func(v []byte) []byte { return []byte(strings.Replace(string(v), `"data":`, `"x":`, 1)) }
	}},
	{"value is another JSON value", domain.BadEvent, "not an object", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.value([]string{"[]", "null", "1", `"x"`, "true", "[{}]"}[i%6])
	}},
	{"batch of events", domain.BadEvent, "content-type", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.form = plainForm
		s.extra = append(s.extra, kafka.Header{Key: "content-type", Value: []byte("application/cloudevents-batch+json")})
	}},
	{"another specversion", domain.BadEvent, "specversion", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(binaryForm + form(i%2))
		s.attrs["specversion"] = []string{"0.3", "1", "2.0"}[i%3]
	}},
	{"id is no text", domain.BadEvent, "id", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.attrs["id"] = []any{raw(`{}`), raw(`[1]`), true, 1.5}[i%4]
	}},
	{"account is no id", domain.BadEvent, "account", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["account"] = []any{0, -1, "x", 1.5, 1 << 40, raw("1e3"), true}[i%7]
	}},
	{"memberID is no id", domain.BadEvent, "memberID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.to(map[string]any{"memberID": []any{0, -7, "me", 1 << 60, raw(`[]`)}[i%5]})
	}},
	{"activityID is no id", domain.BadEvent, "activityID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["activityID"] = []any{0, "play", 1 << 32, raw(`{"id":1}`)}[i%4]
	}},
	{"brandID is no id", domain.BadEvent, "brandID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["brandID"] = []any{0, "x", -1, false}[i%4]
	}},
	{"service is unknown", domain.BadEvent, "service", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.to(map[string]any{"service": []any{"myspace", 7, "spotify "}[i%3], "serviceUserID": "u"})
	}},
	{"content is a bare value", domain.BadEvent, "content", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["content"] = []any{5, true, raw("[1,2]")}[i%3]
	}},
	{"link is no text", domain.BadEvent, "link", false, false, func(s *spoiled, _ *malformedFixture, i int) { s.data["link"] = 5 }},
	{"coordinates are none", domain.BadEvent, "geo.l", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["geo"] = map[string]any{"lat": []any{91, "NaN", true}[i%3], "lon": 0}
	}},
	{"no specversion", domain.MissingField, "specversion", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(binaryForm + form(i%2))
		delete(s.attrs, "specversion")
	}},
	{"no id", domain.MissingField, "id", false, false, func(s *spoiled, _ *malformedFixture, i int) { delete(s.attrs, "id") }},
	{"no source", domain.MissingField, "source", false, false, func(s *spoiled, _ *malformedFixture, i int) { delete(s.attrs, "source") }},
	{"no account", domain.MissingField, "account", false, false, func(s *spoiled, _ *malformedFixture, i int) { delete(s.data, "account") }},
	{"no activityID", domain.MissingField, "activityID", false, false, func(s *spoiled, _ *malformedFixture, i int) { delete(s.data, "activityID") }},
	{"no address", domain.MissingField, "memberID", false, false, func(s *spoiled, _ *malformedFixture, i int) { s.to(nil) }},
	{"half an address", domain.MissingField, "partnerID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.to(map[string]any{"partnerCode": partnerCode})
	}},
	{"no data", domain.MissingField, "data", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(structuredForm)
		s.last = func(v []byte) []byte { return []byte(strings.Replace(string(v), `"data":`, `"datum":`, 1)) }
	}},
	{"another type", domain.UnknownType, "type", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(binaryForm + form(i%2))
		s.attrs["type"] = []string{"ovation.activity.v2", "com.example.order"}[i%2]
	}},
	{"time is none", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = []string{"yesterday", "2026-11-21", "2026-13-01T10:00:00Z", "2026-02-29T10:00:00Z", "1700000000"}[i%5]
	}},
	{"value over 1 MiB", domain.OverSize, "value", false, true, func(s *spoiled, _ *malformedFixture, i int) {
		s.last = func(v []byte) []byte { return append(v, strings.Repeat(" ", 1<<20)...) }
	}},
	{"content over 64 KiB", domain.OverSize, "content", false, true, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["content"] = strings.Repeat("x", 64<<10+1)
	}},
	{"identity too long", domain.OverSize, "serviceUserID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.to(map[string]any{"service": "lastfm", "serviceUserID": strings.Repeat("é", 256)})
	}},

	{"account that is not there", domain.UnknownAccount, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["account"] = 900_000 + i }},
	{"activity that is not there", domain.UnknownActivity, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["activityID"] = 900_000 + i }},
	{"activity that is built in", domain.UnknownActivity, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["activityID"] = 1 + i%99 }},
	{"activity of another account", domain.UnknownActivity, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["activityID"] = w.theirs.definition }},
	{"activity deleted", domain.UnknownActivity, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["activityID"] = w.deletedDefinition }},
	{"brand that is not there", domain.UnknownBrand, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["brandID"] = 900_000 + i }},
	{"brand of another account", domain.UnknownBrand, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["brandID"] = w.theirs.brand }},
	{"brand deleted", domain.UnknownBrand, "", false, false, func(s *spoiled, w *malformedFixture, i int) { s.data["brandID"] = w.deletedBrand }},
	{"brand that is not the activity's", domain.UnknownBrand, "another brand", false, false, func(s *spoiled, w *malformedFixture, i int) {
		s.data["activityID"], s.data["brandID"] = w.ownDefinition, w.model.brands[0].id
	}},
	{"no brand at all", domain.MissingField, "brandID", false, false, func(s *spoiled, w *malformedFixture, i int) { delete(s.data, "brandID") }},

	{"user that nobody is", domain.UnknownMember, "", true, false, func(s *spoiled, w *malformedFixture, i int) {
		s.to(map[string]any{"service": "lastfm", "serviceUserID": fmt.Sprint("nobody-", i)})
	}},
	{"partner's user that nobody is", domain.UnknownMember, "", true, false, func(s *spoiled, w *malformedFixture, i int) {
		s.to(map[string]any{"partnerCode": partnerCode, "partnerID": fmt.Sprint("nobody-", i)})
	}},
	{"member that is not there", domain.UnknownMember, "", true, false, func(s *spoiled, w *malformedFixture, i int) {
		s.to(map[string]any{"memberID": 1<<40 | i})
	}},
	{"member of another account", domain.UnknownMember, "", true, false, func(s *spoiled, w *malformedFixture, i int) {
		s.to(map[string]any{"memberID": w.theirs.member})
	}},
	{"time before 2000", domain.BadTime, "", true, false, func(s *spoiled, w *malformedFixture, i int) {
		s.attrs["time"] = []string{"1999-12-31T23:59:59Z", "1956-06-01T00:00:00Z", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"}[i%4]
	}},
	{"time ahead", domain.FutureTime, "", true, false, func(s *spoiled, w *malformedFixture, i int) {
		ahead := []time.Duration{2 * time.Hour, 1000 * time.Hour, 2_000_000 * time.Hour}[i%3]
		s.attrs["time"] = time.Now().Add(ahead).UTC().Format(time.RFC3339)
	}},
	{"sharing disabled", domain.SharingDisabled, "", true, false, func(s *spoiled, w *malformedFixture, i int) {
		s.to(map[string]any{"service": "lastfm", "serviceUserID": w.silent})
		s.data["activityID"] = w.model.definitions[w.lastfm].id
	}},
}

// conflicts are ways in which a record has another one's id and different content. They
// spoil a copy of an earlier record.
var conflicts = []malformedKind{
	{"same id for another brand", domain.ConflictingDuplicate, "", true, false, func(s *spoiled, w *malformedFixture, _ int) {
		s.data["brandID"] = w.other(s.data["brandID"].(domain.BrandID))
	}},
	{"same id at another time", domain.ConflictingDuplicate, "", true, false, func(s *spoiled, _ *malformedFixture, _ int) {
		at, _ := time.Parse(time.RFC3339, s.attrs["time"].(string))
		s.attrs["time"] = at.Add(-time.Second).Format(time.RFC3339)
	}},
	{"same id for another activity", domain.ConflictingDuplicate, "", true, false, func(s *spoiled, w *malformedFixture, _ int) {
		s.data["activityID"] = w.otherDefinition(s.data["activityID"].(domain.DefinitionID))
	}},
}
