package registration

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/api/serve"
)

// How many confirmed requests are remembered, and for how long: as long as their outcome.
const (
	maxConfirmed   = 1 << 14
	confirmedWhile = 24 * time.Hour
)

// confirmer has networks confirm tokens. A request with an Idempotency-Key is confirmed once by a
// node: its repeats get the first outcome, whatever the network says by then. Any goroutine.
type confirmer struct {
	networks  *networks.Networks
	confirmed *otter.Cache[confirmation, time.Time]
}

// confirmation names a request and what it had confirmed.
type confirmation [sha256.Size]byte

func newConfirmer(n *networks.Networks) confirmer {
	return confirmer{n, otter.Must(&otter.Options[confirmation, time.Time]{MaximumSize: maxConfirmed})}
}

// confirm checks the authtoken of a registration or a login where a check is configured for its
// network: it must be the user's.
func (c *confirmer) confirm(ctx context.Context, req *serve.Request, service domain.Service, token, uid string) error {
	if !c.networks.Checks(service) {
		return nil
	}
	id := confirmationOf(req.ID, service, token, uid)
	if at, ok := c.confirmed.GetIfPresent(id); ok && req.Clock.Now.Sub(at) < confirmedWhile {
		return nil
	}
	err := c.networks.Check(ctx, service, token, uid)
	if errors.Is(err, networks.ErrRefused) {
		return domain.Bad(domain.InvalidParameter, "authtoken", "the network does not confirm that authtoken is of this uid")
	}
	if err == nil && req.Keyed {
		c.confirmed.Set(id, req.Clock.Now)
	}
	return err
}

func confirmationOf(id domain.RequestID, service domain.Service, token, uid string) confirmation {
	sum := sha256.Sum256([]byte(token)) // of one length, so that no other token and uid look the same
	text := append(id[:], byte(service))
	text = append(text, sum[:]...)
	return sha256.Sum256(append(text, uid...))
}
