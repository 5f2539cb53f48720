package node

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// The periods of ae_data.
var (
	short = bind.Period{Amount: 1, Unit: bind.Week}
	long  = bind.Period{Amount: 6, Unit: bind.Month}
)

// base is the node of an opened member without what it did.
func base(m *domain.Member) *wire.Extended {
	text := func(f domain.Field) *string { return wire.Null(m.Profile.Get(f)) }
	return &wire.Extended{
		AEID: uint64(m.ID), UUID: wire.UUID(m.UUID), Created: wire.NullMillis(m.Created),
		LastLogin: wire.NullMillis(m.LastLogin()), LastUpdated: wire.NullMillis(m.Changed()),
		GivenName: text(domain.FirstName), FamilyName: text(domain.Surname), DisplayName: text(domain.Username),
		Email: text(domain.EmailAddress), Gender: text(domain.Gender), EmailVerified: m.Profile.Get(domain.VerifiedEmail) != "",
		CellPhone: text(domain.MobilePhone), Birthday: text(domain.Birthdate), Bio: text(domain.Bio),
		PrimaryAddress: wire.PrimaryAddress{
			Address1: text(domain.Address), Address2: text(domain.AddressLine2), City: text(domain.City),
			Mobile: text(domain.MobilePhone), Phone: text(domain.HomePhone), Zip: text(domain.PostCode),
			Country: wire.Null(bind.CountryName()[m.Profile.Get(domain.Country)]),
		},
		Domains: []wire.DomainVisits{}, Profiles: profilesOf(m),
		AEData: wire.AEData{Brands: []string{}, Period: short.String(), BrandsExtended: []string{}, PeriodExtended: long.String()},
		Merged: m.Profile.Get(domain.Extended),
	}
}

// profilesOf are the member's service records, by ID. Of an email registration no credential leaves.
func profilesOf(m *domain.Member) []wire.Profile {
	records := slices.Clone(m.Services)
	slices.SortFunc(records, func(a, b domain.ServiceRecord) int { return cmp.Compare(a.ID, b.ID) })
	out := make([]wire.Profile, len(records))
	for i := range records {
		r := &records[i]
		application := wire.Number(r.Application)
		name := wire.Null(r.Fields.Get(domain.RecordUsername))
		out[i] = wire.Profile{
			Domain: r.Service.String(), Identifier: r.UID, PaidAccount: wire.Flag(r.Paid()), Following: []wire.Followed{},
			Profile: wire.NetworkProfile{
				PreferredUsername: name, DisplayName: name, ProfileURL: wire.Null(r.Fields.Get(domain.RecordURL)),
			},
			AccessCredentials: wire.AccessCredentials{
				UID: wire.Null(r.UID), ClientID: &application, Expires: wire.Null(r.Fields.Get(domain.RecordExpires)),
			},
		}
		if r.Service != domain.Email {
			out[i].AccessCredentials.AccessToken = wire.Null(r.Fields.Get(domain.RecordToken))
		}
	}
	return out
}
