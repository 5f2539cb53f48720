package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A webhook takes what the feed streams by its filters, page by page, from the shards that it asks for; its cursor is one of
// the stream with the same filters alone.
func TestWebhookSource_TakesTheStream(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(0, 3)
		s.record(1, 2)
		w := &domain.Webhook{ID: 7, Account: 1, Events: domain.EventKindsOf(domain.EventActivity), Filters: []domain.WebhookFilter{{Name: "brandID", Value: "1"}, {Name: "services", Value: "custom"}}}
		source, err := feed.NewWebhook(t.Context(), h.api.Server, w)
		if err != nil {
			t.Fatal(err)
		}
		page, err := source.Page(t.Context(), []uint64{1, delivery.Skip}, 1)
		if err != nil || !page.More || !slices.Equal(page.Next, []uint64{2, delivery.Skip}) || len(page.Events[0]) != 1 || len(page.Events[1]) != 0 {
			t.Fatalf("%+v, %v", page, err)
		}
		want := delivery.Event{Sequence: 2, Kind: domain.EventActivity, Member: 4097, Action: domain.ActionIDOf(2, 1)}
		if page.Events[0][0] != want {
			t.Errorf("%+v", page.Events)
		}
		if page, err = source.Page(t.Context(), page.Next, 500); err != nil || page.More || len(page.Events[0]) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		const path = "/v1.1/activity/feed?limit=10"
		at := source.Cursor([]uint64{3, 1})
		if f := answered[wire.Feed](h, h.get(path+"&brandid=1&services=custom&cursor="+at)); len(f.Items) != 1 {
			t.Errorf("the feed goes on with %d actions", len(f.Items))
		}
		h.status(h.get(path+"&services=custom&cursor="+at), http.StatusBadRequest)
		waited := make(chan error)
		go func() { waited <- source.Await(t.Context()) }()
		s.record(1, 1)
		if err := <-waited; err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := source.Await(ctx); err == nil {
			t.Error("a wait outlives its context")
		}
		w.Filters = []domain.WebhookFilter{{Name: "brandID", Value: "99"}}
		if _, err := feed.NewWebhook(t.Context(), h.api.Server, w); err == nil {
			t.Error("a brand that the account has not is streamed")
		}
	})
}

// What an event says is rendered as the feed shows it, whenever it is asked for: what is gone by then is left out.
func TestWebhookSource_RendersAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(1, 900)
		source, err := feed.NewWebhook(t.Context(), h.api.Server, &domain.Webhook{ID: 7, Account: 1, Events: domain.EventKindsOf(domain.EventActivity)})
		if err != nil {
			t.Fatal(err)
		}
		var events []delivery.Event
		for _, n := range []uint64{2, 3, 4, 700, 899, 5000} {
			events = append(events, delivery.Event{Sequence: n, Kind: domain.EventActivity, Member: 4097})
		}
		got, err := source.Render(t.Context(), 1, events)
		if err != nil || len(got) != 5 {
			t.Fatalf("%d of 5 events that there are, %v", len(got), err)
		}
		items := answered[wire.Feed](h, h.get("/v1.1/activity/feed?limit=500&cursor=begin")).Items
		for i, r := range got {
			if r.Event != events[i] || !r.Time.Equal(time.Unix(1773565200, 0)) {
				t.Errorf("%+v, want %+v", r, events[i])
			}
			if n := events[i].Sequence; n < 500 {
				if text, err := wire.Encode(&items[n-1]); err != nil || string(text) != string(r.Data) {
					t.Errorf("%s, want %s, %v", r.Data, text, err)
				}
			}
		}
		h.engine.mu.Lock()
		h.engine.members[4097].State = domain.MemberErased
		h.engine.mu.Unlock()
		if got, err = source.Render(t.Context(), 1, events); err != nil || len(got) != 0 {
			t.Errorf("of an erased member: %+v, %v", got, err)
		}
	})
}

// A webhook has the events that it asks for: what is removed and erased in its place, with the member that it waits for.
func TestWebhookSource_TakesBack(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(1, 1)
		s.notify(1, domain.Notice{Kind: domain.EventRemoved, Member: 4097, Action: 8193})
		s.notify(1, domain.Notice{Kind: domain.EventErased, Member: 4097})
		all := []delivery.Event{
			{Sequence: 1, Kind: domain.EventActivity, Member: 4097, Action: domain.ActionIDOf(1, 101)},
			{Sequence: 2, Kind: domain.EventRemoved, Member: 4097, Action: 8193},
			{Sequence: 3, Kind: domain.EventErased, Member: 4097},
		}
		for kinds, want := range map[domain.EventKinds][]delivery.Event{
			domain.EventKindsOf(domain.EventActivity):                                          all[:1],
			domain.EventKindsOf(domain.EventRemoved):                                           all[1:2],
			domain.EventKindsOf(domain.EventErased, domain.EventRemoved):                       all[1:],
			domain.EventKindsOf(domain.EventActivity, domain.EventErased, domain.EventRemoved): all,
		} {
			source, err := feed.NewWebhook(t.Context(), h.api.Server, &domain.Webhook{ID: 7, Account: 1, Events: kinds})
			if err != nil {
				t.Fatal(err)
			}
			page, err := source.Page(t.Context(), []uint64{0, 0}, 500)
			if err != nil || !slices.Equal(page.Events[1], want) || !slices.Equal(page.Next, []uint64{0, 3}) {
				t.Errorf("%v: %+v, %v", kinds.List(), page, err)
			}
			got, err := source.Render(t.Context(), 1, want)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%v: %+v, %v", kinds.List(), got, err)
			}
			for i, r := range got {
				text, at := "", time.UnixMilli(1773565300123)
				switch r.Event.Kind {
				case domain.EventRemoved:
					text = "{\"ID\":\"8193\"}\n"
				case domain.EventErased:
					text = "{\"MemberID\":\"4097\"}\n"
				default:
					text, at = string(r.Data), time.Unix(1773565200, 0)
				}
				if r.Event != want[i] || string(r.Data) != text || !r.Time.Equal(at) {
					t.Errorf("%+v, want %+v", r, want[i])
				}
			}
		}
	})
}

