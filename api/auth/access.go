package auth

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

var (
	errBearer   = domain.Bad(domain.WrongApplication, authorization, "a Bearer is not made for this operation")
	errNoBearer = domain.Bad(domain.WrongApplication, authorization, "a public key needs the Bearer of the member here")
)

// Access is who beside the holder of an application's key an operation is for.
type Access struct {
	TakesBearer bool // a member's token says whom it is about; one of another member is refused
	Public      bool // a public key may use it
	OfMember    bool // a public key may use it for the member of the Bearer alone

	Role domain.Role // the least one of who is signed in to the console

	Withheld []string // parameters that a public key may not give: what only the account knows
}

// RefusePublic refuses a public key that the operation is not made for, that lacks the member's token
// it is made for, or that says what only the account knows.
func (a *Access) RefusePublic(c *Caller, params *bind.Params) error {
	switch {
	case !c.Public():
		return nil
	case !a.Public:
		return errScope(c.Key.Scope)
	case c.foreign != nil:
		return c.foreign
	case c.Bearer == 0 && a.OfMember:
		return errNoBearer
	}
	for _, name := range a.Withheld {
		if _, given := params.Get(bind.Fold(name)); given {
			name = params.Spelled(name)
			return domain.Bad(domain.WrongApplication, name, name+" is for the account to say: a public key does not take it")
		}
	}
	return nil
}

// RefuseRole refuses who is signed in with a lesser role than the operation needs.
func (a *Access) RefuseRole(c *Caller) error {
	if has := c.Role(); has != 0 && has < a.Role {
		return domain.Fail(domain.WrongApplication, "this operation is for the role "+a.Role.String()+" and those above it: you are signed in as "+has.String())
	}
	return nil
}

// Refuse refuses a write by a global key, which is for every read, and a Bearer of another application, or
// beside an operation that takes none.
func (a *Access) Refuse(c *Caller, write bool) error {
	switch {
	case c.Key.Scope == domain.ScopeGlobal && write:
		return errScope(c.Key.Scope)
	case c.foreign != nil:
		return c.foreign
	case c.Bearer != 0 && !a.TakesBearer:
		return errBearer
	}
	return nil
}

func errScope(s domain.KeyScope) error {
	return domain.Fail(domain.WrongApplication, "a "+s.String()+" key is not made for this operation")
}

// RefuseNamed refuses a member in the parameters of the plan that is not the Bearer's. Names of another kind
// are refused where they are looked up.
func RefuseNamed(c *Caller, params *bind.Params, plan *bind.Plan) error {
	if c.Bearer == 0 {
		return nil
	}
	for _, name := range [...]string{"memberid", "id"} {
		text, given := params.Get(name)
		if !given || text == "" || !plan.Has(name) {
			continue
		}
		var id bind.ID
		if err := id.ParseParam(text); err != nil || domain.MemberID(id) != c.Bearer {
			return errOther
		}
	}
	return nil
}
