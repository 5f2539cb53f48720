package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// recordIn are the parameters of activity/record.
type recordIn struct {
	Action Action
	Async  bool `name:"async" default:"1" doc:"1: answer once the record is durable; 0: once it is visible" eg:"0"`
}

// Action is the parameters of one action.
type Action struct {
	ActivityID bind.ID `name:"activityid" required:"" doc:"id of an activity definition" eg:"100"`
	Member     selection.Performer
	BrandID    bind.ID   `name:"brandid" doc:"required unless the definition has a brand" eg:"1"`
	Content    content   `name:"content" doc:"an object, or text; it is kept in clear, as you publish it: put nobody's name in it; an object nests at most 32 levels" eg:"{\"TrackName\":\"Blue\"}"`
	Link       bind.URL  `name:"link" doc:"address of what it was done with, http or https" eg:"https://example.com/track"`
	Media      bind.URL  `name:"media" doc:"address of a picture of it, http or https" eg:"https://example.com/cover.png"`
	Marker     string    `name:"marker" doc:"the record's name within application and member, known in the month of its timestamp and, for any timestamp, in the current and the previous month: the same record again gives the item there is, another one under it is error 7; timestamp (where one is given), brand, definition and service decide whether it is the same, content does not" eg:"m-1"`
	Timestamp  bind.Time `name:"timestamp" doc:"when it was completed; default: receipt" eg:"2026-01-02 03:04:05"`
	Country    string    `name:"country" doc:"where it was done, ISO 3166-1 alpha-2; another text is left out, with a Warning" eg:"DE"`
	Region     string    `name:"region" doc:"where it was done" eg:"Berlin"`
	City       string    `name:"city" doc:"where it was done" eg:"Berlin"`
}

// content is the contents of an action: a JSON object without blanks, or text.
type content string

// MaxContent bounds the contents of an action, in bytes as they are kept: an object's without the
// blanks between its values.
const MaxContent = 64 << 10

// Verbatim says that the texts within an object are composed, not what writes them.
func (*content) Verbatim() {}

// ParseParam reads an object or a text.
func (v *content) ParseParam(s string) error {
	s = wire.Compact(s)
	if wire.IsObject(s) {
		if err := jsonvalue.Check([]byte(s)); err != nil {
			return err
		}
		s = string(jsonvalue.Compose(jsonvalue.Mend([]byte(s))))
	} else {
		s = composed.Text(s)
	}
	if len(s) > MaxContent {
		return fmt.Errorf("must be at most %d bytes long", MaxContent)
	}
	*v = content(s)
	return nil
}

// Record appends an action of a member to the log. Its answer is a feed item once
// it is visible, or only that it was accepted.
func Record(ctx context.Context, req *serve.Request, in *recordIn) (any, error) {
	// Whether a request is a repeat only its shard knows, so one with an
	// Idempotency-Key waits for its outcome and is answered as it asked all the same.
	durable := in.Async && !req.Keyed
	a, err := activityOf(req, &in.Action)
	if err != nil {
		return nil, err
	}
	if err := in.Action.Member.Refuse(ctx, req, !durable); err != nil {
		return nil, err
	}
	if err := resolve(ctx, req, []*Action{&in.Action}, []*domain.Activity{a})[0]; err != nil {
		return nil, err
	}
	s, err := recording(req, &in.Action, a, durable)
	if err != nil {
		return nil, err
	}
	out, err := req.Submit(ctx, s)
	if err != nil && s.Activity.Refusal == domain.Accepted {
		return nil, serve.WithParameter(err, in.Action.Member.Parameter())
	}
	if err != nil {
		return nil, err
	}
	if in.Async {
		req.Response.Status = http.StatusAccepted
	}
	if s.Durable {
		return &wire.Accepted{Accepted: true, Marker: s.Activity.Content.Marker}, nil
	}
	if fault := refusedOutcome(s.Activity, &out); fault != nil {
		return nil, fault
	}
	if out.Row.Flags&domain.Deleted != 0 && !in.Async {
		return nil, errDeleted
	}
	if out.Replayed { // the member may be erased since
		if _, err := req.Survivor(ctx, out.Member, out.Position); err != nil {
			return nil, serve.WithParameter(err, in.Action.Member.Parameter())
		}
	}
	item, err := feed.Item(ctx, req, &out)
	if err != nil {
		return nil, err
	}
	if in.Async {
		return &wire.Accepted{Accepted: true, Marker: item.Marker}, nil
	}
	return item, nil
}

