package catalog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// application is an application of the account; another account's is not found.
func application(v *View, account domain.AccountID, id domain.ApplicationID) (domain.Application, bool) {
	old, ok := v.Application(id)
	if !ok || old.Account != account {
		return domain.Application{}, false
	}
	return *old, true
}

var noApplication = domain.Bad(domain.NotFound, "application", "no such application")

func (l *ledger) allowDomain(account domain.AccountID, c *domain.AllowDomain) domain.Outcome {
	a, ok := application(l.view, account, c.Application)
	if !ok {
		return domain.Failed(noApplication)
	}
	at, there := slices.BinarySearch(a.Domains, c.Domain)
	switch {
	case there:
		return domain.Outcome{ID: uint32(a.ID)}
	case len(a.Domains) >= domain.MaxDomains:
		return domain.Failed(domain.Bad(domain.PlanLimit, "domain", "the allowlist has 1000 domains, which is the most"))
	}
	a.Domains = slices.Insert(slices.Clone(a.Domains), at, c.Domain)
	l.keep(&a)
	return domain.Outcome{ID: uint32(a.ID), New: true}
}

func (l *ledger) unallowDomain(account domain.AccountID, c *domain.UnallowDomain) domain.Outcome {
	a, ok := application(l.view, account, c.Application)
	if !ok {
		return domain.Failed(noApplication)
	}
	if at, there := slices.BinarySearch(a.Domains, c.Domain); there {
		a.Domains = slices.Delete(slices.Clone(a.Domains), at, at+1)
		l.keep(&a)
	}
	return domain.Outcome{ID: uint32(a.ID)}
}

// editApplication is an operator's command: it names an application of any account.
func editApplication(l *ledger, c *domain.EditApplication) domain.Outcome {
	old, ok := l.view.Application(c.ID)
	if !ok {
		return domain.Failed(noApplication)
	}
	a := *old
	a.Addresses = maps.Clone(old.Addresses)
	for name, value := range c.Given {
		switch {
		case value == "":
			delete(a.Addresses, name)
		case a.Addresses == nil:
			a.Addresses = domain.Addresses{name: value}
		default:
			a.Addresses[name] = value
		}
	}
	l.keep(&a)
	return domain.Outcome{ID: uint32(a.ID), Second: uint32(a.Account)}
}

func addSigningKey(l *ledger, c *domain.AddSigningKey) domain.Outcome {
	for _, k := range l.view.signing {
		switch {
		case k.KID != c.KID:
		case k.Public != c.Public:
			return domain.Failed(domain.Bad(domain.Conflict, "kid", "another signing key has this kid"))
		default:
			return domain.Outcome{}
		}
	}
	if c.End {
		for _, k := range l.view.signing {
			if k.Ended == 0 {
				ended := *k
				ended.Ended = c.At
				l.keep(&ended)
			}
		}
	}
	l.keep(&domain.SigningKey{KID: c.KID, Public: c.Public, From: c.From, Created: c.At})
	return domain.Outcome{New: true}
}

// putApplication makes an application part of the view, and counts its domains.
func putApplication(v *View, a *domain.Application, epoch uint64) {
	var before []string
	if old := v.applications.Get(uint32(a.ID)); old != nil {
		before = old.Domains
	} else {
		changeOwned(v, a.Account, epoch, func(o *owned) { o.applications = append(o.applications, a.ID) })
	}
	if !slices.Equal(before, a.Domains) {
		listed := maps.Clone(v.listed)
		if listed == nil {
			listed = map[string]int{}
		}
		for _, d := range before {
			if listed[d]--; listed[d] == 0 {
				delete(listed, d)
			}
		}
		for _, d := range a.Domains {
			listed[d]++
		}
		v.listed = listed
	}
	v.applications.Set(uint32(a.ID), a, epoch)
}

// putSigningKey makes a signing key part of the view, in the order in which keys sign.
func putSigningKey(v *View, k *domain.SigningKey) {
	all := slices.DeleteFunc(slices.Clone(v.signing), func(old *domain.SigningKey) bool { return old.KID == k.KID })
	v.signing = append(all, k)
	slices.SortFunc(v.signing, func(a, b *domain.SigningKey) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Created, b.Created), cmp.Compare(a.KID, b.KID))
	})
}

// access is whose pages and tokens are believed.
type access struct {
	listed  map[string]int       // how many allowlists have a domain
	signing []*domain.SigningKey // in the order in which they begin to sign
}

// Listed reports that the allowlist of any application has the domain.
func (a *access) Listed(host string) bool { return a.listed[host] > 0 }

// SigningKeys are the keys that sign member tokens, in the order in which they begin to; ended
// ones too.
func (a *access) SigningKeys() []*domain.SigningKey { return a.signing }
