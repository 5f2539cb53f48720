package feed

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/segments"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
)

// Group is that of the operations of the feed.
const Group = "Activities"

// WebhookFilters are the parameters of the feed that a webhook may have as filters.
type WebhookFilters struct {
	BrandID bind.ID `name:"brandID" doc:"only actions for this brand" eg:"1"`
	Filters feedFilters
	Keyword string `name:"keyword" doc:"only actions with this text in a value of their Content, in any case" eg:"blue"`
}

var webhookPlan = sync.OnceValue(func() *bind.Plan { return bind.NewPlan(reflect.TypeFor[WebhookFilters](), "", false) })

// GivenWebhookFilters are the filters that a webhook has after a request: what is given overwrites, and what is given
// empty is taken away. It reports whether any is given.
func GivenWebhookFilters(old []domain.WebhookFilter, params *bind.Params) (filters []domain.WebhookFilter, some bool) {
	before := domain.Webhook{Filters: old}
	for _, q := range webhookPlan().Params() {
		value, given := params.Get(bind.Fold(q.Name))
		if some = some || given; !given {
			value = before.Filter(q.Name)
		}
		if value != "" {
			filters = append(filters, domain.WebhookFilter{Name: q.Name, Value: value})
		}
	}
	return filters, some
}

// bindWebhook reads the filters of a webhook, and is what its cursors belong to.
func bindWebhook(filters []domain.WebhookFilter) (in *WebhookFilters, params *bind.Params, stream string, err error) {
	query := url.Values{}
	for _, f := range filters {
		query.Set(f.Name, f.Value)
	}
	params = new(bind.Params)
	params.Encoded(query.Encode())
	in = new(WebhookFilters)
	if _, fault := webhookPlan().Bind(in, params); fault != nil {
		return nil, nil, "", fault
	}
	return in, params, serve.StreamOf(Group, webhookPlan(), in), nil
}

func (in *WebhookFilters) streamed(kinds domain.EventKinds) streamed {
	return streamed{brand: in.BrandID, filters: (*selection.Filters)(&in.Filters), keyword: in.Keyword, kinds: kinds}
}

// CheckWebhook is what is wrong with the filters of a webhook, as far as the catalog tells it: what they name is not there.
func CheckWebhook(req *serve.Request, filters []domain.WebhookFilter) error {
	in, _, _, err := bindWebhook(filters)
	if err != nil {
		return err
	}
	return selection.CheckNames(req, in.BrandID, "brandID", (*selection.Filters)(&in.Filters))
}

// BeginWebhook is where a webhook with the filters begins, by shard: what becomes visible from now on is after it. The list whose
// memberships the webhook sends is followed by then.
func BeginWebhook(ctx context.Context, req *serve.Request, filters []domain.WebhookFilter, kinds domain.EventKinds) ([]uint64, error) {
	in, _, _, err := bindWebhook(filters)
	if err != nil {
		return nil, err
	}
	if kinds.Any(domain.ListEvents) {
		of, err := req.Segment(in.Filters.Segment, "segment")
		if err != nil {
			return nil, err
		}
		if err := segments.Follow(ctx, req, of); err != nil {
			return nil, err
		}
	}
	now, _, err := in.streamed(kinds).Ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
	if err != nil {
		return nil, err
	}
	return now.Stream.Next, nil
}

// ErrWebhookCursor is a cursor that is none of a webhook.
var ErrWebhookCursor = domain.Bad(domain.InvalidParameter, "cursor",
	"cursor must be that of a body of this webhook, from a time when it had the filters that it has now")

// OpenWebhookCursor is where a cursor of a webhook's body is, by shard.
func OpenWebhookCursor(ctx context.Context, req *serve.Request, w *domain.Webhook, token string) ([]uint64, error) {
	in, _, stream, err := bindWebhook(w.Filters)
	if err != nil {
		return nil, err
	}
	now, _, err := in.streamed(domain.FeedEvents).Ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
	if err != nil {
		return nil, err
	}
	req.List().Stream = stream
	ids := req.List().StreamIDs(req.Account(), now.Position.Journal)
	at, ok := ids.Open(token)
	if !ok || len(at) != len(now.Stream.Next) {
		return nil, ErrWebhookCursor
	}
	return at, nil
}

// Webhook is the stream of the feed as a webhook takes its events from it (delivery.Source): what the filters of the
// webhook match, each event rendered anew whenever it is asked for. An action that is gone by then, or that the filters
// match no more, has no contents.
type Webhook struct {
	id      domain.WebhookID
	of      streamed
	request func(context.Context) *serve.Request
	ids     page.StreamIDs
	shards  int

	mu    sync.Mutex // guards what follows: Page and Await are called one after the other, by other goroutines
	asked *domain.Question
	since domain.Versions // before the last page
}

// NewWebhook is the stream of a webhook, of a server.
func NewWebhook(ctx context.Context, server *serve.Server, w *domain.Webhook) (*Webhook, error) {
	in, params, stream, err := bindWebhook(w.Filters)
	if err != nil {
		return nil, unfound(err)
	}
	out := &Webhook{
		id:      w.ID,
		of:      in.streamed(w.Events),
		request: server.Detached(w.Account, params, stream),
	}
	req := out.request(ctx)
	now, _, err := out.of.Ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
	if err != nil {
		return nil, unfound(err)
	}
	out.shards = len(now.Stream.Next)
	out.ids = req.List().StreamIDs(w.Account, now.Position.Journal)
	return out, nil
}

