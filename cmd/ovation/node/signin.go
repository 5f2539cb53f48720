package node

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/console/oidc"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/serve"
)

// signIns is the provider by which people sign in to the console; nil: there is none.
func (n *Node) signIns() (serve.SignIns, error) {
	c, err := n.Config.SignIn.Provider()
	if c == nil || err != nil {
		return nil, err
	}
	c.BaseURL, c.Key, c.Now, c.Logger = n.Config.BaseURL, n.Secrets.Token, n.Clock.Now, n.Log
	operator := admin.NewOperator(n.Actors, n.Clock.Now)
	c.Link = func(ctx context.Context, of domain.CreateLink, life time.Duration) (string, error) {
		token, _, err := operator.CreateLink(ctx, of, life)
		return session.LinkPath + token, err
	}
	return oidc.New(*c), nil
}
