package serve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/mailaddress"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/port"
)

// Unhashed are parameters that are no part of the question.
var Unhashed = poll.Unhashed

// Request is what a handler gets of one request, and where it leaves what the answer
// carries beside its body.
type Request struct {
	Engine  port.Engine // records what is read, where the answer is to be cached
	Catalog port.Catalog
	Caller  auth.Caller
	Params  *bind.Params
	ID      domain.RequestID
	Keyed   bool            // the id is that of an Idempotency-Key
	Records [][]byte        // of a body of many
	Wait    domain.Position // what must be applied before anything is read
	Links   page.Links
	Clock   poll.Clock

	Response Response

	list    page.List
	config  *Config
	journal *journal
	renewal *renewal // nil: not needed yet
	named   *renewal // for what answers of the engine name; nil: not needed since the newest of them

	memory   *holding // of the request
	renewals *limit.Pool
	each     *bind.Plan // of one record of a body of many
	objects  []string   // parameters whose value may be a JSON object
	http     *http.Request
}

// Account is the account of the caller.
func (req *Request) Account() domain.AccountID { return req.Caller.Account() }

// List is the list of the request, for the pages of package page.
func (req *Request) List() *page.List { return &req.list }

// Minute is that of the request's clock.
func (req *Request) Minute() int64 { return req.Clock.Minute() }

// Warn adds a Warning to the answer.
func (req *Request) Warn(text string) { req.Response.Warn(text) }

// Remote is the address of the client: of the connection's other end, or the one that a proxy names; the zero
// value where it is not known.
func (req *Request) Remote() netip.Addr { return req.config.Proxies.client(req.http) }

// Identity is the keyed hash of an identity's canonical form, which it makes of an address.
func (req *Request) Identity(kind domain.IdentityKind, parts ...string) domain.IdentityHash {
	switch kind {
	case domain.ByLogin, domain.ByEmail, domain.ByVerifiedEmail:
		parts = []string{mailaddress.Fold(parts[0])}
	}
	return req.config.Hasher.Identity(req.Account(), kind, parts...)
}

// DedupKey is the dedup key of (source, id).
func (req *Request) DedupKey(source, id string) uint64 { return req.config.Hasher.ID(source, id) }

// Logger is the server's.
func (req *Request) Logger() *slog.Logger { return req.config.Logger }

// RaisePosition raises the position that the answer shows, to that of an answer of the engine.
func (req *Request) RaisePosition(p domain.Position) {
	req.named = nil
	req.journal.learn(p)
	req.Response.Position = req.Response.Position.Reach(p)
}

// Resolve is the range that parameters mean now; a poll of another minute resolves again.
func (req *Request) Resolve(in bind.Range, maxPeriod bind.Period, shown bool) (poll.Range, *domain.Error) {
	req.list.Resolved(in)
	return req.Clock.Resolve(in, maxPeriod, shown)
}

// ResolveRange resolves the range of a question and shows it in the answer.
func (req *Request) ResolveRange(in bind.Range, maxPeriod bind.Period) (bind.Span, error) {
	r, fault := req.Resolve(req.list.Keyset.Range(in), maxPeriod, true)
	if fault != nil {
		return r.Span, fault
	}
	req.Response.Warnings = append(req.Response.Warnings, r.Warnings...)
	req.Response.Span = r.Span.String()
	return r.Span, req.list.Keyset.Hold(r.Span)
}

// Record binds one record of a body of many. It is a request of its own, of the path and
// the id given; an error leaves its warnings.
func (req *Request) Record(raw []byte, path string, id domain.RequestID, in any) (*Request, error) {
	one := new(*req)
	one.Links.Path, one.ID = path, id
	one.Params, one.Response.Warnings, one.Links.Header = req.Params.Record(), nil, nil
	one.list.Links = &one.Links
	if one.Params.JSON(raw, req.objects...) != nil {
		return one, domain.Fail(domain.InvalidParameter, "a record must be one JSON object of strings, numbers and booleans; content may be an object")
	}
	warnings, fault := req.each.Bind(in, one.Params)
	one.Response.Warnings = warnings
	if fault != nil {
		return one, fault
	}
	return one, nil
}

// ScopeToBrand has a question be about the brand that a parameter names; nil: it names none.
func (req *Request) ScopeToBrand(q *domain.Question, id bind.ID, parameter string) (*domain.Brand, error) {
	if id == 0 {
		return nil, nil
	}
	b, err := req.Brand(id, parameter)
	if err != nil {
		return nil, err
	}
	q.Brand = b.ID
	return b, nil
}

