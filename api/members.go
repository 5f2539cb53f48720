package api

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// memberShow is the longest range of member show.
var memberShow = bind.Period{Amount: 3, Unit: bind.Month}

// showIn are the parameters of member show beside who it is.
type showIn struct {
	bind.Range
	BrandID        bind.ID       `name:"brandID" doc:"filters actions and score" eg:"1"`
	ActivityID     bind.IDs      `name:"activityID" doc:"filters actions and score" eg:"100"`
	Segment        bind.ID       `name:"segment" later:"refuse" doc:"filters actions and score; segmentid is the same parameter"`
	Services       bind.Services `name:"services" doc:"filters actions and score" eg:"spotify"`
	IncludeOneTime bool          `name:"includeOneTime" doc:"1 includes one-time actions" eg:"1"`
	AnyOf          string        `name:"anyofactivities" later:"refuse" doc:"filters actions and score"`
	AllOf          string        `name:"allofactivities" later:"refuse" doc:"filters actions and score"`

	Refresh      bool      `name:"refresh" later:"ignore" doc:"1 answers after everything accepted before it"`
	ShowPosition bool      `name:"showposition" later:"ignore" doc:"1 adds AEPosition and Score"`
	ShowBrands   bool      `name:"showbrands" later:"ignore" doc:"1 adds the member's top brands"`
	ShowActions  bool      `name:"showactions" later:"ignore" doc:"1 adds the latest actions"`
	Extended     bool      `name:"extended" later:"ignore" doc:"1 includes the Extended node"`
	Explain      bool      `name:"explain" later:"ignore" doc:"1 adds the actions behind the score"`
	Threshold    int64     `name:"threshold" min:"1" later:"ignore" doc:"least ActivityCount of a brand; requires showbrands"`
	Limit        bind.Page `name:"limit" later:"ignore" doc:"of actions and brands; requires showactions or showbrands"`
}

// Missing reports a parameter that another one requires.
func (in *showIn) Missing(has func(string) bool) string {
	switch {
	case has("threshold") && !in.ShowBrands:
		return "showbrands"
	case has("limit") && !in.ShowBrands && !in.ShowActions:
		return "showactions"
	}
	return ""
}

// memberIn are the parameters of member show by id.
type memberIn struct {
	MemberID      bind.ID    `name:"memberid" doc:"id of a member; beside it no other way to say who" eg:"4097"`
	Email         bind.Email `name:"email" doc:"another way to say who; not beside an id"`
	VerifiedEmail bind.Email `name:"verified_email" doc:"another way to say who; not beside an id"`
	naming
	Show showIn
}

// Missing reports half of a name.
func (in *memberIn) Missing(has func(string) bool) string { return in.half(has) }

// Check refuses a second way to say who.
func (in *memberIn) Check() *domain.Error {
	return second(verified(in.ways(in.Email), in.VerifiedEmail), true)
}

// findIn are the parameters of member show by a name.
type findIn struct {
	Email         bind.Email `name:"email" doc:"of the member that registered with it, else of the earliest that has it; exactly one way to say who" eg:"ada@example.com"`
	VerifiedEmail bind.Email `name:"verified_email" doc:"of the member that has it verified"`
	naming
	Show showIn
}

// Missing reports that nobody is named, or half of a name.
func (in *findIn) Missing(has func(string) bool) string {
	if half := in.half(has); half != "" {
		return half
	}
	if !has("email") && !has("verified_email") && !has("partnerID") && !has("username") {
		return "email"
	}
	return ""
}

// Check refuses a second way to say who.
func (in *findIn) Check() *domain.Error {
	return second(verified(in.ways(in.Email), in.VerifiedEmail), false)
}

// verified adds the way by a verified email.
func verified(ways []way, email bind.Email) []way {
	return append(ways, way{"verified_email", email != "", []address{{domain.ByVerifiedEmail, []string{string(email)}}}})
}

func showMember(c *Call, in *memberIn) (*wire.Envelope, error) {
	if err := c.show(&in.Show); err != nil {
		return nil, err
	}
	m, err := c.member(domain.MemberID(in.MemberID), c.wait)
	if err != nil {
		return nil, err
	}
	return c.envelope(m, signedIn(m)), nil
}

func findMember(c *Call, in *findIn) (*wire.Envelope, error) {
	if err := c.show(&in.Show); err != nil {
		return nil, err
	}
	m, err := c.named(verified(in.ways(in.Email), in.VerifiedEmail))
	if err != nil {
		return nil, err
	}
	return c.envelope(m, signedIn(m)), nil
}

