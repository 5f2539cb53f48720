package identity

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Login applies a login at its member. A member who is not active, or has no such service
// record, has no account to log in to.
func (g *Registrar) Login(t *tx.Tx, r *domain.Record, l *domain.LogIn) error {
	l = cloneLogin(l)
	m, err := t.Find(r.Account, l.Member)
	if err != nil {
		return err
	}
	if m == nil || !m.State().Active() {
		dropKeyOf(t, l)
		t.Complete(r, noAccount())
		return nil
	}
	visit := visiting(t, r.Account, t.NewRecord(l.Member.Slot()))
	var end member.LoginEnd
	var guess member.Guess
	var retryAfter uint32 // of a lock
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, end, guess, retryAfter = member.Login(dst, s, l, r.Time, &visit)
		return dst
	})
	out := domain.Outcome{Member: l.Member}
	switch end {
	case member.LoggedIn:
	case member.LoginUnknown:
		out = noAccount()
	case member.LoginOutdated:
		out = domain.Outcome{Again: true}
	case member.LoginElsewhere:
		out = domain.Failed(domain.Bad(domain.WrongApplication, "domain", "the member has not registered on this domain"))
	case member.LoginRefused:
		out = refusedBy(guess, retryAfter)
	}
	t.Complete(r, out)
	return nil
}

// refusedBy is the outcome of a login whose password is not right.
func refusedBy(g member.Guess, retryAfter uint32) domain.Outcome {
	switch g {
	case member.GuessStale:
		return domain.Outcome{Again: true}
	case member.GuessLocked:
		out := domain.Failed(domain.Bad(domain.Locked, "email", "too many wrong passwords were given for this email"))
		out.RetryAfter = retryAfter
		return out
	}
	return domain.Failed(domain.Bad(domain.WrongPassword, "password", "the password is wrong"))
}

func noAccount() domain.Outcome {
	return domain.Failed(domain.Fail(domain.NoAccount, "no member has this identity under the application"))
}

// visiting is what a visit gets for its row: the sequence of an id that was made for it.
func visiting(t *tx.Tx, account domain.AccountID, id uint64) member.Visiting {
	return member.Visiting{
		Sequence: domain.ActionID(id).Sequence(), Clock: t.Clock(), Places: &t.State.Accounts.Of(account).Places,
	}
}
