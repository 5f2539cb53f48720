package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// journalID is the journal of the fake engine.
var journalID = domain.TopicID{0x0a, 0x11}

// fakeEngine is an Engine that keeps a small catalog, since handlers read it back, and answers
// everything else from its fields. It records what it was asked.
type fakeEngine struct {
	mu      sync.Mutex
	next    int64 // of the catalog
	keys    map[domain.KeyHash]*domain.Key
	apps    map[domain.ApplicationID]*domain.Application
	signs   []*domain.SigningKey
	limits  domain.Limits // of each account
	brands  []*domain.Brand
	defs    []*domain.Definition
	segs    []*domain.Segment
	hooks   []*domain.Webhook
	links   map[domain.LinkHash]*domain.Link
	open    map[domain.SessionID]*domain.Session
	members map[domain.MemberID]*domain.Member
	names   map[domain.IdentityHash]domain.MemberID // claims and pointers

	delivered delivered

	outcome   func(domain.Submission) (domain.Outcome, error) // nil: that of apply
	answer    func(*domain.Question) (*domain.Answer, error)
	content   *domain.Content
	visited   *domain.Content   // of visits
	place     domain.VisitPlace // of visits that have one
	await     func(context.Context, domain.Position) error
	rows      func(context.Context) error                                                                      // AwaitRows; nil: returns when its context ends
	unchanged func(domain.AccountID, domain.Versions, *domain.ReadSet, []domain.Range) (domain.Position, bool) // nil: nothing is

	stopped bool // no end is known

	readCatalog func(context.Context) error // nil: the catalog is at its end
	keysHold    error
	noted       domain.Outcome                           // of a NoteDeed
	readMembers func(context.Context, domain.Slot) error // nil: the members are

	submitted []domain.Submission
	asked     []domain.Question
	waited    []domain.Position
	hits      int
	paid      int
	elsewhere func(domain.AccountID, uint64)

	usage      []domain.HourHits // of account 1
	usageAsked []domain.UsageQuestion
	usageFails error
}

func (s *fakeEngine) Catalog() Catalog {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &snapshot{s.next, s.keys, s.apps, s.signs, s.limits, slices.Clone(s.brands), slices.Clone(s.defs), slices.Clone(s.segs), slices.Clone(s.hooks), maps.Clone(s.links), maps.Clone(s.open)}
}

func (s *fakeEngine) ReadCatalog(ctx context.Context) error {
	if s.readCatalog == nil {
		return nil
	}
	return s.readCatalog(ctx)
}

func (s *fakeEngine) ReadMembers(ctx context.Context, slot domain.Slot) error {
	if s.readMembers == nil {
		return nil
	}
	return s.readMembers(ctx, slot)
}

func (s *fakeEngine) Submit(ctx context.Context, sub domain.Submission) (domain.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submitted = append(s.submitted, sub)
	if s.outcome != nil {
		return s.outcome(sub)
	}
	at := domain.Position{Journal: journalID, Catalog: s.next, Shards: []domain.ShardOffset{{Shard: int(sub.Slot) / 512, Next: 7}}}
	if sub.Durable {
		return domain.Outcome{Position: at}, nil
	}
	out := s.apply(sub)
	out.Position = at
	out.Position.Catalog = s.next
	return out, nil
}

func (s *fakeEngine) SubmitAll(ctx context.Context, all []domain.Submission) []domain.Result {
	out := make([]domain.Result, len(all))
	for i, sub := range all {
		out[i].Outcome, out[i].Err = s.Submit(ctx, sub)
	}
	return out
}

