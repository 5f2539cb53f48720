package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

// accessSchedule is what happens in a run to allowlists and tokens, by a source of its own: seeds
// keep their schedules.
type accessSchedule struct {
	rng     *rand.Rand
	hosts   int             // names given out
	added   map[string]bool // signing keys whose record was acknowledged
	allowed map[*label]map[string]bool
}

func newAccessSchedule(seed uint64) *accessSchedule {
	return &accessSchedule{
		rng: rand.New(rand.NewPCG(seed, 4)), added: map[string]bool{}, allowed: map[*label]map[string]bool{},
	}
}

// accessStep is one such thing, in one step of three.
func (w *simulation) accessStep() {
	switch w.access.rng.IntN(18) {
	case 0, 1:
		w.allow(w.model.labels[w.access.rng.IntN(len(w.model.labels))])
	case 2, 3:
		w.authenticate()
	case 4:
		w.rotate()
	}
}

// allow puts a domain on an allowlist, and half of the time takes it away again.
func (w *simulation) allow(l *label) {
	w.access.hosts++
	host, takes := fmt.Sprintf("host%d.example", w.access.hosts), w.access.rng.IntN(2) == 0
	w.user(func() error {
		change := func(listed bool, f func(c *client.Client) error) error {
			if err := w.demand(l, f); err != nil {
				return fmt.Errorf("the allowlist, %s: %w", host, err)
			}
			w.model.mu.Lock()
			defer w.model.mu.Unlock()
			if w.access.allowed[l] == nil {
				w.access.allowed[l] = map[string]bool{}
			}
			w.access.allowed[l][host] = listed
			return nil
		}
		err := change(true, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.AllowDomain{Domain: host})
			return err
		})
		if err != nil || !takes {
			return err
		}
		return change(false, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.UnallowDomain{Domain: host})
			return err
		})
	})
}

// authenticate finds a member by its access token, and by the jwt that it gets for it.
func (w *simulation) authenticate() {
	w.model.mu.Lock()
	var known []*identity
	for _, i := range w.model.identities {
		if i.owner != 0 && i.at != "" {
			known = append(known, i)
		}
	}
	if len(known) == 0 {
		w.model.mu.Unlock()
		return
	}
	of := known[w.access.rng.IntN(len(known))]
	l, id, since := of.of, of.owner, of.at // once the member is erased none of its positions is known
	w.model.mu.Unlock()
	w.user(func() error {
		err := w.insist(l, func(c *client.Client) error {
			ctx, c := context.Background(), c.At(since)
			e, _, err := client.Do(ctx, c, client.GetMember{MemberID: id})
			if err != nil || e.Data.AccessToken == "" && w.model.leaves(id) { // its data key is gone already
				return err
			}
			a, _, err := client.Do(ctx, c, client.Authenticate{AccessToken: e.Data.AccessToken})
			if err != nil {
				return err
			}
			own, _, err := client.Do(ctx, c.As(a.JWT), client.FindMember{})
			if err == nil && !w.model.mingled(id) && (a.ID != uint64(id) || own.Data.ID != uint64(id)) {
				return fmt.Errorf("member %d is %d by its access token and %d by its jwt", id, a.ID, own.Data.ID)
			}
			return err
		})
		if err == nil || w.model.isErased(id, err) || w.model.merged(id, err) {
			return nil
		}
		return fmt.Errorf("sign in as member %d: %w", id, err)
	})
}

// rotate adds a signing key. What fails is made up for at the next start: its private half is
// among the secrets.
func (w *simulation) rotate() {
	e := w.engine
	if e == nil || e.API == nil || e.power.isOff() {
		return
	}
	var k secrets.SigningKey
	k.KID = fmt.Sprint("key", len(w.secrets.Signing))
	k.Seed[0], k.Seed[1] = byte(len(w.secrets.Signing)), 1
	w.secrets.Signing = append([]secrets.SigningKey{k}, w.secrets.Signing...)
	if err := e.API.Tokens.Add(k.PrivateHalf()); err != nil {
		w.wrong(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := admin.NewOperator(e.Actors, time.Now).AddSigningKey(ctx, k.KID, k.PublicHalf(), time.Now(), false)
	w.tell("the signing key %s is added: %v", k.KID, err)
	if err == nil {
		w.access.added[k.KID] = true
	}
}

// checkAccess: an allowlist has what was answered, and the signing keys are those of the secrets,
// each once, and all that were acknowledged (I4).
func (w *simulation) checkAccess(c func(*label) *client.Client) error {
	for _, l := range w.model.labels {
		var want []string
		for host, listed := range w.access.allowed[l] {
			if listed {
				want = append(want, host)
			}
		}
		slices.Sort(want)
		a, _, err := client.Do(context.Background(), c(l), client.GetApplication{})
		if err != nil {
			return err
		}
		if !slices.Equal(a.Domains, want) {
			return fmt.Errorf("I4: the allowlist of %s is %q, answered was %q", a.Account.Name, a.Domains, want)
		}
	}
	there := map[string]bool{}
	for _, k := range w.engine.Actors.Catalog().SigningKeys() {
		held := slices.ContainsFunc(w.secrets.Signing, func(s secrets.SigningKey) bool { return s.KID == k.KID && s.PublicHalf() == k.Public })
		if there[k.KID] || !held {
			return fmt.Errorf("the catalog has the signing key %s: twice %v, among the secrets %v", k.KID, there[k.KID], held)
		}
		there[k.KID] = true
	}
	for kid := range w.access.added {
		if !there[kid] {
			return fmt.Errorf("I4: the signing key %s was acknowledged and is not in the catalog", kid)
		}
	}
	return nil
}
