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
	"github.com/ovation-analytics/ovation/api/port"
)

// Service registers members and logs them in.
type Service struct {
	envelopes envelope.Maker
	passwords *credentials.Passwords
	sealer    *personal.Sealer
	geo       port.Geo       // nil: no address is located
	wrong     wrongPasswords // of logins, by address
	confirmer
}

// New makes a Service that has tokens checked at the networks (nil: at none) and addresses located
// by geo (nil: none is).
func New(
	envelopes envelope.Maker, passwords *credentials.Passwords, sealer *personal.Sealer, asked *networks.Networks, geo port.Geo,
) *Service {
	return &Service{envelopes: envelopes, passwords: passwords, sealer: sealer, geo: geo, confirmer: newConfirmer(asked)}
}
