package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// rushAtOnce is how many clients register one identity at once.
const rushAtOnce = 64

// The same service account registered 64 times at once, and the same address, make one member
// each, whenever the power is cut in between: no member is half one, and no claim is lost.
func TestRegistration_64AtOnceMakeOneMember(t *testing.T) {
	t.Parallel()
	seeds := seedsOr(max(1, simUsual/10))
	first := *simFirst
	if first == 0 {
		first = uint64(time.Now().UnixMilli()) * 1000
	}
	if *simSeed != 0 {
		first, seeds = *simSeed, 1
	}
	t.Logf("%d seeds from %d on", seeds, first)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)))
		for i := range seeds {
			if err := rush(first + uint64(i)); err != nil {
				t.Errorf("go test ./cmd/ovation -run %s -seed %d: %v", t.Name(), first+uint64(i), err)
			}
		}
		time.Sleep(time.Minute) // timers of what was stopped run out
	})
}

// rush is one seed.
func rush(seed uint64) (err error) {
	w := newSimulation(seed)
	defer func() {
		if err != nil {
			w.wrong(err)
		}
		w.close()
		if err = w.failed(); err != nil {
			err = fmt.Errorf("%w\nthe story:\n%s", err, strings.Join(w.story, "\n"))
		}
	}()
	if err := w.open(); err != nil {
		return fmt.Errorf("the beginning: %w", err)
	}
	if err := w.drain(); err != nil {
		return err
	}
	l := w.model.labels[0]
	i, e := w.newIdentity(l, "spotify"), w.newIdentity(l, "email")
	e.uid += "@sim.test"
	w.engine.power.cutAfter(1 + w.rng.IntN(300))
	for range rushAtOnce {
		w.register(l, i)
		w.registerEmail(l, e)
	}
	for range 3 {
		time.Sleep(time.Duration(w.rng.IntN(100)) * time.Millisecond)
		if err := w.revive(1); err != nil {
			return err
		}
	}
	if err := w.drain(); err != nil {
		return err
	}
	c := func(l *label) *client.Client { return w.engine.speaks(l.key) }
	if err := w.check(c); err != nil {
		return err
	}
	return w.checkErased()
}

// registerEmail registers a member by an address.
func (w *simulation) registerEmail(l *label, i *identity) {
	w.user(func() error {
		var id domain.MemberID
		err := w.demand(l, func(c *client.Client) error {
			e, _, err := client.Do(context.Background(), c, client.RegisterMember{Service: "email", Email: i.uid, Password: "correct horse", FirstName: "Ada"})
			id = memberOf(fmt.Sprint(e.Data.ID))
			return err
		})
		if err != nil {
			return fmt.Errorf("register %s: %w", i.uid, err)
		}
		return w.model.owned(i, id)
	})
}

// checkMembers holds the members of an account to the owners of its identities: each has those of
// its own, and there is no other member.
func (w *simulation) checkMembers(c *client.Client, l *label) error {
	records := map[domain.MemberID]int{}
	for _, i := range w.model.identities {
		if i.of == l && i.owner != 0 {
			records[w.model.root(i.owner)]++
		}
	}
	all, _, err := client.Do(context.Background(), c, client.ListMembers{Limit: "1000"})
	if err != nil {
		return err
	}
	if all.TotalSize != fmt.Sprint(len(records)) || len(all.Items) != len(records) {
		return fmt.Errorf("the account has %s members, answered were %v", all.TotalSize, records)
	}
	for _, m := range all.Items {
		if n := records[memberOf(m.ID)]; n != len(m.Services) && !w.model.survives(memberOf(m.ID)) {
			return fmt.Errorf("member %s has %d service records, %d were answered", m.ID, len(m.Services), n)
		}
	}
	return nil
}
