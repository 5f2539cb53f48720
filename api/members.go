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

// memberIn are the parameters of member show.
type memberIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of a member" eg:"4097"`

	Email         bind.Email   `name:"email" doc:"another way to say who; not beside an id"`
	VerifiedEmail bind.Email   `name:"verified_email" doc:"another way to say who; not beside an id"`
	PartnerCode   string       `name:"partnerCode" doc:"with partnerID another way to say who; not beside an id"`
	PartnerID     string       `name:"partnerID" doc:"with partnerCode another way to say who; not beside an id"`
	Service       bind.Service `name:"service" doc:"with username another way to say who; not beside an id"`
	Username      string       `name:"username" doc:"with service another way to say who; not beside an id"`

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
func (in *memberIn) Missing(has func(string) bool) string {
	switch {
	case has("partnerID") && !has("partnerCode"):
		return "partnerCode"
	case has("partnerCode") && !has("partnerID"):
		return "partnerID"
	case has("username") && !has("service"):
		return "service"
	case has("service") && !has("username"):
		return "username"
	case has("threshold") && !in.ShowBrands:
		return "showbrands"
	case has("limit") && !in.ShowBrands && !in.ShowActions:
		return "showactions"
	}
	return ""
}

// Check refuses a second way to say who.
func (in *memberIn) Check() *domain.Error {
	for _, second := range []struct {
		name  string
		given bool
	}{
		{"email", in.Email != ""},
		{"verified_email", in.VerifiedEmail != ""},
		{"partnerID", in.PartnerID != ""},
		{"username", in.Username != ""},
	} {
		if second.given {
			return domain.Bad(domain.InvalidParameter, second.name, second.name+" is a second way to say who beside the id in the path")
		}
	}
	return nil
}

func showMember(c *Call, in *memberIn) (*wire.Envelope, error) {
	if _, err := c.over(in.Range, memberShow); err != nil {
		return nil, err
	}
	if in.BrandID != 0 {
		if _, err := c.brand(in.BrandID, "brandID"); err != nil {
			return nil, err
		}
	}
	for _, id := range in.ActivityID {
		if _, err := c.definition(id, "activityID"); err != nil {
			return nil, err
		}
	}
	m, err := c.member(domain.MemberID(in.MemberID), c.wait)
	if err != nil {
		return nil, err
	}
	return c.envelope(m, signedIn(m)), nil
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

// envelope is a member with its service records. The member's token is made when
// the answer is known to be sent: it is no part of the ETag.
func (c *Call) envelope(m *domain.Member, by domain.Service) *wire.Envelope {
	e := &wire.Envelope{Data: c.memberOf(m), OptIns: []wire.OptIn{}, Services: recordsOf(m)}
	c.finish = func() (err error) {
		e.JWT, err = c.tokens.sign(m.ID, c.app.ID, by, c.now)
		return err
	}
	return e
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
	return c.BaseURL + "/avatar/" + wire.Number(m.ID) + ".svg"
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
