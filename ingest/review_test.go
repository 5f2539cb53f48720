package ingest

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

func TestAReviewTellsWhoseARecordIsAndWhichAction(t *testing.T) {
	h, err := NewHasher(make([]byte, MinPepper))
	if err != nil {
		t.Fatal(err)
	}
	d := NewDecoder(h, new(Stats))
	binary := []kafka.Header{
		{Key: "ce_specversion", Value: []byte("1.0")},
		{Key: "ce_type", Value: []byte(EventType)},
		{Key: "ce_id", Value: []byte("7")},
		{Key: "ce_source", Value: []byte("s")},
	}
	for _, c := range []struct {
		name    string
		message kafka.Message
		want    Review
	}{
		{"plain", kafka.Message{Value: []byte(`{"id":7,"source":"s","account":3,"memberID":1,"activityID":100}`), TimeMs: -1}, Review{Account: 3, Source: "s", ID: "7", Keyed: true}},
		{"refused", kafka.Message{Value: []byte(`{"id":"7","source":"s","account":3,"memberID":1}`), TimeMs: -1}, Review{Account: 3, Source: "s", ID: "7", Keyed: true, Refusal: domain.MissingField, Detail: "activityID"}},
		{"no JSON", kafka.Message{Value: []byte("{"), Headers: binary}, Review{Source: "s", ID: "7", Keyed: true, Refusal: domain.BadJSON, Detail: "at byte 1"}},
		{"no id", kafka.Message{Value: []byte(`{"id":"","source":"s","account":3}`)}, Review{Account: 3, Refusal: domain.MissingField, Detail: "id"}},
		{"no source", kafka.Message{Value: []byte(`{"id":"x","account":0}`)}, Review{Refusal: domain.MissingField, Detail: "source"}},
		{"nothing", kafka.Message{}, Review{Refusal: domain.BadJSON, Detail: "empty value"}},
	} {
		if got := d.Review(&c.message); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
