package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A webhook is created with a secret that is shown this once, edited field by field and filter by filter, and deleted.
func TestWebhooks_CreateEditDelete(t *testing.T) {
	h := newFixture(t)
	h.engine.hooks = nil
	h.engine.answer = always(&domain.Answer{Stream: &domain.Stream{Next: []uint64{7, 8}}})
	w := answered[wire.Webhook](h, h.post("/v1.1/webhook/create", "url=https://hooks.example/x?y=1&events=activity&brandid=1&services=spotify&batch=20", "Idempotency-Key", "a"))
	if w.Secret == "" {
		t.Fatal("no secret is shown")
	}
	secret := w.Secret
	w.Secret = ""
	got, _ := json.Marshal(w)
	want := `{"ID":"1","URL":"https://hooks.example/x?y=1","Events":["activity"],"BrandID":"1","SegmentID":null,"Filters":{"brandID":"1","services":"spotify"},"Batch":20,"Enabled":true,` +
		`"Created":"2026-03-15 12:34:56","Failing":null}`
	equal(t, want, string(got))
	c := h.engine.submitted[0].Command.(*domain.PutWebhook)
	equal(t, []string{"Batch", "Events", "Filters", "Secret", "URL"}, c.Given)
	equal(t, []uint64{7, 8}, c.Webhook.Begin)
	opened, err := webhookSecrets.Open(1, c.Webhook.Secret)
	if err != nil || opened.Reveal() != secret || strings.Contains(fmt.Sprint(h.engine.hooks[0].Secret), secret) {
		t.Errorf("the catalog has another secret, or an open one: %v", err)
	}
	list := answered[wire.Webhooks](h, h.get("/v1.1/webhooks"))
	if list.TotalSize != "1" || len(list.Items) != 1 || list.Items[0].Secret != "" || list.Items[0].ID != "1" {
		t.Errorf("%+v", list)
	}

	edited := answered[wire.Webhook](h, h.post("/v1.1/webhook/1/edit", "services=&country=DE&enabled=0"))
	if string(edited.Filters) != `{"brandID":"1","country":"DE"}` || edited.Enabled || edited.Secret != "" || edited.Batch != 20 {
		t.Errorf("%+v", edited)
	}
	rotated := answered[wire.Webhook](h, h.post("/v1.1/webhook/1/edit", "rotate=1&batch=&enabled=1"))
	if rotated.Secret == "" || rotated.Secret == secret || rotated.Batch != 1 || !rotated.Enabled || string(rotated.Filters) != string(edited.Filters) {
		t.Errorf("%+v", rotated)
	}
	both, err := webhookSecrets.Signing(h.engine.hooks[0], now)
	if err != nil || len(both) != 2 || both[0].Reveal() != rotated.Secret || both[1].Reveal() != secret {
		t.Errorf("%d secrets sign, %v", len(both), err)
	}
	if strings.Contains(h.log.String(), "whsec_") {
		t.Error("a secret is logged")
	}

	h.refused(h.post("/v1.1/webhook/1/edit", "brandid=99"), domain.NotFound, "brandID")
	h.refused(h.post("/v1.1/webhook/1/edit", "url="), domain.MissingParameter, "url")
	h.refused(h.post("/v1.1/webhook/2/edit", "batch=2"), domain.NotFound, "webhookid")
	if gone := answered[wire.Deleted](h, h.post("/v1.1/webhook/1/delete", "")); !gone.Deleted {
		t.Error("it is not deleted")
	}
	h.refused(h.post("/v1.1/webhook/1/delete", ""), domain.NotFound, "webhookid")
	if list := answered[wire.Webhooks](h, h.get("/v1.1/webhooks")); list.TotalSize != "0" || len(list.Items) != 0 {
		t.Errorf("%+v", list)
	}
}

