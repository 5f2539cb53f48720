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
		p["ip"], p["visitor"] = "192.0.2.7", "of "+site
	}
}

// logInSomebody logs a member in by an identity that was registered, or one that is nobody's.
func (w *simulation) logInSomebody() {
	w.model.mu.Lock()
	i := pick(w, w.model.identities)
	there, free := i.there, len(i.past) > 0
	w.model.mu.Unlock()
	if !there && !free {
		i = &identity{of: i.of, service: "deezer", uid: "nobody"}
	}
	p := client.Params{"service": i.service, "uid": i.uid, "authtoken": "again"}
	w.visiting(p)
	w.user(func() error {
		since := w.model.ownership(i)
		var id domain.MemberID
		err := w.demand(i.of, func(c *client.Client) error {
			e, _, err := client.Do(context.Background(), c, client.LoginMember{More: p})
			id = memberOf(fmt.Sprint(e.Data.ID))
			return err
		})
		if code := domain.CodeOf(codeOf(err)); !there && code == domain.NoAccount || w.model.unowned(i, err) {
			w.model.doubtVisit(i.of)
			return nil
		}
		if err != nil {
			return fmt.Errorf("log in by %s %s of member %d: %w", i.service, i.uid, i.owner, err)
		}
		return w.model.met(i, since, id)
	})
}

// checkVisits holds the statistics of registrations and logins to what was answered: an identity
// that has an owner was registered or attached once, and each further answer is a login, however
// often it was asked for and whatever was killed meanwhile. A journal that lost records lost visits.
func (w *simulation) checkVisits(c *client.Client, l *label) error {
	if w.journalCut {
		return nil
	}
	registered, members, services := uint64(0), map[domain.MemberID]bool{}, map[string]uint64{}
	for _, i := range w.model.identities {
		if i.of == l && i.there {
			registered++
			members[w.model.root(i.owner)] = true
			services[i.service]++
		}
	}
	all := client.Params{"start_date": "2025-01-01 00:00:00", "end_date": "2029-01-01 00:00:00"}
	ctx, visits := context.Background(), uint64(0)
	for _, n := range l.visits {
		visits += uint64(n)
	}
	t, _, err := client.Do(ctx, c, client.GetLoginTotals{More: all})
	if err != nil {
		return err
	}
	if t.Total > visits && t.Total-visits <= w.model.merges.visits[l] {
		visits = t.Total
	}
	if t.Registrations != registered || t.Total != visits || t.Logins != visits-registered || t.Members != uint64(len(members)) {
		return fmt.Errorf("totals are %+v, answered were %d, of %d identities of %d members", t, visits, registered, len(members))
	}
	ever, _, err := client.Do(ctx, c, client.GetSignups{Valid: true})
	if err != nil {
		return err
	}
	for _, row := range ever.Channels {
		if row.Signups != fmt.Sprint(services[row.Service]) {
			return fmt.Errorf("%s registered by %s, %d did", row.Signups, row.Service, services[row.Service])
		}
	}
	days, _, err := client.Do(ctx, c, client.GetSignupTimeline{More: all})
	if err != nil {
		return err
	}
	all["limit"] = "1000"
	domains, _, err := client.Do(ctx, c, client.GetTopDomains{More: all})
	if err != nil {
		return err
	}
	by, _, err := client.Do(ctx, c, client.GetMemberVisits{More: all})
	if err != nil {
		return err
	}
	each := uint64(0)
	for _, row := range by.Items {
		each += row.Visits
	}
	told := fmt.Sprintf("%d %d %s %d %d %s", ever.Total, len(ever.Channels), days.PeriodTotal, by.Total, each, by.TotalSize)
	if want := fmt.Sprintf("%d %d %d %d %d %d", registered, len(services), registered, visits, visits, len(members)); told != want {
		return fmt.Errorf("statistics are %s, want %s", told, want)
	}
	// A list of members spans 6 months at most.
	last, _, err := client.Do(ctx, c, client.ListLoggedInMembers{Period: "6 month", Limit: "1000"})
	if err != nil {
		return err
	}
	if last.TotalSize != by.TotalSize || len(last.Items) != len(by.Items) {
		return fmt.Errorf("%s members logged in, %s have a visit", last.TotalSize, by.TotalSize)
	}
	on, signups := uint64(0), uint64(0)
	for _, d := range domains.Items {
		on += d.Visits
		signups += d.Registrations
	}
	if on != visits || signups != registered || len(domains.Items) > len(simSites) {
		return fmt.Errorf("domains are %+v: %d visits, %d of them registrations", domains.Items, visits, registered)
	}
	for _, row := range by.Items {
		if err := w.checkVisitsOf(c, memberOf(row.MemberID), row.Visits); err != nil {
			return err
		}
	}
	return nil
}

// checkVisitsOf requires that the visits of a member are as many, and that each that was made on a
// domain says what was given with it, opened.
func (w *simulation) checkVisitsOf(c *client.Client, id domain.MemberID, n uint64) error {
	list, _, err := client.Do(context.Background(), c, client.GetMemberLogins{MemberID: id, Period: "3 month", Limit: "1000"})
	if err != nil {
		return err
	}
	if list.Total != n || len(list.Registrations) != int(min(n, 1000)) {
		return fmt.Errorf("member %d has %d visits, %d are listed, want %d", id, list.Total, len(list.Registrations), n)
	}
	if w.model.survives(id) {
		return nil // what is sealed of a visit is sealed for the member that made it
	}
	for _, v := range list.Registrations {
		site, ip, visitor := "", "", ""
		if v.Domain != nil {
			site, ip, visitor = *v.Domain, "192.0.2.7", "of "+*v.Domain
		}
		if (v.IP != nil) != (site != "") || site != "" && (v.Visitor == nil || v.WebPath == nil || *v.IP != ip || *v.Visitor != visitor) {
			return fmt.Errorf("member %d: visit on %q by %s with %+v", id, site, v.Service, v)
		}
	}
	return nil
}
