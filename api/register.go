package api

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// registerIn are the parameters of member/register.
type registerIn struct {
	Service    bind.Service `name:"service" required:"" doc:"the network the member registers by; not rdio, beatsmusic or custom" eg:"spotify"`
	UID        string       `name:"uid" doc:"user id on the service; required" eg:"u-1"`
	AuthToken  string       `name:"authtoken" max:"8192" doc:"token from the service; required" eg:"token-1"`
	AuthSecret *string      `name:"authsecret" max:"8192" doc:"secret or refresh token" eg:"secret-1"`

	FirstName *string         `name:"firstname" eg:"Ada"`
	Surname   *string         `name:"surname" eg:"Fan"`
	Username  *string         `name:"username" eg:"ada"`
	Email     *bind.Email     `name:"email" eg:"ada@example.com"`
	Password  string          `name:"password" max:"256" doc:"of a registration by email"`
	Birthdate *bind.Birthdate `name:"birthdate" doc:"dd-mm-yyyy, a past day" eg:"24-12-1990"`
	Gender    *string         `name:"gender" enum:"M,F,Other" eg:"F"`
	City      *string         `name:"city" eg:"Berlin"`
	Country   *bind.Country   `name:"country" doc:"ISO 3166-1 alpha-2" eg:"DE"`
	Region    *string         `name:"region" doc:"state or province" eg:"Berlin"`
	PostCode  *string         `name:"postcode" eg:"10115"`
	AvatarURL *bind.URL       `name:"avatarurl" doc:"picture on the service" eg:"https://example.com/ada.png"`

	Partner   string `name:"partner" doc:"partner id; code wins over it" eg:"acme"`
	Code      string `name:"code" doc:"import code: PartnerCode" eg:"acme"`
	SourceUID string `name:"sourceuid" doc:"the partner's id of the member: PartnerID" eg:"77"`

	UserURL   *bind.URL   `name:"userurl" doc:"page on the service" eg:"https://example.com/ada"`
	Followers *int64      `name:"followers" doc:"followers on the service" eg:"12"`
	Likes     *int64      `name:"likes" doc:"likes on the service" eg:"3"`
	Paid      *bool       `name:"paidaccount" doc:"1: a paid account on the service" eg:"1"`
	Expires   *string     `name:"expires" doc:"when the token expires, as the service says it" eg:"2030-01-01"`
	Sharing   *bool       `name:"activity_sharing_enabled" doc:"1 enabled, 0 disabled; default 1" eg:"1"`
	Domain    bind.Domain `name:"domain" doc:"website to associate" eg:"www.example.com"`

	IP        bind.Address `name:"ip" later:"ignore" doc:"IP address, v4 or v6"`
	UserAgent string       `name:"useragent" max:"4096" later:"ignore" doc:"browser user agent"`
	WebPath   string       `name:"webpath" max:"4096" later:"ignore" doc:"page the member registered on"`
	Referrer  string       `name:"referring_url" max:"4096" later:"ignore" doc:"page the member came from"`
	Visitor   string       `name:"visitor" later:"ignore" doc:"the site's id of the visitor"`
	ID        bind.ID      `name:"id" later:"refuse" doc:"an existing member to attach the service to"`
	SegmentID bind.ID      `name:"segmentid" doc:"existing segment to include the member in"`
}

// Missing reports what a registration by a social service needs.
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

// Check refuses a service nobody registers by.
func (in *registerIn) Check() *domain.Error {
	switch service := domain.Service(in.Service); {
	case service == domain.Email:
		return domain.Bad(domain.InvalidParameter, "service", "registration by email is not available yet")
	case !service.Registers():
		return domain.Bad(domain.InvalidParameter, "service", "nobody registers by "+service.String())
	}
	return nil
}

