package api

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func (s *fakeEngine) attach(account domain.AccountID, c *domain.AttachService) domain.Outcome {
	m := s.members[c.Member]
	if m == nil || m.Account != account {
		return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "there is none"}
	}
	m.Services = append(slices.Clone(m.Services), domain.ServiceRecord{
		ID: 10, Application: c.Register.Application, Service: c.Register.Service, UID: c.Register.UID, Fields: domain.Fields{}.With(c.Register.Record),
	})
	return domain.Outcome{Member: c.Member}
}

func (s *fakeEngine) opt(account domain.AccountID, id domain.MemberID, o domain.OptState) domain.Outcome {
	m := s.members[id]
	if m == nil || m.Account != account {
		return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "there is none"}
	}
	m.Opts = append(slices.DeleteFunc(slices.Clone(m.Opts), func(x domain.OptState) bool { return x.Opt == o.Opt }), o)
	return domain.Outcome{Member: id}
}

func (s *fakeEngine) Resolve(_ context.Context, _ domain.AccountID, _ domain.IdentityKind, hash domain.IdentityHash, wait domain.Position) (domain.MemberID, domain.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = append(s.waited, wait)
	return s.names[hash], domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: int(hash.Slot()) / 512, Next: 8}}}, nil
}

func (s *fakeEngine) ResolveAll(_ context.Context, _ domain.AccountID, names []domain.Name, wait domain.Position) (out []domain.MemberID, at domain.Position, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = append(s.waited, wait)
	at.Journal = journalID
	for i, n := range names {
		if id := s.names[n.Hash]; id != 0 {
			out = append(out, id)
		}
		at.Shards = []domain.ShardOffset{{Shard: 1, Next: int64(i + 1)}}
	}
	slices.Sort(out)
	return slices.Compact(out), at, nil
}

func (s *fakeEngine) Versions() domain.Versions { return domain.Versions{7} }

func (s *fakeEngine) Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
	s.mu.Lock()
	unchanged := s.unchanged
	s.mu.Unlock()
	if unchanged == nil {
		return domain.Position{}, false
	}
	return unchanged(account, since, f, moved)
}
