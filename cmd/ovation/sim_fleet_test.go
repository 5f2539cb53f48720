package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
)

// The other nodes of an installation. They join when the first one is furnished, each on a machine of its own; users
// ask any of them. They are killed, stopped, paused and cut from the broker, and read the catalog late. When all is
// drained, all nodes are in one state.

// fleet is the nodes beside the first one.
type fleet struct {
	rng    *rand.Rand              // not of the schedule's: seeds keep theirs
	chance *rand.Rand              // of users, guarded by simulation.mu
	size   int                     // of the installation, with the first one
	others []*engineLife           // guarded by simulation.mu; those that lost their power among them
	late   [simNodes]time.Duration // by which a node reads the catalog late
	refuse time.Duration           // --refuse-keys-after of each
}

// simNodes is the most nodes of an installation.
const simNodes = 3

func newFleet(seed uint64) *fleet {
	f := &fleet{rng: rand.New(rand.NewPCG(seed, 11)), chance: rand.New(rand.NewPCG(seed, 12)), size: 1}
	for i := range f.late {
		f.late[i] = []time.Duration{0, 0, 100 * time.Millisecond, 700 * time.Millisecond, 2 * time.Second}[f.rng.IntN(5)]
	}
	return f
}

// fleetOf is how many nodes a seed has.
func fleetOf(seed uint64) int {
	if slices.Contains(simFound, seed) { // found with one
		return 1
	}
	return 1 + rand.New(rand.NewPCG(seed, 13)).IntN(simNodes)
}

// membership is what the n-th node is in the installation: one node alone does not join.
func (f *fleet) membership(n int) membership {
	if f.size == 1 {
		return membership{refuse: f.refuse}
	}
	return membership{id: domain.NodeID{1, byte(n)}, behind: f.late[n], refuse: f.refuse}
}

// nodes are those that answer.
func (w *simulation) nodes() []*engineLife {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nodesLocked()
}

func (w *simulation) nodesLocked() []*engineLife {
	all := append([]*engineLife{w.engine}, w.fleet.others...)
	return slices.DeleteFunc(all, func(e *engineLife) bool { return !e.answers() })
}

// someNode is a node that users reach; nil: none.
func (w *simulation) someNode() *engineLife {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.DeleteFunc(w.nodesLocked(), func(e *engineLife) bool { return !e.asks })
	if len(all) == 0 {
		return nil
	}
	return all[w.fleet.chance.IntN(len(all))]
}

// fleetStep is what happens to the nodes of an installation of several in one step.
func (w *simulation) fleetStep() error {
	f := w.fleet
	if f.size == 1 {
		return nil
	}
	if err := w.reviveFleet(false); err != nil {
		return err
	}
	i := f.rng.IntN(f.size)
	var e *engineLife
	if i == 0 {
		e = w.engine
	} else if i <= len(f.others) {
		e = f.others[i-1]
	}
	for _, n := range w.nodes() {
		select {
		case err := <-n.Actors.Ended():
			return fmt.Errorf("a node ended by itself: %w", err)
		default:
		}
	}
	switch n := f.rng.IntN(24); {
	case n < 5:
		time.Sleep(time.Duration(f.rng.IntN(8000)) * time.Millisecond) // others see who is away
	case !e.answers():
	case n < 8:
		if i > 0 {
			e.power.cutAfter(1 + f.rng.IntN(200))
		}
	case n < 9:
		if i > 0 {
			w.tell("node %d is stopped", i)
			return w.stopNode(e)
		}
	case n < 13:
		paused := f.rng.IntN(2) == 0
		lasts := time.Duration(f.rng.IntN(15_000)) * time.Millisecond
		w.tell("node %d is cut from the broker for %v, from users too %v", i, lasts, paused)
		e.power.unplug()
		w.mu.Lock()
		e.asks = !paused
		w.mu.Unlock()
		time.AfterFunc(lasts, func() { w.plug(e) })
	case n < 17:
		w.plug(e)
	}
	return nil
}

// plug has a node reach the broker again, and be reached by users.
func (w *simulation) plug(e *engineLife) {
	e.power.plug()
	w.mu.Lock()
	defer w.mu.Unlock()
	e.asks = true
}

// stopNode ends a node in order.
func (w *simulation) stopNode(e *engineLife) error {
	w.plug(e)
	err := e.Close()
	off := e.power.isOff()
	e.power.cut()
	switch {
	case off, w.broker == nil, w.broker.power.isOff():
		return nil
	case err != nil:
		return fmt.Errorf("stop a node: %w", err)
	}
	return nil
}

