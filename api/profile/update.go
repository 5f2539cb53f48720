package profile

import (
	"context"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/selection"
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
	Extended *nodePatch   `name:"extended" doc:"an object that is merged into the Extended node as a JSON merge patch (RFC 7396): null removes; fields of the node that are derived are error 4" eg:"{\"tier\":\"gold\"}"`
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

// profile is what of the profile is given but the address; an empty value clears.
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
	Put(&g, domain.EmailAddress, in.Email)
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

// Update changes a member: what is given overwrites, an empty value clears.
func (s *Service) Update(ctx context.Context, req *serve.Request, in *updateIn) (*wire.Envelope, error) {
	if err := PastDay(req, in.Birthdate); err != nil {
		return nil, err
	}
	m, err := req.Member(ctx, domain.MemberID(in.MemberID), req.Wait)
	if err != nil {
		return nil, err
	}
	owners := in.sharers(m)
	if in.Sharing != nil && len(owners) == 0 {
		return nil, domain.Bad(domain.NotFound, "service", "the member has no record of this service")
	}
	for _, owner := range owners {
		if owner == m.ID {
			continue
		}
		_, err := s.sealer.Change(ctx, personal.PartOf(req, owner), owner,
			func(m *domain.Member, _ *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
				u := &domain.UpdateMember{Member: m.ID, Email: m.Email, At: req.Now.UnixMilli()}
				in.share(m, u)
				return u, &u.Personal, nil
			})
		if err != nil {
			return nil, err
		}
	}
	m, err = s.sealer.Change(ctx, req, m.ID,
		func(m *domain.Member, p *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
			u := &domain.UpdateMember{Member: m.ID, Email: m.Email, At: req.Now.UnixMilli()}
			return u, &u.Personal, in.apply(req, m, u, p)
		})
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m)), nil
}

// sharers are the members that activity_sharing_enabled is about: m and those that are merged into it,
// as far as they have records of the service.
func (in *updateIn) sharers(m *domain.Member) (ids []domain.MemberID) {
	if in.Sharing == nil {
		return nil
	}
	for i := range m.Services {
		if r := &m.Services[i]; in.shares(r) {
			if id := m.Holder(r.ID); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// shares reports that activity_sharing_enabled is of the record.
func (in *updateIn) shares(r *domain.ServiceRecord) bool {
	return in.Service == 0 || r.Service == domain.Service(in.Service)
}

// apply fills in the update of a member, and its personal part.
func (in *updateIn) apply(req *serve.Request, m *domain.Member, u *domain.UpdateMember, p *domain.Personal) error {
	if in.Sharing != nil {
		in.share(m, u)
	}
	if in.Email != nil {
		if err := in.readdress(req, m, u, p); err != nil {
			return err
		}
	}
	var private domain.Fields
	u.Given, private = in.profile().Split()
	p.Profile = p.Profile.With(private)
	if in.Extended != nil {
		node, err := in.Extended.mergedInto(p.Profile.Get(domain.Extended))
		if err != nil {
			return err
		}
		p.Profile = p.Profile.With(domain.Fields{{Field: domain.Extended, Value: node}})
	}
	return nil
}

// share turns the sharing of activities of the service's records on or off.
func (in *updateIn) share(m *domain.Member, u *domain.UpdateMember) {
	value := domain.Fields{{Field: domain.RecordSharing, Value: wire.Flag(*in.Sharing)}}
	for i := range m.Services {
		if r := &m.Services[i]; in.shares(r) {
			u.Records = append(u.Records, domain.RecordUpdate{ID: r.ID, Given: value})
		}
	}
}

// readdress changes the address of the member, and the one that its email records log in with:
// those of the address that it has, else of the one that was registered first.
func (in *updateIn) readdress(req *serve.Request, m *domain.Member, u *domain.UpdateMember, p *domain.Personal) error {
	email := string(*in.Email)
	u.Email = domain.IdentityHash{}
	if email != "" {
		u.Email = req.Identity(domain.ByEmail, email)
	}
	old, ok := loginAddress(m)
	if !ok {
		return nil
	}
	if email == "" {
		return domain.Bad(domain.InvalidParameter, "email", "the member logs in with its email, which cannot be cleared")
	}
	uid := strings.ToLower(email)
	login := selection.LoginIdentity(req, domain.Email, uid)
	for i := range m.Services {
		r := &m.Services[i]
		if r.Service != domain.Email || r.Identity != old || r.Identity == login {
			continue
		}
		u.Records = withLogin(u.Records, r.ID, login)
		if part := p.Service(r.Application, r.Identity); part != nil {
			part.Identity, part.UID = login, uid
		}
	}
	return nil
}

// loginAddress is the address that the member's email records log in with.
func loginAddress(m *domain.Member) (address domain.IdentityHash, ok bool) {
	email := strings.ToLower(m.Profile.Get(domain.EmailAddress))
	for i := range m.Services {
		if r := &m.Services[i]; r.Service == domain.Email && (!ok || r.UID == email) {
			address, ok = r.Identity, true
			if r.UID == email {
				break
			}
		}
	}
	return address, ok
}

// withLogin adds a record's new address to the updates of records.
func withLogin(updates []domain.RecordUpdate, id uint64, login domain.IdentityHash) []domain.RecordUpdate {
	for i := range updates {
		if updates[i].ID == id {
			updates[i].Login = login
			return updates
		}
	}
	return append(updates, domain.RecordUpdate{ID: id, Login: login})
}
