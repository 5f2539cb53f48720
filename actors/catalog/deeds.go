package catalog

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// putDeed adds a deed. Views that were published have fewer of the same list.
func (c *console) putDeed(d *domain.Deed, epoch uint64) {
	c.own(epoch)
	c.deeds[d.Account] = append(c.deeds[d.Account], d)
}

// Deeds are the changes that people asked for by the console, the newest first. With an account they are those of its people,
// with 0 of operators who have none; without, all.
func (v *View) Deeds(of ...domain.AccountID) (all []*domain.Deed) {
	for account, list := range v.console.deeds {
		if len(of) == 0 || slices.Contains(of, account) {
			all = append(all, list...)
		}
	}
	slices.SortFunc(all, func(a, b *domain.Deed) int { return cmp.Compare(b.Offset, a.Offset) })
	return all
}

func (l *ledger) noteDeed(r *domain.Record, c *domain.NoteDeed) domain.Outcome {
	s, ok := l.view.Session(c.Session)
	switch {
	case !ok || s.Over(l.state.Clock):
		return domain.Failed(noSession)
	case c.Did == "" || len(c.Did) > domain.MaxDeedText:
		return domain.Failed(domain.Bad(domain.InvalidParameter, "did", "a deed has 1 to 255 bytes"))
	}
	l.keep(&domain.Deed{
		Offset: r.Offset, At: l.state.Clock, Session: s.ID, Role: s.Role, Account: s.Account, Application: s.Application, Name: s.Name, Did: c.Did,
	})
	if list := l.view.console.deeds[s.Account]; len(list) > domain.MaxDeeds {
		l.dropDeeds(s.Account, len(list)-domain.MaxDeeds)
	}
	return domain.Outcome{}
}

// forgetDeeds forgets, once a day, those that were kept for their time.
func (l *ledger) forgetDeeds() {
	for account, list := range l.view.console.deeds {
		old := slices.IndexFunc(list, func(d *domain.Deed) bool { return l.state.Clock < d.At+domain.DeedLife })
		if old < 0 {
			old = len(list)
		}
		if old > 0 {
			l.dropDeeds(account, old)
		}
	}
}

// dropDeeds forgets the n first of an account.
func (l *ledger) dropDeeds(account domain.AccountID, n int) {
	c := &l.view.console
	c.own(l.epoch)
	for _, d := range c.deeds[account][:n] {
		l.changed = append(l.changed, domain.Forgotten{Entity: d})
	}
	if c.deeds[account] = c.deeds[account][n:]; len(c.deeds[account]) == 0 {
		delete(c.deeds, account)
	}
}
