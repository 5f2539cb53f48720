package members

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// optIn names the member that opts in or out.
type optIn struct {
	ID    bind.ID    `name:"id" doc:"id of the member; exactly one way to say who" eg:"4097"`
	Email bind.Email `name:"email" doc:"of the member that registered with it, else of the earliest that has it"`
	selection.Reference
}

// Missing reports that no member is named, or half of a name.
func (in *optIn) Missing(has func(string) bool) string {
	if half := in.Half(has); half != "" {
		return half
	}
	if in.ID == 0 && !has("id") && !has("email") && !has("partnerID") && !has("username") {
		return "id"
	}
	return ""
}

// Choice names the ways to name the member.
func (in *optIn) Choice(missing string) string {
	if missing != "id" {
		return ""
	}
	return "id, email, partnerID with partnerCode, or service with username"
}

// Check refuses a second name of the member.
func (in *optIn) Check() *domain.Error { return selection.OnlyOne(in.Ways(in.Email), in.ID != 0) }

// optBrandIn are the parameters of opting in to a brand, or out.
type optBrandIn struct {
	BrandID bind.ID `name:"brandid" doc:"id of a brand" eg:"1"`
	Member  optIn
}

// optSegmentIn are the parameters of opting in to a segment, or out.
type optSegmentIn struct {
	SegmentID bind.ID `name:"segmentid" doc:"id of a segment" eg:"1"`
	Member    optIn
}

// Who opts in or out.
type Who struct {
	Member domain.MemberID
	Holder domain.MemberID // of the name given: Member, or one that is merged into it
}

// OptCommand makes the command of an opt-in or an opt-out, and says who applies it.
type OptCommand func(of Who, to domain.Opt, at int64) (domain.MemberID, domain.Command)

// OptsIn makes the command of an opt-in. It is of the one that has the name, also once that is parted.
func OptsIn(of Who, to domain.Opt, at int64) (domain.MemberID, domain.Command) {
	return of.Holder, &domain.OptIn{Member: of.Holder, Opt: to, At: at}
}

// OptsOut makes the command of an opt-out. It is of all who are merged.
func OptsOut(of Who, to domain.Opt, at int64) (domain.MemberID, domain.Command) {
	return of.Member, &domain.OptOut{Member: of.Member, Opt: to, At: at}
}

// OptBrand opts a member in to a brand, or out.
func (s *Service) OptBrand(command OptCommand) serve.Handler[optBrandIn, *wire.Envelope] {
	return func(ctx context.Context, req *serve.Request, in *optBrandIn) (*wire.Envelope, error) {
		b, err := req.Brand(in.BrandID, "brandid")
		if err != nil {
			return nil, err
		}
		return s.opt(ctx, req, &in.Member, domain.Opt{Kind: domain.OptBrand, ID: uint32(b.ID)}, command)
	}
}

// OptSegment opts a member in to a segment, or out.
func (s *Service) OptSegment(command OptCommand) serve.Handler[optSegmentIn, *wire.Envelope] {
	return func(ctx context.Context, req *serve.Request, in *optSegmentIn) (*wire.Envelope, error) {
		g, err := req.Segment(in.SegmentID, "segmentid")
		if err != nil {
			return nil, err
		}
		return s.opt(ctx, req, &in.Member, domain.Opt{Kind: domain.OptSegment, ID: uint32(g.ID)}, command)
	}
}

// OptGlobal opts a member in to the global list, or out.
func (s *Service) OptGlobal(command OptCommand) serve.Handler[optIn, *wire.Envelope] {
	return func(ctx context.Context, req *serve.Request, in *optIn) (*wire.Envelope, error) {
		return s.opt(ctx, req, in, domain.Opt{Kind: domain.OptGlobal}, command)
	}
}

func (s *Service) opt(ctx context.Context, req *serve.Request, in *optIn, to domain.Opt, command OptCommand) (*wire.Envelope, error) {
	of := Who{domain.MemberID(in.ID), domain.MemberID(in.ID)}
	if in.ID == 0 {
		m, holder, err := selection.Holder(ctx, req, in.Ways(in.Email))
		if err != nil {
			return nil, err
		}
		of = Who{m.ID, holder}
	} else if err := req.RefuseMerged(ctx, of.Member); err != nil {
		return nil, serve.WithParameter(err, "id")
	}
	at, c := command(of, to, req.Clock.Now.UnixMilli())
	sub := req.Submission()
	sub.Command, sub.Slot = c, at.Slot()
	out, err := req.Submit(ctx, sub)
	if err != nil {
		return nil, about(err, domain.NotFound, "id")
	}
	m, err := req.Survivor(ctx, out.Member, out.Position)
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m))
}

// about names the parameter at fault in an error of the code.
func about(err error, code domain.Code, parameter string) error {
	if domain.CodeOf(err) != code {
		return err
	}
	return domain.Bad(code, parameter, "the account has no such member")
}