// Submission is a submission of this request. Its hash of the parameters is keyed: they
// may hold a password, and the hash is in the log.
func (req *Request) Submission() domain.Submission {
	hash := binary.BigEndian.AppendUint64(nil, req.Params.Hash(req.Links.Path, Unhashed...))
	return domain.Submission{
		Account: req.Account(), Application: req.Caller.App.ID, Request: req.ID,
		BodyHash: req.config.Hasher.ID("request body", string(hash)),
	}
}

// Submit hands a submission to the engine and takes what the answer shows of its
// outcome.
func (req *Request) Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error) {
	out, err := req.Engine.Submit(ctx, s)
	if err != nil {
		return out, err
	}
	req.Response.Replayed = out.Replayed && !domain.IsKeyMisused(out.Err())
	req.Response.Retry = out.RetryAfter
	req.RaisePosition(out.Position)
	if out.Code != domain.OK {
		return out, out.Err()
	}
	return out, nil
}

// Beside calls f with another request id, which is derived from the request's own id and a name. So a second command of one request is
// not taken for a repeat of the first, and a repeat of the request has the same ids.
func (req *Request) Beside(name string, f func() error) error {
	id := req.ID
	defer func() { req.ID = id }()
	sum := sha256.Sum256(append([]byte(name), id[:]...))
	copy(req.ID[:], sum[:])
	return f()
}

// Command submits a command to the catalog and reads the catalog after it.
func (req *Request) Command(ctx context.Context, command domain.Command) (domain.Outcome, error) {
	s := req.Submission()
	s.Command = command
	out, err := req.Submit(ctx, s)
	if err != nil {
		return out, err
	}
	if err := req.Engine.Await(ctx, out.Position); err != nil {
		return out, err
	}
	req.Catalog = req.Engine.Catalog()
	return out, nil
}

// Ask asks a question at the request's position or after it.
func (req *Request) Ask(ctx context.Context, q *domain.Question) (*domain.Answer, error) {
	answer, err := req.Engine.Ask(ctx, q, req.Wait)
	if err != nil {
		return nil, WaitFault(err)
	}
	req.RaisePosition(answer.Position)
	req.Response.LagMs = answer.LagMs
	req.Wait = req.Wait.Reach(answer.Position)
	if q.Visits != nil && q.Visits.ByPlace(q.Shape) {
		req.WarnOfPlaces(answer)
	}
	return answer, nil
}

// WarnOfPlaces adds a Warning, once, where visits in an answer may have lost where they were made.
func (req *Request) WarnOfPlaces(answer *domain.Answer) {
	const text = "visits may be missing by page or domain: the account has more of them than are kept, " +
		"and visits to others count without"
	if answer.PlacesFull && !slices.Contains(req.Response.Warnings, text) {
		req.Warn(text)
	}
}

// Member is a member at a position or after it.
func (req *Request) Member(ctx context.Context, id domain.MemberID, wait domain.Position) (*domain.Member, error) {
	m, at, err := req.readMember(ctx, id, wait, req.Engine.Member)
	if err != nil {
		return nil, WaitFault(err)
	}
	req.RaisePosition(at)
	return m, nil
}

// Survivor is a member at a position or after it; of one who was merged into another, that one. Where
// that one is merged itself, each is read when it has what was sent to it by the one before: what an
// answer names is visible at its position, however far it is passed on.
func (req *Request) Survivor(ctx context.Context, id domain.MemberID, wait domain.Position) (*domain.Member, error) {
	for {
		m, at, err := req.readMember(ctx, id, wait, req.Engine.Member)
		if err == nil {
			req.RaisePosition(at)
			return m, nil
		}
		merged, ok := asError(err)
		if !ok || merged.Survivor == 0 || ctx.Err() != nil {
			return nil, WaitFault(err)
		}
		m, at, err = req.readMember(ctx, id, wait, req.Engine.MemberRecord)
		if err != nil {
			return nil, WaitFault(err)
		}
		if req.RaisePosition(at); m.IsLent() {
			id = m.Lent.To
		}
		wait = wait.Reach(at)
	}
}

// MemberRecord is the own record of a member at a position or after it, be the member merged into
// another.
func (req *Request) MemberRecord(ctx context.Context, id domain.MemberID, wait domain.Position) (*domain.Member, error) {
	m, at, err := req.readMember(ctx, id, wait, req.Engine.MemberRecord)
	if err != nil {
		return nil, WaitFault(err)
	}
	req.RaisePosition(at)
	return m, nil
}

