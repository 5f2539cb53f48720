package e2e

import (
	"bytes"
	"compress/gzip"
	endian "encoding/binary"
	"strings"
	"unicode/utf16"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// before puts the text of a member in front of the value's others.
func (s *spoiled) before(member string) {
	s.last = func(v []byte) []byte { return []byte("{" + member + "," + string(v[1:])) }
}

// after puts the text of a member after the value's others.
func (s *spoiled) after(member string) {
	s.last = func(v []byte) []byte { return []byte(string(v[:len(v)-1]) + "," + member + "}") }
}

// also adds a header, after those of the event.
func (s *spoiled) also(key string, value []byte) {
	s.extra = append(s.extra, kafka.Header{Key: key, Value: value})
}

// malformedText are ways in which a value is no JSON text.
var malformedText = []malformedKind{
	{"control character in a text", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.before(`"x":"a` + string(rune(i%32)) + `b"`)
	}},
	{"escape that JSON does not have", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.before(`"x":"` + []string{`\x41`, `\'`, `\0`, `\U0001F600`}[i%4] + `"`)
	}},
	{"half a pair of surrogates, cut off", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.before(`"x":"\ud83d` + []string{`\ude0`, `\u`, `\uZZZZ`}[i%3] + `"`)
	}},
	{"NaN and the like for a number", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.before(`"x":` + []string{"NaN", "Infinity", "-Infinity", "nan", "1.#INF"}[i%5])
	}},
	{"number cut off", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.before(`"x":` + []string{"1.", "1e", "1e+", "-", "1_000"}[i%5])
	}},
	{"comma before the end", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.last = func(v []byte) []byte { return append(v[:len(v)-1:len(v)-1], ",}"...) }
	}},
	{"comment", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.last = func(v []byte) []byte { return append([]byte([]string{"/* */", "// \n", "# \n"}[i%3]), v...) }
	}},
	{"two events in one value", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.last = func(v []byte) []byte { return bytes.Join([][]byte{v, v}, []byte([]string{"", "\n", ",", "\x1e"}[i%4])) }
	}},
	{"member without a name", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.before([]string{`:1`, `1:1`, `null:1`, `"x"`}[i%4])
	}},
	{"UTF-16", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.last = func(v []byte) (wide []byte) {
			order := []endian.AppendByteOrder{endian.LittleEndian, endian.BigEndian}[i%2]
			for _, u := range utf16.Encode([]rune(string(v))) {
				wide = order.AppendUint16(wide, u)
			}
			return wide
		}
	}},
	{"packed by who published it", domain.BadJSON, "at byte 0", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.last = func(v []byte) []byte {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(v)
			_ = w.Close()
			return b.Bytes()
		}
	}},
	{"protobuf, Avro, MessagePack", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.value([]string{"\x0a\x05play-", "\x08\x96\x01\x12", "\x00\x00\x00\x00\x07\x02\x0e", "Obj\x01\x04", "\x83\xa2id"}[i%5])
	}},
	{"nothing but blanks", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.value([]string{" ", "\n\n", "\t", strings.Repeat(" ", 1000)}[i%4])
	}},
	{"nested by one too deep", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.before(`"x":` + strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64))
	}},
	{"brackets that do not match", domain.BadJSON, "at byte", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.before(`"x":` + []string{"[}", "{]", "[[]", "{{}}"}[i%4])
	}},
}

// malformedEvents are ways in which the event around the data is none.
var malformedEvents = []malformedKind{
	{"format of events that is not JSON", domain.BadEvent, "content-type", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.also("content-type", []byte("application/cloudevents"+[]string{"+avro", "+protobuf", "+xml", "", "+jsonl; charset=utf-8"}[i%5]))
	}},
	{"data beside data_base64", domain.BadEvent, "data beside data_base64", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.enveloped(structuredForm)
		s.attrs["data_base64"] = "e30="
	}},
	{"data is no object", domain.BadEvent, "data", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(structuredForm)
		s.attrs["data"] = []any{5, true, "{}", raw("[{}]")}[i%4]
	}},
	{"specversion in a plain record", domain.BadEvent, "specversion without", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.form = plainForm
		s.before(`"specversion":"1.0"`)
	}},
	{"plain record of another type", domain.UnknownType, "type", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.before(`"type":` + []string{`"Ovation.Activity.v1"`, `"x"`, `5`, `{}`}[i%4])
	}},
	{"no type", domain.MissingField, "type", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(binaryForm + form(i%2))
		delete(s.attrs, "type")
	}},
	{"type that is no UTF-8", domain.UnknownType, "type", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.enveloped(binaryForm)
		s.also("ce_type", []byte{0xff, byte(i)})
	}},
	{"type of 100 KiB", domain.UnknownType, "type", false, true, func(s *spoiled, _ *malformedFixture, _ int) {
		s.enveloped(binaryForm)
		s.also("ce_type", bytes.Repeat([]byte("t"), 100<<10))
	}},
	{"time twice, the last is none", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.enveloped(binaryForm)
		s.also("ce_time", []byte("soon"))
	}},
	{"id twice, the last is empty", domain.MissingField, "id", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.enveloped(binaryForm)
		s.also("ce_id", []byte{})
	}},
	{"source twice, the last is null", domain.MissingField, "source", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.enveloped(binaryForm)
		s.also("ce_source", nil)
	}},
	{"plain record with one header of an event", domain.MissingField, "specversion", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.also([]string{"ce_id", "ce_subject", "ce_"}[i%3], []byte("x"))
	}},
	{"source is no text", domain.BadEvent, "source", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.attrs["source"] = []any{raw(`{}`), raw(`["a"]`), false, 1}[i%4]
	}},
	{"leap second", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = []string{"2016-12-31T23:59:60Z", "2015-07-01T01:59:60+02:00"}[i%2]
	}},
	{"year of five digits", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = []string{"10000-01-01T00:00:00Z", "+12026-01-01T00:00:00Z", "-0001-01-01T00:00:00Z"}[i%3]
	}},
	{"time without a zone", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = []string{"2026-11-21T10:00:00", "2026-11-21T10:00:00.5", "2026-11-21t10:00:00"}[i%3]
	}},
	{"zone that is none", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = "2026-11-21T10:00:00" + []string{"+24:00", "+01:60", "+0100", "y", "CET", "Z "}[i%6]
	}},
	{"hour, minute or second that a day does not have", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = "2026-11-21T" + []string{"24:00:00Z", "10:60:00Z", "10:00:61Z", "10:00:00,5Z", "10:00:00.Z"}[i%5]
	}},
	{"time is no text", domain.BadTime, "time", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.attrs["time"] = []any{1_700_000_000, 1.7e12, true, raw("[2026,11,21]")}[i%4]
	}},
}

