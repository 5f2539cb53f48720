package delivery

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
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
		events[i] = event{ID: p.EventID(r.Event).String(), Event: r.Event.Kind.String(), Time: timeText(r.Time), Data: r.Data}
		if r.Time.After(latest) {
			latest = r.Time
		}
	}
	return bodyOf(id, cursor, batches, latest, events)
}

// bodyOf is the body of events, the latest of which happened at a moment.
func bodyOf(id, cursor string, batches bool, latest time.Time, events []event) ([]byte, error) {
	if batches {
		return json.Marshal(batch{ID: id, Time: timeText(latest), Cursor: cursor, Events: events})
	}
	events[0].Cursor = cursor
	return json.Marshal(events[0])
}

func timeText(t time.Time) string { return t.UTC().Format(timeLayout) }

// requestOf is the request of a body, signed at a moment.
func requestOf(url string, id domain.MessageID, at time.Time, body []byte, secrets []signature.Secret) egress.Request {
	h := signature.Headers(id.String(), at, body, secrets...)
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "ovation")
	return egress.Request{URL: url, Header: h, Body: body}
}

// TestRequest is a request with one event, test, in the form that the webhook's messages have.
func TestRequest(w *domain.Webhook, id domain.MessageID, at time.Time, secrets []signature.Secret) (egress.Request, error) {
	data, err := json.Marshal(map[string]string{"WebhookID": strconv.FormatUint(uint64(w.ID), 10)})
	if err != nil {
		return egress.Request{}, err
	}
	body, err := bodyOf(id.String(), "", w.Batch > 1, at, []event{{ID: id.String(), Event: "test", Time: timeText(at), Data: data}})
	return requestOf(w.URL, id, at, body, secrets), err
}
