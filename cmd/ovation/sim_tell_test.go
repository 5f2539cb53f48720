package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// sum is what a brand's actions come to.
type sum struct {
	actions     int
	members     map[domain.MemberID]int
	definitions map[domain.DefinitionID]int
	months      map[string]int
}

func sums(items []simItem) map[domain.BrandID]*sum {
	out := map[domain.BrandID]*sum{}
	for _, i := range items {
		s := out[i.brand]
		if s == nil {
			s = &sum{members: map[domain.MemberID]int{}, definitions: map[domain.DefinitionID]int{}, months: map[string]int{}}
			out[i.brand] = s
		}
		s.actions++
		s.members[i.member]++
		s.definitions[i.definition]++
		s.months[monthOf(i.at)]++
	}
	return out
}

// tell asks the endpoints that give numbers and holds them to the actions that the
// feed showed (I12).
func tell(c *client.Client, l *label, items []simItem) error {
	for _, in := range windows(time.Now()) {
		within := slices.DeleteFunc(slices.Clone(items), func(i simItem) bool { return i.at < in.from.Unix() || i.at > in.to.Unix() })
		by := sums(within)
		for _, b := range l.brands {
			s := by[b]
			if s == nil {
				s = &sum{}
			}
			for _, t := range simTellers {
				if err := t(c, b, in.params(), s); err != nil {
					return fmt.Errorf("brand %d: %w", b, err)
				}
			}
		}
	}
	return nil
}

func differ(what string, got string, want int) error {
	if got != fmt.Sprint(want) {
		return fmt.Errorf("%s is %s, the feed shows %d", what, got, want)
	}
	return nil
}

// simTellers are endpoints with numbers of one brand.
var simTellers = []func(*client.Client, domain.BrandID, client.Params, *sum) error{tellActivities, tellDays, tellCountries, tellMembersOf}

func tellActivities(c *client.Client, b domain.BrandID, p client.Params, s *sum) error {
	t, _, err := client.Do(context.Background(), c, client.GetBrandActivityStats{BrandID: b, More: p})
	if err != nil {
		return err
	}
	if err := differ("stats/activity", t.TotalCount, s.actions); err != nil {
		return err
	}
	if err := differ("members of stats/activity", t.TotalMembers, len(s.members)); err != nil {
		return err
	}
	for i := range t.Items {
		var id uint32
		if _, err := fmt.Sscan(*t.Items[i].ActivityID, &id); err != nil {
			return err
		}
		if err := differ("stats/activity of "+*t.Items[i].ActivityID, t.Items[i].Count, s.definitions[domain.DefinitionID(id)]); err != nil {
			return err
		}
	}
	return nil
}

func tellDays(c *client.Client, b domain.BrandID, p client.Params, s *sum) error {
	p["brandID"] = fmt.Sprint(b)
	d, _, err := client.Do(context.Background(), c, client.CountDaily{More: p})
	if err != nil {
		return err
	}
	months := map[string]int{}
	for i := range d.Items {
		var n int
		if _, err := fmt.Sscan(d.Items[i].Count, &n); err != nil {
			return err
		}
		months[d.Items[i].Date[:7]] += n
	}
	for m, n := range s.months {
		if months[m] != n {
			return fmt.Errorf("count/daily says %d for %s, the feed shows %d", months[m], m, n)
		}
	}
	return differ("count/daily", d.TotalCount, s.actions)
}

func tellCountries(c *client.Client, b domain.BrandID, p client.Params, s *sum) error {
	t, _, err := client.Do(context.Background(), c, client.GetBrandLocations{BrandID: b, More: p})
	if err != nil {
		return err
	}
	if err := differ("stats/location", t.TotalActivities, s.actions); err != nil {
		return err
	}
	return differ("members of stats/location", t.TotalMembers, len(s.members))
}

func tellMembersOf(c *client.Client, b domain.BrandID, p client.Params, s *sum) error {
	p["brandID"], p["limit"] = fmt.Sprint(b), "1000"
	t, _, err := client.Do(context.Background(), c, client.GetMemberTotals{More: p})
	if err != nil {
		return err
	}
	if err := differ("members/stats/activity", t.TotalActivities, s.actions); err != nil {
		return err
	}
	for i := range t.Items {
		if err := differ("members/stats/activity of a member", t.Items[i].ActivityCount, s.members[memberOf(t.Items[i].MemberID)]); err != nil {
			return err
		}
	}
	return differ("members of members/stats/activity", t.TotalMembers, len(s.members))
}