func (s *fakeEngine) apply(sub domain.Submission) domain.Outcome {
	missing := domain.Outcome{Code: domain.NotFound, Message: "there is none"}
	if s.gone(&sub) {
		return domain.Failed(domain.ErrErased)
	}
	switch c := sub.Command.(type) {
	case *domain.EraseMember:
		return s.erase(&sub, c)
	case *domain.MergeMembers:
		return s.mergeMembers(sub.Account, c)
	case *domain.UnmergeMember:
		return s.unmergeMember(sub.Account, c)
	case *domain.PutBrand:
		return s.putBrand(sub.Account, c)
	case *domain.DeleteBrand:
		if !remove(s.brands, isBrand(sub.Account, c.ID), func(b *domain.Brand) { b.Deleted = true }) {
			return missing
		}
	case *domain.PutDefinition:
		return s.putDefinition(sub.Account, c)
	case *domain.DeleteDefinition:
		if !remove(s.defs, isDefinition(sub.Account, c.ID), func(d *domain.Definition) { d.Deleted = true }) {
			return missing
		}
	case *domain.PutSegment:
		return s.putSegment(sub.Account, c)
	case *domain.FollowSegment:
		if !remove(s.segs, isSegment(sub.Account, c.ID), func(g *domain.Segment) { g.Followed = c.At }) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "segmentid", Message: "no such segment"}
		}
	case *domain.DeleteSegment:
		if !remove(s.segs, isSegment(sub.Account, c.ID), func(g *domain.Segment) { g.Deleted = true }) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "segmentid", Message: "no such segment"}
		}
	case *domain.BeginSession:
		return s.beginSession(c)
	case *domain.RenewSession:
		return s.changeSession(c.ID, func(o *domain.Session) { o.Renewed = c.At })
	case *domain.NoteDeed:
		return s.noted
	case *domain.EndSession:
		return s.changeSession(c.ID, func(o *domain.Session) { o.Ended = c.At })
	case *domain.PutWebhook:
		return s.putWebhook(sub.Account, c)
	case *domain.DeleteWebhook:
		if !remove(s.hooks, isWebhook(sub.Account, c.ID), func(w *domain.Webhook) { w.Deleted = true }) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "webhookid", Message: "no such webhook"}
		}
	case *domain.Delivered:
		return s.delivered.apply(c)
	case *domain.AllowDomain:
		return s.allow(c.Application, c.Domain, true)
	case *domain.UnallowDomain:
		return s.allow(c.Application, c.Domain, false)
	case *domain.DeleteAction:
		if s.members[c.Member] == nil {
			return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "no such member"}
		}
		if c.Action != domain.ActionIDOf(3, 1) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "actionid", Message: "no such action"}
		}
		return domain.Outcome{Member: c.Member}
	case *domain.RegisterMember:
		id := domain.MemberIDOf(uint64(len(s.members)-1), sub.Slot) // but for the fixture's two that are merged
		s.members[id] = &domain.Member{
			ID: id, Account: sub.Account, Application: c.Application, State: domain.MemberActive, Created: c.At, UUID: c.UUID,
			TokenHash: c.TokenHash, TokenMade: c.At / 1000, Profile: domain.Fields{}.With(c.Given), Email: c.Email,
			Services: []domain.ServiceRecord{{
				ID: 9, Application: c.Application, Service: c.Service, Identity: c.Identity, Fields: domain.Fields{}.With(c.Record),
				Partner: c.Partner, PartnerCode: c.PartnerCode, Username: c.Username, Created: c.At, Updated: c.At, LastLogin: c.At,
			}},
			Personal: partOf(&c.Personal),
		}
		return domain.Outcome{Member: id, New: true}
	case *domain.LogIn:
		return s.login(c)
	case *domain.UpdateMember:
		return s.update(c)
	case *domain.RemoveService:
		return s.removeService(c)
	case *domain.AttachService:
		return s.attach(sub.Account, c)
	case *domain.OptIn:
		return s.opt(sub.Account, c.Member, domain.OptState{Opt: c.Opt, In: true, At: c.At})
	case *domain.OptOut:
		return s.opt(sub.Account, c.Member, domain.OptState{Opt: c.Opt, Out: true, At: c.At})
	case nil:
		a := sub.Activity
		if a.Refusal != domain.Accepted {
			return domain.Outcome{Code: domain.NotFound, Message: a.Detail}
		}
		m := s.members[a.Member]
		if m == nil {
			return missing
		}
		s.content = &a.Content
		return domain.Outcome{Member: m.ID, New: true, Row: domain.Row{
			Hash: a.Hash, Seq: 3, Account: sub.Account, Time: domain.Second(a.Time), Brand: a.Brand, Definition: a.Definition,
			Points: a.Points, Slot: m.ID.Slot(), Service: a.Service,
		}}
	}
	s.next++
	return domain.Outcome{}
}

