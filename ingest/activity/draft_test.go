package activity

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// draft is a record of the public topic while a test still works on it: members by
// name, each with its JSON text.
type draft struct {
	mode   mode
	packed bool // structured: the data as data_base64
	attrs  members
	data   members
	time   int64 // of the log
	extra  []string
	value  func(rendered string) string // the last touch
}

type members []struct{ name, json string }

func (m *members) set(name, json string) {
	m.drop(name)
	m.add(name, json)
}

func (m *members) add(name, json string) {
	*m = append(*m, struct{ name, json string }{name, json})
}

func (m *members) drop(names ...string) {
	*m = slices.DeleteFunc(*m, func(e struct{ name, json string }) bool { return slices.Contains(names, e.name) })
}

func (m members) object(r *rand.Rand) string {
	blank := func() string { return []string{"", "", "", " ", "\n\t"}[r.IntN(5)] }
	var b strings.Builder
	b.WriteString("{" + blank())
	for i, e := range m {
		if i > 0 {
			b.WriteString(blank() + "," + blank())
		}
		fmt.Fprintf(&b, "%q%s:%s%s", e.name, blank(), blank(), e.json)
	}
	return b.String() + blank() + "}"
}

// newDraft is a random record that holds an activity.
func newDraft(r *rand.Rand) *draft {
	d := &draft{mode: []mode{plainMode, binaryMode, structuredMode}[r.IntN(3)], packed: r.IntN(4) == 0, time: 1_700_000_000_123}
	if d.mode != plainMode {
		d.attrs.set("specversion", `"1.0"`)
		d.attrs.set("type", `"`+EventType+`"`)
	}
	d.attrs.set("id", fmt.Sprintf(`"e-%d"`, r.IntN(1e6)))
	d.attrs.set("source", fmt.Sprintf(`"//collector-%d"`, r.IntN(9)))
	d.attrs.set("time", fmt.Sprintf(`"20%02d-11-21T10:00:%02d.5Z"`, r.IntN(30), r.IntN(60)))
	d.data.set("account", idText(r, 1<<32-1))
	switch r.IntN(3) {
	case 0:
		d.data.set("memberID", idText(r, 1<<53-1))
	case 1:
		d.data.set("service", `"Spotify"`)
		d.data.set("serviceUserID", fmt.Sprintf(`"fan %d é"`, r.IntN(1e6)))
	case 2:
		d.data.set("partnerCode", `"club"`)
		d.data.set("partnerID", idText(r, 1<<53-1))
	}
	d.data.set("activityID", idText(r, 1<<32-1))
	if r.IntN(2) == 0 {
		d.data.set("brandID", idText(r, 1<<32-1))
	}
	if r.IntN(2) == 0 {
		d.data.set("content", `{"TrackName":"Karma \"Police\"", "n":[1,2.5e3,{"a":null}]}`)
	}
	if r.IntN(2) == 0 {
		d.data.set("geo", `{"country":"gb","city":"London","lat":51.507,"lon":"-0.128"}`)
	}
	r.Shuffle(len(d.data), func(i, j int) { d.data[i], d.data[j] = d.data[j], d.data[i] })
	return d
}

// idText is an id from 1 to most, as number or text.
func idText(r *rand.Rand, maxID int64) string {
	n := r.Int64N(maxID>>r.IntN(30)) + 1
	if r.IntN(3) == 0 {
		return fmt.Sprintf(`"%d"`, n)
	}
	return fmt.Sprint(n)
}

// render gives headers (key, value, …) and value. Attributes that are no JSON texts
// cannot be headers: such a draft must not be binary.
func (d *draft) render(r *rand.Rand) (headers []string, value string) {
	switch d.mode {
	case plainMode:
		value = append(slices.Clone(d.attrs), d.data...).object(r)
	case binaryMode:
		for _, a := range d.attrs {
			var s string
			if err := json.Unmarshal([]byte(a.json), &s); err != nil {
				panic(a.name + ": " + err.Error())
			}
			headers = append(headers, "ce_"+a.name, s)
		}
		headers = append(headers, "content-type", "application/json")
		value = d.data.object(r)
	case structuredMode:
		attrs := slices.Clone(d.attrs)
		if inner := d.data.object(r); d.packed {
			attrs.add("data_base64", `"`+base64.StdEncoding.EncodeToString([]byte(inner))+`"`)
		} else {
			attrs.add("data", inner)
		}
		headers = []string{"content-type", "Application/CloudEvents+JSON; charset=utf-8"}
		value = attrs.object(r)
	case foreignMode:
		headers = []string{"content-type", "application/cloudevents-batch+json"}
		value = "[" + d.data.object(r) + "]"
	}
	if d.value != nil {
		value = d.value(value)
	}
	return append(headers, d.extra...), value
}

func (d *draft) incoming(r *rand.Rand) Incoming {
	headers, value := d.render(r)
	return Incoming{Value: []byte(value), Headers: headersOf(headers), TimeMs: d.time, Partition: 3, Offset: 7}
}

// jsonMode makes the draft one whose attributes are JSON.
func (d *draft) jsonMode(r *rand.Rand) {
	if d.mode == binaryMode {
		d.mode = structuredMode
		d.packed = r.IntN(2) == 0
	}
}

// cloudEvent makes the draft one with all attributes of CloudEvents.
func (d *draft) cloudEvent(r *rand.Rand) {
	if d.mode == plainMode {
		d.mode = []mode{binaryMode, structuredMode}[r.IntN(2)]
		d.attrs.set("specversion", `"1.0"`)
		d.attrs.set("type", `"`+EventType+`"`)
	}
}
