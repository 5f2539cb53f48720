package erasure

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Service erases members.
type Service struct {
	tokens *token.Tokens
	kept   time.Duration
}

// New makes a Service whose receipts are signed there. Kept is for how long the logs may have bytes
// of a member after it is erased; 0: that is not known.
func New(tokens *token.Tokens, kept time.Duration) *Service { return &Service{tokens, kept} }

// eraseIn are the parameters of member/delete.
type eraseIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of a member" eg:"4097"`
}

// Delete erases a member. A node that cannot sign the receipt erases nothing: there is no other
// request that would give one.
func (s *Service) Delete(ctx context.Context, req *serve.Request, in *eraseIn) (*wire.Erased, error) {
	if !s.tokens.Signs(req.Catalog.SigningKeys(), req.Clock.Now) {
		return nil, token.ErrNoKey
	}
	member := domain.MemberID(in.MemberID)
	if err := req.RefuseMerged(ctx, member); err != nil {
		return nil, err
	}
	sub := req.Submission()
	erase := &domain.EraseMember{Member: member, At: req.Clock.Now.UnixMilli()}
	if s.kept > 0 {
		erase.GoneBy = req.Clock.Now.Add(s.kept).UnixMilli()
	}
	sub.Command, sub.Slot = erase, member.Slot()
	out, err := req.Submit(ctx, sub)
	if err != nil {
		return nil, err
	}
	receipt, err := s.tokens.SignReceipt(receiptOf(req, &out), req.Catalog.SigningKeys(), req.Clock.Now)
	if err != nil {
		return nil, err
	}
	return &wire.Erased{Deleted: true, Receipt: receipt}, nil
}

// receiptOf is the receipt of an outcome: the same of each repeat. Its position is that of the
// record, whatever was applied since.
func receiptOf(req *serve.Request, out *domain.Outcome) *token.Receipt {
	at := domain.Position{Journal: out.Position.Journal}
	for _, s := range out.Position.Shards { // the member's alone
		at.Shards = append(at.Shards, domain.ShardOffset{Shard: s.Shard, Next: out.ErasedNext})
	}
	r := &token.Receipt{
		Member: out.Member, Account: req.Account(), Application: req.Caller.App.ID,
		Erased: time.UnixMilli(out.ErasedAt).UTC().Truncate(time.Second), Position: wire.EncodePosition(at),
	}
	if out.GoneBy > 0 {
		r.GoneBy = time.UnixMilli(out.GoneBy).UTC().Truncate(time.Second)
	}
	return r
}
