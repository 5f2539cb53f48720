package profile

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// refreshIn are the parameters of a token refresh.
type refreshIn struct {
	MemberID  bind.ID      `name:"memberid" doc:"id of a member" eg:"8195"`
	Service   bind.Service `name:"service" required:"" not:"custom" doc:"the service whose token endpoint is asked; not custom" eg:"spotify"`
	ServiceID bind.ID      `name:"serviceid" doc:"id of the service record; default: the latest of service that was made with the application of the key" eg:"8193"`
}

// refreshTime bounds a token refresh.
const refreshTime = 20 * time.Second

// RefreshTokens asks a member's network for a new token by the refresh token of a service record.
// The network may have ended the one of before by then: what it gives is stored though the client
// is gone, and it is asked after a first submission has shown that the log takes commands.
func (s *Service) RefreshTokens(ctx context.Context, req *serve.Request, in *refreshIn) (*wire.Envelope, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTime)
	defer cancel()
	t := &tokenRefresh{refreshIn: in, service: s}
	var r *domain.ServiceRecord
	m, err := req.MemberWith(ctx, domain.MemberID(in.MemberID), func(m *domain.Member) (err error) {
		r, _, err = t.find(req, m)
		if errors.Is(err, errNoRefreshToken) && m.Holder(r.ID) != m.ID { // the holder's own record tells whether it can be read
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if m, err = req.MemberRecord(ctx, m.Holder(r.ID), req.Wait); err != nil {
		return nil, err
	}
	out, first, known, err := s.probe(ctx, req, m)
	switch {
	case err != nil:
		return nil, err
	case known:
		m, err = req.Survivor(ctx, m.ID, out.Position)
	default:
		m, err = t.submit(ctx, req, m.ID, first)
	}
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m))
}

// tokenRefresh is the refresh of the token of one service record.
type tokenRefresh struct {
	*refreshIn
	service *Service

	used    string // the refresh token that the network was asked by last; empty: none
	got     networks.Credentials
	refused bool
}

// submit asks the network and stores what it says.
func (t *tokenRefresh) submit(
	ctx context.Context, req *serve.Request, id domain.MemberID, first int,
) (*domain.Member, error) {
	apply := func(m *domain.Member, p *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
		u, err := t.apply(ctx, req, m, p)
		return u, &u.Personal, err
	}
	m, err := t.service.sealer.ChangeFrom(ctx, req, id, first, apply)
	if err != nil || !req.Response.Replayed || t.got.Token == "" {
		return m, err
	}
	// A repeat on another node was faster: its outcome counts. The token of this one is stored too,
	// since the network may have ended the other's.
	_, _ = rand.Read(req.ID[:]) // never fails
	m, err = t.service.sealer.Change(ctx, req, id, apply)
	req.Response.Replayed = true
	return m, err
}

var errNoRefreshToken = domain.Bad(domain.Conflict, "service", "the service record has no refresh token")

// find is the service record, and its refresh token. Of a record without one it is the record and the error.
func (t *tokenRefresh) find(req *serve.Request, m *domain.Member) (*domain.ServiceRecord, string, error) {
	of := domain.Service(t.Service)
	held := *m
	if t.ServiceID == 0 {
		held.Services = nil
		for i := range m.Services {
			if m.Services[i].Application == req.Caller.App.ID {
				held.Services = append(held.Services, m.Services[i])
			}
		}
	}
	r, err := recordNamed(&held, of, uint64(t.ServiceID))
	if err != nil {
		return nil, "", err
	}
	if err := t.service.networks.Refreshes(of); err != nil {
		return nil, "", err
	}
	secret := r.Fields.Get(domain.RecordSecret)
	switch {
	case secret == "" && m.IsBare():
		return r, "", personal.ErrBare
	case secret == "":
		return r, "", errNoRefreshToken
	}
	return r, secret, nil
}

// apply makes the update of the member as it is. The network is asked again where the record has
// another refresh token than the one that it was asked by.
func (t *tokenRefresh) apply(ctx context.Context, req *serve.Request, m *domain.Member, p *domain.Personal) (*domain.UpdateMember, error) {
	u := &domain.UpdateMember{Member: m.ID, Email: m.Email, At: req.Clock.Now.UnixMilli()}
	r, secret, err := t.find(req, m)
	if err != nil {
		return u, err
	}
	if t.used != secret {
		got, err := t.service.networks.Refresh(ctx, r.Service, secret)
		refused := errors.Is(err, networks.ErrRefused)
		if err != nil && !refused {
			return u, err
		}
		t.used, t.got, t.refused = secret, got, refused
	}
	change := domain.RecordUpdate{ID: r.ID, Validity: domain.TokenRefused}
	if part := p.Service(r.Application, r.Identity); part != nil && !t.refused {
		change.Validity = domain.TokenValid
		change.Given = domain.Fields{{Field: domain.RecordExpires, Value: t.expires(req.Clock.Now)}}
		part.Fields = part.Fields.With(domain.Fields{
			{Field: domain.RecordToken, Value: t.got.Token}, {Field: domain.RecordSecret, Value: t.got.RefreshToken},
		})
	}
	u.Records = []domain.RecordUpdate{change}
	return u, nil
}

// expires is when the new token ends; empty: the network does not say.
func (t *tokenRefresh) expires(now time.Time) string {
	if t.got.Lifetime == 0 {
		return ""
	}
	return wire.Millis(now.Add(t.got.Lifetime).UnixMilli())
}

// maxProbed bounds the refreshes whose used attempts are remembered; of others they are counted
// again.
const maxProbed = 1 << 12

// probe looks for the outcome of an earlier request with the same id. It submits an update that no
// member takes: an answer other than Again is that outcome, one that is replayed is of an earlier
// probe. Else first is the attempt to go on with. A client that repeats a request uses an attempt
// each time: this node does not count those again that it has found used.
func (s *Service) probe(
	ctx context.Context, req *serve.Request, m *domain.Member,
) (out domain.Outcome, first int, known bool, err error) {
	none := &domain.UpdateMember{Member: m.ID, Email: m.Email, At: req.Clock.Now.UnixMilli()}
	none.Personal.Base = domain.NoVersion
	none.Personal.Key = m.Personal.Key
	n, _ := s.probed.GetIfPresent(req.ID)
	for {
		sub := req.Submission()
		sub.Request, sub.Command, sub.Slot = personal.AttemptID(req.ID, n), none, m.ID.Slot()
		if out, err = req.Submit(ctx, sub); err != nil || !out.Again {
			return out, n, true, err
		}
		n++
		s.probed.Set(req.ID, n)
		if !out.Replayed {
			return out, n, false, nil
		}
	}
}
