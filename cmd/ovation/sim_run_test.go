package main

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage/format"
)

// simulate is one seed from its beginning to its end.
func simulate(seed uint64) (err error) {
	w := newSimulation(seed)
	w.fleet.size = fleetOf(seed)
	w.erasing.on = w.erasing.on && (w.fleet.size == 1 || simErasesAtSeveral)
	stuck := time.AfterFunc(time.Hour, func() {
		var status strings.Builder
		status.WriteString("no engine")
		for _, e := range w.nodes() {
			fmt.Fprintf(&status, "\n%+v", e.Actors.Status())
		}
		if b := w.broker; b != nil {
			fmt.Fprintf(&status, "\nthe log: %v, power off %v", b.log.Err(), b.power.isOff())
		}
		debug.SetTraceback("all")
		panic(fmt.Sprintf("seed %d came to no end:\n%s\n%s", seed, strings.Join(w.story, "\n"), status.String()))
	})
	defer stuck.Stop()
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
	if err := w.makeLists(); err != nil {
		return fmt.Errorf("the lists: %w", err)
	}
	w.gaps = w.rng.IntN(6) == 0
	steps := 20 + w.rng.IntN(30)
	gapAt, ofJournal := w.rng.IntN(steps), w.rng.IntN(8) == 0
	if w.gaps || ofJournal { // an operator's word at several nodes is not of this simulation
		w.fleet.size = 1
	}
	for i := range steps {
		if w.gaps && i == gapAt {
			if err := w.loseSource(); err != nil {
				return fmt.Errorf("the gap: %w", err)
			}
		}
		if ofJournal && !w.gaps && i == gapAt {
			if err := w.loseJournal(); err != nil {
				return fmt.Errorf("the gap of the journal: %w", err)
			}
		}
		if err := w.step(); err != nil {
			return err
		}
		if err := w.unusualStep(); err != nil {
			return err
		}
		w.accessStep()
		w.operatorStep()
		w.putKeys()
		w.eraseStep()
		w.mergeStep()
		w.listStep()
		if err := w.fleetStep(); err != nil {
			return err
		}
		time.Sleep(time.Duration(w.rng.IntN(30)) * time.Millisecond)
		if err := w.revive(2); err != nil {
			return err
		}
		if err := w.checkKeys(); err != nil && domain.CodeOf(err) != domain.Unavailable {
			return err
		}
		if err := w.failed(); err != nil {
			return err
		}
	}
	if err := w.drain(); err != nil {
		return err
	}
	if err := w.checkKeys(); err != nil {
		return err
	}
	if err := w.settleLists(); err != nil {
		return fmt.Errorf("lists: %w", err)
	}
	if err := w.settleMerges(); err != nil {
		return fmt.Errorf("merges: %w", err)
	}
	if err := w.checkAll(); err != nil {
		return err
	}
	if err := w.partAll(); err != nil {
		return err
	}
	if w.journalCut {
		return nil
	}
	return w.again()
}

// step is one thing that happens.
func (w *simulation) step() error {
	switch n := w.rng.IntN(100); {
	case n < 35:
		p := w.rng.IntN(simPartitions)
		w.publish(p, w.batch())
	case n < 41:
		w.registerSomebody()
	case n < 44:
		w.logInSomebody()
	case n < 50:
		w.attachSomething()
	case n < 60:
		w.recordSomething()
	case n < 66:
		w.removeSomething()
	case n < 69:
		w.optInSomebody()
	case n < 71:
		w.makeBrand(w.label())
	case n < 73:
		w.updateSomebody()
	case n < 76:
		w.verifySomething()
	case n < 78:
		w.refreshSomething()
	case n < 80:
		w.look()
	case n < 82:
		rate := []int{0, 20, 100, 250}[w.rng.IntN(4)]
		w.wires.storm(rate)
		w.tell("%d of 1000 requests meet a fault", rate)
	case n < 92:
		w.engine.power.cutAfter(1 + w.rng.IntN(120))
	case n < 95:
		if w.apart {
			w.broker.power.cutAfter(1 + w.rng.IntN(60))
		}
	case n < 97:
		return w.restart(true)
	case n < 98:
		return w.forgetOffsets()
	case n < 99:
		return w.restart(false)
	default:
		time.Sleep(2 * time.Second)
	}
	return nil
}

