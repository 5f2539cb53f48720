package activity

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestReview_NamesAccountAndDedupKey(t *testing.T) {
	h, err := NewHasher(make([]byte, MinPepper))
	if err != nil {
		t.Fatal(err)
	}
	d := NewDecoder(h, new(Stats))
	binary := headersOf([]string{"ce_specversion", "1.0", "ce_type", EventType, "ce_id", "7", "ce_source", "s"})
	for _, c := range []struct {
		name string
		in   Incoming
		want Review
	}{
		{"plain", Incoming{Value: []byte(`{"id":7,"source":"s","account":3,"memberID":1,"activityID":100}`), TimeMs: -1}, Review{Account: 3, Source: "s", ID: "7", Keyed: true}},
		{"refused", Incoming{Value: []byte(`{"id":"7","source":"s","account":3,"memberID":1}`), TimeMs: -1}, Review{Account: 3, Source: "s", ID: "7", Keyed: true, Refusal: domain.MissingField, Detail: "activityID"}},
		{"no JSON", Incoming{Value: []byte("{"), Headers: binary}, Review{Source: "s", ID: "7", Keyed: true, Refusal: domain.BadJSON, Detail: "at byte 1"}},
		{"no id", Incoming{Value: []byte(`{"id":"","source":"s","account":3}`)}, Review{Account: 3, Source: "s", Refusal: domain.MissingField, Detail: "id"}},
		{"no source", Incoming{Value: []byte(`{"id":"x","account":0}`)}, Review{Refusal: domain.MissingField, Detail: "source"}},
		{"nothing", Incoming{}, Review{Refusal: domain.BadJSON, Detail: "empty value"}},
	} {
		if got := d.Review(c.in); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
