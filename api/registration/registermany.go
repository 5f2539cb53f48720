package registration

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// registerManyIn are the parameters of members/register beside its records.
type registerManyIn struct{}

// Registration is one record of members/register: the parameters of member/register, and a hash
// in place of a password.
type Registration struct {
	credentialsIn
	profileIn
	partnerIn
	serviceRecordIn
	visitIn
	ID           bind.ID                  `name:"id" doc:"an existing member to attach the service to, or whose service to update" eg:"4097"`
	SegmentID    bind.ID                  `name:"segmentid" doc:"existing segment to put the member on the list of" eg:"1"`
	PasswordHash credentials.ImportedHash `name:"password_hash" max:"256" doc:"instead of password: a bcrypt hash of a cost up to 14, or an argon2id hash of 32 bytes in PHC format with m up to 65536 (KiB), m times t up to 196608 and p up to 4"`
}

// one is the record as the parameters of member/register.
func (in *Registration) one() *registerIn {
	return &registerIn{
		credentialsIn: in.credentialsIn, profileIn: in.profileIn, partnerIn: in.partnerIn, serviceRecordIn: in.serviceRecordIn,
		visitIn: in.visitIn, ID: in.ID, SegmentID: in.SegmentID,
	}
}

// Missing reports what a registration by the service needs.
func (in *Registration) Missing(has func(string) bool) string {
	missing := in.one().Missing(has)
	if missing == "password" && has("password_hash") {
		return ""
	}
	return missing
}

// Check refuses what member/register does, and a password beside a hash of it.
func (in *Registration) Check() *domain.Error {
	switch {
	case in.PasswordHash != "" && in.Password != "":
		return domain.Bad(domain.InvalidParameter, "password_hash", "password and password_hash are the same, in two forms")
	case in.PasswordHash != "" && domain.Service(in.Service) != domain.Email:
		return domain.Bad(domain.InvalidParameter, "password_hash", "password_hash is of a registration by email")
	}
	return in.one().Check()
}

// RegisterMany registers a member by each of the records as member/register does. One that is
// wrong is an error of its own.
func (s *Service) RegisterMany(ctx context.Context, req *serve.Request, _ *registerManyIn) (*wire.RegisteredMany, error) {
	if len(req.Records) == 0 {
		return nil, domain.Fail(domain.MissingParameter, "the body has no records: a registration each, as lines of JSON objects or as one JSON array")
	}
	records := make([]Registration, len(req.Records))
	ones, errs := serve.BindMany(req, func(i int) any { return &records[i] })
	hash := uint64(0)
	if req.Keyed {
		hash = serve.HashMany(req, ones)
	}
	all := make([]*manyItem, len(records))
	for i := range all {
		all[i] = s.newManyItem(ones[i], &records[i], errs[i], hash)
	}
	if err := s.registerAll(ctx, req, all); err != nil {
		return nil, err
	}
	return registered(ctx, req, all), nil
}

// manyItem is one record on its way: a request of its own.
type manyItem struct {
	req     *serve.Request
	r       *registration
	to      domain.MemberID // to attach to; 0: none
	hash    uint64          // of all records, under an Idempotency-Key; 0: there is none
	rounds  int             // how often it was submitted
	known   *domain.Member  // that it was made of; nil: a new one
	part    domain.Personal
	sub     domain.Submission
	outcome domain.Outcome
	err     error
}

func (s *Service) newManyItem(one *serve.Request, in *Registration, err error, hash uint64) *manyItem {
	m := &manyItem{req: one, err: err, hash: hash, to: domain.MemberID(in.ID)}
	if m.err == nil {
		m.err = checkRegistration(one, in.one())
	}
	if m.err == nil {
		m.r = newRegistration(one, in.one(), in.place(s.geo))
		m.r.imported = in.PasswordHash
	}
	return m
}