// someOwner is a member of a label, chosen.
func (w *simulation) someOwner() (*label, domain.MemberID) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	for {
		if i := pick(w, w.model.identities); i.owner != 0 {
			return i.of, i.owner
		}
	}
}

// registerSomebody registers a new identity, or one that another client registers as well.
func (w *simulation) registerSomebody() {
	l := w.label()
	i := w.newIdentity(l, "spotify")
	w.register(l, i)
	if w.rng.IntN(3) == 0 {
		w.model.mu.Lock()
		i.once = false
		w.model.mu.Unlock()
		w.register(l, i)
	}
}

// attachSomething gives a member another name, which another member may want too.
func (w *simulation) attachSomething() {
	l, member := w.someOwner()
	i := w.newIdentity(l, "facebook")
	w.attach(l, member, i)
	if of, other := w.someOwner(); w.rng.IntN(3) == 0 && of == l {
		w.attach(l, other, i)
	}
}

// recordSomething records a new action over HTTP, or one again.
func (w *simulation) recordSomething() {
	if len(w.recorded) > 0 && w.rng.IntN(3) == 0 {
		w.record(pick(w, w.recorded), true)
		return
	}
	a := w.newAct("http")
	w.model.mu.Lock()
	w.model.say(a)
	w.model.mu.Unlock()
	w.recorded = append(w.recorded, a)
	w.record(a, false)
}

// removeSomething deletes an action that was shown.
func (w *simulation) removeSomething() {
	w.model.mu.Lock()
	shown := w.model.shown
	w.model.mu.Unlock()
	if len(shown) > 0 {
		w.remove(pick(w, shown))
	}
}

func (w *simulation) optInSomebody() {
	l, member := w.someOwner()
	w.model.mu.Lock()
	brand := pick(w, l.brands)
	w.model.mu.Unlock()
	w.optIn(l, member, brand)
}

// handsOver reports that members merge while shards cannot tell what they have handed over, since a journal has lost
// records: an answer in the midst of a merge may have its actions twice, or not at all.
func (w *simulation) handsOver() bool { return w.merging.on && w.journalCut }

// look reads a feed in the middle of it all: each action once, each pair once, and
// nothing of others (I2, I7).
func (w *simulation) look() {
	l := w.label()
	in := windows(time.Now())[w.rng.IntN(3)]
	if w.handsOver() {
		return
	}
	w.user(func() error {
		var items []simItem
		err := w.insist(l, func(c *client.Client) error {
			items = items[:0]
			return eachAction(c, in, func(i simItem) { items = append(items, i) })
		})
		if err != nil {
			return fmt.Errorf("look: %w", err)
		}
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		seen, pairs := map[ofMember]bool{}, map[pairOf]bool{}
		for _, i := range items {
			if w.model.leaving(&i, l) {
				continue
			}
			a := w.model.byLink[i.link]
			if a == nil || a.of != l {
				return fmt.Errorf("I7: an action nobody did: %+v", i)
			}
			k, p := ofMember{i.member, a.source, a.id}, pairOf{i.member, a.definition.id, a.brand}
			if w.model.merges.mingled[i.member] { // wherever it is shown
				k.member = 0
			}
			if seen[k] || a.definition.oneTime && pairs[p] {
				return fmt.Errorf("I7: %s counts twice", i.link)
			}
			seen[k], pairs[p] = true, a.definition.oneTime || pairs[p]
			w.model.shown = append(w.model.shown, shownAct{a, i.member, i.id})
		}
		return nil
	})
}

