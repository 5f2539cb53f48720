// Package profile changes members: their profile, the Extended node, verified addresses, service
// records and their tokens, and passwords.
//
// What is changed is personal for the most part: a change is made of the member as it is, sealed,
// and taken only by that (personal.Sealer.Change). Given and Person are what of a profile requests
// give, of registrations too. A Service may be called by any goroutine.
package profile

import (
	"github.com/maypok86/otter/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/api/personal"
)

// Service changes members.
type Service struct {
	envelopes envelope.Maker
	passwords *credentials.Passwords
	sealer    *personal.Sealer
	networks  *networks.Networks
	probed    *otter.Cache[domain.RequestID, int] // of refreshes under way, how many attempts are used
}

// New makes a Service that refreshes tokens at the networks; nil: at none.
func New(
	envelopes envelope.Maker, passwords *credentials.Passwords, sealer *personal.Sealer, asked *networks.Networks,
) *Service {
	return &Service{
		envelopes, passwords, sealer, asked,
		otter.Must(&otter.Options[domain.RequestID, int]{MaximumSize: maxProbed}),
	}
}
