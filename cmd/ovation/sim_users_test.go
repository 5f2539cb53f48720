package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// What users of the API do, each beside the others and beside what is published.

// errStopped says that the run is over already.
var errStopped = errors.New("the run ended")

func pick[T any](w *simulation, of []T) T { return of[w.rng.IntN(len(of))] }

func (w *simulation) label() *label { return pick(w, w.model.labels) }

// makeBrand makes a brand that no other has the name of.
func (w *simulation) makeBrand(l *label) {
	w.model.hands++
	name := fmt.Sprint("Band ", w.model.hands)
	w.user(func() error {
		var made domain.BrandID
		err := w.demand(l, func(c *client.Client) error {
			b, _, err := client.Do(context.Background(), c, client.CreateBrand{Name: name, Type: "Music"})
			made = domain.BrandID(b.ID)
			return err
		})
		if err != nil {
			return fmt.Errorf("create a brand: %w", err)
		}
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		l.brands = append(l.brands, made)
		w.model.made[name] = 1
		return nil
	})
}

// makeDefinition makes a definition.
func (w *simulation) makeDefinition(l *label, oneTime bool) {
	w.model.hands++
	p := client.Params{"name": fmt.Sprint("did ", w.model.hands), "type": "Listened", "service": "spotify", "value": "2"}
	if oneTime {
		p["onetime"] = "1"
	}
	w.user(func() error {
		var made uint64
		err := w.demand(l, func(c *client.Client) error {
			d, _, err := client.Do(context.Background(), c, client.CreateActivity{More: p})
			if err == nil {
				made, err = strconv.ParseUint(d.ID, 10, 32)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("create an activity: %w", err)
		}
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		l.definitions = append(l.definitions, definition{domain.DefinitionID(made), oneTime})
		return nil
	})
}

func (w *simulation) newIdentity(l *label, service string) *identity {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	i := &identity{of: l, service: service, uid: fmt.Sprint("u", len(w.model.identities)), once: service == "spotify"}
	w.model.identities = append(w.model.identities, i)
	return i
}

// memberOf is an envelope's member.
func memberOf(id string) domain.MemberID {
	n, _ := strconv.ParseUint(id, 10, 64) // 0 is no member; the caller checks it
	return domain.MemberID(n)
}

// register registers a member by an identity that may have one.
func (w *simulation) register(l *label, i *identity) {
	p := client.Params{"service": i.service, "uid": i.uid, "authtoken": "t", "authsecret": "r0", "country": []string{"DE", "FR", "BR"}[w.rng.IntN(3)]}
	w.visiting(p)
	w.user(func() error {
		since := w.model.ownership(i)
		var id domain.MemberID
		var at string
		err := w.demand(l, func(c *client.Client) error {
			e, meta, err := client.Do(context.Background(), c, client.RegisterMember{More: p})
			id, at = memberOf(fmt.Sprint(e.Data.ID)), meta.Position
			return err
		})
		if w.model.lost(i, 0, err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("register %s %s: %w", i.service, i.uid, err)
		}
		w.model.mu.Lock()
		i.at = at
		w.model.mu.Unlock()
		return w.model.met(i, since, id)
	})
}

// attach gives a member another identity, which another member may claim first.
func (w *simulation) attach(l *label, member domain.MemberID, i *identity) {
	p := client.Params{"service": i.service, "uid": i.uid, "authtoken": "t"}
	w.visiting(p)
	w.model.mu.Lock()
	i.asked = append(i.asked, member)
	w.model.mu.Unlock()
	w.user(func() error {
		err := w.demand(l, func(c *client.Client) error {
			e, _, err := client.Do(context.Background(), c, client.AttachService{MemberID: member, More: p})
			if err == nil && memberOf(fmt.Sprint(e.Data.ID)) != member && !w.model.mingled(member) {
				return fmt.Errorf("an identity attached to member %d was answered with member %v", member, e.Data.ID)
			}
			return err
		})
		if domain.CodeOf(codeOf(err)) == domain.Conflict || w.model.lost(i, member, err) {
			return nil
		}
		// One who is merged may be so only now: an attempt before may have done it. With a member those
		// merged into it have the identity, too.
		if w.model.merged(member, err) || err == nil && w.model.mingled(member) {
			w.model.doubt(i)
			return nil
		}
		if err != nil {
			return fmt.Errorf("attach %s %s to %d: %w", i.service, i.uid, member, err)
		}
		return w.model.owned(i, member)
	})
}

// codeOf is the API's answer as an error of the domain.
func codeOf(err error) error {
	if e, ok := err.(*client.Error); ok {
		return &domain.Error{Code: e.Code}
	}
	return err
}

// parameters are an action as it is recorded over HTTP.
func (a *act) parameters() client.Params {
	p := client.Params{
		"activityid": fmt.Sprint(a.definition.id), "brandid": fmt.Sprint(a.brand), "marker": a.id, "async": "0",
		"link": a.link(), "timestamp": time.Unix(a.at, 0).UTC().Format(time.DateTime),
	}
	if a.member != 0 {
		p["id"] = fmt.Sprint(a.member)
	} else {
		p["service"], p["uid"] = a.who.service, a.who.uid
	}
	return p
}

// record records an action over HTTP, and checks that it is visible once acknowledged.
func (w *simulation) record(a *act, repeated bool) {
	p := a.parameters()
	passing := w.handsOver()
	w.user(func() error {
		since := w.model.ownership(a.who)
		var id domain.MemberID
		var action uint64
		var at, link string
		err := w.demand(a.of, func(c *client.Client) error {
			item, meta, err := client.Do(context.Background(), c, client.RecordActivity{Async: new(false), More: p})
			if err == nil {
				id, at, link = memberOf(item.MemberID), meta.Position, linkOf(&item)
				action, err = strconv.ParseUint(item.ID, 10, 64)
			}
			return err
		})
		if w.model.merged(a.member, err) || w.model.unnamed(a, err) { // now; an attempt before may have done it
			w.model.mu.Lock()
			defer w.model.mu.Unlock()
			a.unsure = true
			return nil
		}
		if code := domain.CodeOf(codeOf(err)); code == domain.NotFound && w.model.gone(a) {
			return nil // deleted meanwhile: a repeat does not bring it back
		}
		if err != nil {
			return fmt.Errorf("record %s: %w", a.link(), err)
		}
		w.model.mu.Lock()
		a.answers = append(a.answers, w.model.answered(since, id))
		if shown := w.model.byLink[link]; shown != nil {
			w.model.shown = append(w.model.shown, shownAct{shown, id, domain.ActionID(action)})
		}
		w.model.mu.Unlock()
		if link == "" && !w.model.gone(a) { // what an action says goes with it
			return fmt.Errorf("%s was answered without its link", a.link())
		}
		if repeated || a.definition.oneTime || passing {
			return nil
		}
		return w.visible(a, at)
	})
}

// gone reports that the action may have been deleted, or one that took its place.
func (m *model) gone(a *act) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mayBeGone(a)
}

// mayBeGone is gone for those who hold mu.
func (m *model) mayBeGone(a *act) bool {
	return m.tried[ofMember{a.owner(), a.source, a.id}] > 0 || a.definition.oneTime || m.touched(a)
}

// leaving reports that an item without a link may be of an action that was deleted, replaced, or
// handed over to another member, while its page was made: what it says is read after its row.
func (m *model) leaving(i *simItem, l *label) bool {
	return i.link == "" && slices.ContainsFunc(m.acts, func(a *act) bool {
		return a.of == l && (a.owner() == i.member || m.erased[i.member] != nil || m.merges.mingled[i.member] && m.merges.mingled[a.owner()]) && a.brand == i.brand &&
			a.definition.id == i.definition && (m.mayBeGone(a) || m.merges.mingled[i.member])
	})
}

// triedTwice reports that another tries to delete the action as well.
func (m *model) triedTwice(k ofMember) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tried[k] > 1
}