// malformedValues are ways in which the data does not say what an activity must.
var malformedValues = []malformedKind{
	{"member twice, the last is no id", domain.BadEvent, "account", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.after(`"account":` + []string{"0", "-5", "{}", `"1 "`}[i%4])
	}},
	{"member twice, the last is null", domain.MissingField, "activityID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.form = plainForm
		s.after([]string{`"activityID":null`, `"activityID":""`, `"activity\u0049D":null`}[i%3])
	}},
	{"name in other letters", domain.MissingField, "account", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data[[]string{"Account", "ACCOUNT", "account "}[i%3]] = s.data["account"]
		delete(s.data, "account")
	}},
	{"id of 400 digits", domain.BadEvent, "activityID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["activityID"] = raw([]string{"", "-", "0.", "1e"}[i%4] + strings.Repeat("9", 400))
	}},
	{"id that is a power of two too large", domain.BadEvent, "account", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["account"] = raw([]string{"4294967296", "18446744073709551616", "9223372036854775808", `"4294967297"`}[i%4])
	}},
	{"memberID no id beside a good identity", domain.BadEvent, "memberID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["memberID"] = []any{"me", -1, 1.0e300}[i%3]
	}},
	{"serviceUserID is no name", domain.BadEvent, "serviceUserID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.to(map[string]any{"service": "lastfm", "serviceUserID": []any{1.5, -1, true, raw(`{"a":1}`)}[i%4]})
	}},
	{"partnerID is no name", domain.BadEvent, "partnerID", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.to(map[string]any{"partnerCode": partnerCode, "partnerID": []any{raw("1e3"), -1, false, raw("[]")}[i%4]})
	}},
	{"partnerCode is no text", domain.BadEvent, "partnerCode", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.to(map[string]any{"partnerCode": []any{1, raw("{}"), raw(`["club"]`)}[i%3], "partnerID": "1"})
	}},
	{"service without a user", domain.MissingField, "serviceUserID", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.to(map[string]any{"service": "lastfm"})
	}},
	{"user without a service", domain.MissingField, "service", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.to(map[string]any{"serviceUserID": "u"})
	}},
	{"partner's user without a partner", domain.MissingField, "partnerCode", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.to(map[string]any{"partnerID": "u"})
	}},
	{"media is no text", domain.BadEvent, "media", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["media"] = []any{5, raw("{}"), raw(`["a"]`)}[i%3]
	}},
	{"marker is no text", domain.BadEvent, "marker", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["marker"] = []any{5, true, raw(`{}`)}[i%3]
	}},
	{"geo is no object", domain.BadEvent, "geo", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["geo"] = []any{"GB", 1, raw("[51.5,0]"), true}[i%4]
	}},
	{"one coordinate", domain.BadEvent, "come together", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["geo"] = map[string]any{[]string{"lat", "lon"}[i%2]: 1}
	}},
	{"coordinate beyond any number", domain.BadEvent, "geo.l", false, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.data["geo"] = map[string]any{"lat": 0, "lon": raw([]string{"1e999", "-180.1", `"0x1p2"`, `"1 "`, `"Infinity"`}[i%5])}
	}},
	{"region too long", domain.OverSize, "geo.region", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.data["geo"] = map[string]any{"region": strings.Repeat("é", 256)}
	}},
	{"city too long", domain.OverSize, "geo.city", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.data["geo"] = map[string]any{"city": strings.Repeat("c", 256)}
	}},
	{"link too long", domain.OverSize, "link", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.data["link"] = "https://" + strings.Repeat("l", 4096)
	}},
	{"marker too long", domain.OverSize, "marker", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.data["marker"] = strings.Repeat("m", 256)
	}},
	{"partnerCode too long", domain.OverSize, "partnerCode", false, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.to(map[string]any{"partnerCode": strings.Repeat("p", 256), "partnerID": "1"})
	}},

	{"user of another account", domain.UnknownMember, "", true, false, func(s *spoiled, _ *malformedFixture, _ int) {
		s.to(map[string]any{"service": "lastfm", "serviceUserID": "theirs"})
	}},
	{"time before 2000 by its zone", domain.BadTime, "", true, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = []string{"2000-01-01T00:59:59+01:00", "2000-01-01T23:58:59+23:59"}[i%2]
	}},
	{"last year that a time can have", domain.FutureTime, "", true, false, func(s *spoiled, _ *malformedFixture, i int) {
		s.attrs["time"] = []string{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999999-23:59", "2106-02-07T06:28:16Z"}[i%3]
	}},
}