// A webhook has who came onto its list and who left it beside the action of the same sequence, each as its own event, and who was
// merged. The filters choose actions alone.
func TestWebhookSource_Memberships(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(1, 1)
		s.list(1, 1, true)
		s.list(1, 2, true) // of another list
		s.list(1, 1, false)
		s.notify(1, domain.Notice{Kind: domain.EventMerged, Member: 4101, Other: 4097})
		s.notify(1, domain.Notice{Kind: domain.EventUnmerged, Member: 4101, Other: 4097})
		of := func(kinds ...domain.EventKind) (*feed.Webhook, error) {
			return feed.NewWebhook(t.Context(), h.api.Server, &domain.Webhook{
				ID: 7, Account: 1, Events: domain.EventKindsOf(kinds...), Filters: []domain.WebhookFilter{{Name: "segment", Value: "1"}},
			})
		}
		type told struct{ kind, data string }
		enter := "{\"SegmentID\":\"1\",\"MemberID\":\"4097\",\"Time\":\"2026-03-15 09:01:40\"}\n"
		leave := told{"leave", enter}
		merged := "{\"MemberID\":\"4101\",\"MergedMemberID\":\"4097\"}\n"
		for _, c := range []struct {
			kinds []domain.EventKind
			want  []told
		}{
			{[]domain.EventKind{domain.EventEnter}, []told{{"enter", enter}}},
			{[]domain.EventKind{domain.EventLeave, domain.EventMerged}, []told{leave, {"merged", merged}}},
			{[]domain.EventKind{domain.EventEnter, domain.EventLeave, domain.EventUnmerged}, []told{{"enter", enter}, leave, {"unmerged", merged}}},
			{[]domain.EventKind{domain.EventActivity, domain.EventEnter, domain.EventLeave}, []told{
				{"activity", ""}, {"activity", ""}, {"enter", enter}, {"activity", ""}, {"activity", ""}, leave,
			}},
		} {
			source, err := of(c.kinds...)
			if err != nil {
				t.Fatal(err)
			}
			for limit := 1; limit < 8; limit++ {
				var got []told
				after := []uint64{0, 0}
				for more := true; more; {
					page, err := source.Page(t.Context(), after, limit)
					if err != nil {
						t.Fatal(err)
					}
					rendered, err := source.Render(t.Context(), 1, page.Events[1])
					if err != nil || len(rendered) != len(page.Events[1]) {
						t.Fatalf("%+v: %+v, %v", page, rendered, err)
					}
					for i, r := range rendered {
						if r.Event != page.Events[1][i] || r.Event.Kind != domain.EventActivity && !r.Time.Equal(time.UnixMilli(1773565300123)) {
							t.Errorf("%+v for %+v", r, page.Events[1][i])
						}
						if r.Event.Kind == domain.EventActivity {
							r.Data = nil
						}
						got = append(got, told{r.Event.Kind.String(), string(r.Data)})
					}
					after, more = page.Next, page.More
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%v, %d a page: %q, want %q", c.kinds, limit, got, c.want)
				}
			}
		}
		edited, err := feed.NewWebhook(t.Context(), h.api.Server, &domain.Webhook{ID: 7, Account: 1, Events: domain.FeedEvents})
		if err != nil {
			t.Fatal(err)
		}
		waiting := []delivery.Event{{Sequence: 2, Kind: domain.EventEnter, Member: 4097}, {Sequence: 3, Kind: domain.EventActivity, Member: 4097}}
		if got, err := edited.Render(t.Context(), 1, waiting); err != nil || len(got) != 1 || got[0].Event != waiting[1] {
			t.Errorf("of what waits for a webhook that sends no memberships any more: %+v, %v", got, err)
		}
		source, err := of(domain.EventLeave)
		if err != nil {
			t.Fatal(err)
		}
		s.kept = 3
		if page, err := source.Page(t.Context(), []uint64{1, 2}, 9); err != nil || len(page.Events[1]) != 1 {
			t.Errorf("from before what is kept: %+v, %v", page, err)
		}
		if !strings.Contains(h.log.String(), "that are kept: earlier ones are not sent") {
			t.Errorf("it is not logged: %s", h.log)
		}
	})
}