// Events that there are none of, memberships of no list, and addresses that are not https are refused with the reason; nothing is
// submitted.
func TestWebhooks_CreateRefuses(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct{ body, parameter, says string }{
		{"url=https://hooks.example/&events=activity,test", "events", "activity, removed, erased, enter, leave, merged, unmerged"},
		{"url=http://hooks.example/&events=activity", "url", "https://"},
		{"url=https://user:secret@hooks.example/&events=activity", "url", "no user name"},
		{"url=https://hooks.example/&events=activity&country=DE,FR&region=BE", "region", "one country"},
	} {
		w := h.post("/v1.1/webhook/create", c.body)
		h.refused(w, domain.InvalidParameter, c.parameter)
		if !strings.Contains(w.Body.String(), c.says) || strings.Contains(w.Body.String(), "user:") {
			t.Errorf("%s: %s", c.body, w.Body)
		}
	}
	h.refused(h.post("/v1.1/webhook/create", "url=https://hooks.example/&events=activity&brandid=99"), domain.NotFound, "brandID")
	h.refused(h.post("/v1.1/webhook/create", "url=https://hooks.example/"), domain.MissingParameter, "events")
	h.refused(h.post("/v1.1/webhook/create", "url=https://hooks.example/&events=activity,enter"), domain.MissingParameter, "segment")
	h.refused(h.post("/v1.1/webhook/create", "url=https://hooks.example/&events=leave&segment=99"), domain.NotFound, "segment")
	h.refused(h.post("/v1.1/webhook/1/edit", "events=leave"), domain.MissingParameter, "segment")
	if len(h.engine.submitted) > 0 {
		t.Errorf("%+v", h.engine.submitted)
	}
}

// A webhook of memberships has its list followed before it is put, by another command of the request.
func TestWebhooks_FollowTheirList(t *testing.T) {
	h := newFixture(t)
	h.engine.answer = always(&domain.Answer{Stream: &domain.Stream{Next: []uint64{7, 8}}})
	w := answered[wire.Webhook](h, h.post("/v1.1/webhook/create", "url=https://hooks.example/&events=enter,activity,unmerged&segmentid=1", "Idempotency-Key", "a"))
	if w.SegmentID == nil || *w.SegmentID != "1" || !slices.Equal(w.Events, []string{"activity", "enter", "unmerged"}) {
		t.Errorf("%+v", w)
	}
	answered[wire.Webhook](h, h.post("/v1.1/webhook/1/edit", "events=leave&segment=1")) // it is followed
	var kinds []domain.Kind
	ids := map[domain.RequestID]bool{}
	for _, s := range h.engine.submitted {
		kinds, ids[s.Request] = append(kinds, s.Command.Kind()), true
	}
	if !slices.Equal(kinds, []domain.Kind{domain.KindFollowSegment, domain.KindPutWebhook, domain.KindPutWebhook}) || len(ids) != 3 {
		t.Errorf("%v by %d ids", kinds, len(ids))
	}
}

// Another account sees, changes and sends nothing of a webhook.
func TestWebhooks_OfAnotherAccount(t *testing.T) {
	h := newFixture(t)
	for path, body := range map[string]string{"edit": "batch=2", "test": "", "delete": "", "redeliver": "id=" + givenUpMessage.String()} {
		h.refused(h.do(http.MethodPost, keyed("/v1.1/webhook/1/"+path, keyStranger), body), domain.NotFound, "webhookid")
	}
	h.refused(h.do(http.MethodGet, keyed("/v1.1/webhook/1/deliveries", keyStranger), ""), domain.NotFound, "webhookid")
	if list := answered[wire.Webhooks](h, h.do(http.MethodGet, keyed("/v1.1/webhooks", keyStranger), "")); list.TotalSize != "0" {
		t.Errorf("%+v", list)
	}
	if h.engine.hooks[0].Deleted || len(h.engine.delivered.posted) > 0 || h.engine.delivered.progress[1].Version != 1 {
		t.Errorf("%+v", h.engine.delivered)
	}
}

// What is wrong with a webhook is told with its reason, and since when.
func TestWebhooks_Failing(t *testing.T) {
	h := newFixture(t)
	w := h.engine.hooks[0]
	home := &h.engine.delivered.progress[w.ID.Slot().Shard(2)]
	at := "2026-01-01 00:00:00"
	ms := int64(1767225600000)
	for want, change := range map[string]func(){
		"":         func() {},
		"receiver": func() { home.Failing = ms },
		"disabled": func() { w.Disabled, w.Since = domain.DisabledByFailing, ms },
		"gone":     func() { w.Disabled, w.Since = domain.DisabledByGone, ms },
		"filters":  func() { w.Filters, at = []domain.WebhookFilter{{Name: "brandID", Value: "77"}}, "" },
	} {
		*w, home.Failing, at = domain.Webhook{ID: 1, Account: 1, URL: w.URL, Events: w.Events, Secret: w.Secret}, 0, "2026-01-01 00:00:00"
		change()
		f := answered[wire.Webhooks](h, h.get("/v1.1/webhooks")).Items[0].Failing
		switch {
		case want == "":
			if f != nil {
				t.Errorf("%+v", f)
			}
		case f == nil || f.Reason != want || f.Detail == "" || at == "" != (f.Since == nil) || f.Since != nil && *f.Since != at:
			t.Errorf("%s: %+v", want, f)
		}
	}
	*w, home.Failing = domain.Webhook{ID: 1, Account: 1, URL: w.URL, Since: ms + 1}, ms
	if f := answered[wire.Webhooks](h, h.get("/v1.1/webhooks")).Items[0].Failing; f != nil {
		t.Errorf("a failure of before it was enabled again: %+v", f)
	}
	h.engine.delivered.failing = domain.ErrUnavailable
	h.refused(h.get("/v1.1/webhooks"), domain.Unavailable, "")
}

