package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// updates are what of members was sent and answered as changed, under the model's lock.
type updates struct {
	verified  map[*identity]string                    // the address that was answered as verified on its record
	asked     map[*identity]bool                      // an address is verified on its record, or will be
	conflicts map[*label]map[string]bool              // addresses that another member was answered to have
	wanted    map[*label]map[string][]domain.MemberID // who asked for an address to be verified
	bios      map[domain.MemberID]*bios
}

// bios are the texts of a member that were sent.
type bios struct {
	of       *label
	sent     []string
	answered bool // one of them
}

func newUpdates() updates {
	return updates{
		verified: map[*identity]string{}, asked: map[*identity]bool{},
		conflicts: map[*label]map[string]bool{}, bios: map[domain.MemberID]*bios{},
		wanted: map[*label]map[string][]domain.MemberID{},
	}
}

// want notes who asks for an address to be verified.
func (u *updates) want(l *label, address string, id domain.MemberID) {
	if u.wanted[l] == nil {
		u.wanted[l] = map[string][]domain.MemberID{}
	}
	u.wanted[l][address] = append(u.wanted[l][address], id)
}

// updateSomebody changes a member's profile.
func (w *simulation) updateSomebody() {
	l, member := w.someOwner()
	text := fmt.Sprint("bio-", w.rng.IntN(1_000_000))
	w.model.mu.Lock()
	b := w.model.updates.bios[member]
	if b == nil {
		b = &bios{of: l}
		w.model.updates.bios[member] = b
	}
	b.sent = append(b.sent, text)
	w.model.mu.Unlock()
	w.user(func() error {
		err := w.demand(l, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.UpdateMember{MemberID: member, Bio: text, Address: text})
			return err
		})
		if w.model.isErased(member, err) || w.model.merged(member, err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("update %d: %w", member, err)
		}
		w.model.mu.Lock()
		b.answered = true
		w.model.mu.Unlock()
		return nil
	})
}

// verifySomething marks one of few addresses of its member as verified on a service record: of one who is
// merged by its survivor.
func (w *simulation) verifySomething() {
	w.model.mu.Lock()
	i := pick(w, w.model.identities)
	ready, owner := i.there && !w.model.updates.asked[i], i.owner
	// Members who have one address verified are merged: each has its own.
	address := fmt.Sprintf("verified-%d-%d@sim.test", owner, w.rng.IntN(2))
	if ready {
		w.model.updates.asked[i] = true
		w.model.updates.want(i.of, address, owner)
	}
	w.model.mu.Unlock()
	if !ready {
		return
	}
	w.user(func() error {
		e, err := w.survivorOf(i.of, owner)
		if err != nil {
			return err
		}
		named, record := domain.MemberID(e.Data.ID), recordIn(e, i)
		if record == nil { // erased, or parted meanwhile
			return nil
		}
		err = w.demand(i.of, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.VerifyMember{
				MemberID: named, Service: i.service, VerifiedEmail: address, More: client.Params{"serviceid": record.ID},
			})
			return err
		})
		if w.model.merged(named, err) || named != owner && domain.CodeOf(codeOf(err)) == domain.NotFound {
			return nil
		}
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		switch code := domain.CodeOf(codeOf(err)); {
		case w.model.erased[owner] != nil && (err == nil || code == domain.Gone):
		case err == nil:
			w.model.updates.verified[i] = address
		case code == domain.Conflict:
			if w.model.updates.conflicts[i.of] == nil {
				w.model.updates.conflicts[i.of] = map[string]bool{}
			}
			w.model.updates.conflicts[i.of][address] = true
		default:
			return fmt.Errorf("verify %s of %d: %w", address, owner, err)
		}
		return nil
	})
}

// survivorOf is the member that one counts as; nobody where it is erased.
func (w *simulation) survivorOf(l *label, id domain.MemberID) (e wire.Envelope, err error) {
	err = w.insist(l, func(c *client.Client) error {
		list, _, err := client.Do(context.Background(), c, client.ListMembers{Members: fmt.Sprint(id), Fields: "ID"})
		if err != nil || len(list.Items) == 0 {
			return err
		}
		e, _, err = client.Do(context.Background(), c, client.GetMember{MemberID: memberOf(list.Items[0].ID)})
		if domain.CodeOf(codeOf(err)) == domain.Gone { // merged or erased meanwhile
			return nil
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("the survivor of member %d: %w", id, err)
	}
	return e, err
}

// recordIn is the service record of an identity.
func recordIn(e wire.Envelope, i *identity) *wire.ServiceRecord {
	at := slices.IndexFunc(e.Services, func(r wire.ServiceRecord) bool { return r.Service == i.service && r.UserID == i.uid })
	if at < 0 {
		return nil
	}
	return &e.Services[at]
}

// checkUpdates holds members to what was answered: an address is verified by one member, on the
// records that it was answered for, and a profile has one of the texts that were sent.
func (w *simulation) checkUpdates(c *client.Client, l *label) error {
	if w.journalCut {
		return nil
	}
	ctx, u := context.Background(), &w.model.updates
	owners := map[string]domain.MemberID{}
	for i, address := range u.verified {
		if i.of != l {
			continue
		}
		if other, ok := owners[address]; ok && other != i.owner {
			return fmt.Errorf("%s is verified by members %d and %d", address, other, i.owner)
		}
		owners[address] = i.owner
		e, _, err := client.Do(ctx, c, client.FindMember{VerifiedEmail: address})
		if root := w.model.root(i.owner); err != nil || domain.MemberID(e.Data.ID) != root {
			return fmt.Errorf("%s is verified by member %d, not %d: %w", address, e.Data.ID, root, err)
		}
		if r := recordIn(e, i); r == nil || r.VerifiedEmail == nil || *r.VerifiedEmail != address || e.Data.VerifiedEmail == nil {
			return fmt.Errorf("the record of %s is %+v, %s was verified on it", i.uid, r, address)
		}
	}
	for address := range u.conflicts[l] {
		if slices.ContainsFunc(u.wanted[l][address], func(id domain.MemberID) bool { return w.model.erased[id] != nil }) {
			continue // who had it may be erased
		}
		if _, _, err := client.Do(ctx, c, client.FindMember{VerifiedEmail: address}); err != nil && domain.CodeOf(codeOf(err)) != domain.Gone {
			return fmt.Errorf("%s was refused, and no member has it verified: %w", address, err)
		}
	}
	for member, b := range u.bios {
		if b.of != l || w.model.erased[member] != nil || w.model.merges.into[member] != 0 || w.model.survives(member) {
			continue
		}
		e, _, err := client.Do(ctx, c, client.GetMember{MemberID: member})
		if err != nil {
			return err
		}
		if bio := e.Data.Bio; bio == nil && b.answered || bio != nil && !slices.Contains(b.sent, *bio) {
			return fmt.Errorf("the profile of %d has %v, sent were %v", member, bio, b.sent)
		}
	}
	return nil
}