// Page is what comes after a place of each shard. Memberships from before what is kept are passed over, with a warning.
func (w *Webhook) Page(ctx context.Context, after []uint64, limit int) (delivery.Page, error) {
	answer, err := w.ask(ctx, w.of, domain.StreamQuery{Above: after, Limit: limit}, true)
	if errors.Is(err, domain.ErrMembershipsGone) {
		req := w.request(ctx)
		req.Logger().Warn("a webhook goes on with the memberships of its list that are kept: earlier ones are not sent", "webhook", w.id)
		of := w.of
		of.kept = true
		answer, err = w.ask(ctx, of, domain.StreamQuery{Above: after, Limit: limit}, true)
	}
	if err != nil {
		return delivery.Page{}, err
	}
	out := delivery.Page{Events: make([][]delivery.Event, len(after)), Next: answer.Stream.Next, More: answer.Stream.More}
	for i := range answer.Stream.Events {
		e := &answer.Stream.Events[i]
		out.Events[e.Shard] = append(out.Events[e.Shard], eventOf(e))
	}
	return out, nil
}

// eventOf is an event of the stream as it is kept.
func eventOf(e *domain.StreamEvent) delivery.Event {
	if r := &e.Notice; r.Kind != 0 {
		return delivery.Event{Sequence: r.Seq, Kind: r.Kind, Member: r.Member, Action: r.Action}
	}
	if m := &e.Membership; m.Segment != 0 {
		return delivery.Event{Sequence: m.Seq, Kind: m.Kind(), Member: m.Member}
	}
	row := &e.Item.Row
	return delivery.Event{
		Sequence: row.Seq, Kind: domain.EventActivity, Member: e.Item.Member, Action: domain.ActionIDOf(row.Seq, row.Slot),
	}
}

// ask asks for a page. What it is selected by is found again for each.
func (w *Webhook) ask(ctx context.Context, of streamed, from domain.StreamQuery, follows bool) (answer *domain.Answer, err error) {
	req := w.request(ctx)
	since := req.Engine.Versions()
	_, err = req.MakeShared(ctx, func(ctx context.Context) (*follow.Page, error) {
		var q *domain.Question
		if answer, q, err = of.Ask(ctx, req, from); err == nil && follows {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.asked, w.since = q, since
		}
		return nil, err
	})
	return answer, unfound(err)
}

// unfound marks an error by which no events are found before the webhook is changed, or what its filters name is there
// again.
func unfound(err error) error {
	switch domain.CodeOf(err) {
	case domain.NotFound, domain.Gone, domain.MissingParameter, domain.InvalidParameter:
		return fmt.Errorf("%w: %w", delivery.ErrFilters, err)
	}
	return err
}

// Await returns when there may be events after the last page.
func (w *Webhook) Await(ctx context.Context) error {
	w.mu.Lock()
	asked, since := w.asked, w.since
	w.mu.Unlock()
	return w.request(ctx).Engine.AwaitRows(ctx, asked, since)
}

// Render gives the contents of events of a shard as of now, in their order.
func (w *Webhook) Render(ctx context.Context, shard int, events []delivery.Event) (out []delivery.Rendered, err error) {
	wanted := make(map[domain.EventPlace]delivery.Event, len(events))
	of := w.of
	of.kinds, of.kept = 0, true
	for _, e := range events {
		wanted[domain.EventPlace{Sequence: e.Sequence, Kind: e.Kind}] = e
		of.kinds |= domain.EventKindsOf(e.Kind)
	}
	if !w.of.kinds.Any(domain.ListEvents) { // the webhook was edited: memberships that wait have no contents any more
		of.kinds &^= domain.ListEvents
	}
	for len(events) > 0 {
		answer, err := w.ask(ctx, of, w.from(shard, events), false)
		if err != nil {
			return nil, err
		}
		page := answer.Stream
		page.Events = slices.DeleteFunc(page.Events, func(e domain.StreamEvent) bool {
			_, is := wanted[placeOf(&e)]
			return !is || e.Shard != shard
		})
		if out, err = w.render(ctx, out, answer, wanted); err != nil {
			return nil, err
		}
		for len(events) > 0 && (events[0].Sequence <= page.Next[shard] || !page.More) {
			events = events[1:]
		}
	}
	return out, nil
}

// from asks for events of one shard, from the first of them on.
func (w *Webhook) from(shard int, events []delivery.Event) domain.StreamQuery {
	above := slices.Repeat([]uint64{delivery.Skip}, w.shards)
	above[shard] = events[0].Sequence - 1
	return domain.StreamQuery{Above: above, Limit: min(len(events), domain.MaxStreamPage)}
}

// render appends what the events of a page say.
func (w *Webhook) render(
	ctx context.Context, out []delivery.Rendered, page *domain.Answer, wanted map[domain.EventPlace]delivery.Event,
) ([]delivery.Rendered, error) {
	all, err := tell(ctx, w.request(ctx), page)
	if err != nil {
		return nil, err
	}
	for i := range all {
		e := &all[i]
		text, err := e.json()
		if err != nil {
			return nil, err
		}
		out = append(out, delivery.Rendered{Event: wanted[placeOf(e.StreamEvent)], Time: timeOf(e.StreamEvent), Data: text})
	}
	return out, nil
}

// placeOf is where an event is in its shard.
func placeOf(e *domain.StreamEvent) domain.EventPlace {
	return domain.EventPlace{Sequence: e.Sequence(), Kind: e.Kind()}
}

// timeOf is when an event happened.
func timeOf(e *domain.StreamEvent) time.Time {
	switch {
	case e.Notice.Kind != 0:
		return time.UnixMilli(e.Notice.At).UTC()
	case e.Membership.Segment != 0:
		return time.UnixMilli(e.Membership.At).UTC()
	}
	return time.Unix(int64(e.Item.Row.Time), 0).UTC()
}

// Cursor is the stream's cursor after these places: activity/feed/stream takes it, with the same filters.
func (w *Webhook) Cursor(after []uint64) string { return w.ids.Seal(after) }
