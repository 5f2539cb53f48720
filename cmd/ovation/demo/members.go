package demo

import (
	"context"
	"fmt"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// registering is how many registrations are under way at once.
const registering = 64

func (s *stage) register(ctx context.Context) error {
	return each(ctx, len(s.fans.Members), func(ctx context.Context, i int) error {
		err := s.join(ctx, i)
		if err == nil {
			s.registered.Add(1)
		}
		return err
	})
}

// each does something for each of n fans, of many at once; the first error ends all.
func each(ctx context.Context, n int, do func(ctx context.Context, fan int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for part := range registering {
		wg.Go(func() {
			for i := part; i < n && ctx.Err() == nil; i += registering {
				if err := do(ctx, i); err != nil {
					cancel(fmt.Errorf("fan %d: %w", i, err))
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// join registers one member: by its first account, then the others, then what it asks
// to hear of.
func (s *stage) join(ctx context.Context, i int) error {
	m := &s.fans.Members[i]
	first, err := s.registerBy(ctx, i, registration(m))
	if err != nil {
		return err
	}
	member := domain.MemberID(first.ID)
	if m.Twice {
		if err := s.joinTwice(ctx, i, member); err != nil {
			return err
		}
	}
	for n, call := range s.further(m, member) {
		err := s.once(ctx, fmt.Sprintf("fan %d call %d", i, n), func(c *client.Client) error {
			_, _, err := client.Do(ctx, c, call)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// registerBy registers the fan with these values.
func (s *stage) registerBy(ctx context.Context, i int, with client.Params) (member wire.Member, err error) {
	err = s.once(ctx, fmt.Sprintf("fan %d by %s", i, with["service"]), func(c *client.Client) error {
		e, _, err := client.Do(ctx, c, client.RegisterMember{More: with})
		member = e.Data
		return err
	})
	return member, err
}

// joinTwice registers the fan once more, by its second account, and merges the two members.
func (s *stage) joinTwice(ctx context.Context, i int, member domain.MemberID) error {
	m := &s.fans.Members[i]
	second, err := s.registerBy(ctx, i, again(m))
	if err != nil || domain.MemberID(second.ID) == member { // an earlier run merged them
		return err
	}
	return s.once(ctx, fmt.Sprintf("fan %d merged", i), func(c *client.Client) error {
		_, _, err := client.Do(ctx, c, client.MergeMembers{
			MemberID: member, From: domain.MemberID(second.ID), AccessToken: second.AccessToken,
		})
		return err
	})
}

// further are the calls that give a registered member its other accounts, and what it opts in to.
func (s *stage) further(m *audience.Member, id domain.MemberID) (calls []client.Call[wire.Envelope]) {
	known := 1
	if m.Twice {
		known = 2
	}
	for _, acc := range m.Accounts[known:] {
		calls = append(calls, client.AttachService{
			MemberID: id, Service: acc.Service.String(), UID: acc.UID, AuthToken: authToken, Paid: &acc.Paid,
		})
	}
	if m.OptIns.Global {
		calls = append(calls, client.OptIn{ID: id})
	}
	for _, b := range m.OptIns.Brands {
		calls = append(calls, client.OptInToBrand{BrandID: s.brands[b], ID: id})
	}
	for _, g := range m.OptIns.Segments {
		calls = append(calls, client.OptInToSegment{SegmentID: s.segments[g], ID: id})
	}
	return calls
}

// authToken is what a network gave, in the demo.
const authToken = "demo"

// byAccount is what registers a member by an account on a network.
func byAccount(acc *audience.Account) client.Params {
	return client.Params{"service": acc.Service.String(), "uid": acc.UID, "authtoken": authToken, "paidaccount": wire.Flag(acc.Paid)}
}

// again is what a member gives when it registers once more, by its second account.
func again(m *audience.Member) client.Params {
	p := byAccount(&m.Accounts[1])
	if m.FirstName != "" {
		p["firstname"], p["surname"] = m.FirstName, m.Surname
	}
	return p
}

// password is the member's, where it registers by email.
func password(m *audience.Member) string { return "demo of " + m.Username }

// registration is what the member gives when it registers; what it keeps private is left out.
func registration(m *audience.Member) client.Params {
	acc := &m.Accounts[0]
	p := byAccount(acc)
	if acc.Service == domain.Email {
		p = client.Params{"service": "email", "password": password(m)}
	}
	for name, value := range map[string]string{
		"username": m.Username, "firstname": m.FirstName, "surname": m.Surname, "email": m.Email, "gender": m.Gender,
		"birthdate": m.Birthday(), "country": m.Country, "region": m.Region, "city": m.City, "domain": m.Domain,
	} {
		if value != "" {
			p[name] = value
		}
	}
	if m.PartnerID != "" {
		p["code"], p["sourceuid"] = audience.PartnerCode, m.PartnerID
	}
	return p
}
