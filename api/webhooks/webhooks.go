package webhooks

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/sending"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Config is what a Service is made with.
type Config struct {
	Deliveries port.Deliveries
	Secrets    *sending.Secrets
	Poster     delivery.Poster
}

// Service serves webhooks.
type Service struct{ c Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// listIn are the parameters of the list of webhooks.
type listIn struct{ page.Paged }

// List lists the account's webhooks by ID.
func (s *Service) List(ctx context.Context, req *serve.Request, in *listIn) (*wire.Webhooks, error) {
	found := slices.DeleteFunc(slices.Clone(req.Catalog.WebhooksOf(req.Account())), func(w *domain.Webhook) bool { return w.Deleted })
	rows, paging := page.PageOf(req, in.Page(req), found, func(w **domain.Webhook) page.Row { return page.Row{ID: uint64((*w).ID)} }, page.ByID)
	out := &wire.Webhooks{TotalSize: wire.Number(len(found)), Items: make([]wire.Webhook, 0, len(rows)), Paging: paging}
	for _, w := range rows {
		item, err := s.item(req, w)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// item renders a webhook.
func (s *Service) item(req *serve.Request, w *domain.Webhook) (wire.Webhook, error) {
	failing, err := s.failing(req, w)
	if err != nil {
		return wire.Webhook{}, err
	}
	return wire.WebhookOf(w, failing), nil
}

// failing is what is wrong with a webhook; nil: nothing is.
func (s *Service) failing(req *serve.Request, w *domain.Webhook) (*wire.WebhookFailing, error) {
	since := wire.NullMillis(w.Since)
	switch w.Disabled {
	case domain.DisabledByGone:
		return &wire.WebhookFailing{Reason: "gone", Since: since, Detail: "the receiver answered 410: nothing is sent before the webhook is enabled again"}, nil
	case domain.DisabledByFailing:
		return &wire.WebhookFailing{Reason: "disabled", Since: since, Detail: "the receiver took nothing for 5 days: nothing is sent before the webhook is enabled again"}, nil
	}
	if err := feed.CheckWebhook(req, w.Filters); err != nil {
		var fault *domain.Error
		if !errors.As(err, &fault) || domain.CodeOf(err) == domain.Unavailable {
			return nil, err
		}
		return &wire.WebhookFailing{Reason: "filters", Detail: "no event is found before the filters are changed: " + fault.Message}, nil
	}
	p, _, err := s.c.Deliveries.Progress(sending.Home(w.ID, s.c.Deliveries.Shards()), w.ID)
	if err != nil {
		return nil, serve.WaitFault(err)
	}
	if p.Failing == 0 || p.Failing < w.Since {
		return nil, nil
	}
	return &wire.WebhookFailing{Reason: "receiver", Since: wire.NullMillis(p.Failing), Detail: "the receiver has taken nothing since"}, nil
}

// Address is the address of a receiver.
type Address string

const maxAddress = 2048

// Verbatim says that an address is not composed: it is where something is.
func (*Address) Verbatim() {}

// Pattern is the form of an address, as far as an expression can say it.
func (*Address) Pattern() string { return `^[Hh][Tt][Tt][Pp][Ss]://[A-Za-z0-9\[].*$` }

// ParseParam reads an address.
func (a *Address) ParseParam(s string) error {
	if len(s) > maxAddress {
		return errors.New("must be at most " + strconv.Itoa(maxAddress) + " bytes long")
	}
	if _, err := egress.ParseURL(s); err != nil {
		return err
	}
	*a = Address(s)
	return nil
}

// Kinds are the events that a webhook sends.
type Kinds domain.EventKinds

// sent are the events that webhooks send.
var sent = (domain.FeedEvents | domain.ListEvents | domain.NoticeEvents).List()

// Pattern is the form of a list of events.
func (*Kinds) Pattern() string {
	var words []string
	for _, kind := range sent {
		var word strings.Builder
		for _, letter := range kind.String() {
			word.WriteString("[" + strings.ToUpper(string(letter)) + string(letter) + "]")
		}
		words = append(words, word.String())
	}
	entry := "(" + strings.Join(words, "|") + ")"
	return `^ *` + entry + `( *, *` + entry + `)* *$`
}

// ParseParam reads a list of events.
func (k *Kinds) ParseParam(s string) error {
	entries := strings.Split(s, ",")
	if len(entries) > bind.MaxList {
		return errors.New("must have at most " + strconv.Itoa(bind.MaxList) + " entries")
	}
	*k = 0
	for _, entry := range entries {
		entry = strings.ToLower(strings.TrimSpace(entry))
		i := slices.IndexFunc(sent, func(kind domain.EventKind) bool { return kind.String() == entry })
		if i < 0 {
			return errors.New("must be a list of events: activity, removed, erased, enter, leave, merged, unmerged")
		}
		*k |= Kinds(domain.EventKindsOf(sent[i]))
	}
	return nil
}

// settings are what create and edit share.
type settings struct {
	Batch   *int64 `name:"batch" min:"1" max:"500" doc:"events a request at most; from 2 on the body is a batch: {id, time, cursor, events}. Default 1" eg:"1"`
	Filters feed.WebhookFilters
}

// put is the command that the parameters mean.
func (in *settings) put(req *serve.Request, old []domain.WebhookFilter) *domain.PutWebhook {
	c := &domain.PutWebhook{At: req.Clock.Now.UnixMilli()}
	if in.Batch != nil {
		c.Webhook.Batch = uint16(max(*in.Batch, 1))
		c.Given = append(c.Given, "Batch")
	}
	if filters, given := feed.GivenWebhookFilters(old, req.Params); given {
		c.Webhook.Filters = filters
		c.Given = append(c.Given, "Filters")
	}
	return c
}

// createIn are the parameters of webhook/create.
type createIn struct {
	URL    Address `name:"url" required:"" doc:"where requests are sent: https, without user name, password and fragment. An address that is not public is refused when it is dialled, unless the node allows it; a redirect is a failure" eg:"https://hooks.example.com/ovation"`
	Events Kinds   `name:"events" required:"" doc:"what is sent: activity, removed, erased, enter, leave, merged, unmerged. enter and leave are of the list of segment, which they need (else error 3); the filters choose actions alone" eg:"activity,removed,erased"`
	settings
}

// Create creates a webhook. It sends what becomes visible from now on.
func (s *Service) Create(ctx context.Context, req *serve.Request, in *createIn) (wire.Webhook, error) {
	c := in.put(req, nil)
	if err := checkList(&c.Webhook, domain.EventKinds(in.Events)); err != nil {
		return wire.Webhook{}, err
	}
	begin, err := feed.BeginWebhook(ctx, req, c.Webhook.Filters, domain.EventKinds(in.Events))
	if err != nil {
		return wire.Webhook{}, err
	}
	w := &c.Webhook
	w.URL, w.Events, w.Begin = string(in.URL), domain.EventKinds(in.Events), begin
	w.Secret = s.c.Secrets.Seal(req.Account(), signature.NewSecret())
	c.Given = append(c.Given, "URL", "Events", "Secret")
	return s.put(ctx, req, c, true)
}

// checkList refuses a webhook of memberships that names no list.
func checkList(w *domain.Webhook, events domain.EventKinds) error {
	if events.Any(domain.ListEvents) && w.Filter("segment") == "" {
		return domain.Bad(domain.MissingParameter, "segment", "segment is required: enter and leave are of its list")
	}
	return nil
}

// pathIn is a webhook in the path.
type pathIn struct {
	WebhookID bind.ID `name:"webhookid" doc:"id of a webhook" eg:"1"`
}

// editIn are the parameters of webhook/edit.
type editIn struct {
	pathIn
	URL     *Address `name:"url" doc:"where requests are sent, as for create" eg:"https://hooks.example.com/ovation"`
	Events  *Kinds   `name:"events" doc:"what is sent, as for create" eg:"activity,removed,erased"`
	Enabled *bool    `name:"enabled" doc:"0: nothing is sent; 1: it goes on where it was, also after it was disabled since its receiver failed" eg:"1"`
	Rotate  bool     `name:"rotate" doc:"1: the webhook gets a new Secret, shown in this answer alone; the one before signs along for 24 hours" eg:"1"`
	settings
}

// Missing reports what would be cleared.
func (in *editIn) Missing(has func(string) bool) string {
	switch {
	case in.URL != nil && !has("url"):
		return "url"
	case in.Events != nil && !has("events"):
		return "events"
	}
	return ""
}

// Edit changes a webhook: what is given overwrites, of the filters too, and an empty filter is taken away.
func (s *Service) Edit(ctx context.Context, req *serve.Request, in *editIn) (wire.Webhook, error) {
	if err := req.Renew(); err != nil { // the filters that are not given are those of now
		return wire.Webhook{}, err
	}
	old, err := req.Webhook(in.WebhookID, "webhookid")
	if err != nil {
		return wire.Webhook{}, err
	}
	c := in.put(req, old.Filters)
	w := &c.Webhook
	w.ID = old.ID
	if in.URL != nil {
		w.URL, c.Given = string(*in.URL), append(c.Given, "URL")
	}
	if in.Events != nil {
		w.Events, c.Given = domain.EventKinds(*in.Events), append(c.Given, "Events")
	}
	if in.Enabled != nil {
		if !*in.Enabled {
			w.Disabled = domain.DisabledByOwner
		}
		c.Given = append(c.Given, "Enabled")
	}
	if in.Rotate {
		w.Secret = s.c.Secrets.Seal(req.Account(), signature.NewSecret())
		c.Given = append(c.Given, "Secret")
	}
	after := *old
	if in.Events != nil {
		after.Events = w.Events
	}
	if slices.Contains(c.Given, "Filters") {
		after.Filters = w.Filters
	}
	if err := checkList(&after, after.Events); err != nil {
		return wire.Webhook{}, err
	}
	if slices.Contains(c.Given, "Filters") || in.Events != nil && after.Events.Any(domain.ListEvents) {
		if _, err := feed.BeginWebhook(ctx, req, after.Filters, after.Events); err != nil {
			return wire.Webhook{}, err
		}
	}
	return s.put(ctx, req, c, in.Rotate)
}

// put creates or changes a webhook.
func (s *Service) put(ctx context.Context, req *serve.Request, c *domain.PutWebhook, reveal bool) (wire.Webhook, error) {
	slices.Sort(c.Given)
	out, err := req.Command(ctx, c)
	if err != nil {
		return wire.Webhook{}, err
	}
	all := req.Catalog.WebhooksOf(req.Account()) // of a repeat it may be deleted by now
	i := slices.IndexFunc(all, func(w *domain.Webhook) bool { return uint32(w.ID) == out.ID })
	if i < 0 {
		return wire.Webhook{}, &domain.Error{Code: domain.Internal, Op: "webhook", Message: "a webhook that was put is not in the catalog"}
	}
	if all[i].Deleted {
		return wire.Webhook{}, domain.Fail(domain.NotFound, "the webhook was deleted since")
	}
	item, err := s.item(req, all[i])
	if err != nil || !reveal {
		return item, err
	}
	secret, err := s.c.Secrets.Open(req.Account(), all[i].Secret)
	if err != nil {
		return wire.Webhook{}, &domain.Error{Code: domain.Internal, Op: "webhook", Err: err}
	}
	item.Secret = secret.Reveal()
	return item, nil
}

// Delete deletes a webhook.
func (s *Service) Delete(ctx context.Context, req *serve.Request, in *pathIn) (wire.Deleted, error) {
	id := domain.WebhookID(in.WebhookID.Small())
	if id == 0 {
		_, err := req.Webhook(in.WebhookID, "webhookid")
		return wire.Deleted{}, err
	}
	_, err := req.Command(ctx, &domain.DeleteWebhook{ID: id, At: req.Clock.Now.UnixMilli()})
	return wire.Deleted{Deleted: err == nil}, err
}

// Test sends one event, test, and answers what became of it. It is sent also by a webhook that is disabled.
func (s *Service) Test(ctx context.Context, req *serve.Request, in *pathIn) (wire.WebhookTest, error) {
	w, err := req.Webhook(in.WebhookID, "webhookid")
	if err != nil {
		return wire.WebhookTest{}, err
	}
	at := req.Clock.Now
	secrets, err := s.c.Secrets.Signing(w, at)
	if err != nil {
		return wire.WebhookTest{}, &domain.Error{Code: domain.Internal, Op: "webhook", Err: err}
	}
	request, err := delivery.TestRequest(w, domain.MessageID(req.ID), at, secrets)
	if err != nil {
		return wire.WebhookTest{}, err
	}
	return wire.WebhookTest{Status: s.c.Poster.Post(ctx, request).Word()}, nil
}
