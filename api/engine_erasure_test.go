package api

import "github.com/ovation-analytics/ovation/actors/domain"

// erase leaves of a member what the engine does: its id, its account and when it was erased. Names
// of it stay as long as other shards have not heard of it.
func (s *fakeEngine) erase(sub *domain.Submission, c *domain.EraseMember) domain.Outcome {
	m := s.members[c.Member]
	if m == nil || m.Account != sub.Account {
		return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "no such member"}
	}
	s.members[c.Member] = &domain.Member{ID: m.ID, Account: m.Account, State: domain.MemberErased, Updated: c.At}
	return domain.Outcome{Member: c.Member, ErasedAt: c.At, ErasedNext: 7, GoneBy: c.GoneBy}
}

// Erased reports that a member of the account is erased.
func (s *fakeEngine) Erased(account domain.AccountID, id domain.MemberID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[id]
	return m != nil && m.Account == account && m.State == domain.MemberErased
}

// gone reports that a submission names a member who is erased.
func (s *fakeEngine) gone(sub *domain.Submission) bool {
	m := s.members[memberOf(sub)]
	return m != nil && m.State == domain.MemberErased && m.Account == sub.Account
}

// memberOf is the member that a submission names; 0: none.
func memberOf(sub *domain.Submission) domain.MemberID {
	switch c := sub.Command.(type) {
	case *domain.DeleteAction:
		return c.Member
	case *domain.UpdateMember:
		return c.Member
	case *domain.RemoveService:
		return c.Member
	case *domain.ResetPassword:
		return c.Member
	case *domain.AttachService:
		return c.Member
	case *domain.EraseMember:
		return c.Member
	case *domain.MergeMembers:
		return c.Member
	case *domain.UnmergeMember:
		return c.Member
	case *domain.OptIn:
		return c.Member
	case *domain.OptOut:
		return c.Member
	case nil:
		return sub.Activity.Member
	}
	return 0
}