// show checks what member show names beside who.
func (c *Call) show(in *showIn) error {
	if _, err := c.over(in.Range, memberShow); err != nil {
		return err
	}
	if in.BrandID != 0 {
		if _, err := c.brand(in.BrandID, "brandID"); err != nil {
			return err
		}
	}
	for _, id := range in.ActivityID {
		if _, err := c.definition(id, "activityID"); err != nil {
			return err
		}
	}
	return nil
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
func (c *Call) envelope(m *domain.Member, by domain.Service) *wire.Envelope {
	optIns := c.optInsOf(m)
	e := &wire.Envelope{Data: c.memberOf(m), OptIns: optIns, Services: recordsOf(m)}
	brands, segments := []string{}, []string{}
	for _, o := range optIns {
		switch {
		case o.SegmentID != nil:
			segments = append(segments, *o.SegmentID)
		case o.ID != nil:
			brands = append(brands, *o.ID)
		}
	}
	c.finish = func() (err error) {
		e.JWT, err = c.tokens.sign(m.ID, c.app.ID, by, brands, segments, c.now)
		return err
	}
	return e
}

// optInsOf are the member's opt-ins that are in force, by ID, that to the global list
// first. Those to what is deleted are not shown.
func (c *Call) optInsOf(m *domain.Member) []wire.OptIn {
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
			if b, ok := c.catalog.Brand(c.Account(), domain.BrandID(o.ID)); ok {
				out = append(out, wire.OptIn{ID: &id, Type: wire.Null("Brand"), Name: wire.Null(b.Fields["Name"])})
			}
		case domain.OptSegment:
			if g, ok := c.catalog.Segment(c.Account(), domain.SegmentID(o.ID)); ok {
				out = append(out, wire.OptIn{ID: &id, Type: wire.Null("Segment"), SegmentID: &id, Label: wire.Null(g.Label), Name: wire.Null(g.Name)})
			}
		}
	}
	return out
}

func (c *Call) memberOf(m *domain.Member) wire.Member {
	field := func(f domain.Field) *string { return wire.Null(m.Profile.Get(f)) }
	country := m.Profile.Get(domain.Country)
	return wire.Member{
		ID: uint64(m.ID), FirstName: field(domain.FirstName), Surname: field(domain.Surname), Username: field(domain.Username),
		Email: field(domain.EmailAddress), Gender: field(domain.Gender), Bio: field(domain.Bio),
		AccessToken: c.tokens.access(m.ID, m.TokenRandom, m.TokenMade), AvatarURL: c.avatar(m),
		Country: wire.Null(bind.CountryName()[country]), City: field(domain.City), State: field(domain.Region),
		CountryCode: wire.Null(country), PostCode: field(domain.PostCode),
		GeoCountry: field(domain.GeoCountry), GeoCity: field(domain.GeoCity), GeoRegion: field(domain.GeoRegion),
		GeoLat: field(domain.GeoLat), GeoLong: field(domain.GeoLong),
	}
}

// avatar is the picture given, else one drawn from the member's number.
func (c *Call) avatar(m *domain.Member) string {
	if given := m.Profile.Get(domain.AvatarURL); given != "" {
		return given
	}
	return c.base + "/avatar/" + wire.Number(m.ID) + ".svg"
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
	domains := slices.Clone(s.Domains)
	if domains == nil {
		domains = []string{}
	}
	out := wire.ServiceRecord{
		Service: s.Service.String(), Valid: wire.Flag(!s.Invalid), ActivitySharing: wire.Flag(s.Sharing()),
		ID: wire.Number(s.ID), UserID: s.UID, Username: wire.Null(text(domain.RecordUsername)), UserURL: wire.Null(text(domain.RecordURL)),
		Expires: text(domain.RecordExpires), LastUpdated: wire.NullMillis(s.Updated), LastLogin: wire.NullMillis(s.LastLogin),
		PaidAccount: wire.Flag(s.Paid()), Followers: cmp.Or(text(domain.RecordFollowers), "0"), Likes: cmp.Or(text(domain.RecordLikes), "0"),
		PartnerCode: wire.Null(s.PartnerCode), PartnerID: wire.Null(s.PartnerID), Domains: domains,
	}
	if s.Service != domain.Email { // no hash or salt ever leaves
		out.Token, out.TokenSecret = text(domain.RecordToken), text(domain.RecordSecret)
	}
	return out
}
