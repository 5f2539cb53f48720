package api

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// read reads lines of a type.
func read[T any](t *testing.T, raw []json.RawMessage) (out []T) {
	t.Helper()
	for _, line := range raw {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// exportOf is the lines by type of the export of a member that is the fixture's but for a change.
func exportOf(t *testing.T, h *fixture, change func(m *domain.Member)) map[string][]json.RawMessage {
	t.Helper()
	m := *h.engine.members[4097]
	change(&m)
	h.engine.members[4097] = &m
	h.engine.content = &domain.Content{Recorded: 1e12}
	w := h.get(exportOfAda)
	h.status(w, http.StatusOK)
	all, _ := lines(t, w.Body.String())
	return all
}

// Registrations are in the order in which an import must repeat them: by email first, a line a domain,
// and that a record does not share at the very end, since actions come before.
func TestExport_Registrations(t *testing.T) {
	h := newFixture(t, timeline(1, nil))
	all := exportOf(t, h, func(m *domain.Member) {
		m.Profile = m.Profile.With(domain.Fields{{Field: domain.Birthdate, Value: "1990-12-24"}})
		spotify := m.Services[0]
		spotify.Domains = []string{"a.example", "b.example"}
		spotify.Fields = spotify.Fields.With(domain.Fields{{Field: domain.RecordSharing, Value: "0"}})
		email := func(id uint64, uid string) domain.ServiceRecord {
			return domain.ServiceRecord{ID: id, Application: 2, Service: domain.Email, UID: uid, Created: 1e12, Domains: []string{"c.example"}}
		}
		m.Services = []domain.ServiceRecord{spotify, email(8, "second@example.com"), email(7, "first@example.com")}
		m.Removed = []domain.RemovedRecord{{ID: 3, Service: domain.Deezer}}
	})
	const made = "2001-09-09 01:46:40"
	base := func(service, id, site string) wire.ExportedService {
		return wire.ExportedService{Type: wire.ServiceLine, Service: service, ServiceID: id, Application: "2", Registered: made, Domain: site}
	}
	person := func(s wire.ExportedService) wire.ExportedService {
		s.FirstName, s.Surname, s.Birthdate, s.Country = "Ada", "Fan", "24-12-1990", "DE"
		return s
	}
	first, second := person(base("email", "7", "c.example")), person(base("email", "8", "c.example"))
	first.Email, second.Email = "first@example.com", "second@example.com"
	whole, further, closed := person(base("spotify", "5", "a.example")), base("spotify", "5", "b.example"), base("spotify", "5", "")
	for _, s := range []*wire.ExportedService{&whole, &further, &closed} {
		s.UID, s.AuthToken = "u-1", "tok"
	}
	whole.Username, whole.Paid, whole.Code, whole.SourceUID = "ada", "1", "acme", "77"
	closed.Type, closed.Sharing = wire.SharingLine, "0"
	equal(t, []wire.ExportedService{first, second, whole, further}, read[wire.ExportedService](t, all[wire.ServiceLine]))
	equal(t, []wire.ExportedService{closed}, read[wire.ExportedService](t, all[wire.SharingLine]))
	member := read[wire.ExportedMember](t, all[wire.MemberLine])[0]
	equal(t, []wire.RemovedService{{ID: "3", Service: "deezer"}}, member.Removed)
	end := read[wire.ExportEnd](t, all[wire.EndLine])[0]
	equal(t, uint64(4), end.Services)
}

// An action names its member by the first of: a network's user, a partner's name, the member's UUID as
// a partner of the export's own, under which the first registration then is.
func TestExport_ActionsNameTheirMember(t *testing.T) {
	email := domain.ServiceRecord{ID: 7, Application: 2, Service: domain.Email, UID: "ada@example.com", Created: 1e12}
	partner := email
	partner.ID, partner.PartnerCode, partner.PartnerID = 8, "acme", "77"
	half := email
	half.ID, half.PartnerCode = 9, "acme"
	network := domain.ServiceRecord{ID: 10, Application: 2, Service: domain.Deezer, UID: "d-1", Created: 1e12}
	const own = "00000000-0000-0000-0000-000000000000"
	for name, c := range map[string]struct {
		services                     []domain.ServiceRecord
		service, user, code, partner string // of the action
		first                        string // the partner of the first registration
	}{
		"by a network":            {[]domain.ServiceRecord{partner, network}, "deezer", "d-1", "", "", "acme/77"},
		"by a partner":            {[]domain.ServiceRecord{email, partner}, "", "", "acme", "77", "/"},
		"by email alone":          {[]domain.ServiceRecord{email}, "", "", "ovation-export", own, "ovation-export/" + own},
		"by half of a name":       {[]domain.ServiceRecord{half}, "", "", "ovation-export", own, "ovation-export/" + own},
		"without a registration ": {nil, "", "", "ovation-export", own, ""},
	} {
		all := exportOf(t, newFixture(t, timeline(1, nil)), func(m *domain.Member) { m.Services = c.services })
		a := read[wire.ExportedAction](t, all[wire.ActionLine])[0]
		equal(t, [4]string{c.service, c.user, c.code, c.partner}, [4]string{a.Service, a.ServiceUserID, a.PartnerCode, a.PartnerID}, name)
		first := ""
		if services := read[wire.ExportedService](t, all[wire.ServiceLine]); len(services) > 0 {
			first = services[0].Code + "/" + services[0].SourceUID
		}
		equal(t, c.first, first, name)
	}
}

// The first registration has an address of a visit from the country that the member is known to be in,
// and none of a visit from another one.
func TestExport_AddressOfTheCountry(t *testing.T) {
	for country, want := range map[string]string{"DE": "192.0.2.7", "SE": "", "": ""} {
		h := newFixture(t, timeline(1, nil))
		h.visits(domain.Phone, domain.VisitDetails{IP: "192.0.2.7"})
		v, _ := domain.VisitOf(h.engine.visited)
		v.Country = "DE"
		h.engine.visited = v.Content(0, 1)
		all := exportOf(t, h, func(m *domain.Member) {
			m.Profile = m.Profile.With(domain.Fields{{Field: domain.GeoCountry, Value: country}})
		})
		equal(t, want, read[wire.ExportedService](t, all[wire.ServiceLine])[0].IP, "known to be in", country)
	}
}
