package selection

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// noMember is a list of members that none is in: no member has the id 0.
var noMember = []domain.MemberID{0}

// OnlyMember narrows the filter to one member.
func OnlyMember(ctx context.Context, req *serve.Request, f *domain.Filter, id bind.ID) error {
	if id == 0 {
		return nil
	}
	return narrow(ctx, req, f, []domain.MemberID{domain.MemberID(id)})
}

// NamedMember narrows the filter to the member that the parameter id names, where it is given. An
// unknown id matches no member, as in a list; one who is erased is an error: id is no list.
func NamedMember(ctx context.Context, req *serve.Request, f *domain.Filter, id bind.ID) error {
	if id == 0 {
		return nil
	}
	if err := OnlyMember(ctx, req, f, id); err != nil {
		return err
	}
	_, err := req.Member(ctx, domain.MemberID(id), req.Wait)
	if domain.CodeOf(err) == domain.NotFound {
		return nil
	}
	return serve.WithParameter(err, "id")
}

// narrow leaves of the filter's members those that are among ids, which ascend; of all members, ids. An
// empty rest selects none. A member who was merged into another stands for that one in both lists.
func narrow(ctx context.Context, req *serve.Request, f *domain.Filter, ids []domain.MemberID) error {
	if f.Members != nil {
		members, err := survivors(ctx, req, f.Members)
		if err != nil {
			return err
		}
		if ids, err = survivors(ctx, req, ids); err != nil {
			return err
		}
		ids = slices.DeleteFunc(ids, func(id domain.MemberID) bool {
			_, in := slices.BinarySearch(members, id)
			return !in
		})
	}
	Among(f, ids)
	return nil
}

// Among narrows a filter to those given of the members that pass it, ascending.
func Among(f *domain.Filter, ids []domain.MemberID) {
	if len(ids) == 0 {
		ids = noMember
	}
	f.Members = ids
}

// survivors are the members that a list stands for, at the call's position or after it: what is asked
// next is asked no earlier.
func survivors(ctx context.Context, req *serve.Request, ids []domain.MemberID) ([]domain.MemberID, error) {
	out, at, err := req.Engine.Survivors(ctx, req.Account(), ids, req.Wait)
	if err != nil {
		return nil, serve.WaitFault(err)
	}
	req.RaisePosition(at)
	req.Wait = req.Wait.Reach(at)
	return out, nil
}

// withEmail is the members that have one of the addresses, verified or not, at the call's
// position or after it: what is asked next is asked no earlier.
func withEmail(ctx context.Context, req *serve.Request, emails bind.Emails) ([]domain.MemberID, error) {
	names := make([]domain.Name, 0, 2*len(emails))
	for _, e := range emails {
		for _, kind := range [...]domain.IdentityKind{domain.ByEmail, domain.ByVerifiedEmail} {
			names = append(names, domain.Name{Kind: kind, Hash: req.Identity(kind, string(e))})
		}
	}
	found, at, err := req.Engine.ResolveAll(ctx, req.Account(), names, req.Wait)
	if err != nil {
		return nil, serve.WaitFault(err)
	}
	req.RaisePosition(at)
	req.Wait = req.Wait.Reach(at)
	return found, nil
}

// performed finds in the catalog the activities that a list names, and their brands.
func performed(req *serve.Request, list bind.Performed, parameter string) ([]domain.Performed, error) {
	var out []domain.Performed
	for _, entry := range list {
		d, err := req.Definition(entry.ID, parameter)
		if err != nil {
			return nil, err
		}
		one := domain.Performed{Definition: d.ID}
		if entry.Brand != 0 {
			b, err := req.Brand(entry.Brand, parameter)
			if err != nil {
				return nil, err
			}
			one.Brand = b.ID
		}
		out = append(out, one)
	}
	return out, nil
}

// chooseMembers narrows a filter by what takes the catalog or the engine to find: members
// who performed activities, are on a segment's list, have an address.
func chooseMembers(ctx context.Context, req *serve.Request, f *domain.Filter, in *Filters) (err error) {
	if f.AnyOf, err = performed(req, in.AnyOfActivities, "anyofactivities"); err != nil {
		return err
	}
	if f.AllOf, err = performed(req, in.AllOfActivities, "allofactivities"); err != nil {
		return err
	}
	if in.MembersFromSegment != 0 {
		s, err := req.Segment(in.MembersFromSegment, "members_from_segment")
		if err != nil {
			return err
		}
		l := ListOf(req, s)
		f.From = &l
	}
	if in.Emails == nil {
		return nil
	}
	found, err := withEmail(ctx, req, in.Emails)
	if err != nil {
		return err
	}
	return narrow(ctx, req, f, found)
}
