package activity_test

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/activity"
)

// A record becomes an activity, or a refusal that names the field at fault.
func ExampleDecoder_Decode() {
	h, err := activity.NewHasher([]byte("0123456789abcdef"))
	if err != nil {
		fmt.Println(err)
		return
	}
	d := activity.NewDecoder(h, new(activity.Stats))
	for _, value := range []string{
		`{"id":"1","source":"s","account":1,"memberID":8195,"activityID":104,"time":"2026-11-21T10:00:00Z"}`,
		`{"id":"2","source":"s","account":1,"memberID":8195}`,
	} {
		var r domain.Record
		slot := d.Decode(&r, activity.Incoming{Value: []byte(value), TimeMs: -1})
		fmt.Printf("slot %d, definition %d, refused %q %q\n", slot, r.Activity.Definition, r.Activity.Refusal, r.Activity.Detail)
	}
	// Output:
	// slot 3, definition 104, refused "" ""
	// slot 3, definition 0, refused "missing_field" "activityID"
}
