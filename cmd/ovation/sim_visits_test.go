package main

import (
	"context"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// simSites are domains that visits are made on; the first is none.
var simSites = []string{"", "a.example", "b.example"}

// visiting adds where a visit is made, often nowhere.
func (w *simulation) visiting(p client.Params) {
	if site := pick(w, simSites); site != "" {
		p["domain"] = site
		p["webpath"] = fmt.Sprintf("https://www.%s/page/%d?x=1", site, w.rng.IntN(3))
	}
}

// logInSomebody logs a member in by an identity that was registered, or one that is nobody's.
func (w *simulation) logInSomebody() {
	w.model.mu.Lock()
	i := pick(w, w.model.identities)
	there := i.there
	w.model.mu.Unlock()
	if !there {
		i = &identity{of: i.of, service: "deezer", uid: "nobody"}
	}
	p := client.Params{"service": i.service, "uid": i.uid, "authtoken": "again"}
	w.visiting(p)
	w.user(func() error {
		var id domain.MemberID
		err := w.demand(i.of, func(c *client.Client) error {
			e, _, err := c.Login(context.Background(), p)
			id = memberOf(fmt.Sprint(e.Data.ID))
			return err
		})
		if code := domain.CodeOf(codeOf(err)); !there && code == domain.NoAccount {
			return nil
		}
		if err != nil {
			return fmt.Errorf("log in by %s %s: %w", i.service, i.uid, err)
		}
		return w.model.owned(i, id)
	})
}

// checkVisits: each registration, attachment and login that was answered is one visit, and a signup
// where it brought its service record into being; nothing else is one.
func (w *simulation) checkVisits(c *client.Client, l *label) error {
	if w.journalCut {
		return nil
	}
	signups := 0
	for _, i := range w.model.identities {
		if i.of == l && i.there {
			signups++
		}
	}
	got, _, err := c.LoginTotals(context.Background(), nil)
	if err != nil {
		return err
	}
	if got.Registrations != uint64(signups) || got.Total != uint64(l.visits) || got.Logins != uint64(l.visits-signups) {
		return fmt.Errorf("%d registrations and %d logins are %d visits, want %d registrations of %d visits",
			got.Registrations, got.Logins, got.Total, signups, l.visits)
	}
	tops, _, err := c.TopDomains(context.Background(), 0, nil)
	if err != nil {
		return err
	}
	visits, registrations := uint64(0), uint64(0)
	for _, d := range tops.Items {
		visits += d.Visits
		registrations += d.Registrations
	}
	if visits != got.Total || registrations != got.Registrations {
		return fmt.Errorf("domains have %d visits, %d of them registrations; in all there are %d and %d",
			visits, registrations, got.Total, got.Registrations)
	}
	return nil
}
