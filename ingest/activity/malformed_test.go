package activity

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// malformed are the ways in which a record is no activity, each breaking a record
// that was one.
var malformed = []struct {
	name  string
	want  domain.Reason
	spoil func(d *draft, r *rand.Rand)
}{
	{"value is empty", domain.BadJSON, func(d *draft, r *rand.Rand) { d.value = func(string) string { return "" } }},
	{"value is cut off", domain.BadJSON, func(d *draft, r *rand.Rand) {
		d.value = func(v string) string { return v[:r.IntN(len(v)-1)] }
	}},
	{"value continues behind its end", domain.BadJSON, func(d *draft, r *rand.Rand) {
		d.value = func(v string) string { return v + []string{"}", ",", "{}", "x", "\x00"}[r.IntN(5)] }
	}},
	{"value is not JSON", domain.BadJSON, func(d *draft, r *rand.Rand) {
		d.value = func(string) string {
			return []string{"account=1", "<a/>", "\x00\x01\x02", "'x'", "NaN", "\xef\xbb\xbf{}", "{account:1}"}[r.IntN(7)]
		}
	}},
	{"comma before the end", domain.BadJSON, func(d *draft, r *rand.Rand) {
		d.value = func(v string) string { return v[:len(v)-1] + ",}" }
	}},
	{"control character in a text", domain.BadJSON, func(d *draft, r *rand.Rand) {
		d.packed = false
		d.data.set("link", "\"a"+string(rune(r.IntN(32)))+"b\"")
	}},
	{"unknown escape in a text", domain.BadJSON, func(d *draft, r *rand.Rand) {
		d.data.set("x", `"\`+[]string{"x41", "u12G4", "u12", "'"}[r.IntN(4)]+`"`)
	}},
	{"number that JSON does not have", domain.BadJSON, func(d *draft, r *rand.Rand) {
		d.data.set("activityID", []string{"012", "+1", ".5", "1.", "1e", "0x10", "-", "Infinity"}[r.IntN(8)])
	}},
	{"nested too deep", domain.BadJSON, func(d *draft, r *rand.Rand) {
		n := maxDepth + r.IntN(1000)
		d.data.set("content", `{"a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+"}")
	}},
	{"data_base64 holds no JSON", domain.BadJSON, func(d *draft, r *rand.Rand) {
		structuredOnly(d)
		d.value = func(string) string {
			d.attrs.set("data_base64", []string{`"!"`, `"e30"`, `"eyJh"`, `"bm8="`}[r.IntN(4)])
			return d.attrs.object(r)
		}
	}},
	{"value is another JSON value", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.value = func(v string) string { return []string{"[" + v + "]", "null", "1", `"x"`, "true"}[r.IntN(5)] }
	}},
	{"data is no object", domain.BadEvent, func(d *draft, r *rand.Rand) {
		structuredOnly(d)
		d.value = func(string) string {
			d.attrs.set("data", []string{`[1]`, `"{}"`, `5`, `true`}[r.IntN(4)])
			return d.attrs.object(r)
		}
	}},
	{"data twice over", domain.BadEvent, func(d *draft, r *rand.Rand) {
		structuredOnly(d)
		d.packed = false
		d.attrs.set("data_base64", `"e30="`)
	}},
	{"no data", domain.MissingField, func(d *draft, r *rand.Rand) {
		structuredOnly(d)
		d.value = func(string) string {
			d.attrs.set("data", []string{`null`, `""`}[r.IntN(2)])
			return d.attrs.object(r)
		}
	}},
	{"batch of events", domain.BadEvent, func(d *draft, r *rand.Rand) { d.mode = foreignMode }},
	{"another specversion", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.cloudEvent(r)
		d.attrs.set("specversion", []string{`"0.3"`, `"1"`, `"1.0 "`, `"2.0"`}[r.IntN(4)])
	}},
	{"specversion without data", domain.BadEvent, func(d *draft, r *rand.Rand) {
		plainOnly(d)
		d.attrs.set("specversion", `"1.0"`)
	}},
	{"id is no text", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.jsonMode(r)
		d.attrs.set("id", []string{`{}`, `[1]`, `true`, `1.5`, `-1`}[r.IntN(5)])
	}},
	{"source is no text", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.jsonMode(r)
		d.attrs.set("source", []string{`{}`, `["a"]`, `false`, `1`}[r.IntN(4)])
	}},
	{"account is no id", domain.BadEvent, func(d *draft, r *rand.Rand) { d.data.set("account", badID(r, 1<<32)) }},
	{"memberID is no id", domain.BadEvent, func(d *draft, r *rand.Rand) { d.data.set("memberID", badID(r, 1<<53)) }},
	{"activityID is no id", domain.BadEvent, func(d *draft, r *rand.Rand) { d.data.set("activityID", badID(r, 1<<32)) }},
	{"brandID is no id", domain.BadEvent, func(d *draft, r *rand.Rand) { d.data.set("brandID", badID(r, 1<<32)) }},
	{"service is unknown", domain.BadEvent, func(d *draft, r *rand.Rand) {
		byService(d, []string{`"myspace"`, `7`, `"ſpotify"`, `"spotify "`, `["spotify"]`}[r.IntN(5)], `"u"`)
	}},
	{"serviceUserID is no name", domain.BadEvent, func(d *draft, r *rand.Rand) {
		byService(d, `"spotify"`, []string{`1.5`, `-1`, `{"a":1}`, `true`, `[]`}[r.IntN(5)])
	}},
	{"partnerID is no name", domain.BadEvent, func(d *draft, r *rand.Rand) {
		byPartner(d, `"club"`, []string{`1e3`, `-1`, `{}`, `false`}[r.IntN(4)])
	}},
	{"partnerCode is no text", domain.BadEvent, func(d *draft, r *rand.Rand) {
		byPartner(d, []string{`1`, `{}`, `["club"]`}[r.IntN(3)], `"1"`)
	}},
	{"content is a bare value", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.data.set("content", []string{`[1,2]`, `5`, `true`}[r.IntN(3)])
	}},
	{"link is no text", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.data.set([]string{"link", "media", "marker"}[r.IntN(3)], []string{`5`, `{}`, `["a"]`}[r.IntN(3)])
	}},
	{"geo is no object", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.data.set("geo", []string{`"GB"`, `[51.5,0]`, `1`}[r.IntN(3)])
	}},
	{"coordinates are none", domain.BadEvent, func(d *draft, r *rand.Rand) {
		d.data.set("geo", []string{
			`{"lat":91,"lon":0}`, `{"lat":0,"lon":-180.1}`, `{"lat":"NaN","lon":0}`, `{"lat":"0x1p2","lon":0}`,
			`{"lat":1}`, `{"lon":"1"}`, `{"lat":"1 ","lon":1}`, `{"lat":true,"lon":1}`, `{"lat":1e999,"lon":1}`,
		}[r.IntN(9)])
	}},
	{"no specversion", domain.MissingField, func(d *draft, r *rand.Rand) {
		d.cloudEvent(r)
		d.attrs.drop("specversion")
	}},
	{"no type", domain.MissingField, func(d *draft, r *rand.Rand) {
		d.cloudEvent(r)
		d.attrs.drop("type")
	}},
	{"no id", domain.MissingField, func(d *draft, r *rand.Rand) { leaveOut(r, &d.attrs, "id") }},
	{"no source", domain.MissingField, func(d *draft, r *rand.Rand) { leaveOut(r, &d.attrs, "source") }},
	{"no account", domain.MissingField, func(d *draft, r *rand.Rand) { leaveOut(r, &d.data, "account") }},
	{"no activityID", domain.MissingField, func(d *draft, r *rand.Rand) { leaveOut(r, &d.data, "activityID") }},
	{"no address", domain.MissingField, func(d *draft, r *rand.Rand) { d.data.drop(addressNames...) }},
	{"half an address", domain.MissingField, func(d *draft, r *rand.Rand) {
		d.data.drop(addressNames...)
		d.data.set(addressNames[1+r.IntN(4)], `"spotify"`)
		if r.IntN(2) == 0 {
			d.data.set("memberID", `""`)
		}
	}},
	{"another type", domain.UnknownType, func(d *draft, r *rand.Rand) {
		if d.mode == binaryMode && r.IntN(2) == 0 {
			d.value = func(string) string { return "\x00Obj\x01 not JSON at all" }
		}
		d.attrs.set("type", []string{`"ovation.activity.v2"`, `"Ovation.Activity.v1"`, `"com.example.x"`}[r.IntN(3)])
	}},
	{"time is none", domain.BadTime, func(d *draft, r *rand.Rand) {
		d.attrs.set("time", []string{
			`"yesterday"`, `"2026-11-21"`, `"2026-11-21 10:00"`, `"2026-11-21T10:00:00"`, `"2026-13-01T10:00:00Z"`,
			`"2026-02-29T10:00:00Z"`, `"2026-11-21T24:00:00Z"`, `"2026-11-21T10:00:60Z"`, `"1700000000"`, `"2026-11-21T10:00:00+0100"`,
		}[r.IntN(10)])
	}},
	{"time is no text", domain.BadTime, func(d *draft, r *rand.Rand) {
		d.jsonMode(r)
		d.attrs.set("time", []string{`1700000000`, `{}`, `true`}[r.IntN(3)])
	}},
	{"value over 1 MiB", domain.OverSize, func(d *draft, r *rand.Rand) {
		d.value = func(v string) string { return v + strings.Repeat(" ", MaxValue+1-len(v)) }
	}},
	{"content over 64 KiB", domain.OverSize, func(d *draft, r *rand.Rand) {
		d.data.set("content", []string{`{"a":"%s"}`, `"%s"`}[r.IntN(2)])
		at := len(d.data) - 1
		d.data[at].json = fmt.Sprintf(d.data[at].json, strings.Repeat("x", MaxContent+1))
	}},
	{"text too long", domain.OverSize, func(d *draft, r *rand.Rand) {
		name := []string{"marker", "link", "media", "geo"}[r.IntN(4)]
		d.data.set(name, `"`+strings.Repeat("é", maxURL+1)+`"`)
		if name == "geo" {
			d.data.set("geo", `{"`+[]string{"city", "region"}[r.IntN(2)]+`":"`+strings.Repeat("é", maxText+1)+`"}`)
		}
	}},
	{"identity too long", domain.OverSize, func(d *draft, r *rand.Rand) {
		long := `"` + strings.Repeat("é", maxText+1) + `"`
		switch r.IntN(4) {
		case 3:
			d.attrs.set("id", long)
		case 0:
			byService(d, `"spotify"`, long)
		case 1:
			byPartner(d, long, `"1"`)
		case 2:
			byPartner(d, `"club"`, long)
		}
	}},
}

var addressNames = []string{"memberID", "service", "serviceUserID", "partnerCode", "partnerID"}

func structuredOnly(d *draft) {
	d.mode = structuredMode
	d.attrs.set("specversion", `"1.0"`)
	d.attrs.set("type", `"`+EventType+`"`)
}

func plainOnly(d *draft) {
	d.mode = plainMode
	d.attrs.drop("specversion", "type")
}

func byService(d *draft, service, uid string) {
	d.data.drop(addressNames...)
	d.data.set("service", service)
	d.data.set("serviceUserID", uid)
}

func byPartner(d *draft, code, id string) {
	d.data.drop(addressNames...)
	d.data.set("partnerCode", code)
	d.data.set("partnerID", id)
}

// leaveOut leaves a member out, or gives it an empty value.
func leaveOut(r *rand.Rand, m *members, name string) {
	m.drop(name)
	if r.IntN(2) == 0 {
		m.set(name, `""`)
	}
}

// badID is something that is no id below over.
func badID(r *rand.Rand, over uint64) string {
	return []string{
		"0", `"0"`, "-1", "1.0", "1e3", `"x"`, `" 1"`, `"1.0"`, `"+1"`, "true", "{}", "[1]", `"0x10"`, `"1_0"`,
		fmt.Sprint(over), fmt.Sprintf(`"%d"`, over), "18446744073709551617", "184467440737095516160", `"99999999999999999999999"`,
	}[r.IntN(19)]
}

// A refused record keeps its address and origin and nothing else, has the right
// reason, and says which field without repeating anything of it.
func TestDecode_RefusesMalformedRecordsWithTheirReason(t *testing.T) {
	const seed, each = 11, 25
	t.Logf("seed %d, %d kinds, %d records", seed, len(malformed), len(malformed)*each)
	if len(malformed) < 20 || len(malformed)*each < 1000 {
		t.Fatal("not the test it should be")
	}
	var stats Stats
	dec := NewDecoder(testHasher(t), &stats)
	want := map[domain.Reason]uint64{}
	for _, m := range malformed {
		t.Run(m.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			for range each {
				d := newDraft(r)
				m.spoil(d, r)
				in := d.incoming(r)
				var rec domain.Record
				slot := dec.Decode(&rec, in)
				want[m.want]++
				a := rec.Activity
				if a.Refusal != m.want {
					t.Fatalf("refused as %q (%s), want %q\nmode %d %.300s", a.Refusal, a.Detail, m.want, d.mode, in.Value)
				}
				if a.Detail == "" || len(a.Detail) > 64 || strings.ContainsAny(a.Detail, "\"{}\n") {
					t.Fatalf("detail %q", a.Detail)
				}
				bare := domain.Activity{Member: a.Member, Identity: a.Identity, Refusal: a.Refusal, Detail: a.Detail}
				if a != bare {
					t.Fatalf("a refused record keeps %+v", a)
				}
				if rec.Origin.Offset != 7 || rec.Kind != domain.KindActivity || slot >= domain.Slots {
					t.Fatalf("record %+v in slot %d", rec, slot)
				}
			}
		})
	}
	for reason := range domain.Reason(domain.Reasons) {
		if got := stats.Refused(reason); got != want[reason] {
			t.Errorf("counted %d as %q, want %d", got, reason, want[reason])
		}
	}
	if got := stats.Decoded(); got != uint64(len(malformed)*each) {
		t.Errorf("counted %d", got)
	}
}
