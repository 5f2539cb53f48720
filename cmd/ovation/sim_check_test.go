package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// The checks at the end of a run, when all is drained.

// expectation is what must have become of an action: as far as the model can know.
type expectation struct {
	must bool // it was accepted, or is equal to one that was
	may  bool // perhaps
}

// letterOf is what must have become of a record as a dead letter: for one of the reasons.
type letterOf struct {
	expectation
	reasons []domain.Reason
}

// pairOf is what a one-time action is one of.
type pairOf struct {
	member     domain.MemberID
	definition domain.DefinitionID
	brand      domain.BrandID
}

// isLost reports that an operator gave a record up.
func (w *simulation) isLost(o origin) bool {
	for _, l := range w.lost {
		if l.topic == o.topic && l.partition == o.partition && o.offset >= l.from && o.offset < l.to {
			return true
		}
	}
	return false
}

// check compares all there is with the model.
func (w *simulation) check(c func(*label) *client.Client) error {
	acts, letters, err := w.expectations()
	if err != nil {
		return err
	}
	if err := w.checkLetters(letters); err != nil {
		return err
	}
	for _, l := range w.model.labels {
		items, err := w.items(c(l), l)
		if err != nil {
			return err
		}
		if err := w.checkItems(l, items, acts); err != nil {
			return err
		}
		if err := tell(c(l), l, items); err != nil {
			return fmt.Errorf("I12: %w", err)
		}
		if err := w.checkVisits(c(l), l); err != nil {
			return fmt.Errorf("visits: %w", err)
		}
		if err := w.checkUpdates(c(l), l); err != nil {
			return fmt.Errorf("updates: %w", err)
		}
		if err := w.checkRefreshes(c(l), l); err != nil {
			return fmt.Errorf("token refreshes: %w", err)
		}
	}
	if err := w.checkAccess(c); err != nil {
		return err
	}
	if err := w.checkLimits(); err != nil {
		return err
	}
	if err := w.checkUsage(); err != nil {
		return err
	}
	return w.checkCatalog(c)
}

