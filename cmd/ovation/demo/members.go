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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for part := range registering {
		wg.Go(func() {
			for i := part; i < len(s.fans.Members) && ctx.Err() == nil; i += registering {
				if err := s.join(ctx, i); err != nil {
					cancel(fmt.Errorf("fan %d: %w", i, err))
					continue
				}
				s.registered.Add(1)
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
	var member domain.MemberID
	err := s.once(ctx, fmt.Sprintf("fan %d", i), func(c *client.Client) error {
		e, _, err := client.Do(ctx, c, client.RegisterMember{More: registration(m)})
		member = domain.MemberID(e.Data.ID)
		return err
	})
	if err != nil {
		return err
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

// further are the calls that give a registered member its other accounts, and what it opts in to.
func (s *stage) further(m *audience.Member, id domain.MemberID) (calls []client.Call[wire.Envelope]) {
	for _, acc := range m.Accounts[1:] {
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

// registration is what the member gives when it registers; what it keeps private is left out.
func registration(m *audience.Member) client.Params {
	acc := &m.Accounts[0]
	p := client.Params{"service": acc.Service.String(), "uid": acc.UID, "authtoken": authToken, "paidaccount": wire.Flag(acc.Paid)}
	if acc.Service == domain.Email {
		p = client.Params{"service": "email", "password": "demo of " + m.Username}
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