func (s *fakeEngine) Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	s.mu.Lock()
	if q.Shape != domain.ShapeStream || q.Stream.Start != domain.StreamAbove { // pages of a stream are asked for beside requests
		s.asked, s.waited = append(s.asked, *q), append(s.waited, wait)
	}
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		return answer(q)
	}
	a := &domain.Answer{Position: domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 0, Next: 9}}}, LagMs: 3}
	switch q.Shape {
	case domain.ShapeTally, domain.ShapeLocation, domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers:
		a.Tally = &domain.Tally{}
	case domain.ShapeTimeline, domain.ShapeDaily:
		a.Timeline = &domain.Timeline{}
		if q.Visits != nil && q.Visits.Totals {
			a.Tally = &domain.Tally{}
		}
	case domain.ShapeDomains:
		a.Domains = &domain.Domains{}
	case domain.ShapeFeed:
		a.Feed = &domain.Feed{}
	case domain.ShapeStream:
		a.Stream = &domain.Stream{Next: []uint64{0, 0}}
	case domain.ShapeLeaders:
		a.Leaders = &domain.Leaders{
			Members: []domain.Leader{{Member: 4097, Score: 7, Actions: 3}}, Total: domain.Count{Actions: 3, Members: 1}, Audience: 4,
			Latest: []domain.Row{{Seq: 3, Time: 1_700_000_000, Brand: 1, Definition: 100, Points: 2, Slot: 1, Service: domain.Custom}},
		}
	case domain.ShapeCrossover:
		a.Crossover = &domain.Crossover{Brands: []domain.BrandMembers{{Brand: 2, Members: 1}}, Total: 1, Members: 3}
	case domain.ShapeStandings:
		a.Standings = &domain.Standings{Brands: []domain.Standing{{Brand: 1, Score: 6, Actions: 3}}, Total: 1}
	case domain.ShapeMemberList:
		a.MemberList = &domain.MemberList{Members: []domain.MemberID{4097}, Total: 1}
	case domain.ShapeLists:
		for _, l := range q.Lists {
			a.Lists = append(a.Lists, 10+uint64(l.Segment))
		}
	}
	if q.Explain {
		a.Feed = &domain.Feed{}
	}
	return a, nil
}

func (s *fakeEngine) Member(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error) {
	m, at, err := s.MemberRecord(ctx, account, id, wait)
	if err != nil || !m.IsLent() {
		return m, at, err
	}
	return nil, at, domain.Merged(m.Lent.To)
}

func (s *fakeEngine) MemberRecord(_ context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = append(s.waited, wait)
	m := s.members[id]
	if m == nil || m.Account != account {
		return nil, domain.Position{}, domain.Fail(domain.NotFound, "the account has no such member")
	}
	at := domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: int(id.Slot()) / 512, Next: 8}}}
	if m.State == domain.MemberErased {
		return nil, at, domain.ErrErased
	}
	return m, at, nil
}

func (s *fakeEngine) Survivors(_ context.Context, _ domain.AccountID, ids []domain.MemberID, _ domain.Position) ([]domain.MemberID, domain.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(ids)
	for i, id := range out {
		if m := s.members[id]; m != nil && m.IsLent() {
			out[i] = m.Lent.To
		}
	}
	slices.Sort(out)
	return slices.Compact(out), domain.Position{Journal: journalID}, nil
}