// items are all actions of a label.
func (w *simulation) items(c *client.Client, l *label) ([]simItem, error) {
	var out []simItem
	for _, in := range windows(time.Now()) {
		if err := eachAction(c, in, func(i simItem) { out = append(out, i) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkLetters: at least once each, for the right reason, and no others.
func (w *simulation) checkLetters(want map[origin]letterOf) error {
	got, err := publishedLetters(context.Background(), w.out)
	if err != nil {
		return fmt.Errorf("read the dead letters: %w", err)
	}
	for o, reason := range got {
		said := func(r domain.Reason) bool { return r.String() == reason }
		if !want[o].may || !slices.ContainsFunc(want[o].reasons, said) {
			return fmt.Errorf("dead letter %s of %q: %s, want %v", o, w.archive[o], reason, want[o])
		}
	}
	for o, f := range want {
		if _, ok := got[o]; f.must && !ok {
			return fmt.Errorf("no dead letter of %s, %q: want %v", o, w.archive[o], f.reasons)
		}
	}
	return nil
}

// checkItems: every action that must count does, once, and none that must not (I2).
func (w *simulation) checkItems(l *label, items []simItem, expectations map[*act]expectation) error {
	m := w.model
	seen, pairs := map[ofMember]bool{}, map[pairOf]*act{}
	for _, i := range items {
		a := m.byLink[i.link]
		if a == nil {
			return fmt.Errorf("an action nobody did: %+v", i)
		}
		k := ofMember{a.owner(), a.source, a.id}
		p := pairOf{i.member, a.definition.id, a.brand}
		switch {
		case a.of != l || m.root(a.owner()) != i.member && !m.askedFor(a, i.member) || a.brand != i.brand || a.definition.id != i.definition || a.at != i.at:
			return fmt.Errorf("%s is shown as %+v, it is %+v of member %d, merged into %v", i.link, i, *a, a.owner(), m.merges.into)
		case !expectations[a].may:
			return fmt.Errorf("%s counts, and must not: it is %+v, of %+v, erased %v", i.link, *a, a.who, slices.Collect(maps.Keys(m.erased)))
		case seen[k]:
			return fmt.Errorf("I2: %s %s counts twice for member %d", a.source, a.id, i.member)
		case m.deleted[k]:
			return fmt.Errorf("%s counts, and is deleted", i.link)
		case a.definition.oneTime && pairs[p] != nil:
			return fmt.Errorf("%s and %s both count, and are one time", i.link, pairs[p].link())
		}
		seen[k] = true
		if a.definition.oneTime {
			pairs[p] = a
		}
	}
	for _, a := range m.acts {
		if a.of != l || !expectations[a].must || a.definition.oneTime {
			continue
		}
		if k := (ofMember{a.owner(), a.source, a.id}); !seen[k] && !m.deleted[k] {
			return fmt.Errorf("I4: %s of member %d does not count: %q", a.link(), a.owner(), a.value)
		}
	}
	return w.checkPairs(l, pairs, expectations)
}

// askedFor reports that an identity by which an action came was to be attached to a member, or to one
// merged into it: an identity counts for a member from the claim on, also if the attachment is refused
// in the end.
func (m *model) askedFor(a *act, member domain.MemberID) bool {
	return a.who != nil && slices.ContainsFunc(a.who.asked, func(id domain.MemberID) bool { return m.root(id) == member })
}

// checkPairs: of one-time actions the earliest of a member and of those merged into it counts. One
// that is deleted closes the pair of the member that did it, and goes on to be that one's earliest.
func (w *simulation) checkPairs(l *label, shown map[pairOf]*act, expectations map[*act]expectation) error {
	m := w.model
	closed := map[pairOf]*act{} // by the member that did it
	for k := range m.deleted {
		for _, a := range m.acts {
			if a.definition.oneTime && a.reason == domain.Accepted && a.source == k.source && a.id == k.id {
				closed[pairOf{k.member, a.definition.id, a.brand}] = a
			}
		}
	}
	hides := map[pairOf]*act{} // by the member that it counts as: the earliest that is deleted
	for p, a := range closed {
		p.member = m.root(p.member)
		if hides[p] == nil || a.at < hides[p].at {
			hides[p] = a
		}
	}
	for p, a := range shown {
		if closed[pairOf{a.owner(), p.definition, p.brand}] != nil {
			return fmt.Errorf("%s counts, and its pair is deleted", a.link())
		}
		if h := hides[p]; h != nil && h.at < a.at {
			return fmt.Errorf("%s counts, %s, which is deleted, was earlier", a.link(), h.link())
		}
	}
	for _, a := range m.acts {
		own := pairOf{a.owner(), a.definition.id, a.brand}
		if a.of != l || !expectations[a].must || !a.definition.oneTime || closed[own] != nil {
			continue
		}
		p := pairOf{m.root(a.owner()), a.definition.id, a.brand}
		switch first, h := shown[p], hides[p]; {
		case first == nil && (h == nil || h.at > a.at) && !m.countsElsewhere(a, p, shown):
			return fmt.Errorf("of %v no action counts, %s of member %d should", p, a.link(), a.owner())
		case first != nil && first.at > a.at:
			return fmt.Errorf("%s counts, %s was earlier", first.link(), a.link())
		}
	}
	return nil
}

// countsElsewhere reports that a one-time action may have come for another member than its owner, who had asked for
// the identity by which it came, and who has an action of the pair.
func (m *model) countsElsewhere(a *act, own pairOf, shown map[pairOf]*act) bool {
	return a.who != nil && slices.ContainsFunc(a.who.asked, func(id domain.MemberID) bool {
		other := pairOf{m.root(id), own.definition, own.brand}
		return other != own && shown[other] != nil
	})
}

// checkCatalog: what was made once is there once, and who opted in is on the list.
func (w *simulation) checkCatalog(c func(*label) *client.Client) error {
	names := map[string]int{}
	for _, l := range w.model.labels {
		brands, _, err := client.Do(context.Background(), c(l), client.ListBrands{Limit: "0,1000"})
		if err != nil {
			return err
		}
		for i := range brands.Items {
			names[brands.Items[i].Fields["Name"]]++
		}
	}
	for name, n := range w.model.made {
		if names[name] != n {
			return fmt.Errorf("brand %q is there %d times, made %d times", name, names[name], n)
		}
	}
	for name, n := range names {
		if n != w.model.made[name] {
			return fmt.Errorf("brand %q is there %d times, nobody made it", name, n)
		}
	}
	for o := range w.model.opted {
		if w.model.erased[o.member] != nil || w.merging.on {
			continue // checkMerges has those of runs with merges
		}
		e, _, err := client.Do(context.Background(), c(w.labelOf(o.brand)), client.GetMember{MemberID: o.member})
		if err != nil {
			return err
		}
		listed := false
		for i := range e.OptIns {
			listed = listed || e.OptIns[i].ID != nil && *e.OptIns[i].ID == fmt.Sprint(o.brand)
		}
		if !listed {
			return fmt.Errorf("I4: member %d opted in to brand %d and is not on the list", o.member, o.brand)
		}
	}
	return nil
}

func (w *simulation) labelOf(b domain.BrandID) *label {
	for _, l := range w.model.labels {
		if slices.Contains(l.brands, b) {
			return l
		}
	}
	return nil
}

// calm is fair weather, with everything on.
func (w *simulation) calm() error {
	w.wires.storm(0)
	w.engine.power.cutAfter(0)
	w.broker.power.cutAfter(0)
	if err := w.revive(0); err != nil {
		return err
	}
	return w.calmFleet()
}

// drain ends the faults and waits until all that was sent is applied and published.
func (w *simulation) drain() error {
	if err := w.calm(); err != nil {
		return err
	}
	w.users.Wait()
	if err := w.failed(); err != nil {
		return err
	}
	for range 3000 {
		for _, r := range w.engine.Actors.Status().Routers {
			if w.gaps && r.Stopped != "" { // what was routed is, after a cut, not always known
				if err := w.accept(r); err != nil {
					return err
				}
			}
		}
		if w.idle() {
			if err := w.agree(); err != nil {
				return err
			}
			return w.archive.keep(context.Background(), w.out)
		}
		time.Sleep(20 * time.Millisecond)
	}
	var all []string
	for _, e := range w.nodes() {
		all = append(all, fmt.Sprintf("%+v", e.Actors.Status()))
	}
	return fmt.Errorf("not drained within a minute: %s", strings.Join(all, "\n"))
}

// idle reports that nothing is under way: not in the public topic, nor in the journal,
// nor in an outbox; nor a rebuild, which ends with a shard that is closed for a moment.
func (w *simulation) idle() bool {
	for _, e := range w.nodes() {
		if !w.idleNode(e) {
			return false
		}
	}
	return true
}

func (w *simulation) idleNode(e *engineLife) bool {
	if r := e.Rebuilder.Last(); r != nil && r.State == verify.Running {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	n := e.Actors
	for range 2 { // what was forwarded may forward
		at, err := n.AcceptedPosition(ctx)
		if err != nil || n.Await(ctx, at) != nil {
			return false
		}
	}
	for _, s := range n.Status().Shards {
		if s.Outbox != 0 || s.Letters != 0 || s.Stopped != "" || s.Panics != 0 {
			return false
		}
	}
	end := int64(0)
	for p := range simShards {
		e, err := w.out.End(ctx, kafka.Journal, p)
		if err != nil {
			return false
		}
		end += e
	}
	at, err := n.AcceptedPosition(ctx)
	if err != nil {
		return false
	}
	for _, s := range at.Shards {
		end -= s.Next
	}
	return end == 0
}
