package identity

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// Login applies a login at its member. A member who is not active, or has no such service
// record, has no account to log in to.
func (g *Registrar) Login(r *domain.Record, l *domain.LogIn) error {
	at, there := g.claims.roster.Find(l.Member)
	if !there || at.Account != r.Account {
		g.effects.Complete(r, noAccount())
		return nil
	}
	k, err := g.loaded.Load(at)
	if err != nil {
		return err
	}
	if !k.State().Active() {
		if k.State().Member.State == domain.MemberErased {
			g.keys.deleteOf(l)
		}
		g.effects.Complete(r, noAccount())
		return nil
	}
	visit := g.visiting(r.Account, g.effects.NewRecord(l.Member.Slot()))
	var end member.LoginEnd
	var guess member.Guess
	var retryAfter uint32 // of a lock
	g.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
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
	g.effects.Complete(r, out)
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
func (g *Registrar) visiting(account domain.AccountID, id uint64) member.Visiting {
	return member.Visiting{
		Sequence: domain.ActionID(id).Sequence(), Clock: g.effects.Clock(), Places: &g.accounts.Of(account).Places,
	}
}