// reviveFleet starts the nodes that are off: all of them, or one of them now and then.
func (w *simulation) reviveFleet(all bool) error {
	f := w.fleet
	for i := range f.size - 1 {
		var before *engineLife
		if i < len(f.others) {
			before = f.others[i]
		}
		if before != nil && !before.power.isOff() || !all && f.rng.IntN(4) > 0 {
			continue
		}
		if before == nil && i > len(f.others) {
			continue // they join in their order
		}
		if err := w.startNode(i+1, before); err != nil {
			return err
		}
	}
	return nil
}

// startNode starts another node on what its disk held. One that loses its power on the way, or its broker, is off.
func (w *simulation) startNode(i int, before *engineLife) error {
	disk := newDisk()
	if before != nil {
		_ = before.Close() // the error reaches no client
		disk = before.power.rest()
	}
	p := newPower(disk, w.fleet.rng.Uint64())
	w.watch(p)
	hits := newLifeHits()
	w.mu.Lock()
	w.counted = append(w.counted, hits)
	w.mu.Unlock()
	e, err := startEngine(p, w.wires, w.secrets, hits, w.fleet.membership(i))
	if err != nil {
		if !w.broker.power.isOff() {
			return fmt.Errorf("node %d does not start: %w", i, err)
		}
		p.cut()
		e = &engineLife{power: p, Node: &node.Node{}}
	}
	w.tell("node %d begins: %v", i, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if i > len(w.fleet.others) {
		w.fleet.others = append(w.fleet.others, e)
	} else {
		w.fleet.others[i-1] = e
	}
	return nil
}

// calmFleet is fair weather for all nodes, with every one on.
func (w *simulation) calmFleet() error {
	for _, e := range w.nodes() {
		e.power.cutAfter(0)
		w.plug(e)
	}
	for {
		if err := w.reviveFleet(true); err != nil {
			return err
		}
		if len(w.nodes()) == w.fleet.size {
			return nil
		}
	}
}

// stopFleet ends the other nodes in order.
func (w *simulation) stopFleet() error {
	var errs []error
	for _, e := range w.fleet.others {
		errs = append(errs, w.stopNode(e))
	}
	return errors.Join(errs...)
}

// agree requires that all nodes came to one state, of which they answer.
func (w *simulation) agree() error {
	all := w.nodes()
	if len(all) == 1 {
		return nil
	}
	for range 3000 {
		places, facts := w.statesOf(all)
		if len(slices.Compact(places)) > 1 {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		first := all[0].dump()
		for i, e := range all[1:] {
			dump := e.dump()
			if facts[i+1] != facts[0] {
				return fmt.Errorf("replicas agree: at %s a node has the state %s, the first one %s:\n%s",
					places[0], facts[i+1], facts[0], differing(first, dump))
			}
			if d := differing(ofLog(first), ofLog(dump)); d != "" {
				return fmt.Errorf("replicas agree: at %s a node has other keys than the first one:\n%s", places[0], d)
			}
		}
		return nil
	}
	places, _ := w.statesOf(all)
	return fmt.Errorf("the nodes do not come to one place: %v", places)
}

// statesOf is up to where nodes have applied the journal, and what came of it.
func (w *simulation) statesOf(all []*engineLife) (places, facts []string) {
	for _, e := range all {
		var place, fact string
		for _, s := range e.Actors.Status().Shards {
			place += fmt.Sprint(s.Applied, " ")
			fact += fmt.Sprint(s.Facts, " ", s.Rows, " ", s.Outbox, " ", s.Letters, " ")
		}
		places, facts = append(places, place), append(facts, fact)
	}
	return places, facts
}

// lateLog is a log that is read late.
type lateLog struct {
	journal.Log
	by time.Duration
}

// Reader reads one partition.
func (l lateLog) Reader(partition int) journal.Reader {
	return lateReader{l.Log.Reader(partition), l.by}
}

type lateReader struct {
	journal.Reader
	by time.Duration
}

// Read gives records some time after they were there.
func (r lateReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	if err != nil || len(page.Records) == 0 || r.by == 0 {
		return page, err
	}
	select {
	case <-time.After(r.by):
	case <-ctx.Done():
	}
	return page, nil
}