// A test is one request that the public library verifies; the answer has what became of it.
func TestWebhooks_Test(t *testing.T) {
	h := newFixture(t)
	d := &h.engine.delivered
	for _, c := range []struct {
		answer egress.Answer
		want   string
	}{
		{egress.Answer{Status: 200}, "200"},
		{egress.Answer{Status: 503, Failure: egress.Refusal}, "503"},
		{egress.Answer{Failure: egress.Unreachable}, "unreachable"},
		{egress.Answer{Failure: egress.TimedOut}, "timeout"},
	} {
		d.answer = c.answer
		if got := answered[wire.WebhookTest](h, h.post("/v1.1/webhook/1/test", "")); got.Status != c.want {
			t.Errorf("%+v, want %s", got, c.want)
		}
	}
	r := d.posted[0]
	lib, err := standardwebhooks.NewWebhook(webhookSecret.Reveal())
	if err != nil || r.URL != h.engine.hooks[0].URL || lib.VerifyIgnoringTimestamp(r.Body, r.Header) != nil {
		t.Errorf("%v, %+v", err, r)
	}
	id := r.Header.Get(signature.HeaderID)
	want := fmt.Sprintf(`{"id":%q,"event":"test","time":"2026-03-15 12:34:56","data":{"WebhookID":"1"}}`, id)
	equal(t, want, string(r.Body))
	h.engine.hooks[0].Batch = 2
	h.post("/v1.1/webhook/1/test", "")
	r = d.posted[len(d.posted)-1]
	id = r.Header.Get(signature.HeaderID)
	equal(t, fmt.Sprintf(`{"id":%q,"time":"2026-03-15 12:34:56","cursor":"","events":[{"id":%q,"event":"test","time":"2026-03-15 12:34:56","data":{"WebhookID":"1"}}]}`, id, id), string(r.Body))
}

func placed(sequence uint64) domain.Event {
	return domain.Event{EventPlace: domain.EventPlace{Sequence: sequence, Kind: domain.EventActivity}, Member: 4097}
}

// Deliveries are those of all shards: what was not tried first, then the latest try.
func TestWebhooks_Deliveries(t *testing.T) {
	h := newFixture(t)
	d := &h.engine.delivered
	d.pending[0] = []domain.Undelivered{
		{Events: []domain.Event{placed(4)}, Tries: 2, First: 1, Last: 1_700_000_001_000, Next: 1_700_000_061_000, Status: "timeout"},
		{Events: []domain.Event{placed(5)}},
	}
	d.ended[0] = []domain.Delivery{{ID: domain.MessageID{9}, Events: []domain.Event{placed(1)}, Count: 3, Tries: 1, At: 1_600_000_000_000, Status: "204"}}
	got := answered[wire.Deliveries](h, h.get("/v1.1/webhook/1/deliveries"))
	idOf := func(n uint64) string {
		return delivery.Place{Webhook: 1, Shard: 0}.EventID(delivery.EventOf(placed(n))).String()
	}
	text, _ := json.Marshal(got.Items)
	want := `[{"ID":"` + idOf(5) + `","Event":"activity","Events":1,"Attempts":0,"Status":null,"LastTry":null,"NextTry":null,"GivenUp":false},` +
		`{"ID":"` + idOf(4) + `","Event":"activity","Events":1,"Attempts":2,"Status":"timeout","LastTry":"2023-11-14 22:13:21","NextTry":"2023-11-14 22:14:21","GivenUp":false},` +
		`{"ID":"msg_1baa2e14f92d7f7a509b5a3743018b28","Event":"activity","Events":1,"Attempts":15,"Status":"503","LastTry":"2023-11-14 22:13:20","NextTry":null,"GivenUp":true},` +
		`{"ID":"msg_09000000000000000000000000000000","Event":"activity","Events":3,"Attempts":1,"Status":"204","LastTry":"2020-09-13 12:26:40","NextTry":null,"GivenUp":false}]`
	equal(t, want, string(text))
	page := answered[wire.Deliveries](h, h.get("/v1.1/webhook/1/deliveries?limit=1,2"))
	if page.TotalSize != "4" || len(page.Items) != 2 || page.Items[0].ID != idOf(4) || page.Paging.Next == nil || page.Paging.Previous == nil {
		t.Errorf("%+v", page)
	}
	d.failing = errors.New("the shard cannot be read")
	h.status(h.get("/v1.1/webhook/1/deliveries"), http.StatusInternalServerError)
}

