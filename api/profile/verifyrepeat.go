package profile

import (
	"context"
	"errors"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/serve"
)

// begunWith is the member with the service records that a verification chooses from: where an earlier
// request with the same Idempotency-Key has begun with a record, those of that record's owner alone. The
// latest record of a service may be another one by then, by a merge above all.
func (s *Service) begunWith(
	ctx context.Context, req *serve.Request, in *verifyIn, m *domain.Member,
) (*domain.Member, error) {
	owners := in.owners(m)
	if !req.Keyed || len(owners) < 2 {
		return m, nil
	}
	for _, owner := range owners {
		begun, _, err := s.earlier(ctx, req, owner)
		if err != nil {
			return nil, err
		}
		if begun {
			among := *m
			among.Services = slices.DeleteFunc(slices.Clone(m.Services), func(r domain.ServiceRecord) bool {
				return m.Holder(r.ID) != owner
			})
			return &among, nil
		}
	}
	return m, nil
}

// mergedBefore is the answer where the member named is not there any more: the survivor, where an earlier
// request with the same Idempotency-Key has marked the address on one of the member's records.
func (s *Service) mergedBefore(
	ctx context.Context, req *serve.Request, in *verifyIn, gone error,
) (*domain.Member, error) {
	fault, ok := errors.AsType[*domain.Error](gone)
	if !req.Keyed || !ok || fault.Survivor == 0 {
		return nil, gone
	}
	named, err := req.MemberRecord(ctx, domain.MemberID(in.MemberID), req.Wait)
	if err != nil || !named.IsLent() {
		return nil, gone
	}
	for _, owner := range in.owners(united(named)) {
		_, marked, err := s.earlier(ctx, req, owner)
		if err != nil {
			return nil, err
		}
		if marked {
			req.Response.Replayed = true
			return req.Survivor(ctx, named.ID, req.Wait)
		}
	}
	return nil, gone
}

// united is a member's own record with those that are merged into it, which are not opened.
func united(m *domain.Member) *domain.Member {
	return domain.Unite(m, func(a *domain.Absorbed) *domain.Member { return united(a.Record) })
}

// owners are those of the member and of those merged into it that have a record of the service, with the
// id if one is given, or had one.
func (in *verifyIn) owners(m *domain.Member) (ids []domain.MemberID) {
	add := func(service domain.Service, record uint64) {
		if service != domain.Service(in.Service) || in.ServiceID != 0 && record != uint64(in.ServiceID) {
			return
		}
		if id := ownerOf(m, record); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for i := range m.Services {
		add(m.Services[i].Service, m.Services[i].ID)
	}
	for _, r := range m.Removed {
		add(r.Service, r.ID)
	}
	return ids
}

// earlier is what an earlier request with the same Idempotency-Key has done at the owner of a record: it
// has begun with it, and has marked the address.
func (s *Service) earlier(
	ctx context.Context, req *serve.Request, owner domain.MemberID,
) (begun, marked bool, err error) {
	m, err := req.MemberRecord(ctx, owner, req.Wait)
	if err != nil {
		return false, false, err
	}
	probe := func(part *serve.Request) (known bool, err error) {
		_, _, known, err = s.probe(ctx, part, m)
		personal.Join(req, part)
		return known, err
	}
	for n := range verifyAttempts {
		known, err := probe(claimPart(req, owner, n))
		if !known {
			break
		}
		if begun = true; !conflicts(err) {
			return true, true, err
		}
	}
	if !begun {
		return false, false, nil
	}
	marked, err = probe(shownPart(req, owner))
	return true, marked, err
}