// resolve addresses each activity to the id of its member, so that no name of a member gets into the
// log, and gives what is wrong with each. Under an Idempotency-Key a member that is not known is left
// to its shard: a repeat of what was recorded still gets its first outcome.
func resolve(ctx context.Context, req *serve.Request, in []*Action, of []*domain.Activity) []error {
	errs := make([]error, len(of))
	to := make([]domain.Addressee, len(of))
	for i, a := range of {
		to[i] = domain.Addressee{Member: a.Member, Identity: a.Identity}
	}
	ids, err := selection.Addressed(ctx, req, to)
	for i, a := range of {
		switch {
		case err != nil:
			errs[i] = err
		case ids[i] != 0:
			a.Member, a.Identity = ids[i], domain.IdentityHash{}
		case !req.Keyed:
			errs[i] = domain.Bad(domain.NotFound, in[i].Member.Parameter(), "no such member")
		}
	}
	return errs
}

// recording is the submission of an action. A durable one, whose outcome is not awaited,
// carries what came over HTTP, with the member's id for its name: refused, it becomes a dead letter
// that can be published again.
func recording(req *serve.Request, in *Action, a *domain.Activity, durable bool) (domain.Submission, error) {
	s := req.Submission()
	s.Activity, s.Slot, s.Durable = a, domain.Addressee{Member: a.Member, Identity: a.Identity}.Slot(), durable
	if !durable {
		return s, nil
	}
	raw, err := json.Marshal(eventOf(req, in, a.Member))
	if err != nil {
		return s, &domain.Error{Code: domain.Internal, Op: "event", Err: err}
	}
	a.Raw = string(raw)
	if a.Content.Marker == "" {
		// What the answer names must be what the feed shows, and the log's time is not
		// known before the outcome.
		a.Content.Marker = wire.Marker(req.Clock.Now)
	}
	return s, nil
}

// place leaves out a country that is none: an action is worth more than its place.
func (in *Action) place(req *serve.Request) {
	code, ok := domain.ParseCountry(in.Country)
	if !ok && in.Country != "" {
		req.Warn("country is no ISO 3166-1 alpha-2 code: the action is recorded without it")
	}
	in.Country = code
}

// refusedOutcome is the error of an action that the catalog refused; nil: it was not,
// or its request is a repeat of one that was taken.
func refusedOutcome(a *domain.Activity, out *domain.Outcome) *domain.Error {
	if a.Refusal == domain.Accepted || out.Replayed {
		return nil
	}
	return domain.Bad(domain.NotFound, refusedParameter[a.Refusal], a.Detail)
}

// activityOf is the activity that the parameters mean, stamped with the fields of the
// catalog.
func activityOf(req *serve.Request, in *Action) (*domain.Activity, error) {
	in.place(req)
	to := in.Member.Addressee(req)
	a := &domain.Activity{Member: to.Member, Identity: to.Identity, Content: domain.Content{
		Marker: in.Marker, Content: string(in.Content), Link: string(in.Link), Media: string(in.Media),
		Geo: domain.Geo{Country: in.Country, Region: in.Region, City: in.City},
	}}
	a.Time, a.Defaulted = in.Timestamp.Unix, !in.Timestamp.Given
	if err := stamp(req, a, in); err != nil {
		return nil, err
	}
	a.Hash = req.DedupKey(dedupSource(req, in))
	return a, nil
}

// dedupSource is the dedup key of a record over HTTP, as a source and an id within it:
// the application and the marker, else the request.
func dedupSource(req *serve.Request, in *Action) (source, id string) {
	if in.Marker != "" {
		return "app/" + wire.Number(req.Caller.App.ID), in.Marker
	}
	return "request", req.ID.String()
}

