package profile

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/mailaddress"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// updating is an update of a member with those that are merged into it, as if they had always been one.
// What is given is written into the member's own record, which is shown before theirs. Theirs change too:
// a field that is cleared, since it would be shown again; the sharing of their service records; their
// address where it is the one that is shown; and the login address where the member has no email record
// itself, of the first of them that has one.
type updating struct {
	*updateIn
	req     *serve.Request
	of      *domain.Member
	login   domain.MemberID     // owner of the email record that gets the new address; 0: there is none
	shown   domain.IdentityHash // email address that the member showed before; zero: none
	cleared domain.Fields
}

// of is the update of a member, which must be as all of them are opened. What cannot be is refused before
// anything has changed, but an address that is taken: the first command finds that.
func (in *updateIn) of(req *serve.Request, m *domain.Member) (*updating, error) {
	u := &updating{updateIn: in, req: req, of: m}
	if in.Sharing != nil && !slices.ContainsFunc(m.Services, func(r domain.ServiceRecord) bool { return in.shares(&r) }) {
		return nil, domain.Bad(domain.NotFound, "service", "the member has no record of this service")
	}
	given := Given(in.profile())
	if in.Extended != nil {
		node, err := u.node(m)
		if err != nil {
			return nil, err
		}
		Put(&given, domain.Extended, &node)
	}
	if in.Email != nil {
		if at := slices.IndexFunc(m.Services, loggedInByEmail); at >= 0 { // the member's own are first
			u.login = m.Holder(m.Services[at].ID)
		}
		if *in.Email == "" && u.login != 0 {
			return nil, domain.Bad(domain.InvalidParameter, "email", "the member logs in with its email, which cannot be cleared")
		}
		if shown := m.Profile.Get(domain.EmailAddress); shown != "" {
			u.shown = req.Identity(domain.ByEmail, shown)
		}
		Put(&given, domain.EmailAddress, in.Email)
	}
	u.cleared = slices.DeleteFunc(given.Fields(), func(v domain.FieldValue) bool { return v.Value != "" })
	return u, nil
}

func loggedInByEmail(r domain.ServiceRecord) bool { return r.Service == domain.Email }

// node is the Extended node after the patch: of the member's own, else of the one that is shown.
func (u *updating) node(m *domain.Member) (string, error) {
	return u.Extended.mergedInto(cmp.Or(m.Profile.Get(domain.Extended), u.of.Profile.Get(domain.Extended)))
}

// members are those whose records change, the one whose login address changes first: where another
// member has the address, nothing has changed.
func (u *updating) members() []domain.MemberID {
	ids := []domain.MemberID{u.of.ID}
	var add func(*domain.Member)
	add = func(m *domain.Member) {
		for i := range m.Absorbed {
			if a := &m.Absorbed[i]; a.Done {
				if u.changes(a.Record) {
					ids = append(ids, a.Member)
				}
				add(a.Record)
			}
		}
	}
	add(u.of)
	if at := slices.Index(ids, u.login); at > 0 {
		ids = slices.Insert(slices.Delete(ids, at, at+1), 0, u.login)
	}
	return ids
}

// changes reports that the record of a member that is merged into another changes; it is not opened.
func (u *updating) changes(m *domain.Member) bool {
	has := m.Personal.Has | m.Profile.Bits()
	return m.ID == u.login || has&u.cleared.Bits() != 0 || !u.shown.IsZero() && m.Email == u.shown ||
		slices.ContainsFunc(m.Services, func(r domain.ServiceRecord) bool { return u.shares(&r) })
}

// change makes the update of the own record of one of the members.
func (u *updating) change(m *domain.Member, p *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
	c := &domain.UpdateMember{Member: m.ID, Email: m.Email, At: u.req.Clock.Now.UnixMilli()}
	given := u.cleared
	if m.ID == u.of.ID {
		given = u.profile()
	}
	var private domain.Fields
	c.Given, private = given.Split()
	p.Profile = p.Profile.With(private)
	u.share(m, c)
	if u.Email != nil {
		u.readdress(m, c, p)
	}
	if u.Extended == nil || m.ID != u.of.ID {
		return c, &c.Personal, nil
	}
	node, err := u.node(m)
	p.Profile = p.Profile.With(domain.Fields{{Field: domain.Extended, Value: node}})
	return c, &c.Personal, err
}

// share turns the sharing of activities of the service's records on or off.
func (u *updating) share(m *domain.Member, c *domain.UpdateMember) {
	for i := range m.Services {
		if r := &m.Services[i]; u.shares(r) {
			value := domain.Fields{{Field: domain.RecordSharing, Value: wire.Flag(*u.Sharing)}}
			c.Records = append(c.Records, domain.RecordUpdate{ID: r.ID, Given: value})
		}
	}
}

// readdress changes the address of a member, and the one that its email records log in with: those of
// the address that it has, else of the one that was registered first. The address of one who is merged
// changes where it is the one that was shown, or the one of its records.
func (u *updating) readdress(m *domain.Member, c *domain.UpdateMember, p *domain.Personal) {
	email, own := string(*u.Email), mailaddress.Fold(m.Profile.Get(domain.EmailAddress))
	takes := m.ID == u.of.ID || email == "" || !u.shown.IsZero() && m.Email == u.shown
	if old := loginRecord(m); m.ID == u.login && old != nil {
		takes = takes || own == old.UID
		u.relogin(m, old.Identity, c, p)
	}
	if !takes {
		return
	}
	c.Email = domain.IdentityHash{}
	if email != "" {
		c.Email = u.req.Identity(domain.ByEmail, email)
	}
	p.Profile = p.Profile.With(domain.Fields{{Field: domain.EmailAddress, Value: email}})
}

// relogin gives the email records of an address another one.
func (u *updating) relogin(m *domain.Member, old domain.IdentityHash, c *domain.UpdateMember, p *domain.Personal) {
	uid := mailaddress.Fold(string(*u.Email))
	login := selection.LoginIdentity(u.req, domain.Email, uid)
	for i := range m.Services {
		r := &m.Services[i]
		if r.Service != domain.Email || r.Identity != old || r.Identity == login {
			continue
		}
		c.Records = withLogin(c.Records, r.ID, login)
		if part := p.Service(r.Application, r.Identity); part != nil {
			part.Identity, part.UID = login, uid
		}
	}
}

// loginRecord is the email record of the address that the member has, else the first; nil: none.
func loginRecord(m *domain.Member) (record *domain.ServiceRecord) {
	email := mailaddress.Fold(m.Profile.Get(domain.EmailAddress))
	for i := range m.Services {
		r := &m.Services[i]
		if r.Service != domain.Email {
			continue
		}
		if r.UID == email {
			return r
		}
		if record == nil {
			record = r
		}
	}
	return record
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
