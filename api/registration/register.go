package registration

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/profile"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// registerIn are the parameters of member/register.
type registerIn struct {
	credentialsIn
	profileIn
	partnerIn
	serviceRecordIn
	visitIn
	ID        bind.ID `name:"id" doc:"an existing member to attach the service to, or whose service to update" eg:"4097"`
	SegmentID bind.ID `name:"segmentid" doc:"existing segment to put the member on the list of" eg:"1"`
}

// credentialsIn are the account on a network that a member registers by.
type credentialsIn struct {
	Service    bind.Service `name:"service" required:"" not:"custom,rdio,beatsmusic" doc:"the network the member registers by; not rdio, beatsmusic or custom" eg:"spotify"`
	UID        string       `name:"uid" doc:"user id on the service; required but for email" eg:"u-1"`
	AuthToken  string       `name:"authtoken" exact:"" max:"8192" doc:"token from the service; required but for email; must be the uid's where a check is configured for the service" eg:"token-1"`
	AuthSecret *string      `name:"authsecret" exact:"" max:"8192" doc:"secret or refresh token" eg:"secret-1"`
}

// profileIn is the profile of a registration.
type profileIn struct {
	profile.Person
	Username  *string     `name:"username" doc:"name on the service; of the service record, too" eg:"ada"`
	Email     *bind.Email `name:"email" doc:"required for a registration by email" eg:"ada@example.com"`
	Password  string      `name:"password" exact:"" max:"1048576" doc:"required for a registration by email; one for each address: 8 to 256 bytes if the address is new, else the one it has" eg:"correct horse"`
	Region    *string     `name:"region" doc:"state or province" eg:"Berlin"`
	AvatarURL *bind.URL   `name:"avatarurl" doc:"picture on the service" eg:"https://example.com/ada.png"`
}

// Withheld are the parameters of a registration that a public key, which everybody may have, cannot give:
// whom a partner means, whose list the member is on, what the network says of it, and where it is.
var Withheld = []string{"partner", "code", "sourceuid", "segmentid", "paidaccount", "followers", "likes", "ip"}

// partnerIn is the member's identity with a partner.
type partnerIn struct {
	Partner   string `name:"partner" doc:"partner id; code wins over it" eg:"acme"`
	Code      string `name:"code" doc:"import code: PartnerCode" eg:"acme"`
	SourceUID string `name:"sourceuid" doc:"the partner's id of the member: PartnerID" eg:"77"`
}

// serviceRecordIn is the record of the account on the network.
type serviceRecordIn struct {
	UserURL   *bind.URL   `name:"userurl" doc:"page on the service" eg:"https://example.com/ada"`
	Followers *int64      `name:"followers" doc:"followers on the service" eg:"12"`
	Likes     *int64      `name:"likes" doc:"likes on the service" eg:"3"`
	Paid      *bool       `name:"paidaccount" doc:"1: a paid account on the service" eg:"1"`
	Expires   *string     `name:"expires" doc:"when the token expires, as the service says it" eg:"2030-01-01"`
	Sharing   *bool       `name:"activity_sharing_enabled" doc:"1 enabled, 0 disabled; default 1" eg:"1"`
	Domain    bind.Domain `name:"domain" doc:"website to associate: a service record keeps the first 100 of its registrations" eg:"www.example.com"`
}

// Missing reports what a registration by the service needs.
func (in *registerIn) Missing(has func(string) bool) string {
	service := domain.Service(in.Service)
	switch {
	case service == domain.Email && !has("email"):
		return "email"
	case service == domain.Email && !has("password"):
		return "password"
	case !service.Registers() || service == domain.Email:
		return ""
	case !has("uid"):
		return "uid"
	case !has("authtoken"):
		return "authtoken"
	}
	return ""
}

// Check refuses a password that cannot be one. That of an email may be of an address that is there.
func (in *registerIn) Check() *domain.Error {
	if in.Password != "" && domain.Service(in.Service) != domain.Email {
		return credentials.CheckNew(in.Password)
	}
	return nil
}

// attachIn are the parameters of member/register at a member.
type attachIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of a member" eg:"4097"`
	Register registerIn
}

// Check refuses an id that differs from the path's.
func (in *attachIn) Check() *domain.Error {
	if in.Register.ID != 0 && in.Register.ID != in.MemberID {
		return domain.Bad(domain.InvalidParameter, "id", "id differs from the path's")
	}
	return nil
}