// refusedParameter is the parameter that a refusal of the catalog is about.
var refusedParameter = map[domain.Reason]string{domain.UnknownActivity: "activityid", domain.UnknownBrand: "brandid"}

// stamp puts the fields of the catalog into an activity. What the
// catalog does not know is an error at once, but under an Idempotency-Key a refusal
// that travels: a repeat of what was recorded before a deletion still gets its
// first outcome.
func stamp(req *serve.Request, a *domain.Activity, in *Action) error {
	a.Definition, a.Brand = domain.DefinitionID(in.ActivityID.Small()), domain.BrandID(in.BrandID.Small())
	d, unknown := req.Definition(in.ActivityID, "activityid")
	if unknown == nil {
		a.Service, a.Points, a.OneTime = d.Service, d.Value, d.OneTime
		if d.Brand == 0 && in.BrandID == 0 {
			return domain.Bad(domain.MissingParameter, "brandid", "brandid is required: the definition has no brand")
		}
	}
	if fault := in.timeFault(req.Clock.Now); fault != nil {
		return fault
	}
	if unknown != nil {
		return refused(req, a, domain.UnknownActivity, unknown)
	}
	brand := cmp.Or(in.BrandID, bind.ID(d.Brand))
	if d.Brand != 0 && brand != bind.ID(d.Brand) {
		return domain.Bad(domain.InvalidParameter, "brandid", "brandid differs from the definition's")
	}
	a.Brand = domain.BrandID(brand.Small())
	if _, err := req.Brand(brand, "brandid"); err != nil {
		return refused(req, a, domain.UnknownBrand, err)
	}
	return nil
}

// timeFault is what is wrong with the timestamp; nil: nothing.
func (in *Action) timeFault(now time.Time) *domain.Error {
	switch t := in.Timestamp; {
	case t.Given && t.Unix > now.Add(time.Hour).Unix():
		return domain.Bad(domain.InvalidParameter, "timestamp", "timestamp must be at most an hour ahead")
	case t.Given && t.Unix < int64(domain.FirstSecond):
		return domain.Bad(domain.InvalidParameter, "timestamp", "timestamp must not be before 2000")
	}
	return nil
}

// refused makes the error a refusal that travels, where it must.
func refused(req *serve.Request, a *domain.Activity, reason domain.Reason, err error) error {
	e, _ := errors.AsType[*domain.Error](err)
	if !req.Keyed || e == nil || e.Code != domain.NotFound {
		return err
	}
	a.Refusal, a.Detail = reason, e.Message
	return nil
}

// event is a record over HTTP in the form of the public topic: a dead letter of it
// can be published there again, and is the same action. It names the member by its id alone.
type event struct {
	ID       string            `json:"id"`
	Source   string            `json:"source"`
	Time     string            `json:"time,omitempty"`
	Account  domain.AccountID  `json:"account"`
	Member   domain.MemberID   `json:"memberID"`
	Activity bind.ID           `json:"activityID"`
	Brand    bind.ID           `json:"brandID,omitempty"`
	Content  json.RawMessage   `json:"content,omitempty"`
	Link     bind.URL          `json:"link,omitempty"`
	Media    bind.URL          `json:"media,omitempty"`
	Geo      map[string]string `json:"geo,omitempty"`
}

func eventOf(req *serve.Request, in *Action, member domain.MemberID) *event {
	source, id := dedupSource(req, in)
	e := &event{
		ID: id, Source: source, Account: req.Account(), Member: member, Activity: in.ActivityID, Brand: in.BrandID,
		Link: in.Link, Media: in.Media, Geo: map[string]string{},
	}
	if in.Timestamp.Given {
		e.Time = time.Unix(in.Timestamp.Unix, 0).UTC().Format(time.RFC3339)
	}
	if in.Content != "" {
		e.Content = wire.Content(string(in.Content))
	}
	for name, v := range map[string]string{"country": in.Country, "region": in.Region, "city": in.City} {
		if v != "" {
			e.Geo[name] = v
		}
	}
	return e
}

// errDeleted is the error of a record that repeats what was deleted: there is no item to
// be given for it, and none comes back.
var errDeleted = domain.Fail(domain.NotFound, "the action was deleted: a repeat does not bring it back")
