package selection

import (
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Reference is the ways to name a member beside its id and email.
type Reference struct {
	PartnerCode string       `name:"partnerCode" doc:"with partnerID: names the member by what a partner calls it"`
	PartnerID   string       `name:"partnerID" doc:"with partnerCode: the partner's id of the member"`
	Service     bind.Service `name:"service" doc:"with username: names the earliest member of that name on the service"`
	Username    string       `name:"username" doc:"with service: name on the service"`
}

// Half is a parameter that another one requires.
func (n *Reference) Half(has func(string) bool) string {
	return half(has, [2]string{"partnerID", "partnerCode"}, [2]string{"username", "service"})
}

// half is the parameter that is missing of the first pair of which one alone is given; empty: none.
func half(has func(string) bool, pairs ...[2]string) string {
	for _, p := range pairs {
		switch {
		case has(p[0]) && !has(p[1]):
			return p[1]
		case has(p[1]) && !has(p[0]):
			return p[0]
		}
	}
	return ""
}

// Way is one way to name a member: its parameter, whether it is given, and the identities to
// look up, in order.
type Way struct {
	name  string
	given bool
	by    []address
}

type address struct {
	kind  domain.IdentityKind
	parts []string
}

// Ways are the ways to name a member, and an email: of the member that registered with it,
// else of the earliest that has it.
func (n *Reference) Ways(email bind.Email) []Way {
	return []Way{
		{"email", email != "", []address{{domain.ByLogin, []string{string(email)}}, {domain.ByEmail, []string{string(email)}}}},
		{"partnerID", n.PartnerID != "", []address{{domain.ByPartner, []string{n.PartnerCode, n.PartnerID}}}},
		{"username", n.Username != "", []address{{domain.ByUsername, []string{domain.Service(n.Service).String(), n.Username}}}},
	}
}

// OnlyOne refuses a second name of the member; id reports that one is given already.
func OnlyOne(ways []Way, id bool) *domain.Error {
	one := id
	for _, w := range ways {
		if w.given && one {
			return domain.Bad(domain.InvalidParameter, w.name, w.name+" is a second way to say who")
		}
		one = one || w.given
	}
	return nil
}

// Member is the member that the one way given names. Beside a Bearer it must be the Bearer's: of
// another one a public key does not learn whether it is there.
func Member(ctx context.Context, req *serve.Request, ways []Way) (*domain.Member, error) {
	m, _, err := Holder(ctx, req, ways)
	return m, err
}

// Holder is Member, and the id of the one that has the name itself: it may be merged into that one.
func Holder(ctx context.Context, req *serve.Request, ways []Way) (*domain.Member, domain.MemberID, error) {
	m, holder, err := named(ctx, req, ways)
	switch code := domain.CodeOf(err); {
	case err == nil:
		return m, holder, req.Caller.Own(m.ID)
	case req.Caller.Public() && (code == domain.NotFound || code == domain.Gone):
		return nil, 0, req.Caller.Own(0)
	}
	return nil, 0, err
}

func named(ctx context.Context, req *serve.Request, ways []Way) (*domain.Member, domain.MemberID, error) {
	for _, w := range ways {
		if !w.given {
			continue
		}
		for _, a := range w.by {
			hash := req.Identity(a.kind, a.parts...)
			id, at, err := req.ResolveMember(ctx, a.kind, hash)
			if err != nil {
				return nil, 0, serve.WaitFault(err)
			}
			req.RaisePosition(at)
			if id == 0 {
				continue
			}
			m, err := req.Survivor(ctx, id, req.Wait)
			if domain.CodeOf(err) == domain.NotFound || errors.Is(err, domain.ErrErased) {
				continue // the name is about to be free
			}
			return m, id, err
		}
		return nil, 0, domain.Bad(domain.NotFound, w.name, "the account has no such member")
	}
	return nil, 0, domain.Bad(domain.MissingParameter, "email", "say who") // Missing has refused it
}

// Verified adds the way by a verified email.
func Verified(ways []Way, email bind.Email) []Way {
	return append(ways, Way{"verified_email", email != "", []address{{domain.ByVerifiedEmail, []string{string(email)}}}})
}

// HolderOf is the record of the member that has an identity, be it merged into another; nil: none has, or
// the identity is about to be free.
func HolderOf(
	ctx context.Context, req *serve.Request, kind domain.IdentityKind, identity domain.IdentityHash,
) (*domain.Member, error) {
	id, _, err := req.Engine.Resolve(ctx, req.Account(), kind, identity, req.Wait)
	if err != nil || id == 0 {
		return nil, serve.WaitFault(err)
	}
	m, _, err := req.Engine.MemberRecord(ctx, req.Account(), id, req.Wait)
	return held(m, err)
}

// NamedHolder is HolderOf for a write that needs a member to have the identity: another node may have registered it
// a moment ago.
func NamedHolder(
	ctx context.Context, req *serve.Request, kind domain.IdentityKind, identity domain.IdentityHash,
) (*domain.Member, error) {
	id, _, err := req.ResolveMember(ctx, kind, identity)
	if err != nil || id == 0 {
		return nil, serve.WaitFault(err)
	}
	return held(req.MemberRecord(ctx, id, req.Wait))
}

func held(m *domain.Member, err error) (*domain.Member, error) {
	if code := domain.CodeOf(err); code == domain.NotFound || code == domain.Gone {
		return nil, nil
	}
	return m, serve.WaitFault(err)
}

// BrandPath is a brand in the path.
type BrandPath struct {
	BrandID bind.ID `name:"brandid" doc:"id of a brand" eg:"1"`
}

// ServiceIdentity is the identity of a service's user: its canonical form is the service's
// word and the uid as given.
func ServiceIdentity(req *serve.Request, service domain.Service, uid string) domain.IdentityHash {
	return req.Identity(domain.ByService, service.String(), uid)
}

// LoginIdentity is the identity that a member logs in with: of email the address, in its canonical form.
func LoginIdentity(req *serve.Request, service domain.Service, uid string) domain.IdentityHash {
	if service == domain.Email {
		return req.Identity(domain.ByLogin, uid)
	}
	return ServiceIdentity(req, service, uid)
}

// PartnerIdentity is the identity of a partner's member: code and id as given.
func PartnerIdentity(req *serve.Request, code, id string) domain.IdentityHash {
	return req.Identity(domain.ByPartner, code, id)
}