// A message that was given up is pending again, in the shard that it is of, whatever the sender keeps meanwhile. One that
// is pending is not touched; of a batch that was delivered the cursor is to be given.
func TestWebhooks_RedeliverMessage(t *testing.T) {
	h := newFixture(t)
	d := &h.engine.delivered
	d.again = 2
	const path = "/v1.1/webhook/1/redeliver"
	if r := answered[wire.Redelivery](h, h.post(path, "id="+givenUpMessage.String())); !r.Accepted {
		t.Error("it is not accepted")
	}
	if len(d.pending[1]) != 1 || d.pending[1][0].Events[0] != placed(3) || d.pending[1][0].Tries != 0 || d.progress[1].Through != 9 || d.progress[1].Node != (domain.NodeID{}) {
		t.Errorf("%+v", d)
	}
	if n := len(h.engine.submitted); n != 3 || h.engine.submitted[2].Slot.Shard(2) != 1 {
		t.Errorf("%d records", n)
	}
	h.ok(h.post(path, "id="+givenUpMessage.String()), new(wire.Redelivery))
	if len(h.engine.submitted) != 3 {
		t.Error("what is pending is changed")
	}
	d.ended[0] = []domain.Delivery{{ID: domain.MessageID{9}, Events: []domain.Event{placed(1)}, Count: 3}}
	h.refused(h.post(path, "id="+domain.MessageID{9}.String()), domain.InvalidParameter, "id")
	h.refused(h.post(path, "id="+domain.MessageID{8}.String()), domain.NotFound, "id")
	h.refused(h.post(path, ""), domain.MissingParameter, "id")
	h.refused(h.post(path, "cursor=x"), domain.InvalidParameter, "cursor")
	h.refused(h.post(path, "cursor=x&id="+givenUpMessage.String()), domain.InvalidParameter, "cursor")
	d.pending[0] = nil
	for n := range uint64(delivery.MaxPending) {
		d.pending[0] = append(d.pending[0], domain.Undelivered{Events: []domain.Event{placed(100 + n)}})
	}
	d.progress[0] = domain.Progress{Webhook: 1, Version: 1, Through: 5000}
	d.ended[0] = []domain.Delivery{{ID: domain.MessageID{9}, Events: []domain.Event{placed(1)}, Count: 1}}
	h.refused(h.post(path, "id="+domain.MessageID{9}.String()), domain.Conflict, "")
}

// With the cursor of a body all events after it come again, in each shard that went beyond it.
func TestWebhooks_RedeliverAfterCursor(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(0, 3)
		d := &h.engine.delivered
		d.progress = [2]domain.Progress{{Webhook: 1, Version: 4, Through: 3}, {Webhook: 1, Version: 2, Through: 5}}
		next := answered[wire.Feed](h, h.get("/v1.1/activity/feed?limit=1&cursor=begin")).Next
		const path = "/v1.1/webhook/1/redeliver"
		h.ok(h.post(path, "cursor="+next), new(wire.Redelivery))
		if d.progress[0].Through != 1 || d.progress[0].Version != 5 || d.progress[1].Through != 0 {
			t.Errorf("%+v", d.progress)
		}
		versions := []uint64{d.progress[0].Version, d.progress[1].Version}
		h.ok(h.post(path, "cursor="+next), new(wire.Redelivery))
		if !slices.Equal(versions, []uint64{d.progress[0].Version, d.progress[1].Version}) {
			t.Error("nothing is beyond the cursor, and something changed")
		}
		h.engine.hooks[0].Filters = []domain.WebhookFilter{{Name: "brandID", Value: "1"}}
		h.refused(h.post(path, "cursor="+next), domain.InvalidParameter, "cursor")
	})
}