func (s *fakeEngine) Show(_ context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position) ([]domain.Shown, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = append(s.waited, wait)
	out := make([]domain.Shown, len(items))
	for i, item := range items {
		out[i].Content = s.content
		if s.visited != nil && item.Row.IsVisit() {
			out[i].Content = s.visited
		}
		if _, _, placed := item.Row.Definition.Visit(); placed {
			out[i].Place = s.place
		}
		if m := s.members[item.Member]; m != nil && m.Account == account && m.State == domain.MemberActive {
			out[i].Member = m
		}
	}
	return out, nil
}

func (s *fakeEngine) AwaitRows(ctx context.Context, _ *domain.Question, _ domain.Versions) error {
	if s.rows != nil {
		return s.rows(ctx)
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s *fakeEngine) Await(ctx context.Context, p domain.Position) error {
	s.mu.Lock()
	s.waited = append(s.waited, p)
	await := s.await
	s.mu.Unlock()
	if await != nil {
		return await(ctx, p)
	}
	return nil
}

// AcceptedPosition is where everything is applied that was submitted.
func (s *fakeEngine) AcceptedPosition(context.Context) (domain.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return domain.Position{}, domain.ErrUnavailable
	}
	return domain.Position{Journal: journalID, Catalog: s.next, Shards: []domain.ShardOffset{{Shard: 0, Next: 41}, {Shard: 1, Next: 42}}}, nil
}

// Usage is the hits of the question's applications and hours, of usage.
func (s *fakeEngine) Usage(_ context.Context, q *domain.UsageQuestion, wait domain.Position) ([]domain.HourHits, domain.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited, s.usageAsked = append(s.waited, wait), append(s.usageAsked, *q)
	var out []domain.HourHits
	for _, h := range s.usage {
		if q.Account == 1 && slices.Contains(q.Applications, h.Application) && h.Hour >= q.From && h.Hour < q.To {
			out = append(out, h)
		}
	}
	return out, domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: 2, Next: 77}}}, s.usageFails
}

func (s *fakeEngine) Lag() time.Duration { return 12 * time.Millisecond }

func (s *fakeEngine) KeysHold() error { return s.keysHold }

func (s *fakeEngine) Hit(_ domain.AccountID, _ domain.ApplicationID, _ time.Time, paid bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits++
	if paid {
		s.paid++
	}
}

func (s *fakeEngine) OnRemoteTokens(f func(domain.AccountID, uint64)) { s.elsewhere = f }

// testHasher hashes under a fixed secret.
type testHasher struct{}

func (testHasher) Identity(account domain.AccountID, kind domain.IdentityKind, parts ...string) (out domain.IdentityHash) {
	switch kind {
	case domain.ByLogin, domain.ByEmail, domain.ByVerifiedEmail:
		if !strings.ContainsFunc(parts[0], func(r rune) bool { return r > unicode.MaxASCII }) {
			parts = []string{strings.ToLower(parts[0])}
		}
	}
	m := hmac.New(sha256.New, []byte("pepper"))
	m.Write(binary.BigEndian.AppendUint32([]byte{byte(kind)}, uint32(account)))
	m.Write([]byte(strings.Join(parts, "\x00")))
	copy(out[:], m.Sum(nil))
	return out
}

func (testHasher) ID(source, id string) uint64 {
	sum := sha256.Sum256([]byte(source + "\x00" + id))
	return binary.BigEndian.Uint64(sum[:])
}

func (s *fakeEngine) login(l *domain.LogIn) domain.Outcome {
	m := s.members[l.Member]
	switch {
	case m == nil:
		return domain.Outcome{Code: domain.NoAccount, Message: "there is none"}
	case l.Service == domain.Email && m.Password(l.Identity) != l.Password:
		return domain.Outcome{Code: domain.WrongPassword, Parameter: "password", Message: "wrong"}
	}
	return domain.Outcome{Member: l.Member}
}

