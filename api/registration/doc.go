// Package registration registers members and logs them in: by a service, by an email address, one
// or many.
//
// Everything that a registration has of chance, hashes and time is made here and carried by its
// command (I6). It is made of the member as it is and submitted until that is the one that it meets
// (personal.Submit). Where a check is configured for a network, it confirms the token before
// anything is submitted (confirm.go). A handler runs on the goroutine of its request; a Service may
// be called by any.
package registration

import (
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/api/personal"
)

// Service registers members and logs them in.
type Service struct {
	envelopes envelope.Maker
	passwords *credentials.Passwords
	sealer    *personal.Sealer
	wrong     wrongPasswords // of logins, by address
	confirmer
}

// New makes a Service that has tokens checked at the networks; nil: at none.
func New(
	envelopes envelope.Maker, passwords *credentials.Passwords, sealer *personal.Sealer, asked *networks.Networks,
) *Service {
	return &Service{envelopes: envelopes, passwords: passwords, sealer: sealer, confirmer: newConfirmer(asked)}
}
