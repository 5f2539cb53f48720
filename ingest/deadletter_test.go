package ingest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

var deadOrigin = domain.Origin{Topic: domain.TopicID{0xab, 15: 1}, Partition: 3, Epoch: 2, Offset: 77}

func header(m kafka.Message, key string) string {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return "none"
}

func TestDeadLetter_RepeatsItsOriginal(t *testing.T) {
	original := &kafka.Message{Key: []byte("k"), Value: []byte("{not JSON"), TimeMs: 1234, Headers: []kafka.Header{
		{Key: "ce_id", Value: []byte("1")}, {Key: "dlq.reason", Value: []byte("of an earlier life")}, {Key: "trace", Value: nil}, {Key: "ce_id", Value: []byte("2")},
	}}
	d := &domain.DeadLetter{Origin: deadOrigin, Account: 7, Reason: domain.BadJSON, Detail: "at byte 1", At: 5}
	got := NewDeadLetter(d, original)
	want := kafka.Message{Key: []byte("k"), Value: []byte("{not JSON"), Headers: []kafka.Header{
		{Key: "dlq.reason", Value: []byte("bad_json")},
		{Key: "dlq.detail", Value: []byte("at byte 1")},
		{Key: "dlq.origin", Value: []byte("ab000000-0000-0000-0000-000000000001/3/2/77")},
		{Key: "dlq.id", Value: []byte(letterID(d))},
		{Key: "dlq.received", Value: []byte("5")},
		{Key: "dlq.account", Value: []byte("7")},
		{Key: "dlq.time", Value: []byte("1234")},
		{Key: "ce_id", Value: []byte("1")},
		{Key: "trace", Value: nil},
		{Key: "ce_id", Value: []byte("2")},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(original.Headers) != 4 {
		t.Error("the original was changed")
	}
}

// A letter of a replay keeps the time of the record that was replayed, whatever time the broker gave the
// replay, and the headers that the original had.
func TestDeadLetter_OfAReplayKeepsItsTimes(t *testing.T) {
	original := kafka.Message{Value: []byte("{}"), TimeMs: 1234, Headers: []kafka.Header{{Key: "trace", Value: []byte("a")}}}
	replay := NewReplay(original, 5)
	if len(original.Headers) != 1 {
		t.Error("the original was changed")
	}
	replay.TimeMs = 99_999 // the broker's
	m := NewDeadLetter(&domain.DeadLetter{Origin: deadOrigin, Reason: domain.UnknownMember, At: 5}, &replay)
	if got := [3]string{header(m, HeaderReceived), header(m, HeaderTime), header(m, "trace")}; got != [3]string{"5", "1234", "a"} {
		t.Errorf("%v", got)
	}
	if len(m.Headers) != 7 {
		t.Errorf("%+v", m.Headers)
	}
	// A header of that name alone is no mark.
	lone := kafka.Message{TimeMs: 7, Headers: []kafka.Header{{Key: HeaderTime, Value: []byte("8")}}}
	if got := header(NewDeadLetter(&domain.DeadLetter{Origin: deadOrigin, Reason: domain.BadJSON}, &lone), HeaderTime); got != "7" {
		t.Errorf("the time is %s", got)
	}
}

func TestDeadLetter_SaysWhyItsOriginalIsMissing(t *testing.T) {
	big := &kafka.Message{Key: []byte("key"), Value: make([]byte, MaxOriginal-28)}
	small := &kafka.Message{Key: []byte("key"), Value: []byte("secret"), Headers: []kafka.Header{{Key: "h", Value: []byte("secret")}}}
	request := domain.RequestID{1}
	for _, c := range []struct {
		name     string
		letter   domain.DeadLetter
		original *kafka.Message
		detail   string
		value    string
	}{
		{"gone from the log", domain.DeadLetter{Origin: deadOrigin, Reason: domain.Corrupt}, nil, "the original is no longer in the log", ""},
		{"with a detail", domain.DeadLetter{Origin: deadOrigin, Reason: domain.BadEvent, Detail: "geo"}, nil, "geo; the original is no longer in the log", ""},
		{"too large", domain.DeadLetter{Origin: deadOrigin, Reason: domain.OverSize, Detail: "value"}, big, "value; the original is over 1 MiB", ""},
		{"sharing withdrawn", domain.DeadLetter{Origin: deadOrigin, Reason: domain.SharingDisabled}, small, "the original is withheld", ""},
		{"member erased", domain.DeadLetter{Origin: deadOrigin, Reason: domain.GoneMember}, small, "the original is withheld", ""},
		{"from HTTP", domain.DeadLetter{Request: request, Reason: domain.UnknownMember, Raw: `{"id":1}`}, nil, "", `{"id":1}`},
		{"from HTTP, the original of another", domain.DeadLetter{Request: request, Raw: `{"id":1}`}, small, "", `{"id":1}`},
		{"from HTTP, too large", domain.DeadLetter{Request: request, Raw: strings.Repeat("x", MaxOriginal+1)}, nil, "the original is over 1 MiB", ""},
		{"from HTTP, sharing withdrawn", domain.DeadLetter{Request: request, Reason: domain.SharingDisabled, Raw: "secret"}, nil, "the original is withheld", ""},
		{"from HTTP, not kept", domain.DeadLetter{Request: request}, nil, "the original was not kept", ""},
	} {
		c.letter.At = 12
		m := NewDeadLetter(&c.letter, c.original)
		if got, want := header(m, HeaderDetail), detailed(&c.letter, c.detail); got != want {
			t.Errorf("%s: detail %q, want %q", c.name, got, want)
		}
		time := "none"
		if c.value != "" {
			time = "12"
		}
		if string(m.Value) != c.value || m.Key != nil || header(m, HeaderTime) != time || header(m, HeaderAccount) != "none" {
			t.Errorf("%s: key %q value %.20q, %d headers", c.name, m.Key, m.Value, len(m.Headers))
		}
		if got := header(m, HeaderReason); got != c.letter.Reason.String() {
			t.Errorf("%s: reason %q", c.name, got)
		}
	}
	fits := &kafka.Message{Key: []byte("key"), Value: make([]byte, MaxOriginal-29)}
	if m := NewDeadLetter(&domain.DeadLetter{Origin: deadOrigin}, fits); len(m.Value) != MaxOriginal-29 {
		t.Error("an original of 1 MiB is left out")
	}
}

func TestDeadLetter_IDIsItsOrigins(t *testing.T) {
	id := func(d domain.DeadLetter) string { return header(NewDeadLetter(&d, nil), HeaderID) }
	a := domain.DeadLetter{Origin: deadOrigin, Reason: domain.BadJSON, At: 1}
	again := domain.DeadLetter{Origin: deadOrigin, Reason: domain.Poison, Detail: "x", At: 2}
	if id(a) != id(again) || len(id(a)) != 32 {
		t.Errorf("%s and %s", id(a), id(again))
	}
	seen := map[string]int{}
	for i, d := range []domain.DeadLetter{
		a,
		{Origin: domain.Origin{Topic: domain.TopicID{1}, Partition: 3, Epoch: 2, Offset: 77}},
		{Origin: domain.Origin{Topic: deadOrigin.Topic, Partition: 32, Epoch: 2, Offset: 77}},
		{Origin: domain.Origin{Topic: deadOrigin.Topic, Partition: 3, Epoch: 22, Offset: 77}},
		{Origin: domain.Origin{Topic: deadOrigin.Topic, Partition: 3, Epoch: 2, Offset: 78}},
		{Request: domain.RequestID{1}},
		{Request: domain.RequestID{2}},
	} {
		if j, ok := seen[id(d)]; ok {
			t.Errorf("letters %d and %d have one id", i, j)
		}
		seen[id(d)] = i
	}
}

// detailed is a letter's own detail, or the usual one of its reason, before why its original is missing.
func detailed(d *domain.DeadLetter, missing string) string {
	if d.Detail != "" {
		return missing // it has both
	}
	return strings.Trim(usualDetails[d.Reason]+"; "+missing, "; ")
}

// Every reason has a detail, which names a field or what is wrong, whatever found it.
func TestDeadLetter_EveryReasonHasADetail(t *testing.T) {
	for _, word := range domain.ReasonWords() {
		reason, _ := domain.ParseReason(word)
		for _, original := range []*kafka.Message{nil, {Value: []byte("secret")}} {
			m := NewDeadLetter(&domain.DeadLetter{Origin: deadOrigin, Reason: reason}, original)
			if got := header(m, HeaderDetail); len(got) < 10 || strings.HasPrefix(got, "the original") || strings.Contains(got, "secret") {
				t.Errorf("%s: detail %q", word, got)
			}
		}
	}
}
