package main

import (
	"context"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// checkVisits holds the statistics of registrations and logins to what was answered: an identity
// that has an owner was registered once, and each further answer is a login, however often it was
// asked for and whatever was killed meanwhile.
func (w *simulation) checkVisits(c *client.Client, l *label) error {
	registered, members, services := uint64(0), map[domain.MemberID]bool{}, map[string]uint64{}
	for _, i := range w.model.identities {
		if i.of == l && i.owner != 0 {
			registered++
			members[i.owner] = true
			services[i.service]++
		}
	}
	all := client.Params{"start_date": "2025-01-01 00:00:00", "end_date": "2029-01-01 00:00:00", "limit": "1000"}
	ctx, visits := context.Background(), uint64(l.visits)
	t, _, err := c.LoginTotals(ctx, all)
	if err != nil {
		return err
	}
	if t.Registrations != registered || t.Total != visits || t.Logins != visits-registered || t.Members != uint64(len(members)) {
		return fmt.Errorf("totals are %+v, answered were %d, of %d identities of %d members", t, visits, registered, len(members))
	}
	ever, _, err := c.Signups(ctx, client.Params{"valid": "1"})
	if err != nil {
		return err
	}
	for _, row := range ever.Channels {
		if row.Signups != fmt.Sprint(services[row.Service]) {
			return fmt.Errorf("%s registered by %s, %d did", row.Signups, row.Service, services[row.Service])
		}
	}
	days, _, err := c.SignupTimeline(ctx, all)
	if err != nil {
		return err
	}
	domains, _, err := c.TopDomains(ctx, 0, all)
	if err != nil {
		return err
	}
	by, _, err := c.MembersVisits(ctx, all)
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
	if visits > 0 && (len(domains.Items) != 1 || domains.Items[0].Domain != nil || domains.Items[0].Visits != visits) {
		return fmt.Errorf("domains are %+v, %d visits were on none", domains.Items, visits)
	}
	return nil
}
