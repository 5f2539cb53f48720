package profile

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// updateIn are the parameters of member update.
type updateIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of a member" eg:"4097"`
	Person
	Username *string      `name:"username" doc:"name of the member" eg:"ada"`
	Email    *bind.Email  `name:"email" doc:"address of the member; also the one that its email record logs in with, which cannot be cleared" eg:"ada@example.com"`
	Region   *string      `name:"region" doc:"state or province" eg:"Berlin"`
	State    *string      `name:"state" doc:"another name of region; both must not differ" eg:"Berlin"`
	Service  bind.Service `name:"service" doc:"whose records activity_sharing_enabled is about; default: all" eg:"spotify"`
	Sharing  *bool        `name:"activity_sharing_enabled" doc:"1: actions of the service are taken, 0: they are refused from now on" eg:"1"`
	Extended *nodePatch   `name:"extended" doc:"an object that is merged into the Extended node as a JSON merge patch (RFC 7396): null removes; fields of the node that are derived are error 4; at most 32 levels" eg:"{\"tier\":\"gold\"}"`
	contactIn
}

// Person is what of a profile both a registration and an update give.
type Person struct {
	FirstName *string         `name:"firstname" doc:"first name" eg:"Ada"`
	Surname   *string         `name:"surname" doc:"surname" eg:"Fan"`
	Birthdate *bind.Birthdate `name:"birthdate" doc:"dd-mm-yyyy, a past day" eg:"24-12-1990"`
	Gender    *string         `name:"gender" enum:"M,F,Other" doc:"gender; absent: not known" eg:"F"`
	City      *string         `name:"city" doc:"city" eg:"Berlin"`
	Country   *bind.Country   `name:"country" doc:"ISO 3166-1 alpha-2" eg:"DE"`
	PostCode  *string         `name:"postcode" doc:"postal code" eg:"10115"`
}

// contactIn is what of a profile an update alone gives.
type contactIn struct {
	Bio          *string   `name:"bio" max:"4096" doc:"about the member" eg:"Plays the organ"`
	Address      *string   `name:"address" doc:"street and number" eg:"Unter den Linden 1"`
	AddressLine2 *string   `name:"addressline2" doc:"second line of the address" eg:"c/o Fan"`
	HomePhone    *string   `name:"homephone" doc:"telephone at home" eg:"+49 30 1234"`
	MobilePhone  *string   `name:"mobilephone" doc:"mobile telephone" eg:"+49 170 1234"`
	Website      *bind.URL `name:"website" doc:"address of the member's own page, http or https" eg:"https://example.com/ada"`
}

// Put collects what is given.
func (in *Person) Put(g *Given) {
	Put(g, domain.FirstName, in.FirstName)
	Put(g, domain.Surname, in.Surname)
	Put(g, domain.Birthdate, in.Birthdate)
	Put(g, domain.Gender, in.Gender)
	Put(g, domain.City, in.City)
	Put(g, domain.Country, in.Country)
	Put(g, domain.PostCode, in.PostCode)
}

// profile is what of the profile is given but address and Extended node; an empty value clears.
func (in *updateIn) profile() domain.Fields {
	var g Given
	in.Put(&g)
	Put(&g, domain.Username, in.Username)
	Put(&g, domain.Region, in.region())
	Put(&g, domain.Bio, in.Bio)
	Put(&g, domain.Address, in.Address)
	Put(&g, domain.AddressLine2, in.AddressLine2)
	Put(&g, domain.HomePhone, in.HomePhone)
	Put(&g, domain.MobilePhone, in.MobilePhone)
	Put(&g, domain.Website, in.Website)
	return g.Fields()
}

// region is the region by either name.
func (in *updateIn) region() *string {
	if in.Region != nil {
		return in.Region
	}
	return in.State
}

// Check refuses two regions.
func (in *updateIn) Check() *domain.Error {
	if in.State != nil && in.Region != nil && *in.State != *in.Region {
		return domain.Bad(domain.InvalidParameter, "state", "state and region are one field and differ")
	}
	return nil
}

// shares reports that activity_sharing_enabled is of the record.
func (in *updateIn) shares(r *domain.ServiceRecord) bool {
	return in.Sharing != nil && (in.Service == 0 || r.Service == domain.Service(in.Service))
}

// Update changes a member: what is given overwrites, an empty value clears.
func (s *Service) Update(ctx context.Context, req *serve.Request, in *updateIn) (*wire.Envelope, error) {
	if err := PastDay(req, in.Birthdate); err != nil {
		return nil, err
	}
	var u *updating
	_, err := req.MemberWith(ctx, domain.MemberID(in.MemberID), func(m *domain.Member) (err error) {
		u, err = in.of(req, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, id := range u.members() {
		part := req
		if id != u.of.ID {
			part = personal.PartOf(req, id)
		}
		if _, err = s.sealer.Change(ctx, part, id, u.change); err != nil {
			return nil, err
		}
		personal.Join(req, part)
	}
	m, err := req.Survivor(ctx, u.of.ID, req.Wait)
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m))
}
