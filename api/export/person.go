package export

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/wire"
)

// profileOf is the member's profile in the parameters of an update.
func profileOf(m *domain.Member) wire.ExportedProfile {
	text := m.Profile.Get
	return wire.ExportedProfile{
		Type: wire.ProfileLine, FirstName: text(domain.FirstName), Surname: text(domain.Surname),
		Username: text(domain.Username), Email: text(domain.EmailAddress), Gender: text(domain.Gender),
		Birthdate: birthdate(m), Bio: text(domain.Bio), Address: text(domain.Address),
		AddressLine2: text(domain.AddressLine2), City: text(domain.City), Region: text(domain.Region),
		Country: text(domain.Country), PostCode: text(domain.PostCode), HomePhone: text(domain.HomePhone),
		MobilePhone: text(domain.MobilePhone), Website: text(domain.Website),
		Extended: json.RawMessage(text(domain.Extended)),
	}
}

// birthdate is the member's as parameters have it.
func birthdate(m *domain.Member) string {
	day, err := time.Parse(time.DateOnly, m.Profile.Get(domain.Birthdate))
	if err != nil {
		return "" // it has none
	}
	return day.Format("02-01-2006")
}

// partnerOfExport is the partner of members that have no other name outside of this installation.
const partnerOfExport = "ovation-export"

// registrations makes the lines of the service records. Those by email are first: a registration by
// email sets the address of the profile, and a later one its own. from is an address that the member
// can be located by.
func (l *Lines) registrations(from string) {
	records := slices.Clone(l.member.Services)
	slices.SortFunc(records, func(a, b domain.ServiceRecord) int {
		if a, b := a.Service == domain.Email, b.Service == domain.Email; a != b {
			if a {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	for i := range records {
		r := &records[i]
		line := l.registration(r)
		if len(r.Domains) > 0 {
			line.Domain = r.Domains[0]
		}
		l.services = append(l.services, line)
		for _, site := range r.Domains[min(1, len(r.Domains)):] {
			further := identified(r)
			further.Domain = site
			l.services = append(l.services, further)
		}
		if !r.Sharing() {
			closed := identified(r)
			closed.Type, closed.Sharing = wire.SharingLine, wire.Flag(false)
			l.sharing = append(l.sharing, closed)
		}
	}
	if len(l.services) == 0 {
		return
	}
	first := &l.services[0]
	first.IP = from
	if l.named() == nil {
		first.Code, first.SourceUID = partnerOfExport, wire.UUID(l.member.UUID)
	}
}

// identified is the line of a service record with what identifies it alone.
func identified(r *domain.ServiceRecord) wire.ExportedService {
	line := wire.ExportedService{
		Type: wire.ServiceLine, Service: r.Service.String(), ServiceID: wire.Number(r.ID),
		Application: wire.Number(r.Application), Registered: wire.Millis(r.Created),
	}
	if r.Service == domain.Email {
		line.Email = r.UID
		return line
	}
	line.UID, line.AuthToken = r.UID, r.Fields.Get(domain.RecordToken)
	return line
}

// registration is the line of a service record.
func (l *Lines) registration(r *domain.ServiceRecord) wire.ExportedService {
	profile, text := l.member.Profile.Get, r.Fields.Get
	line := identified(r)
	line.FirstName, line.Surname = profile(domain.FirstName), profile(domain.Surname)
	line.Gender, line.Birthdate = profile(domain.Gender), birthdate(l.member)
	line.City, line.Region = profile(domain.City), profile(domain.Region)
	line.Country, line.PostCode = profile(domain.Country), profile(domain.PostCode)
	line.AvatarURL = profile(domain.AvatarURL)
	line.Username, line.UserURL = text(domain.RecordUsername), text(domain.RecordURL)
	line.Followers, line.Likes = text(domain.RecordFollowers), text(domain.RecordLikes)
	line.Paid, line.Expires = text(domain.RecordPaid), text(domain.RecordExpires)
	line.Code, line.SourceUID = r.PartnerCode, r.PartnerID
	if r.Service != domain.Email {
		line.AuthSecret, line.Email = text(domain.RecordSecret), profile(domain.EmailAddress)
	}
	return line
}

// named is the first record by whose network, else by whose partner the member can be named; nil:
// none.
func (l *Lines) named() *domain.ServiceRecord {
	var partner *domain.ServiceRecord
	for i := range l.member.Services {
		r := &l.member.Services[i]
		switch {
		case r.Service != domain.Email:
			return r
		case partner == nil && r.PartnerCode != "" && r.PartnerID != "":
			partner = r
		}
	}
	return partner
}

// name has an action name its member.
func (l *Lines) name(line *wire.ExportedAction) {
	switch r := l.named(); {
	case r == nil:
		line.PartnerCode, line.PartnerID = partnerOfExport, wire.UUID(l.member.UUID)
	case r.Service != domain.Email:
		line.Service, line.ServiceUserID = r.Service.String(), r.UID
	default:
		line.PartnerCode, line.PartnerID = r.PartnerCode, r.PartnerID
	}
}

// optIns are the lines of the lists that the member is or was on.
func (l *Lines) optIns() ([]wire.ExportedOptIn, error) {
	opts := slices.Clone(l.member.Opts)
	slices.SortFunc(opts, func(a, b domain.OptState) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind))
	})
	out := make([]wire.ExportedOptIn, len(opts))
	for i := range opts {
		o := &opts[i]
		shown, err := envelope.AnyOptIn(l.req, o)
		if err != nil {
			return nil, err
		}
		out[i] = wire.ExportedOptIn{
			Type: wire.OptInLine, OptIn: shown, OptedIn: o.In, OptedOut: o.Out, Listed: o.Listed,
			Timestamp: wire.Millis(o.At),
		}
	}
	return out, nil
}
