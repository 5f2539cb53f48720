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
	var member uint64
	err := s.once(ctx, fmt.Sprintf("fan %d", i), func(c *client.Client) error {
		e, _, err := c.Register(ctx, registration(m))
		member = e.Data.ID
		return err
	})
	if err != nil {
		return err
	}
	id := wire.Number(member)
	post := func(path string, p client.Params, answer any) error {
		return s.once(ctx, fmt.Sprintf("fan %d %s %s", i, path, p["service"]), func(c *client.Client) error {
			_, err := c.Post(ctx, path, p, answer)
			return err
		})
	}
	for _, acc := range m.Accounts[1:] {
		var array []wire.Envelope
		if err := post("/v1.1/member/"+id+"/register", accountParams(&acc), &array); err != nil {
			return err
		}
	}
	for _, path := range s.optIns(m) {
		var e wire.Envelope
		if err := post(path, client.Params{"id": id}, &e); err != nil {
			return err
		}
	}
	return nil
}

// optIns are the paths of what the member opts in to.
func (s *stage) optIns(m *audience.Member) (paths []string) {
	if m.OptIns.Global {
		paths = append(paths, "/v1.1/optin")
	}
	for _, b := range m.OptIns.Brands {
		paths = append(paths, "/v1.1/brand/"+wire.Number(s.brands[b])+"/optin")
	}
	for _, g := range m.OptIns.Segments {
		paths = append(paths, "/v1.1/segment/"+wire.Number(s.segments[g])+"/optin")
	}
	return paths
}

// accountParams are an account as register takes it.
func accountParams(acc *audience.Account) client.Params {
	return client.Params{
		"service": acc.Service.String(), "uid": acc.UID, "authtoken": "demo", "paidaccount": wire.Flag(acc.Paid),
	}
}

// registration is what the member gives when it registers; what it keeps private is left out.
func registration(m *audience.Member) client.Params {
	p := accountParams(&m.Accounts[0])
	if m.Accounts[0].Service == domain.Email {
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
