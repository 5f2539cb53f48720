package envelope

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Maker makes envelopes: it has member tokens signed. Any goroutine may use it.
type Maker struct{ Tokens *token.Tokens }

// SignedIn is the service of the latest login; of several the record made first.
func SignedIn(m *domain.Member) domain.Service {
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

// Of is a member with its opt-ins and service records. The member's token is
// made when the answer is known to be sent: it is no part of the ETag. Who asks by an outdated token
// gets that one back: it is not exchanged for one that writes.
func (k Maker) Of(req *serve.Request, m *domain.Member, by domain.Service) (*wire.Envelope, error) {
	optIns, err := OptIns(req, m)
	if err != nil {
		return nil, err
	}
	e := &wire.Envelope{Data: k.Member(req, m), OptIns: optIns, Services: Records(m)}
	brands, segments := []string{}, []string{}
	for _, o := range optIns {
		switch {
		case o.SegmentID != nil:
			segments = append(segments, *o.SegmentID)
		case o.ID != nil:
			brands = append(brands, *o.ID)
		}
	}
	req.Response.AtLast(func() (err error) {
		if req.Caller.Outdated(m) {
			e.JWT = req.Caller.Token
			return nil
		}
		subject := token.Subject{Member: m.ID, Service: by, Brands: brands, Segments: segments, From: m.TokensFrom()}
		e.JWT, err = k.Tokens.Sign(subject, req.Caller.App.ID, req.Catalog.SigningKeys(), req.Clock.Now)
		return err
	})
	return e, nil
}

// OptIns are the member's opt-ins that are in force, by ID, that to the global list
// first. Those to what is deleted are not shown.
func OptIns(req *serve.Request, m *domain.Member) ([]wire.OptIn, error) {
	if len(m.Opts) == 0 {
		return []wire.OptIn{}, nil
	}
	opts := slices.Clone(m.Opts)
	slices.SortFunc(opts, func(a, b domain.OptState) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind)) })
	out := []wire.OptIn{}
	for _, o := range opts {
		if !o.In {
			continue
		}
		shown, there, err := optIn(req, &o)
		if err != nil {
			return nil, err
		}
		if there {
			out = append(out, shown)
		}
	}
	return out, nil
}

// AnyOptIn is what a member opted in to, or was put on the list of; of a deleted one its id.
func AnyOptIn(req *serve.Request, o *domain.OptState) (wire.OptIn, error) {
	out, _, err := optIn(req, o)
	return out, err
}

// optIn is an opt-in, and whether what it is to is there, not deleted.
func optIn(req *serve.Request, o *domain.OptState) (out wire.OptIn, there bool, err error) {
	id := wire.Number(o.ID)
	switch o.Kind {
	case domain.OptBrand:
		out = wire.OptIn{ID: &id, Type: wire.Null("Brand")}
		b, err := req.AnyBrand(domain.BrandID(o.ID))
		if b == nil {
			return out, false, err
		}
		out.Name = wire.Null(b.Name())
		return out, !b.Deleted, nil
	case domain.OptSegment:
		out = wire.OptIn{ID: &id, Type: wire.Null("Segment"), SegmentID: &id}
		g, err := req.AnySegment(domain.SegmentID(o.ID))
		if g == nil || g.Deleted {
			return out, false, err
		}
		out.Label, out.Name = wire.Null(g.Label), wire.Null(g.Name)
		return out, true, nil
	}
	return wire.OptIn{Name: wire.Null("Global")}, true, nil
}

// access is a member's access token; of a bare member it is not known, and an outdated member token
// does not get it: it is exchanged for a new one.
func (k Maker) access(req *serve.Request, m *domain.Member) string {
	if m.IsBare() || req.Caller.Outdated(m) {
		return ""
	}
	return k.Tokens.Access(m.ID, m.TokenRandom, m.TokenMade)
}

// Member is the data node of an envelope.
func (k Maker) Member(req *serve.Request, m *domain.Member) wire.Member {
	field := func(f domain.Field) *string { return wire.Field(m.Profile, f) }
	country := m.Profile.Get(domain.Country)
	return wire.Member{
		ID: uint64(m.ID), FirstName: field(domain.FirstName), Surname: field(domain.Surname), Username: field(domain.Username),
		Email: field(domain.EmailAddress), Gender: field(domain.Gender), Bio: field(domain.Bio),
		AccessToken: k.access(req, m), AvatarURL: wire.Avatar(req.Links.Base, m),
		Country: wire.Null(bind.CountryName()[country]), City: field(domain.City), State: field(domain.Region),
		CountryCode: wire.Null(country), PostCode: field(domain.PostCode),
		GeoCountry: field(domain.GeoCountry), GeoCity: field(domain.GeoCity), GeoRegion: field(domain.GeoRegion),
		GeoLat: field(domain.GeoLat), GeoLong: field(domain.GeoLong), VerifiedEmail: field(domain.VerifiedEmail),
	}
}

// Records are the service records of a member, by ID.
func Records(m *domain.Member) []wire.ServiceRecord {
	byID := func(a, b domain.ServiceRecord) int { return cmp.Compare(a.ID, b.ID) }
	records := m.Services
	if !slices.IsSortedFunc(records, byID) {
		records = slices.SortedFunc(slices.Values(records), byID)
	}
	out := make([]wire.ServiceRecord, len(records))
	for i := range records {
		out[i] = Record(&records[i])
	}
	return out
}

// Record is a service record as answers show it.
func Record(s *domain.ServiceRecord) wire.ServiceRecord {
	text := s.Fields.Get
	null := func(f domain.Field) *string { return wire.Field(s.Fields, f) }
	domains := append(append([]string{}, s.Domains...), s.Visited...)
	out := wire.ServiceRecord{
		Service: s.Service.String(), Valid: wire.Flag(!s.Invalid), ActivitySharing: wire.Flag(s.Sharing()),
		ID: wire.Number(s.ID), UserID: s.UID, Username: null(domain.RecordUsername), UserURL: null(domain.RecordURL),
		VerifiedEmail: null(domain.RecordVerifiedEmail),
		Expires:       text(domain.RecordExpires), LastUpdated: wire.NullMillis(s.Updated), LastLogin: wire.NullMillis(s.LastLogin),
		PaidAccount: wire.Flag(s.Paid()), Followers: cmp.Or(text(domain.RecordFollowers), "0"), Likes: cmp.Or(text(domain.RecordLikes), "0"),
		PartnerCode: wire.Null(s.PartnerCode), PartnerID: wire.Null(s.PartnerID), Domains: domains,
	}
	if s.Service != domain.Email { // no hash or salt ever leaves
		out.Token, out.TokenSecret = text(domain.RecordToken), text(domain.RecordSecret)
	}
	return out
}