// register registers a member by a social service, or meets it again.
func register(c *Call, in *registerIn) ([]*wire.Envelope, error) {
	if in.Birthdate != nil && string(*in.Birthdate) >= c.now.UTC().Format(time.DateOnly) {
		return nil, domain.Bad(domain.InvalidParameter, "birthdate", "birthdate must be a past day")
	}
	if in.SegmentID != 0 {
		return nil, domain.Bad(domain.NotFound, "segmentid", "the account has no such segment")
	}
	service := domain.Service(in.Service)
	m := &domain.RegisterMember{
		Application: c.app.ID, Service: service, UID: in.UID, Identity: c.socialIdentity(service, in.UID),
		PartnerCode: cmp.Or(in.Code, in.Partner), PartnerID: in.SourceUID,
		Given: in.profile(), Record: in.record(), Domain: string(in.Domain), At: c.now.UnixMilli(),
	}
	if m.PartnerCode != "" && m.PartnerID != "" {
		m.Partner = c.partnerIdentity(m.PartnerCode, m.PartnerID)
	}
	m.UUID = newUUID()
	_, _ = rand.Read(m.TokenRandom[:]) // never fails
	m.TokenHash = c.tokens.hash(m.TokenRandom)
	s := c.submission()
	s.Command, s.Slot = m, m.Identity.Slot()
	out, err := c.submit(s)
	if err != nil {
		return nil, err
	}
	member, err := c.member(out.Member, out.Position)
	if err != nil {
		return nil, err
	}
	return []*wire.Envelope{c.envelope(member, service)}, nil
}

// socialIdentity is the identity of a service's user: its canonical form is the
// service's word and the uid as given.
func (c *Call) socialIdentity(service domain.Service, uid string) domain.IdentityHash {
	return c.Hasher.Identity(c.Account(), domain.ByService, service.String(), uid)
}

// partnerIdentity is the identity of a partner's member: code and id as given.
func (c *Call) partnerIdentity(code, id string) domain.IdentityHash {
	return c.Hasher.Identity(c.Account(), domain.ByPartner, code, id)
}

// given collects the fields that a request gives.
type given domain.Fields

func put[T ~string](g *given, f domain.Field, v *T) {
	if v != nil {
		*g = append(*g, domain.FieldValue{Field: f, Value: string(*v)})
	}
}

func putNumber(g *given, f domain.Field, v *int64) {
	if v != nil {
		*g = append(*g, domain.FieldValue{Field: f, Value: strconv.FormatInt(*v, 10)})
	}
}

func putFlag(g *given, f domain.Field, v *bool) {
	if v != nil {
		*g = append(*g, domain.FieldValue{Field: f, Value: wire.Flag(*v)})
	}
}

// fields are the fields collected, ascending.
func (g given) fields() domain.Fields {
	slices.SortFunc(g, func(a, b domain.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
	return domain.Fields(g)
}

// profile is what of the member's profile is given; an empty value clears.
func (in *registerIn) profile() domain.Fields {
	var g given
	put(&g, domain.FirstName, in.FirstName)
	put(&g, domain.Surname, in.Surname)
	put(&g, domain.Username, in.Username)
	put(&g, domain.EmailAddress, in.Email)
	put(&g, domain.Gender, in.Gender)
	put(&g, domain.City, in.City)
	put(&g, domain.Region, in.Region)
	put(&g, domain.Country, in.Country)
	put(&g, domain.PostCode, in.PostCode)
	put(&g, domain.AvatarURL, in.AvatarURL)
	put(&g, domain.Birthdate, in.Birthdate)
	return g.fields()
}

// record is what of the service record is given; an empty value clears.
func (in *registerIn) record() domain.Fields {
	var g given
	put(&g, domain.RecordToken, &in.AuthToken)
	put(&g, domain.RecordSecret, in.AuthSecret)
	put(&g, domain.RecordUsername, in.Username)
	put(&g, domain.RecordURL, in.UserURL)
	put(&g, domain.RecordExpires, in.Expires)
	putNumber(&g, domain.RecordFollowers, in.Followers)
	putNumber(&g, domain.RecordLikes, in.Likes)
	putFlag(&g, domain.RecordPaid, in.Paid)
	putFlag(&g, domain.RecordSharing, in.Sharing)
	return g.fields()
}

// newUUID is a random UUID (RFC 9562, version 4).
func newUUID() (u [16]byte) {
	_, _ = rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u
}

// memberName is what a member is called: first name and surname, else username.
func memberName(p domain.Fields) string {
	name := strings.TrimSpace(p.Get(domain.FirstName) + " " + p.Get(domain.Surname))
	return cmp.Or(name, p.Get(domain.Username))
}
