package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
)

// What is in no schedule of a healthy installation: values of other programs in our own
// topics, panics of the engine's readers, and shards that are rebuilt.

// unusual is the randomness of them: not the schedule's, so that seeds keep theirs.
func unusual(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 5)) }

// unusualStep is one such thing, in one step of eight.
func (w *simulation) unusualStep() error {
	switch w.unusual.IntN(24) {
	case 0:
		return w.putForeign()
	case 1:
		return w.panicReader()
	case 2:
		return w.rebuild()
	}
	return nil
}

// rebuild rebuilds a shard, beside whatever comes, a cut of the power among it. Half of
// the time the schedule waits for the end.
func (w *simulation) rebuild() error {
	e, shard, wait := w.engine, w.unusual.IntN(simShards), w.unusual.IntN(2) == 0
	if e == nil || e.API == nil || e.power.isOff() {
		return nil
	}
	err := e.Rebuilder.Start(verify.RebuildOrder{Shards: []int{shard}})
	w.tell("a rebuild of shard %d, waited for %v: %v", shard, wait, err)
	if err != nil {
		return nil // another one is under way
	}
	for range 5000 {
		r := e.Rebuilder.Last()
		switch {
		case !wait || e.power.isOff() || w.broker.power.isOff():
			return nil
		case r.State == verify.Running:
			time.Sleep(2 * time.Millisecond)
			continue
		case r.State == verify.Refused && !w.journalCut:
			return fmt.Errorf("a rebuild is refused: %s", r.Shards[0].Why)
		}
		w.tell("the rebuild ends: %s %s", r.State, r.Shards[0].Why)
		return nil
	}
	return nil // a stuck broker: the power's cut will end it
}

// putForeign appends values of another program to a partition of the journal or to the
// catalog. Every replay must pass over them; those of the journal are dead letters.
func (w *simulation) putForeign() error {
	b := w.broker
	if b == nil || b.power.isOff() {
		return nil
	}
	name, partition := kafka.Journal, w.unusual.IntN(simShards)
	if w.unusual.IntN(3) == 0 {
		name, partition = kafka.Catalog, 0
	}
	topic, _ := b.log.Topics.ByName(name)
	in, err := b.log.Topics.Partition(topic.ID, int32(partition))
	if err != nil {
		return fmt.Errorf("the log's topic %s: %w", name, err)
	}
	all := [][]byte{[]byte("hello"), {}, nil, []byte(`{"a":1}`), {0xff}, []byte("\xf7OV"), []byte("OVR\x00")}
	var values [][]byte
	for range 1 + w.unusual.IntN(3) {
		values = append(values, all[w.unusual.IntN(len(all))])
	}
	base, _, done, err := in.Append(batchtest.Batch(time.Now().UnixMilli(), values...))
	if err != nil {
		if b.power.isOff() {
			return nil
		}
		return fmt.Errorf("append a stray: %w", err)
	}
	durable := done.Wait() == nil && !b.power.isOff() // what is synced after the cut is not
	w.tell("%d values of another program in %s/%d at %d, durable %v", len(values), name, partition, base, durable)
	if name == kafka.Catalog {
		return nil
	}
	for i := range values {
		at := origin{topic.ID.String(), partition, base + int64(i)}
		w.foreign[at] = expectation{must: durable || w.foreign[at].must, may: true}
	}
	return nil
}

// panicReader has the next read of the journal, or of the catalog, panic. What reads it
// must stop visibly, and a restart must go on where it was: nothing is lost.
func (w *simulation) panicReader() error {
	e := w.engine
	if e == nil || e.API == nil || e.power.isOff() {
		return nil
	}
	if err := e.Rebuilder.Close(); err != nil { // its reader is to meet no panic, nor one that a reopening ends
		return err
	}
	ofCatalog := w.unusual.IntN(4) == 0
	panics := &e.panics.journal
	if ofCatalog {
		panics = &e.panics.catalog
	}
	panics.Store(true)
	stopped := func() bool {
		st := e.Actors.Status()
		if ofCatalog {
			return strings.Contains(st.Catalog.Stopped, panicked)
		}
		for _, s := range st.Shards {
			if strings.Contains(s.Stopped, panicked) {
				return true
			}
		}
		return false
	}
	for i := range 5000 {
		if e.power.isOff() {
			return nil
		}
		if stopped() {
			w.tell("a reader panicked, of the catalog %v", ofCatalog)
			if e.Actors.Ready() == nil && w.fleet.size == 1 { // of several a node is ready where no other one is
				return fmt.Errorf("ready with a reader that panicked")
			}
			return w.restart(false)
		}
		if (i >= 500 || w.broker.power.isOff()) && panics.CompareAndSwap(true, false) {
			return nil // a broker that is not reached
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("a reader panicked and nothing stopped: %+v", e.Actors.Status())
}

// panicked is what a panic that was ordered says.
const panicked = "ordered by the simulation"

// panics says whether the next read of a log is to panic.
type panics struct{ journal, catalog atomic.Bool }

// panicLog is a log whose readers panic when they are ordered to.
type panicLog struct {
	journal.Log
	next *atomic.Bool
}

// Reader reads one partition.
func (l panicLog) Reader(partition int) journal.Reader {
	return panicReader{l.Log.Reader(partition), l.next}
}

type panicReader struct {
	journal.Reader
	next *atomic.Bool
}

// Read panics if it was ordered to.
func (r panicReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if r.next.CompareAndSwap(true, false) {
		panic(panicked)
	}
	return r.Reader.Read(ctx, next, epoch, spare)
}