// visible looks for an action at the position that its answer had (I4).
func (w *simulation) visible(a *act, at string) error {
	found := false
	err := w.insist(a.of, func(c *client.Client) error {
		found = false
		return eachAction(c.At(at), windowOf(a.at), func(item simItem) { found = found || item.link == a.link() })
	})
	if err != nil {
		return fmt.Errorf("look for %s: %w", a.link(), err)
	}
	if !found && !w.model.gone(a) {
		return fmt.Errorf("I4: %s is not visible at the position that its record was answered with", a.link())
	}
	return nil
}

// remove deletes an action that was shown.
func (w *simulation) remove(s shownAct) {
	k := ofMember{s.member, s.act.source, s.act.id}
	w.model.mu.Lock()
	copied := w.merging.on && s.member != s.act.owner() // the id is that of a copy, or its member is erased
	if !copied {
		w.model.tried[k]++
	}
	w.model.mu.Unlock()
	if copied {
		return
	}
	if w.merging.on {
		r := w.mergeRequest(s.act.of, s.member)
		r.Command = &domain.DeleteAction{Member: s.member, Action: s.id}
		w.user(func() error { return w.removed(k, s.act, r) })
		return
	}
	w.user(func() error {
		err := w.demand(s.act.of, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.DeleteMemberActivity{MemberID: s.member, ActionID: s.id})
			return err
		})
		switch code := domain.CodeOf(codeOf(err)); {
		case err == nil:
			w.model.mu.Lock()
			w.model.deleted[k] = true
			w.model.mu.Unlock()
		case code == domain.NotFound && (s.act.definition.oneTime || w.model.triedTwice(k)):
			// another took its place, or another user deleted it
		case w.model.isErased(s.member, err):
		default:
			return fmt.Errorf("delete %s: %w", s.act.link(), err)
		}
		return nil
	})
}

// optIn puts a member on a brand's list.
func (w *simulation) optIn(l *label, member domain.MemberID, brand domain.BrandID) {
	o := opted{brand, member}
	w.model.mu.Lock()
	begin := func(n int) {
		w.model.merges.opting[o] += n
		if w.model.merges.outs[o] != 0 {
			w.model.merges.outs[o] = perhapsOut
		}
	}
	w.model.merges.optIns[o]++
	begin(1)
	w.model.mu.Unlock()
	w.user(func() error {
		err := w.demand(l, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.OptInToBrand{BrandID: brand, ID: member})
			return err
		})
		w.model.mu.Lock()
		begin(-1)
		w.model.mu.Unlock()
		refused := w.model.merged(member, err) // now; an attempt before may have done it
		if !refused && w.model.isErased(member, err) {
			return nil
		}
		if err != nil && !refused {
			return fmt.Errorf("opt member %d in: %w", member, err)
		}
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		w.model.opted[o] = true
		if refused {
			w.model.merges.outs[o] = perhapsOut
		}
		return nil
	})
}
