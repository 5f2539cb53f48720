package activity

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const addressGolden = "address.v1.golden"

// corpusLine is: partition, headers, value, slot. Headers are hex of key and value,
// joined by colons and commas; - means nothing.
func corpusLine(partition int32, headers []string, value string, slot domain.Slot) string {
	h := make([]string, 0, len(headers)/2)
	for i := 0; i < len(headers); i += 2 {
		h = append(h, hex.EncodeToString([]byte(headers[i]))+":"+hex.EncodeToString([]byte(headers[i+1])))
	}
	dash := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	return fmt.Sprintf("%d %s %s %d\n", partition, dash(strings.Join(h, ",")), dash(hex.EncodeToString([]byte(value))), slot)
}

var corpusTopic = domain.TopicID{0xa7, 0x10, 3: 0x7c, 15: 0x01}

// handmade are the corners of the function that random records meet seldom.
var handmade = []struct {
	headers []string
	value   string
}{
	{nil, ``},
	{nil, `{}`},
	{nil, `[]`},
	{nil, `null`},
	{nil, `"x"`},
	{nil, ` {"memberID":4097} `},
	{nil, `{"memberID":4097}x`},
	{nil, `{"memberID":4097`},
	{nil, "\ufeff{\"memberID\":4097}"},
	{nil, `{"memberID":"4097"}`},
	{nil, `{"memberID":"04097"}`},
	{nil, `{"memberID":4097.0}`},
	{nil, `{"memberID":-1}`},
	{nil, `{"memberID":0}`},
	{nil, `{"memberID":9007199254740991}`},
	{nil, `{"memberID":9007199254740992}`},
	{nil, `{"member\u0049D":4098}`},
	{nil, `{"MemberID":4097}`},
	{nil, `{"memberID":1,"memberID":4099}`},
	{nil, `{"memberID":4097,"memberID":null}`},
	{nil, `{"memberID":4097,"memberID":{}}`},
	{nil, `{"memberID":"\u0034\u0030"}`},
	{nil, `{"account":1,"memberID":true,"service":"lastfm","serviceUserID":"u"}`},
	{nil, `{"account":1,"memberID":null,"service":"lastfm","serviceUserID":"u"}`},
	{nil, `{"account":1,"memberID":"","service":"lastfm","serviceUserID":"u"}`},
	{nil, `{"account":1,"service":"lastfm","serviceUserID":"u","partnerCode":"c","partnerID":"1"}`},
	{nil, `{"account":1,"service":"lastfm","partnerCode":"c","partnerID":"1"}`},
	{nil, `{"account":1,"service":"lastfm","serviceUserID":{},"partnerCode":"c","partnerID":"1"}`},
	{nil, `{"account":"1","service":"LastFM","serviceUserID":"u"}`},
	{nil, `{"account":0,"service":"lastfm","serviceUserID":"u"}`},
	{nil, `{"account":4294967296,"service":"lastfm","serviceUserID":"u"}`},
	{nil, `{"service":"lastfm","serviceUserID":"u"}`},
	{nil, `{"account":1,"service":"The Service","serviceUserID":"u"}`},
	{nil, `{"account":1,"service":"spotify","serviceUserID":"u"}`},
	{nil, `{"account":1,"service":"unheard-of","serviceUserID":"u"}`},
	{nil, `{"account":1,"service":"\u017fpotify","serviceUserID":"u"}`},
	{nil, `{"account":1,"service":"spotify","serviceUserID":" u "}`},
	{nil, `{"account":1,"service":"spotify","serviceUserID":12}`},
	{nil, `{"account":1,"service":"spotify","serviceUserID":"12"}`},
	{nil, `{"account":1,"service":"spotify","serviceUserID":12.0}`},
	{nil, `{"account":1,"service":"spotify","serviceUserID":123456789012345678901234567890}`},
	{nil, `{"account":1,"service":"spotify","serviceUserID":"\ud83d\ude00\ud800"}`},
	{nil, "{\"account\":1,\"service\":\"spotify\",\"serviceUserID\":\"\xff\xfe\"}"},
	{nil, `{"account":1,"partnerCode":"","partnerID":"1"}`},
	{nil, `{"account":1,"partnerCode":"c","partnerID":01}`},
	{nil, `{"account":1,"partnerCode":"c","partnerID":1}`},
	{nil, `{"account":1,"partnerCode":"C","partnerID":"1"}`},
	{nil, `{"data":{"memberID":4097}}`},
	{nil, `{"data":{"memberID":4097},"memberID":5}`},
	{nil, `{"specversion":"1.0","type":"x","data":{"memberID":4100}}`},
	{nil, `{"data":{"memberID":4100},"memberID":5,"type":"x","specversion":7}`},
	{nil, `{"specversion":"1.0","type":"x","data":{"memberID":4100},"data":{"account":1}}`},
	{nil, `{"specversion":"1.0","type":"x","data":[{"memberID":4100}],"memberID":5}`},
	{nil, `{"specversion":"1.0","type":"x","data":null,"memberID":5}`},
	{nil, `{"specversion":"1.0","type":"x","data":"","memberID":5}`},
	{nil, `{"specversion":"1.0","type":"","data":{"memberID":4100},"memberID":5}`},
	{nil, `{"specversion":null,"type":"x","data":{"memberID":4100},"memberID":5}`},
	{nil, `{"spec\u0076ersion":"1.0","type":"x","d\u0061ta":{"memberID":4100},"memberID":5}`},
	{nil, `{"specversion":"1.0","type":"x","data_base64":"eyJtZW1iZXJJRCI6NDEwMX0=","memberID":5}`},
	{nil, `{"specversion":"1.0","type":"x","data_base64":"eyJtZW1iZXJJRCI6NDEwMX0=","data":{"memberID":4100}}`},
	{nil, `{"specversion":"1.0","type":"x","data":{"memberID":4100}}x`},
	{nil, `[{"specversion":"1.0","type":"x","data":{"memberID":4100}}]`},
	{[]string{"content-type", "text/plain"}, `{"specversion":"1.0","type":"x","data":{"memberID":4100}}`},
	{[]string{"content-type", "application/cloudevents"}, `{"specversion":"1.0","type":"x","data":{"memberID":4100}}`},
	{[]string{"ce_id", "1"}, `{"specversion":"1.0","type":"x","data":{"memberID":4100},"memberID":5}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data":{"memberID":4100}}`},
	{[]string{"content-type", "APPLICATION/cloudevents+json ; x=y"}, `{"data":{"memberID":4100},"memberID":5}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data":{"memberID":4100},"data":{"account":1}}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data":{"memberID":4100},"data":null}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data_base64":"eyJtZW1iZXJJRCI6NDEwMX0="}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data_base64":"eyJtZW1iZXJJRCI6NDEwMX0"}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data_base64":"eyJtZW1iZXJJRCI6NDEwMX0=","data":{"memberID":4102}}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data_base64":"eyJtZW1iZXJJRCI6NDEwMX0=","data":null}`},
	{[]string{"content-type", "application/cloudevents+json"}, `{"data":"{\"memberID\":4100}"}`},
	{[]string{"content-type", "application/cloudevents-batch+json"}, `[{"data":{"memberID":4100}}]`},
	{[]string{"content-type", "application/cloudevents"}, `{"memberID":4100}`},
	{[]string{"Content-Type", "application/cloudevents+json"}, `{"memberID":4103}`},
	{[]string{"content-type", "application/cloudevents+json", "content-type", "text/plain"}, `{"memberID":4104}`},
	{[]string{"content-type", "text/plain", "ce_id", "1"}, `{"memberID":4105}`},
	{[]string{"ce_", ""}, `{"memberID":4106}`},
	{[]string{"ce_memberID", "7"}, `{"account":1}`},
	{nil, `{"x":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `,"memberID":4107}`},
	{nil, `{"x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `,"memberID":4107}`},
}

// corpus is the corpus as this binary would make it.
func corpus(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Address version 1: source partition, headers, value (hex) -> slot. FROZEN: never written again.\n")
	b.WriteString("# Pepper: that of the tests. Topic: a710007c-0000-0000-0000-000000000001.\n")
	r := rand.New(rand.NewPCG(1, 1))
	add := func(headers []string, value string) {
		p := int32(r.IntN(16))
		_, slot := decode(t, Incoming{Topic: corpusTopic, Partition: p, Value: []byte(value), Headers: headersOf(headers)})
		b.WriteString(corpusLine(p, headers, value, slot))
	}
	for _, h := range handmade {
		add(h.headers, h.value)
	}
	for _, h := range typicalRecords {
		add(h.headers, h.value)
	}
	for range 300 {
		add(newDraft(r).render(r))
	}
	for _, m := range malformed {
		for range 4 {
			d := newDraft(r)
			m.spoil(d, r)
			if headers, value := d.render(r); len(value) < 4<<10 {
				add(headers, value)
			}
		}
	}
	return b.String()
}

// I2: a place may never change, whatever the disposition is.
func TestI2_PlacesOfTheGoldenCorpusAreFrozen(t *testing.T) {
	lines := golden(t, addressGolden, func() string { return corpus(t) })
	if len(lines) < 400 {
		t.Fatalf("only %d lines", len(lines))
	}
	for i, line := range lines {
		var partition, want int
		var headers, value string
		if _, err := fmt.Sscan(line, &partition, &headers, &value, &want); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		in := Incoming{Topic: corpusTopic, Partition: int32(partition), Value: unhex(t, value), Headers: headersOf(splitHeaders(t, headers))}
		if _, got := decode(t, in); got != domain.Slot(want) {
			t.Errorf("line %d: slot %d, want %d: %.200q", i, got, want, in.Value)
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Trim(s, "-"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func splitHeaders(t *testing.T, s string) (pairs []string) {
	t.Helper()
	if s == "-" {
		return nil
	}
	for pair := range strings.SplitSeq(s, ",") {
		k, v, _ := strings.Cut(pair, ":")
		pairs = append(pairs, string(unhex(t, k)), string(unhex(t, v)))
	}
	return pairs
}

func TestAddress_IsTheFirstOneGiven(t *testing.T) {
	h := testHasher(t)
	byService := h.Identity(1, domain.ByService, "lastfm", "u").Slot()
	byPartner := h.Identity(1, domain.ByPartner, "c", "1").Slot()
	nowhere := domain.Placeless(domain.TopicID{9}, 5)
	for value, want := range map[string]domain.Slot{
		`{"account":1,"memberID":4109,"service":"lastfm","serviceUserID":"u","partnerCode":"c","partnerID":1}`: 13,
		`{"account":1,"service":"LASTFM","serviceUserID":"u","partnerCode":"c","partnerID":1}`:                 byService,
		`{"account":1,"service":"lastfm","partnerCode":"c","partnerID":1}`:                                     byPartner,
		`{"account":1,"memberID":"x","service":"lastfm","serviceUserID":"u"}`:                                  nowhere,
		`{"account":1}`:      nowhere,
		`{"memberID":4109}x`: nowhere,
	} {
		if _, got := decode(t, Incoming{Topic: domain.TopicID{9}, Partition: 5, Value: []byte(value)}); got != want {
			t.Errorf("%s: slot %d, want %d", value, got, want)
		}
	}
}

// The place hangs on the address alone: neither what else the record says, nor how
// it is judged, nor how its JSON is laid out moves it.
func TestAddress_AloneDecidesTheSlot(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 500 {
		d := newDraft(r)
		_, want := decode(t, d.incoming(r))
		address := slices.Clone(d.data)
		address = slices.DeleteFunc(address, func(e struct{ name, json string }) bool {
			return e.name != "account" && !slices.Contains(addressNames, e.name)
		})
		other := newDraft(r)
		other.data.drop(append(addressNames, "account")...)
		other.data = append(other.data, address...)
		for _, spoil := range []func(){
			func() {},
			func() { other.data.set("activityID", `{}`) },
			func() { other.attrs.set("time", `"never"`) },
			func() { other.attrs.drop("id", "type", "specversion") },
			func() { other.data.set("content", `[`+strconv.Itoa(i)+`]`) },
		} {
			spoil()
			in := other.incoming(r)
			in.Partition = int32(r.IntN(99))
			if _, got := decode(t, in); got != want {
				t.Fatalf("seed %d, record %d: slot %d, want %d\n%s", seed, i, got, want, in.Value)
			}
		}
	}
}

func TestAddress_MissingSpreadsByPartition(t *testing.T) {
	seen := map[domain.Slot]bool{}
	for p := range int32(64) {
		s := domain.Placeless(corpusTopic, p)
		if s != domain.Placeless(corpusTopic, p) || s >= domain.Slots {
			t.Fatal(s)
		}
		seen[s] = true
	}
	if len(seen) < 60 {
		t.Errorf("64 partitions in %d slots", len(seen))
	}
	if domain.Placeless(corpusTopic, 0) == domain.Placeless(domain.TopicID{1}, 0) {
		t.Error("two topics in one slot")
	}
}
