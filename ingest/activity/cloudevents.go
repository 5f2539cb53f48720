package activity

import (
	"bytes"
	"encoding/base64"
	"strconv"
)

// EventType is the ce_type of an activity.
const EventType = "ovation.activity.v1"

// mode is how a record holds its event: the CloudEvents Kafka binding's two modes,
// or our own plain one.
type mode uint8

const (
	plainMode      mode = iota // the data, with id and source in it
	binaryMode                 // attributes in headers ce_*, the data is the value
	structuredMode             // attributes and data in one JSON object: by the content type, or by the object
	foreignMode                // an event in a format other than JSON
)

// event is a record taken apart, nothing of it judged yet. How it is taken apart is
// part of address version 1: it must not change (see address.go).
type event struct {
	format     mode // by the last content-type: plain, structured or foreign
	attributed bool // a header ce_* is there
	mode       mode
	fields     fields
	body       kind  // of the value; absent: malformed
	stop       int   // where reading the value ended
	abroad     bool  // what is given for a country is none
	received   int64 // ms since 1970: when the original of a replay was first refused; 0: no replay
	published  int64 // ms since 1970: the original's own time, where timed
	timed      bool
}

// Headers by which a record says that a dead letter was replayed as it. They decide nothing of its place.
const (
	HeaderReceived  = "dlq.received" // ms since 1970: when the original was first refused
	HeaderPublished = "dlq.time"     // ms since 1970: the original's own, -1 none; the broker may stamp the replay
)

// header takes a header. Of one that is there more than once the last counts.
func (e *event) header(key, value []byte) {
	switch string(key) {
	case "content-type":
		e.format = formatOf(value)
		return
	case HeaderReceived:
		e.received, _ = strconv.ParseInt(string(value), 10, 64)
		return
	case HeaderPublished:
		ms, err := strconv.ParseInt(string(value), 10, 64)
		e.published, e.timed = ms, err == nil
		return
	}
	name, ok := bytes.CutPrefix(key, []byte("ce_"))
	if !ok {
		return
	}
	e.attributed = true
	switch f := named(name); f {
	case specVersion, eventType, eventID, eventSource, eventTime:
		e.fields[f] = token{raw: value, kind: text}
	}
}

// formatOf is the mode that a content type asks for. CloudEvents formats begin with
// application/cloudevents; any other type is that of the data and asks for none.
func formatOf(contentType []byte) mode {
	const events, json = "application/cloudevents", "+json"
	t, _, _ := bytes.Cut(contentType, []byte(";"))
	t = bytes.Trim(t, " \t")
	switch {
	case len(t) < len(events) || !foldEqual(t[:len(events)], events):
		return plainMode
	case foldEqual(t[len(events):], json):
		return structuredMode
	}
	return foreignMode
}

// foldEqual compares letters of ASCII in any case; lower must be in lower case.
func foldEqual(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// read takes the value apart, after the headers.
func (e *event) read(value []byte) {
	s := scanner{b: value}
	e.mode = e.format
	if e.mode == plainMode && e.attributed {
		e.mode = binaryMode
	}
	switch e.mode {
	case binaryMode:
		e.body = s.document(&e.fields, dataNames)
	case plainMode:
		e.body = s.document(&e.fields, plainNames)
		e.recognize(value)
	case structuredMode:
		if e.attributed { // headers are not the event's here
			e.fields.empty(attributes)
		}
		e.body = s.document(&e.fields, attributes)
		e.unpack()
	case foreignMode:
		e.fields.empty(attributes)
	}
	e.stop = s.i
}

// recognize takes a plain record for a structured event that came without its content
// type when specversion, type and data are given in it.
func (e *event) recognize(value []byte) {
	if !e.fields[specVersion].given() || !e.fields[eventType].given() {
		return
	}
	var whole fields
	s := scanner{b: value}
	if s.document(&whole, attributes) == object && whole[data].given() {
		e.mode, e.fields = structuredMode, whole
	}
}

// unpack reads data that came as bytes: some libraries write any data so.
func (e *event) unpack() {
	packed, ok := e.fields[dataBase64].text()
	if !ok || e.fields[data].given() {
		return
	}
	b, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return
	}
	s := scanner{b: b}
	e.fields[data] = token{kind: s.document(&e.fields, dataNames)}
}