func (s *fakeEngine) attach(account domain.AccountID, c *domain.AttachService) domain.Outcome {
	m := s.members[c.Member]
	if m == nil || m.Account != account {
		return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "there is none"}
	}
	changed := *m
	m = &changed
	s.members[c.Member] = m
	m.Personal = partOf(&c.Register.Personal)
	m.Services = append(slices.Clone(m.Services), domain.ServiceRecord{
		ID: 10, Application: c.Register.Application, Service: c.Register.Service, Identity: c.Register.Identity,
		Fields: domain.Fields{}.With(c.Register.Record),
	})
	return domain.Outcome{Member: c.Member}
}

func (s *fakeEngine) opt(account domain.AccountID, id domain.MemberID, o domain.OptState) domain.Outcome {
	m := s.members[id]
	if m == nil || m.Account != account {
		return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "there is none"}
	}
	m.Opts = append(slices.DeleteFunc(slices.Clone(m.Opts), func(x domain.OptState) bool { return x.Opt == o.Opt }), o)
	return domain.Outcome{Member: id}
}

func (s *fakeEngine) Resolve(_ context.Context, _ domain.AccountID, _ domain.IdentityKind, hash domain.IdentityHash, wait domain.Position) (domain.MemberID, domain.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = append(s.waited, wait)
	return s.names[hash], domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: int(hash.Slot()) / 512, Next: 8}}}, nil
}

func (s *fakeEngine) Addressed(_ context.Context, account domain.AccountID, to []domain.Addressee, wait domain.Position) ([]domain.MemberID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = append(s.waited, wait)
	out := make([]domain.MemberID, len(to))
	for i, a := range to {
		id := a.Member
		if id == 0 {
			id = s.holder(account, a.Identity)
		}
		m := s.members[id]
		if m == nil || m.Account != account || a.Member == 0 && m.State == domain.MemberErased {
			continue
		}
		out[i] = id
	}
	return out, nil
}

// holder is who has an identity, by name or by a service record.
func (s *fakeEngine) holder(account domain.AccountID, of domain.IdentityHash) domain.MemberID {
	for id, m := range s.members {
		for i := range m.Services {
			r := &m.Services[i]
			if (testHasher{}).Identity(account, domain.ByService, r.Service.String(), r.UID) == of {
				return id
			}
		}
	}
	return s.names[of]
}

func (s *fakeEngine) ResolveAll(_ context.Context, _ domain.AccountID, names []domain.Name, wait domain.Position) (out []domain.MemberID, at domain.Position, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = append(s.waited, wait)
	at.Journal = journalID
	for i, n := range names {
		if id := s.names[n.Hash]; id != 0 {
			out = append(out, id)
		}
		at.Shards = []domain.ShardOffset{{Shard: 1, Next: int64(i + 1)}}
	}
	slices.Sort(out)
	return slices.Compact(out), at, nil
}

func (s *fakeEngine) Versions() domain.Versions { return domain.Versions{7} }

func (s *fakeEngine) Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
	s.mu.Lock()
	unchanged := s.unchanged
	s.mu.Unlock()
	if unchanged == nil {
		return domain.Position{}, false
	}
	return unchanged(account, since, f, moved)
}

func (s *fakeEngine) removeService(c *domain.RemoveService) domain.Outcome {
	m := s.members[c.Member]
	if m == nil || len(m.Services) < 2 {
		return domain.Outcome{Code: domain.Conflict, Parameter: "serviceid", Message: "it is the last"}
	}
	u := *m
	u.Services = slices.DeleteFunc(slices.Clone(m.Services), func(r domain.ServiceRecord) bool {
		if r.ID == c.Record {
			delete(s.names, r.Verified)
		}
		return r.ID == c.Record
	})
	if c.Personal.Key.IsZero() || len(u.Services) == len(m.Services) {
		return domain.Outcome{Code: domain.NotFound, Parameter: "serviceid", Message: "there is none"}
	}
	u.Personal = partOf(&c.Personal)
	s.put(&u)
	return domain.Outcome{Member: c.Member}
}
