package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/api/client"
)

// What must have become of merges when all is drained.

// survives reports that others are merged into a member.
func (m *model) survives(id domain.MemberID) bool {
	for _, into := range m.merges.into {
		if into == id {
			return true
		}
	}
	return false
}

// known are the members that an answer named.
func (m *model) known() map[domain.MemberID]*label {
	all := map[domain.MemberID]*label{}
	for _, i := range m.identities {
		if i.owner != 0 {
			all[i.owner] = i.of
		}
	}
	return all
}

// settleMerges reads what came of that of which the outcome hung on a race: who is merged, who is erased
// with another, whose an identity is. It must be what an order of the answered operations gives.
func (w *simulation) settleMerges() error {
	m, ctx := w.model, context.Background()
	for _, i := range m.identities {
		if !i.unsure || i.owner != 0 {
			continue
		}
		name := w.engine.Hasher.Identity(i.of.id, domain.ByService, i.service, i.uid)
		id, _, err := w.engine.Actors.Resolve(ctx, i.of.id, domain.ByService, name, domain.Position{})
		if err != nil {
			return err
		}
		if id == 0 { // it had none, or one who is erased
			i.had(0)
		} else if err := m.owned(i, id); err != nil {
			return err
		}
	}
	clear(m.merges.into)
	for id, l := range m.known() {
		e := m.erased[id]
		of, _, err := w.engine.Actors.MemberRecord(ctx, l.id, id, domain.Position{})
		switch code := domain.CodeOf(err); {
		case code == domain.Gone && e != nil:
			m.erasedNow(id, "")
		case err != nil:
			return fmt.Errorf("member %d: %w", id, err)
		case e != nil && !e.doubtful:
			return fmt.Errorf("I10: member %d is erased, and there", id)
		default:
			delete(m.erased, id)
			if of.Lent != nil {
				m.merges.into[id] = of.Lent.To
			}
		}
	}
	for id, e := range m.erased {
		if !e.doubtful || e.answered > 0 {
			continue
		}
		// Its identity names nobody: it was erased with the member that it was merged into.
		if _, _, err := w.engine.Actors.MemberRecord(ctx, e.of.id, id, domain.Position{}); domain.CodeOf(err) != domain.Gone {
			return fmt.Errorf("member %d, which may be erased, is no identity's and is not erased: %w", id, err)
		}
		m.erasedNow(id, "")
	}
	for id := range m.merges.mingled {
		if m.erased[id] == nil && !m.possible(id) {
			return fmt.Errorf("I4: member %d is merged into %d, which no order of %s gives", id, m.merges.into[id], m.opsOf(id))
		}
	}
	return nil
}

// possible reports that what a member is merged into is what an order of the operations gives.
func (m *model) possible(id domain.MemberID) bool {
	into := m.merges.into[id]
	found := into == 0
	for _, o := range m.merges.ops {
		switch {
		case o.from != id || o.unmerge:
		case o.into != into && o.code == domain.OK:
			parted := func(u *mergeOp) bool { return u.unmerge && u.into == o.into && u.perhaps() && u.ended > o.began }
			if !m.someOp(id, parted) {
				return false
			}
		case o.into == into && o.perhaps():
			later := func(l *mergeOp) bool {
				return l.code == domain.OK && l.began > o.ended && l.unmerge == (l.into == into)
			}
			found = found || !m.someOp(id, later)
		}
	}
	return found
}

// perhaps reports an operation that was done, or may have been: the API may refuse an attempt by what one
// before it has done.
func (o *mergeOp) perhaps() bool { return o.code == domain.OK || o.code == domain.Gone && o.byAPI }

func (m *model) someOp(from domain.MemberID, f func(*mergeOp) bool) bool {
	return slices.ContainsFunc(m.merges.ops, func(o *mergeOp) bool { return o.from == from && f(o) })
}

func (m *model) opsOf(id domain.MemberID) (s string) {
	for _, o := range m.merges.ops {
		if o.from == id {
			s += fmt.Sprintf("%+v ", *o)
		}
	}
	return s
}

// checkMerges requires of each member that both sides of its merge know the same, that nothing is
// pending, and that what those who stay have is the union.
func (w *simulation) checkMerges() error {
	if !w.merging.on || w.journalCut {
		return nil
	}
	for id, l := range w.model.known() {
		of, _, err := w.engine.Actors.MemberRecord(context.Background(), l.id, id, domain.Position{})
		if err != nil {
			return fmt.Errorf("member %d: %w", id, err)
		}
		into := domain.MemberID(0)
		if of.Lent != nil {
			into = of.Lent.To
		}
		if into != w.model.merges.into[id] || of.Lent != nil && !of.Lent.Done {
			return fmt.Errorf("member %d has the loan %+v, want one to %d", id, of.Lent, w.model.merges.into[id])
		}
		if err := w.checkAbsorbed(l, of); err != nil {
			return fmt.Errorf("member %d: %w", id, err)
		}
		if err := w.checkOpted(id, of); err != nil {
			return err
		}
		_, _, err = client.Do(context.Background(), w.engine.speaks(l.key), client.GetMember{MemberID: id})
		if (into != 0) != (domain.CodeOf(codeOf(err)) == domain.Gone) {
			return fmt.Errorf("member %d, merged into %d, is answered with: %w", id, into, err)
		}
	}
	return nil
}

