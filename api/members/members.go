package members

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Service serves members: it signs their tokens and hashes their passwords.
type Service struct {
	tokens    *token.Tokens
	passwords *passwords
	sealer    *personal.Sealer
	wrong     wrongPasswords // of logins, by address
	geo       port.Geo       // nil: no address is located
}

// Config is what a Service is made of.
type Config struct {
	Tokens   *token.Tokens
	HashCost HashCost // of a password; zero: the least that OWASP advises

	PasswordKey [16]byte // of the pepper of passwords
	Sealer      *personal.Sealer
	Geo         port.Geo // of members' addresses; nil: none is located
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{tokens: c.Tokens, passwords: newPasswords(c.HashCost, c.PasswordKey), sealer: c.Sealer, geo: c.Geo}
}

// signedIn is the service of the latest login; of several the record made first.
func signedIn(m *domain.Member) domain.Service {
	var latest *domain.ServiceRecord
	for i := range m.Services {
		if s := &m.Services[i]; latest == nil || s.LastLogin > latest.LastLogin {
			latest = s
		}
	}
	if latest == nil {
		return domain.NoService
	}
	return latest.Service
}

// envelope is a member with its opt-ins and service records. The member's token is
// made when the answer is known to be sent: it is no part of the ETag.
func (s *Service) envelope(req *serve.Request, m *domain.Member, by domain.Service) *wire.Envelope {
	optIns := optInsOf(req, m)
	e := &wire.Envelope{Data: s.memberOf(req, m), OptIns: optIns, Services: recordsOf(m)}
	brands, segments := []string{}, []string{}
	for _, o := range optIns {
		switch {
		case o.SegmentID != nil:
			segments = append(segments, *o.SegmentID)
		case o.ID != nil:
			brands = append(brands, *o.ID)
		}
	}
	req.AtLast(func() (err error) {
		subject := token.Subject{Member: m.ID, Service: by, Brands: brands, Segments: segments}
		e.JWT, err = s.tokens.Sign(subject, req.App.ID, req.Catalog.SigningKeys(), req.Now)
		return err
	})
	return e
}

// optInsOf are the member's opt-ins that are in force, by ID, that to the global list
// first. Those to what is deleted are not shown.
func optInsOf(req *serve.Request, m *domain.Member) []wire.OptIn {
	opts := slices.Clone(m.Opts)
	slices.SortFunc(opts, func(a, b domain.OptState) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind)) })
	out := []wire.OptIn{}
	for _, o := range opts {
		if !o.In {
			continue
		}
		id := wire.Number(o.ID)
		switch o.Kind {
		case domain.OptGlobal:
			out = append(out, wire.OptIn{Name: wire.Null("Global")})
		case domain.OptBrand:
			if b, ok := req.Catalog.Brand(req.Account(), domain.BrandID(o.ID)); ok {
				out = append(out, wire.OptIn{ID: &id, Type: wire.Null("Brand"), Name: wire.Null(b.Fields["Name"])})
			}
		case domain.OptSegment:
			if g, ok := req.Catalog.Segment(req.Account(), domain.SegmentID(o.ID)); ok {
				out = append(out, wire.OptIn{ID: &id, Type: wire.Null("Segment"), SegmentID: &id, Label: wire.Null(g.Label), Name: wire.Null(g.Name)})
			}
		}
	}
	return out
}

func (s *Service) memberOf(req *serve.Request, m *domain.Member) wire.Member {
	field := func(f domain.Field) *string { return wire.Null(m.Profile.Get(f)) }
	country := m.Profile.Get(domain.Country)
	return wire.Member{
		ID: uint64(m.ID), FirstName: field(domain.FirstName), Surname: field(domain.Surname), Username: field(domain.Username),
		Email: field(domain.EmailAddress), Gender: field(domain.Gender), Bio: field(domain.Bio),
		AccessToken: s.tokens.Access(m.ID, m.TokenRandom, m.TokenMade), AvatarURL: wire.Avatar(req.Base, m),
		Country: wire.Null(bind.CountryName()[country]), City: field(domain.City), State: field(domain.Region),
		CountryCode: wire.Null(country), PostCode: field(domain.PostCode),
		GeoCountry: field(domain.GeoCountry), GeoCity: field(domain.GeoCity), GeoRegion: field(domain.GeoRegion),
		GeoLat: field(domain.GeoLat), GeoLong: field(domain.GeoLong), VerifiedEmail: field(domain.VerifiedEmail),
	}
}

func recordsOf(m *domain.Member) []wire.ServiceRecord {
	records := slices.Clone(m.Services)
	slices.SortFunc(records, func(a, b domain.ServiceRecord) int { return cmp.Compare(a.ID, b.ID) })
	out := make([]wire.ServiceRecord, len(records))
	for i := range records {
		out[i] = recordOf(&records[i])
	}
	return out
}

func recordOf(s *domain.ServiceRecord) wire.ServiceRecord {
	text := s.Fields.Get
	domains := append(append([]string{}, s.Domains...), s.Visited...)
	out := wire.ServiceRecord{
		Service: s.Service.String(), Valid: wire.Flag(!s.Invalid), ActivitySharing: wire.Flag(s.Sharing()),
		ID: wire.Number(s.ID), UserID: s.UID, Username: wire.Null(text(domain.RecordUsername)), UserURL: wire.Null(text(domain.RecordURL)),
		VerifiedEmail: wire.Null(text(domain.RecordVerifiedEmail)),
		Expires:       text(domain.RecordExpires), LastUpdated: wire.NullMillis(s.Updated), LastLogin: wire.NullMillis(s.LastLogin),
		PaidAccount: wire.Flag(s.Paid()), Followers: cmp.Or(text(domain.RecordFollowers), "0"), Likes: cmp.Or(text(domain.RecordLikes), "0"),
		PartnerCode: wire.Null(s.PartnerCode), PartnerID: wire.Null(s.PartnerID), Domains: domains,
	}
	if s.Service != domain.Email { // no hash or salt ever leaves
		out.Token, out.TokenSecret = text(domain.RecordToken), text(domain.RecordSecret)
	}
	return out
}
