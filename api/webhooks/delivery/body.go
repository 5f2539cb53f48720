package delivery

import (
	"encoding/json"
	"time"
)

// event is what a receiver gets of one event: alone, or in a batch.
type event struct {
	ID     string          `json:"id"`
	Event  string          `json:"event"`
	Time   string          `json:"time"` // UTC
	Cursor string          `json:"cursor,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// batch is what a receiver gets of several.
type batch struct {
	ID     string  `json:"id"`
	Time   string  `json:"time"` // of the latest
	Cursor string  `json:"cursor"`
	Events []event `json:"events"`
}

const timeLayout = "2006-01-02 15:04:05"

// body is that of a message: a batch where the webhook wants batches, also of one event.
func body(p Place, id, cursor string, batches bool, of []Rendered) ([]byte, error) {
	events := make([]event, len(of))
	latest := time.Time{}
	for i, r := range of {
		events[i] = event{ID: p.EventID(r.Event).String(), Event: r.Kind.String(), Time: r.Time.UTC().Format(timeLayout), Data: r.Data}
		if r.Time.After(latest) {
			latest = r.Time
		}
	}
	if batches {
		return json.Marshal(batch{ID: id, Time: latest.UTC().Format(timeLayout), Cursor: cursor, Events: events})
	}
	events[0].Cursor = cursor
	return json.Marshal(events[0])
}