// registerAll submits the records in rounds, of one identity or member one a round: each is made
// of the member as the round before left it.
func (s *Service) registerAll(ctx context.Context, req *serve.Request, all []*manyItem) error {
	parallel(all, func(m *manyItem) {
		m.err = s.confirm(ctx, m.req, m.r.service, m.r.in.AuthToken, m.r.in.UID)
	})
	waiting := make([]*manyItem, 0, len(all))
	for _, m := range all {
		if m.err == nil {
			waiting = append(waiting, m)
		}
	}
	alone := req.Keyed // where the key is another request's, nothing more is registered
	for len(waiting) > 0 {
		round, later := nextRound(waiting, alone)
		alone = false
		if err := s.registerRound(ctx, req, round); err != nil {
			return err
		}
		again := make([]*manyItem, 0, len(later))
		for _, m := range round {
			switch {
			case m.err != nil || !m.outcome.Again:
			case m.rounds == personal.Attempts:
				m.err = domain.ErrUnavailable
			default:
				again = append(again, m)
			}
		}
		waiting = append(again, later...)
	}
	return allUnavailable(all)
}

// allUnavailable is the error of the request where no outcome at all is known.
func allUnavailable(all []*manyItem) error {
	var err error
	for _, m := range all {
		if domain.CodeOf(m.err) != domain.Unavailable {
			return nil
		}
		err = m.err
	}
	return err
}

// nextRound are the first records of each identity and member, in order; alone: the first record.
func nextRound(waiting []*manyItem, alone bool) (round, later []*manyItem) {
	if alone {
		return waiting[:1], waiting[1:]
	}
	type about struct {
		identity domain.IdentityHash
		member   domain.MemberID
	}
	known := make(map[about]bool, len(waiting))
	for _, m := range waiting {
		names := [2]about{{identity: m.r.identity}, {member: m.to}}
		if known[names[0]] || m.to != 0 && known[names[1]] {
			later = append(later, m)
		} else {
			round = append(round, m)
		}
		known[names[0]] = true
		known[names[1]] = true
	}
	return round, later
}

// registerRound submits each record of a round once.
func (s *Service) registerRound(ctx context.Context, req *serve.Request, round []*manyItem) error {
	if err := s.matchAll(ctx, req, round); err != nil {
		return err
	}
	ready, err := s.sealAll(ctx, req, round)
	if err != nil {
		return err
	}
	subs := make([]domain.Submission, len(ready))
	for i, m := range ready {
		subs[i] = m.sub
	}
	awaited := req.Wait
	for i, r := range req.Engine.SubmitAll(ctx, subs) {
		m := ready[i]
		m.rounds++
		if m.outcome, m.err = r.Outcome, serve.Unavailable(r.Err); m.err != nil {
			continue
		}
		if serve.Misused(&m.outcome) {
			return domain.KeyMisused
		}
		req.RaisePosition(m.outcome.Position)
		if m.outcome.Again {
			awaited = awaited.Reach(m.outcome.Position)
			continue
		}
		m.err = m.outcome.Err()
	}
	req.Wait = awaited
	return serve.WaitFault(req.Engine.Await(ctx, awaited))
}

// parallel calls f for each record of a round that has no error yet; one worker a processor and
// eight more, since most wait for shards.
func parallel(round []*manyItem, f func(*manyItem)) {
	var next sync.Mutex
	at := 0
	take := func() *manyItem {
		next.Lock()
		defer next.Unlock()
		for at < len(round) {
			if at++; round[at-1].err == nil {
				return round[at-1]
			}
		}
		return nil
	}
	var g errgroup.Group
	for range min(len(round), runtime.GOMAXPROCS(0)+8) {
		g.Go(func() error {
			for m := take(); m != nil; m = take() {
				f(m)
			}
			return nil
		})
	}
	_ = g.Wait() // errors are the records'
}

// member is who was registered, of one who is merged into another that one.
func (m *manyItem) member(ctx context.Context) domain.MemberID {
	id := m.outcome.Member
	if merged, ok := errors.AsType[*domain.Error](m.req.RefuseMerged(ctx, id)); ok {
		id = merged.Survivor
	}
	return id
}

// registered renders what became of the records.
func registered(ctx context.Context, req *serve.Request, all []*manyItem) *wire.RegisteredMany {
	out := &wire.RegisteredMany{Items: make([]wire.RegisteredItem, len(all))}
	replayed := 0
	for i, m := range all {
		row := &out.Items[i]
		row.Index = i
		if m.err != nil {
			out.Rejected++
			row.Error = serve.ItemError(req, m.err)
			continue
		}
		row.ID = wire.Number(m.member(ctx))
		if m.outcome.New {
			out.Accepted++
		} else {
			out.Existing++
		}
		if m.outcome.Replayed {
			replayed++
		}
	}
	req.Response.Replayed = req.Keyed && replayed > 0 && replayed == len(all)-out.Rejected
	return out
}
