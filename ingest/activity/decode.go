package activity

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// Limits of a record. What is above one is refused as too_large; texts are measured
// in characters, value and content in bytes, as they are over HTTP.
const (
	MaxValue   = 1 << 20
	MaxContent = 64 << 10
	maxText    = 255
	maxURL     = 4096
)

// Decoder turns records of the public topic into activities. It belongs to one
// goroutine.
type Decoder struct {
	hasher *Hasher
	stats  *Stats
	event  event
	header func(key, value []byte) // event.header, bound once
}

// NewDecoder is a decoder that hashes with h and counts in stats.
func NewDecoder(h *Hasher, stats *Stats) *Decoder {
	d := &Decoder{hasher: h, stats: stats}
	d.header = d.event.header
	return d
}

// Decode makes the journal record of a source record in dst, whose former content is
// lost, and gives its slot. It never fails: a record that holds no activity gets a
// refusal, with a detail that names the field at fault and repeats nothing of it,
// and keeps only its address and origin. What the catalog knows (points, service
// and so on) is left to the router.
//
// Strings of dst share in's memory.
func (d *Decoder) Decode(dst *domain.Record, in Incoming) domain.Slot {
	dst.Reset()
	dst.Kind = domain.KindActivity
	dst.Origin = domain.Origin{Topic: in.Topic, Partition: in.Partition, Epoch: in.Epoch, Offset: in.Offset}

	e := &d.event
	*e = event{}
	if in.Headers != nil {
		in.Headers(d.header)
	}
	e.read(in.Value)

	a := &dst.Activity
	var slot domain.Slot
	a.Member, a.Identity, slot = e.address(d.hasher, &in)
	if e.received > 0 {
		a.Received = e.received
		if e.timed {
			in.TimeMs = e.published
		}
	}
	if r := d.judge(dst, &in); r.reason != domain.Accepted {
		*a = domain.Activity{
			Member: a.Member, Identity: a.Identity, Received: a.Received, Refusal: r.reason, Detail: r.detail,
		}
	} else if e.abroad {
		d.stats.noCountry.Add(1)
	}
	d.stats.count(a.Refusal)
	return slot
}

// refusal is why a record holds no activity; zero: it holds one.
type refusal struct {
	reason domain.Reason
	detail string
}

var accepted refusal

func missing(field string) refusal  { return refusal{domain.MissingField, field} }
func badEvent(field string) refusal { return refusal{domain.BadEvent, field} }
func tooLarge(field string) refusal { return refusal{domain.OverSize, field} }

// judge fills in the record, up to the first fault.
func (d *Decoder) judge(dst *domain.Record, in *Incoming) refusal {
	e, a := &d.event, &dst.Activity
	if len(in.Value) > MaxValue {
		return tooLarge("value")
	}
	if r := e.envelope(len(in.Value)); r != accepted {
		return r
	}
	if r := e.identify(d.hasher, a); r != accepted {
		return r
	}
	if r := e.when(a, in.TimeMs); r != accepted {
		return r
	}
	n, r := e.id("account", account, math.MaxUint32)
	if r != accepted {
		return r
	}
	dst.Account = domain.AccountID(n)
	if r := e.addressee(); r != accepted {
		return r
	}
	if r := e.what(a); r != accepted {
		return r
	}
	return e.contents(&a.Content)
}

// envelope judges the event around the data. The headers of a binary event come
// before its value: an event of another type need not be JSON.
func (e *event) envelope(size int) refusal {
	if e.mode == binaryMode {
		if r := e.typed(); r != accepted {
			return r
		}
		return e.shape(size)
	}
	if r := e.shape(size); r != accepted {
		return r
	}
	return e.typed()
}

// shape judges the value as JSON.
func (e *event) shape(size int) refusal {
	switch {
	case e.mode == foreignMode:
		return badEvent("content-type")
	case size == 0:
		return refusal{domain.BadJSON, "empty value"}
	case e.body == absent:
		return refusal{domain.BadJSON, "at byte " + strconv.Itoa(e.stop)}
	case e.body != object:
		return badEvent("not an object")
	}
	return accepted
}

// typed judges version and type, and that the event has data.
func (e *event) typed() refusal {
	f := &e.fields
	if e.mode == plainMode {
		switch t, _ := f[eventType].text(); {
		case f[specVersion].given():
			return badEvent("specversion without type and data")
		case f[eventType].given() && t != EventType:
			return refusal{domain.UnknownType, "type"}
		}
		return accepted
	}
	version, _ := f[specVersion].text()
	name, _ := f[eventType].text()
	switch {
	case !f[specVersion].given():
		return missing("specversion")
	case version != "1.0":
		return badEvent("specversion")
	case !f[eventType].given():
		return missing("type")
	case name != EventType:
		return refusal{domain.UnknownType, "type"}
	case e.mode == structuredMode:
		return e.enclosed()
	}
	return accepted
}

