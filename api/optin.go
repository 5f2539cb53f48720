package api

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// optIn says who opts in or out.
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

// Choice names the ways to say who.
func (in *optIn) Choice(missing string) string {
	if missing != "id" {
		return ""
	}
	return "id, email, partnerID with partnerCode, or service with username"
}

// Check refuses a second way to say who.
func (in *optIn) Check() *domain.Error { return selection.OnlyOne(in.Ways(in.Email), in.ID != 0) }

// optBrandIn are the parameters of opting in to a brand, or out.
type optBrandIn struct {
	BrandID bind.ID `name:"brandid" doc:"id of a brand" eg:"1"`
	Who     optIn
}

// optSegmentIn are the parameters of opting in to a segment, or out.
type optSegmentIn struct {
	SegmentID bind.ID `name:"segmentid" doc:"id of a segment" eg:"1"`
	Who       optIn
}

func (s *memberService) optInBrand(ctx context.Context, req *serve.Request, in *optBrandIn) (*wire.Envelope, error) {
	return s.optBrand(ctx, req, in, optsIn)
}

func (s *memberService) optOutBrand(ctx context.Context, req *serve.Request, in *optBrandIn) (*wire.Envelope, error) {
	return s.optBrand(ctx, req, in, optsOut)
}

func (s *memberService) optInSegment(ctx context.Context, req *serve.Request, in *optSegmentIn) (*wire.Envelope, error) {
	return s.optSegment(ctx, req, in, optsIn)
}

func (s *memberService) optOutSegment(ctx context.Context, req *serve.Request, in *optSegmentIn) (*wire.Envelope, error) {
	return s.optSegment(ctx, req, in, optsOut)
}

func (s *memberService) optInGlobal(ctx context.Context, req *serve.Request, in *optIn) (*wire.Envelope, error) {
	return s.optMember(ctx, req, in, globalList, optsIn)
}

func (s *memberService) optOutGlobal(ctx context.Context, req *serve.Request, in *optIn) (*wire.Envelope, error) {
	return s.optMember(ctx, req, in, globalList, optsOut)
}

var globalList = domain.Opt{Kind: domain.OptGlobal}

// optCommand makes the command of one of the two directions.
type optCommand func(member domain.MemberID, to domain.Opt, at int64) domain.Command

func optsIn(member domain.MemberID, to domain.Opt, at int64) domain.Command {
	return &domain.OptIn{Member: member, Opt: to, At: at}
}

func optsOut(member domain.MemberID, to domain.Opt, at int64) domain.Command {
	return &domain.OptOut{Member: member, Opt: to, At: at}
}

func (s *memberService) optBrand(ctx context.Context, req *serve.Request, in *optBrandIn, command optCommand) (*wire.Envelope, error) {
	b, err := req.Brand(in.BrandID, "brandid")
	if err != nil {
		return nil, err
	}
	return s.optMember(ctx, req, &in.Who, domain.Opt{Kind: domain.OptBrand, ID: uint32(b.ID)}, command)
}

func (s *memberService) optSegment(ctx context.Context, req *serve.Request, in *optSegmentIn, command optCommand) (*wire.Envelope, error) {
	g, err := req.Segment(in.SegmentID, "segmentid")
	if err != nil {
		return nil, err
	}
	return s.optMember(ctx, req, &in.Who, domain.Opt{Kind: domain.OptSegment, ID: uint32(g.ID)}, command)
}

func (s *memberService) optMember(ctx context.Context, req *serve.Request, in *optIn, to domain.Opt, command optCommand) (*wire.Envelope, error) {
	id := domain.MemberID(in.ID)
	if id == 0 {
		m, err := selection.Member(ctx, req, in.Ways(in.Email))
		if err != nil {
			return nil, err
		}
		id = m.ID
	}
	sub := req.Submission()
	sub.Command, sub.Slot = command(id, to, req.Now.UnixMilli()), id.Slot()
	out, err := req.Submit(ctx, sub)
	if err != nil {
		return nil, about(err, domain.NotFound, "id")
	}
	m, err := req.Member(ctx, out.Member, out.Position)
	if err != nil {
		return nil, err
	}
	return s.envelope(req, m, signedIn(m)), nil
}

// about names the parameter at fault in an error of the code.
func about(err error, code domain.Code, parameter string) error {
	if domain.CodeOf(err) != code {
		return err
	}
	return domain.Bad(code, parameter, "the account has no such member")
}