// checkAbsorbed holds what a member knows of those merged into it to what they are.
func (w *simulation) checkAbsorbed(l *label, of *domain.Member) error {
	var want, got []domain.MemberID
	for id, into := range w.model.merges.into {
		if into == of.ID {
			want = append(want, id)
		}
	}
	services := len(of.Services)
	for i := range of.Absorbed {
		a := &of.Absorbed[i]
		got = append(got, a.Member)
		lender, _, err := w.engine.Actors.MemberRecord(context.Background(), l.id, a.Member, domain.Position{})
		if err != nil {
			return fmt.Errorf("it absorbs member %d: %w", a.Member, err)
		}
		if !a.Done || lender.Lent == nil || lender.Lent.Ticket != a.Ticket {
			return fmt.Errorf("it absorbs %+v, whose loan is %+v", *a, lender.Lent)
		}
		record := *lender
		record.Lent, record.Passwords, record.Pending = nil, nil, nil
		record.Absorbed = slices.Clone(lender.Absorbed)
		for i := range record.Absorbed { // whose copies are of the lender's shard alone
			record.Absorbed[i].Asked, record.Absorbed[i].Signups = domain.RequestID{}, nil
		}
		if !reflect.DeepEqual(&record, a.Record) {
			return fmt.Errorf("it knows member %d as %+v, which is %+v", a.Member, a.Record, &record)
		}
		services += len(member.Union(&record).Services)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("it absorbs %v, want %v", got, want)
	}
	if n := len(member.Union(of).Services); n != services {
		return fmt.Errorf("it has %d service records with those merged into it, want %d", n, services)
	}
	return nil
}

// checkOpted holds the opt-ins of a member that has, or had, part in merges to what was answered.
func (w *simulation) checkOpted(id domain.MemberID, of *domain.Member) error {
	for o := range w.model.opted {
		if o.member != id {
			continue
		}
		in := slices.ContainsFunc(of.Opts, func(s domain.OptState) bool { return s.ID == uint32(o.brand) && s.In })
		if out := w.model.merges.outs[o]; out == 0 && !in || out == surelyOut && in {
			return fmt.Errorf("I4: member %d is on the list of brand %d: %v, opted out %d", id, o.brand, in, out)
		}
	}
	return nil
}

// partAll opts out who is merged, takes all merges back while the power is cut, and requires that each
// member is again what it would be without them.
func (w *simulation) partAll() error {
	m := w.model
	if len(m.merges.into) == 0 || w.merging.stays || w.journalCut {
		return nil
	}
	w.tell("all merges are taken back")
	if err := w.whileCut(w.optOutRoots); err != nil {
		return err
	}
	for o := range m.opted { // below a root all are out, in whatever part of the chain they opted in
		if root := m.root(o.member); root != o.member && m.merges.outs[opted{o.brand, root}] == surelyOut {
			m.merges.outs[o] = surelyOut
		}
	}
	for len(m.merges.into) > 0 {
		before := len(m.merges.into)
		err := w.whileCut(func() {
			known := m.known()
			for _, from := range slices.Sorted(maps.Keys(known)) {
				l := known[from]
				if into := m.merges.into[from]; into != 0 && m.merges.into[into] == 0 {
					w.mergeThem(l, into, from, true)
				}
			}
		})
		if err != nil {
			return err
		}
		if err := w.settleMerges(); err != nil {
			return fmt.Errorf("merges that are taken back: %w", err)
		}
		if len(m.merges.into) >= before {
			return fmt.Errorf("members are merged still: %v", m.merges.into)
		}
	}
	if err := w.checkAll(); err != nil {
		return fmt.Errorf("when all merges are taken back: %w", err)
	}
	return nil
}

// whileCut has users do something while the power is cut now and then, until all is done and drained.
func (w *simulation) whileCut(f func()) error {
	w.engine.power.cutAfter(1 + w.merging.rng.IntN(200))
	f()
	for range 3 {
		time.Sleep(time.Duration(w.merging.rng.IntN(100)) * time.Millisecond)
		if err := w.revive(1); err != nil {
			return err
		}
	}
	return w.drain()
}

// optOutRoots opts those who stay out of what those merged into them opted in to.
func (w *simulation) optOutRoots() {
	done := map[opted]bool{}
	for _, o := range w.model.optIns() {
		root := opted{o.brand, w.model.root(o.member)}
		if w.model.erased[o.member] != nil || root == o || done[root] {
			continue
		}
		done[root] = true
		w.optOut(root)
	}
}

// lookMerged reads a feed, not before what one before had shown: each action counts once in it, as
// whosever, and each that was shown and is not deleted, nor replaced, still does (I2, I7).
func (w *simulation) lookMerged() {
	l := w.mergingLabel()
	in := windowOf(1434000000)
	p := in.params()
	p["all_member_actions"], p["limit"] = "1", "1000"
	if w.handsOver() {
		return
	}
	w.user(func() error {
		w.model.mu.Lock()
		was := w.model.merges.present[l]
		w.model.mu.Unlock()
		var links []string
		var meta client.Meta
		err := w.insist(l, func(c *client.Client) error {
			if was != nil {
				c = c.At(was.at)
			}
			feed, got, err := client.Do(context.Background(), c, client.GetFeed{More: p})
			links, meta = links[:0], got
			for i := range feed.Items {
				links = append(links, linkOf(&feed.Items[i]))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("look: %w", err)
		}
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		now := &presence{at: meta.Position}
		seen := map[string]bool{}
		for _, link := range links {
			if seen[link] && link != "" {
				return fmt.Errorf("I7: %s counts twice", link)
			}
			seen[link] = true
			if a := w.model.byLink[link]; a != nil && !w.model.mayBeGone(a) {
				now.shown = append(now.shown, a)
			}
		}
		if was != nil {
			for _, a := range was.shown {
				if !seen[a.link()] && !w.model.mayBeGone(a) {
					return fmt.Errorf("I7: %s of member %d was shown at %s and counts nowhere at %s, of %d nodes; merges: %s",
						a.link(), a.owner(), was.at, meta.Position, w.fleet.size, w.model.opsOf(a.owner()))
				}
			}
		}
		w.model.merges.present[l] = now
		return nil
	})
}