// enclosed judges the data of a structured event.
func (e *event) enclosed() refusal {
	d, packed := &e.fields[data], &e.fields[dataBase64]
	switch {
	case packed.given() && d.given() && d.raw != nil:
		return badEvent("data beside data_base64")
	case d.kind == object:
		return accepted
	case d.given():
		return badEvent("data")
	case packed.given():
		return refusal{domain.BadJSON, "data_base64"}
	}
	return missing("data")
}

// identify makes the dedup key.
func (e *event) identify(h *Hasher, a *domain.Activity) refusal {
	f := &e.fields
	switch {
	case !f[eventID].given():
		return missing("id")
	case !f[eventSource].given():
		return missing("source")
	}
	if r := e.name("id", eventID); r != accepted {
		return r
	}
	source, r := e.text("source", eventSource, maxURL)
	if r != accepted {
		return r
	}
	id, _ := f[eventID].name()
	a.Hash = h.ID(source, id)
	return accepted
}

// when takes the time of completion, else the log's.
func (e *event) when(a *domain.Activity, ms int64) refusal {
	t := &e.fields[eventTime]
	switch {
	case t.given():
		s, _ := t.text()
		var ok bool
		if a.Time, ok = domain.ParseTime(s); !ok {
			return refusal{domain.BadTime, "time"}
		}
	case ms == -1:
		a.Defaulted = true
	default:
		a.Time = floorSeconds(ms)
	}
	return accepted
}

// addressee judges the field that the address is made of. It must refuse whatever the
// address could not read.
func (e *event) addressee() refusal {
	f := &e.fields
	switch {
	case f[memberID].given():
		_, r := e.id("memberID", memberID, domain.MaxID)
		return r
	case f[service].given() && f[serviceUserID].given():
		if word, _ := f[service].text(); !services[serviceWord(word)] {
			return badEvent("service")
		}
		return e.name("serviceUserID", serviceUserID)
	case f[partnerCode].given() && f[partnerID].given():
		if _, r := e.text("partnerCode", partnerCode, maxText); r != accepted {
			return r
		}
		return e.name("partnerID", partnerID)
	case f[service].given():
		return missing("serviceUserID")
	case f[serviceUserID].given():
		return missing("service")
	case f[partnerCode].given():
		return missing("partnerID")
	case f[partnerID].given():
		return missing("partnerCode")
	}
	return missing("memberID")
}

// services are the canonical service words.
var services = func() map[string]bool {
	m := map[string]bool{}
	for s := domain.NoService + 1; int(s) < domain.Services; s++ {
		m[s.String()] = true
	}
	return m
}()

// what takes definition and brand.
func (e *event) what(a *domain.Activity) refusal {
	n, r := e.id("activityID", activityID, math.MaxUint32)
	if r != accepted {
		return r
	}
	a.Definition = domain.DefinitionID(n)
	if !e.fields[brandID].given() {
		return accepted
	}
	n, r = e.id("brandID", brandID, math.MaxUint32)
	a.Brand = domain.BrandID(n)
	return r
}

// id is a required id of ours.
func (e *event) id(name string, f field, maxValue uint64) (uint64, refusal) {
	if !e.fields[f].given() {
		return 0, missing(name)
	}
	n, ok := e.fields[f].id(maxValue)
	if !ok {
		return 0, badEvent(name)
	}
	return n, accepted
}

// text is a text of at most so many characters; empty if it is not given.
func (e *event) text(name string, f field, maxLen int) (string, refusal) {
	if !e.fields[f].given() {
		return "", accepted
	}
	s, ok := e.fields[f].text()
	switch {
	case !ok:
		return "", badEvent(name)
	case len(s) > maxLen && utf8.RuneCountInString(s) > maxLen:
		return "", tooLarge(name)
	}
	return s, accepted
}

// words is a text in composed form.
func (e *event) words(name string, f field) (string, refusal) {
	s, r := e.text(name, f, maxText)
	return composed.Text(s), r
}

// name judges an identifier.
func (e *event) name(name string, f field) refusal {
	s, ok := e.fields[f].name()
	switch {
	case !ok:
		return badEvent(name)
	case len(s) > maxText && utf8.RuneCountInString(s) > maxText:
		return tooLarge(name)
	}
	return accepted
}

// floorSeconds is milliseconds as seconds, rounded down.
func floorSeconds(ms int64) int64 {
	s := ms / 1000
	if ms%1000 < 0 {
		s--
	}
	return s
}