// Register registers a member by a service, or logs it in again.
func (s *Service) Register(ctx context.Context, req *serve.Request, in *registerIn) ([1]*wire.Envelope, error) {
	out, err := s.registerBy(ctx, req, in, domain.MemberID(in.ID))
	return [1]*wire.Envelope{out}, serve.WithParameter(err, "id")
}

// Attach attaches a service to a member, or updates the one it has.
func (s *Service) Attach(ctx context.Context, req *serve.Request, in *attachIn) ([1]*wire.Envelope, error) {
	out, err := s.registerBy(ctx, req, &in.Register, domain.MemberID(in.MemberID))
	return [1]*wire.Envelope{out}, serve.WithParameter(err, "memberid")
}

// permitted refuses what is not for a public key: a registration or login by a network whose
// authtoken is checked nowhere, and one at a member without the member's Bearer.
func (c *confirmer) permitted(req *serve.Request, service domain.Service, to domain.MemberID) error {
	switch {
	case !req.Caller.Public():
		return nil
	case service != domain.Email && !c.networks.Checks(service):
		return domain.Bad(domain.WrongApplication, "service",
			"a public key takes email and networks that check authtoken: for this one no check is configured")
	case to != 0 && req.Caller.Bearer != to:
		return domain.Bad(domain.WrongApplication, "id", "a public key needs the Bearer of the member here")
	}
	return nil
}

func (s *Service) registerBy(ctx context.Context, req *serve.Request, in *registerIn, to domain.MemberID) (*wire.Envelope, error) {
	service := domain.Service(in.Service)
	if err := s.permitted(req, service, to); err != nil {
		return nil, err
	}
	if err := checkRegistration(req, in); err != nil {
		return nil, err
	}
	from := in.from(req)
	if err := s.wrong.check(req, service, from); err != nil {
		return nil, err
	}
	if err := s.confirm(ctx, req, service, in.AuthToken, in.UID); err != nil {
		return nil, err
	}
	out, err := s.submitRegistration(ctx, req, newRegistration(req, in, in.place(s.geo)), to)
	if fault, ok := errors.AsType[*domain.Error](err); ok && wrongPassword(fault) && !out.Replayed {
		s.wrong.note(from, req.Clock.Now)
	}
	if err != nil {
		return nil, err
	}
	member, err := req.Survivor(ctx, out.Member, out.Position)
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, member, service)
}

// wrongPassword reports a registration that was refused because its address has another password.
func wrongPassword(fault *domain.Error) bool {
	return fault.Code == domain.Conflict && fault.Parameter == "password"
}

// checkRegistration refuses a birth date that is not past and a segment that the account does not
// have.
func checkRegistration(req *serve.Request, in *registerIn) error {
	if err := profile.PastDay(req, in.Birthdate); err != nil || in.SegmentID == 0 {
		return err
	}
	_, err := req.Segment(in.SegmentID, "segmentid")
	return err
}

// profile is what of the member's profile is given, and where it is; an empty value clears.
func (in *registerIn) profile(at domain.Geo) domain.Fields {
	var g profile.Given
	placed(&g, at)
	in.Person.Put(&g)
	profile.Put(&g, domain.Username, in.Username)
	profile.Put(&g, domain.EmailAddress, in.Email)
	profile.Put(&g, domain.Region, in.Region)
	profile.Put(&g, domain.AvatarURL, in.AvatarURL)
	return g.Fields()
}

// record is what of the service record is given; an empty value clears.
func (in *registerIn) record() domain.Fields {
	var g profile.Given
	if domain.Service(in.Service) != domain.Email {
		profile.Put(&g, domain.RecordToken, &in.AuthToken)
		profile.Put(&g, domain.RecordSecret, in.AuthSecret)
	}
	profile.Put(&g, domain.RecordUsername, in.Username)
	profile.Put(&g, domain.RecordURL, in.UserURL)
	profile.Put(&g, domain.RecordExpires, in.Expires)
	profile.PutNumber(&g, domain.RecordFollowers, in.Followers)
	profile.PutNumber(&g, domain.RecordLikes, in.Likes)
	profile.PutFlag(&g, domain.RecordPaid, in.Paid)
	profile.PutFlag(&g, domain.RecordSharing, in.Sharing)
	return g.Fields()
}

// newUUID is a random UUID (RFC 9562, version 4).
func newUUID() (u [16]byte) {
	_, _ = rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u
}