// forgetOffsets has the broker lose where the routers were, as it does with groups
// that are idle for long, and the engine start again.
func (w *simulation) forgetOffsets() error {
	if w.gaps || w.broker == nil {
		return nil
	}
	if err := w.stopFleet(); err != nil { // a group is idle where no node runs
		return err
	}
	w.tell("the broker forgets the group's offsets")
	journal := w.engine.Logs.Topics.Journal.Topic().String()
	if err := w.restart(false); err != nil {
		return err
	}
	if !w.broker.power.isOff() {
		w.forget(journal)
	}
	return nil
}

// forget makes the broker's offsets of the routers such as no router writes: to them it is
// as if there were none.
func (w *simulation) forget(journal string) {
	t, ok := w.broker.log.Topics.ByName(kafka.Activities)
	if !ok {
		return
	}
	for p := range int32(simPartitions) {
		_ = w.broker.log.Groups.Commit("router-"+journal, []brokerlog.GroupOffset{{Topic: t.ID, Partition: p, Offset: 0, Epoch: -1, Metadata: "?"}})
	}
}

// again replays the journal on a disk that has the data keys alone, without a fault, and compares: the state
// hash of every shard, the keys that follow from the journal, and what the API answers (I3, I6, I9).
func (w *simulation) again() error {
	before, stood := w.facts(), w.dump()
	if err := w.stopFleet(); err != nil {
		return err
	}
	w.fleet.size = 1
	if err := w.engine.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	w.engine.hits.endedWell()
	disk := newDisk()
	if _, err := vfs.Clone(w.engine.power.disk, disk, config.KeysDir, config.KeysDir); err != nil {
		return fmt.Errorf("copy the data keys: %w", err)
	}
	w.setEngine(nil)
	if err := w.startEngine(newPower(disk, 0)); err != nil {
		return fmt.Errorf("the replay: %w", err)
	}
	if err := w.drain(); err != nil {
		return fmt.Errorf("the replay: %w", err)
	}
	if after := w.facts(); before != after {
		return fmt.Errorf("I3: the state is %s, that of a replay %s:\n%s", before, after, differing(stood, w.dump()))
	}
	if d := differing(ofLog(stood), ofLog(w.dump())); d != "" {
		return fmt.Errorf("I3: a replay has other keys:\n%s", d)
	}
	if err := w.checkAll(); err != nil {
		return fmt.Errorf("the replay: %w", err)
	}
	if err := w.settleLists(); err != nil {
		return fmt.Errorf("the replay: lists: %w", err)
	}
	return nil
}

// checkAll compares all there is with the model, when all is drained.
func (w *simulation) checkAll() error {
	if err := w.check(func(l *label) *client.Client { return w.engine.speaks(l.key) }); err != nil {
		return err
	}
	if err := w.checkErased(); err != nil {
		return err
	}
	return w.checkMerges()
}

// dump is the first node's store as text, a line a key.
func (w *simulation) dump() string { return w.engine.dump() }

func (e *engineLife) dump() string {
	var b strings.Builder
	if err := e.Stores.Store.Dump(&b, nil); err != nil {
		return err.Error()
	}
	return b.String()
}

// ofLog are the lines of a dump that follow from the journal alone: not when rows were sealed, nor what a life counted.
func ofLog(dump string) string {
	var b strings.Builder
	for l := range strings.Lines(dump) {
		switch l[0] {
		case format.FamilyRows, format.FamilyContent, format.FamilyTail, format.FamilyTailContent, format.FamilyTimeline,
			format.FamilySealed, format.FamilyCounts, format.FamilyUsage, format.FamilyState:
		default:
			b.WriteString(l)
		}
	}
	return b.String()
}

// differing are lines that only one of the dumps has.
func differing(stood, stands string) string {
	was, is := strings.Split(stood, "\n"), strings.Split(stands, "\n")
	var out []string
	for _, l := range was {
		if !slices.Contains(is, l) {
			out = append(out, "- "+l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			out = append(out, "+ "+l)
		}
	}
	return strings.Join(out, "\n")
}

// facts is the state hash of every shard of the first node.
func (w *simulation) facts() string {
	var out []string
	for _, s := range w.engine.Actors.Status().Shards {
		out = append(out, s.Facts)
	}
	return strings.Join(out, " ")
}
