package selection

import (
	"context"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/extended"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// nodeFields are the paths into the Extended node that show one of the profile's fields, in lower
// case.
var nodeFields = map[string]domain.Field{
	"givenname": domain.FirstName, "familyname": domain.Surname, "displayname": domain.Username, "email": domain.EmailAddress,
	"gender": domain.Gender, "bio": domain.Bio, "birthday": domain.Birthdate, "cellphone": domain.MobilePhone,
	"primaryaddress.address1": domain.Address, "primaryaddress.address2": domain.AddressLine2, "primaryaddress.city": domain.City,
	"primaryaddress.mobile": domain.MobilePhone, "primaryaddress.phone": domain.HomePhone, "primaryaddress.zip": domain.PostCode,
	"primaryaddress.country": domain.Country,
}

// inEveryNode are the paths that lead to a value in every node.
var inEveryNode = []string{"aeid", "uuid", "created", "lastupdated", "emailverified", "primaryaddress", "profiles", "ae_data"}

// nodePath is the path into the Extended node that a name is; false: it is none.
func nodePath(name string) (extended.Path, bool) {
	if len(name) < len("extended.") || !strings.EqualFold(name[:len("extended.")], "extended.") {
		return nil, false
	}
	path, err := extended.ParsePath(name)
	return path, err == nil
}

// HasNodeField narrows a filter to the members that can have a value where the path leads, by what is
// kept in clear, and reports whether it takes the node to tell.
func HasNodeField(f *domain.Filter, path extended.Path) (open bool) {
	name := strings.ToLower(path.String())
	if field, ok := nodeFields[name]; ok {
		f.Has = append(f.Has, field)
		return false
	}
	if slices.Contains(inEveryNode, name) {
		return false
	}
	if !wire.Derived(path.Head()) {
		f.Has = append(f.Has, domain.Extended)
	}
	return true
}

// Meeting narrows a filter to the members that can meet a condition on their nodes, by what is kept in
// clear: a condition on a value is met by none that has no value there, one on an id by that member,
// and one on an address by those that a keyed hash of it names.
func Meeting(ctx context.Context, req *serve.Request, f *domain.Filter, c *extended.Condition) error {
	if c.Op == "!=" {
		return nil
	}
	HasNodeField(f, c.Path)
	slices.Sort(f.Has)
	f.Has = slices.Compact(f.Has)
	if c.Op != "=" {
		return nil
	}
	switch strings.ToLower(c.Path.String()) {
	case "aeid":
		var id bind.ID
		if id.ParseParam(c.Value) == nil {
			return narrow(ctx, req, f, []domain.MemberID{domain.MemberID(id)})
		}
		return nil
	case "email":
		return withAddress(ctx, req, f, c.Value)
	}
	return nil
}

// withAddress narrows a filter to the members that an address names, in any case.
func withAddress(ctx context.Context, req *serve.Request, f *domain.Filter, value string) error {
	var address bind.Email
	if address.ParseParam(value) != nil {
		return nil // whatever it is, it is compared as text
	}
	found, err := withEmail(ctx, req, bind.Emails{address})
	if err != nil {
		return err
	}
	return narrow(ctx, req, f, found)
}