// RefuseMerged refuses the id of a member who was merged into another. Other faults of the id are
// reported by the command's outcome.
func (req *Request) RefuseMerged(ctx context.Context, id domain.MemberID) error {
	into, _, err := req.Engine.Survivors(ctx, req.Account(), []domain.MemberID{id}, req.Wait)
	if err == nil && into[0] != id {
		return domain.Merged(into[0])
	}
	return nil
}

// Brand is a brand of the account, not deleted.
func (req *Request) Brand(id bind.ID, parameter string) (*domain.Brand, error) {
	b, ok, err := known(req, id, func(c port.Catalog) (*domain.Brand, bool) {
		return c.Brand(req.Account(), domain.BrandID(id.Small()))
	})
	if err == nil && !ok {
		err = domain.Bad(domain.NotFound, parameter, "the account has no such brand")
	}
	return b, err
}

// Definition is a definition of the account, not deleted and not built in.
func (req *Request) Definition(id bind.ID, parameter string) (*domain.Definition, error) {
	at := domain.DefinitionID(id.Small())
	if at < domain.FirstDefinition {
		return nil, noDefinition(parameter)
	}
	d, ok, err := known(req, id, func(c port.Catalog) (*domain.Definition, bool) { return c.Definition(req.Account(), at) })
	if err == nil && !ok {
		err = noDefinition(parameter)
	}
	return d, err
}

func noDefinition(parameter string) error {
	return domain.Bad(domain.NotFound, parameter, "the account has no such activity")
}

// Segment is a segment of the account, not deleted.
func (req *Request) Segment(id bind.ID, parameter string) (*domain.Segment, error) {
	s, ok, err := known(req, id, func(c port.Catalog) (*domain.Segment, bool) {
		return c.Segment(req.Account(), domain.SegmentID(id.Small()))
	})
	if err == nil && !ok {
		err = domain.Bad(domain.NotFound, req.Params.Spelled(parameter), "the account has no such segment")
	}
	return s, err
}

// Webhook is a webhook of the account, not deleted.
func (req *Request) Webhook(id bind.ID, parameter string) (*domain.Webhook, error) {
	w, ok, err := known(req, id, func(c port.Catalog) (*domain.Webhook, bool) {
		return c.Webhook(req.Account(), domain.WebhookID(id.Small()))
	})
	if err == nil && !ok {
		err = domain.Bad(domain.NotFound, parameter, "the account has no such webhook")
	}
	return w, err
}

// Renew reads the catalog to its end, as another node may have changed it a moment ago.
func (req *Request) Renew() (err error) {
	req.Catalog, err = req.newest(req.Account())
	return err
}

// IsPage reports that a page is that of a segment of the account.
func (req *Request) IsPage(page string) bool {
	return page != "" && slices.ContainsFunc(req.Catalog.Segments(req.Account()), func(s *domain.Segment) bool {
		return !s.Deleted && s.Page == page
	})
}

// AnyBrand is a brand that an answer of the engine names, deleted or not; nil: the account has none such.
func (req *Request) AnyBrand(id domain.BrandID) (*domain.Brand, error) {
	if id == 0 {
		return nil, nil
	}
	return named(req, func(c port.Catalog) (*domain.Brand, bool) { return c.AnyBrand(req.Account(), id) })
}

// AnyDefinition is a definition that an answer of the engine names, deleted or not; nil: the account has none such,
// as of one that is built in.
func (req *Request) AnyDefinition(id domain.DefinitionID) (*domain.Definition, error) {
	if id < domain.FirstDefinition {
		return nil, nil
	}
	return named(req, func(c port.Catalog) (*domain.Definition, bool) { return c.AnyDefinition(req.Account(), id) })
}

// AnySegment is a segment that an answer of the engine names, deleted or not; nil: the account has none such.
func (req *Request) AnySegment(id domain.SegmentID) (*domain.Segment, error) {
	return named(req, func(c port.Catalog) (*domain.Segment, bool) {
		if s, ok := c.Segment(req.Account(), id); ok {
			return s, true
		}
		all := c.Segments(req.Account())
		i := slices.IndexFunc(all, func(s *domain.Segment) bool { return s.ID == id })
		if i < 0 {
			return nil, false
		}
		return all[i], true
	})
}
