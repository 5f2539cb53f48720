package main

import (
	"context"
	"fmt"

	"github.com/ovation-analytics/ovation/api/client"
)

// refreshSomething has a token refreshed. The record has the refresh token r0 from its registration,
// and each refresh takes the one that is stored to the next.
func (w *simulation) refreshSomething() {
	w.model.mu.Lock()
	i := pick(w, w.model.identities)
	ready := i.there && i.once
	member := i.owner
	if ready {
		i.fresh++
	}
	w.model.mu.Unlock()
	if !ready {
		return
	}
	w.user(func() error {
		err := w.demand(i.of, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.RefreshTokens{MemberID: member, Service: i.service})
			return err
		})
		if w.model.isErased(member, err) || w.model.merged(member, err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("refresh of %s of %d: %w", i.uid, member, err)
		}
		return nil
	})
}

// checkRefreshes holds each record to as many refreshes as were answered: each asked the network once
// and stored what it gave, whatever was killed meanwhile.
func (w *simulation) checkRefreshes(c *client.Client, l *label) error {
	if w.journalCut {
		return nil
	}
	for _, i := range w.model.identities {
		if i.of != l || !i.there || !i.once || i.fresh == 0 {
			continue
		}
		e, _, err := client.Do(context.Background(), c, client.GetMember{MemberID: i.owner})
		if err != nil {
			return err
		}
		if r := recordIn(e, i); r == nil || r.TokenSecret != fmt.Sprint("r", i.fresh) || r.Valid != "1" {
			return fmt.Errorf("the record of %s is %+v after %d refreshes", i.uid, r, i.fresh)
		}
	}
	return nil
}
