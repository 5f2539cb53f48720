package merging

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Service merges members.
type Service struct{ envelopes envelope.Maker }

// New makes a Service.
func New(envelopes envelope.Maker) *Service { return &Service{envelopes} }

// mergeIn are the parameters of member/merge.
type mergeIn struct {
	MemberID    bind.ID `name:"memberid" doc:"id of the member that stays" eg:"4097"`
	From        bind.ID `name:"from" required:"" doc:"id of the member that is merged into it" eg:"8195"`
	AccessToken string  `name:"accesstoken" exact:"" required:"" max:"8192" doc:"access token of the member that is merged into it, as its envelope has it" eg:"2e512834a0418c7f93ded89ec9188bde_1000000000"`
}

// Check refuses to merge a member into itself.
func (in *mergeIn) Check() *domain.Error {
	if in.From == in.MemberID {
		return domain.Bad(domain.InvalidParameter, "from", "a member cannot be merged into itself")
	}
	return nil
}

// Merge merges a member into another, which survives.
func (s *Service) Merge(ctx context.Context, req *serve.Request, in *mergeIn) (*wire.Envelope, error) {
	into, from := domain.MemberID(in.MemberID), domain.MemberID(in.From)
	refused := s.refused(ctx, req, into, from, in.AccessToken)
	out, err := submit(ctx, req, into, &domain.MergeMembers{Member: into, From: from, Denied: refused != nil}, refused)
	if err != nil {
		return nil, err
	}
	return s.survivor(ctx, req, into, out.Position)
}

// submit submits the command of a request that is refused, or not. A refused one may be known by its
// Idempotency-Key, which the shard of the member tells: then the first outcome is that of the repeat.
func submit(
	ctx context.Context, req *serve.Request, into domain.MemberID, c domain.Command, refused error,
) (domain.Outcome, error) {
	code := domain.CodeOf(refused)
	if refused != nil && !(req.Keyed && (code == domain.WrongPassword || code == domain.Gone)) {
		return domain.Outcome{}, refused
	}
	sub := req.Submission()
	sub.Command, sub.Slot = c, into.Slot()
	out, err := req.Submit(ctx, sub)
	if refused != nil && (out.Code == domain.WrongPassword || out.Code == code) {
		err = refused // in its own words
	}
	return out, err
}

// refused is an error where one of the members is not there, or the token is not that of the member that
// is to be merged.
func (s *Service) refused(
	ctx context.Context, req *serve.Request, into, from domain.MemberID, accessToken string,
) error {
	if _, err := req.Member(ctx, into, req.Wait); err != nil {
		return err
	}
	given, ok := token.ParseAccess(accessToken)
	holds := func() error {
		m, err := s.merged(ctx, req, into, from)
		if err == nil && !(ok && s.envelopes.Tokens.Is(given, m)) {
			err = domain.ErrMergeDenied
		}
		return err
	}
	if !ok {
		return holds()
	}
	return req.FindByToken(ctx, from, holds)
}

// merged is the record of the member that is to be merged, or is already. One that is merged into a
// third is gone.
func (s *Service) merged(
	ctx context.Context, req *serve.Request, into, from domain.MemberID,
) (*domain.Member, error) {
	m, err := req.MemberRecord(ctx, from, req.Wait)
	if err == nil && m.IsLent() && m.Lent.To != into {
		_, err = req.Member(ctx, from, req.Wait)
	}
	return m, serve.WithParameter(err, "from")
}

// survivor is the envelope of a member, of one that was merged since of that one.
func (s *Service) survivor(
	ctx context.Context, req *serve.Request, id domain.MemberID, at domain.Position,
) (*wire.Envelope, error) {
	m, err := req.Survivor(ctx, id, at)
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m))
}

// unmergeIn are the parameters of member/unmerge.
type unmergeIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of the member that absorbed the other" eg:"4101"`
	From     bind.ID `name:"from" required:"" doc:"id of the member that was merged into it" eg:"4102"`
}

// Unmerge takes the merge of a member into another back: the answer is both.
func (s *Service) Unmerge(ctx context.Context, req *serve.Request, in *unmergeIn) (both [2]*wire.Envelope, err error) {
	into, from := domain.MemberID(in.MemberID), domain.MemberID(in.From)
	_, refused := req.Member(ctx, into, req.Wait)
	out, err := submit(ctx, req, into, &domain.UnmergeMember{Member: into, From: from}, refused)
	if err != nil {
		return both, err
	}
	for i, id := range [...]domain.MemberID{into, from} {
		if both[i], err = s.survivor(ctx, req, id, out.Position); err != nil {
			return both, err
		}
	}
	return both, nil
}
