package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

const simPartitions = 2

// simulation is one seed's run: machines, wires, those who use them, and the model.
type simulation struct {
	rng     *rand.Rand // of the schedule: the goroutine that runs it alone
	unusual *rand.Rand // likewise, of what no healthy installation meets
	office  *rand.Rand // likewise, of operators
	wires   *wires
	secrets *secrets.Secrets
	access  *accessSchedule
	erasing *erasing
	merging *merging
	lists   *lists
	fleet   *fleet
	apart   bool // the broker has a machine of its own
	forgets bool // the broker forgets offsets when the public topic is cut
	model   *model
	keys    *simKeys
	console *slog.Logger // of every machine; nil: logs are discarded

	mu     sync.Mutex // guards what follows
	engine *engineLife
	broker *brokerLife
	err    error // the first thing that was wrong
	cuts   int   // of power
	lives  int   // of the engine

	out        *kafka.Client // of those outside
	writers    [simPartitions]*writer
	users      sync.WaitGroup
	calls      int // idempotency keys given out
	gaps       bool
	lost       []lostSpan // by an operator's word
	journalCut bool       // it cannot be replayed from its start
	gone       []lostSpan // of a topic that was deleted: what was not routed, as far as was kept
	archive    archive
	foreign    map[origin]expectation // of the journal: values of another program, dead letters all
	story      []string
	counted    []*lifeHits        // of the engine's lives since settled
	settled    map[appHour]uint64 // the hits of those before that are stored, at least
	past       map[appHour]uint64 // those that they answered
	said       []*act             // what was published and is no rubbish
	recorded   []*act             // what was recorded over HTTP
}

// lostSpan is what an operator gave up: offsets of one topic's partition.
type lostSpan struct {
	topic     string // its id
	partition int
	from, to  int64
}

func newSimulation(seed uint64) *simulation {
	w := &simulation{rng: rand.New(rand.NewPCG(seed, 0)), model: newModel(), secrets: &secrets.Secrets{}, archive: archive{}, foreign: map[origin]expectation{}, unusual: unusual(seed), office: rand.New(rand.NewPCG(seed, 7)), access: newAccessSchedule(seed), erasing: newErasing(seed), merging: newMerging(seed), lists: newLists(seed), past: map[appHour]uint64{}}
	w.secrets.Pepper[0], w.secrets.Token[0] = byte(seed), 1
	w.secrets.Pepper[1], w.secrets.Pepper[2] = byte(seed>>8), 1
	w.secrets.Signing = []secrets.SigningKey{{KID: "k"}}
	w.keys = newSimKeys(seed)
	w.secrets.Masters = seal.Ring{simMaster(seed, 0)}
	w.wires = newWires(seed, func() *brokerLife {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.broker
	})
	w.apart = w.rng.IntN(2) == 0
	w.fleet = newFleet(seed)
	w.forgets = rand.New(rand.NewPCG(seed, 3)).IntN(2) == 0 // not of rng: seeds keep their schedules
	return w
}

// tell logs an event of the run, for the analysis of a failure.
func (w *simulation) tell(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.story = append(w.story, time.Now().UTC().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// wrong notes what must not be.
func (w *simulation) wrong(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *simulation) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// open starts the machines, those outside and what every schedule finds there.
func (w *simulation) open() error {
	disk := newDisk()
	if err := w.startBroker(newPower(disk, w.rng.Uint64())); err != nil {
		return err
	}
	p := w.broker.power
	if w.apart {
		p = newPower(newDisk(), w.rng.Uint64())
	}
	if err := w.startEngine(p); err != nil {
		return err
	}
	outside := newPower(newDisk(), 0)
	var err error
	if w.out, err = kafka.New(kafka.Config{Brokers: []string{brokerAddress}, ClientID: "outside", Dial: w.wires.dialer(outside)}); err != nil {
		return err
	}
	for i := range w.writers {
		w.writers[i] = startWriter(w, i)
	}
	return w.furnish()
}

func (w *simulation) startBroker(p *power) error {
	w.watch(p)
	b, err := startBroker(p)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broker = b
	return nil
}

func (w *simulation) watch(p *power) {
	if w.console != nil {
		p.console = w.console
	}
}

func (w *simulation) startEngine(p *power) error {
	w.watch(p)
	hits := newLifeHits()
	w.mu.Lock()
	w.counted = append(w.counted, hits)
	w.mu.Unlock()
	w.keys.rotate(w.secrets)
	e, err := startEngine(p, w.wires, w.secrets, hits, w.fleet.membership(0))
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.engine = e
	w.lives++
	return nil
}

// close ends everything; what runs is stopped as a program is.
func (w *simulation) close() {
	w.wires.storm(0)
	for _, q := range w.writers {
		if q != nil {
			q.stop()
		}
	}
	if w.out != nil {
		w.out.Close()
	}
	w.users.Wait()
	if err := w.stopFleet(); err != nil {
		w.wrong(err)
	}
	if w.engine != nil {
		if err := w.engine.Close(); err != nil {
			w.wrong(fmt.Errorf("close the engine: %w", err))
		}
	}
	if w.broker != nil {
		if err := w.broker.stop(); err != nil {
			w.wrong(fmt.Errorf("stop the broker: %w", err))
		}
	}
}

// revive starts again what lost its power, on what its disk held, until all is on.
// On the way the power may be cut again, at most so often.
func (w *simulation) revive(again int) error {
	for {
		e, b := w.engine, w.broker
		brokerOff := b != nil && b.power.isOff()
		if brokerOff {
			_ = b.stop() // the error reaches no client
			w.setBroker(nil)
			w.cuts++
			w.tell("the broker lost its power")
		}
		engineOff := e == nil || e.power.isOff()
		if engineOff && e != nil {
			_ = e.Close()
			w.setEngine(nil)
			w.cuts++
			w.tell("the engine lost its power")
		}
		switch {
		case brokerOff:
			if err := w.startBroker(newPower(b.power.rest(), w.rng.Uint64())); err != nil {
				return fmt.Errorf("the broker does not start again: %w", err)
			}
		case !engineOff:
			return nil
		}
		if !engineOff {
			continue
		}
		if err := w.restartEngine(e, &again); err != nil {
			return err
		}
	}
}

func (w *simulation) setBroker(b *brokerLife) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broker = b
}

func (w *simulation) setEngine(e *engineLife) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.engine = e
}

// restartEngine starts the engine on the disk of the life before, and again where the
// power is cut before it is up.
func (w *simulation) restartEngine(before *engineLife, again *int) error {
	p := w.broker.power
	if w.apart {
		p = newPower(before.power.rest(), w.rng.Uint64())
	}
	for {
		if *again > 0 && w.rng.IntN(3) == 0 {
			*again--
			p.cutAfter(1 + w.rng.IntN(80))
		}
		err := w.startEngine(p)
		if w.broker.power.isOff() {
			p.cut()
		}
		switch {
		case err == nil:
			return nil
		case w.broker.power.isOff():
			w.setEngine(&engineLife{power: p, Node: &node.Node{}})
			return nil
		case !p.isOff():
			return fmt.Errorf("the engine does not start again: %w", err)
		}
		w.cuts++
		w.tell("the engine lost its power while it started")
		p = newPower(p.rest(), w.rng.Uint64())
	}
}

// restart stops a machine's program as an operator does, and starts it again.
func (w *simulation) restart(broker bool) error {
	w.tell("restart, the broker %v", broker)
	if !broker {
		e := w.engine
		err := e.Close()
		w.setEngine(nil)
		if err != nil && !e.power.isOff() {
			return fmt.Errorf("stop the engine: %w", err)
		}
		if e.power.isOff() || w.broker.power.isOff() {
			e.power.cut() // it is started again with the broker
			w.setEngine(&engineLife{power: e.power, Node: &node.Node{}})
			return nil
		}
		none := 0
		return w.restartEngine(e, &none)
	}
	b := w.broker
	err := b.stop()
	w.setBroker(nil)
	if b.power.isOff() {
		w.setBroker(b)
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop the broker: %w", err)
	}
	if err := w.startBroker(b.power); err != nil && !b.power.isOff() {
		return fmt.Errorf("start the broker: %w", err)
	}
	return nil
}

// alive is the life of a node that answers now, once there is one.
func (w *simulation) alive() *engineLife {
	for {
		if w.failed() != nil {
			return nil
		}
		if e := w.someNode(); e != nil {
			return e
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// demand makes a request under one Idempotency-Key until its outcome is known, over
// however many lives of the engine. A refusal is an outcome.
func (w *simulation) demand(of *label, f func(c *client.Client) error) error {
	w.mu.Lock()
	w.calls++
	key := fmt.Sprint("call-", w.calls)
	w.mu.Unlock()
	return w.insist(of, func(c *client.Client) error { return f(c.With("Idempotency-Key", key)) })
}

// userPatience is how long a user asks again: with storms and cuts all around much longer
// than any of them lasts.
const userPatience = 5 * time.Minute

// insist asks until there is an answer.
func (w *simulation) insist(of *label, f func(c *client.Client) error) error {
	for began := time.Now(); time.Since(began) < userPatience; time.Sleep(50 * time.Millisecond) {
		e := w.alive()
		if e == nil || w.failed() != nil {
			return errStopped
		}
		err := f(e.speaks(of.key))
		var said *client.Error
		switch {
		case err == nil:
			return nil
		case errors.As(err, &said) && said.Status < 500 && said.Code != domain.Unavailable:
			return said
		case !errors.As(err, &said) && !errors.Is(err, errBroken):
			w.wrong(err)
			return err
		case errors.As(err, &said) && said.Status == 500:
			w.wrong(fmt.Errorf("answered 500: %w", err))
			return err
		}
	}
	if e := w.alive(); e != nil {
		return fmt.Errorf("no answer within %s: %+v", userPatience, e.Actors.Status())
	}
	return errStopped
}

// user does something beside the schedule.
func (w *simulation) user(f func() error) {
	w.users.Go(func() {
		if err := f(); err != nil && !errors.Is(err, errStopped) {
			w.wrong(err)
		}
	})
}

// furnish makes accounts, brands, definitions and the first members, in fair weather.
func (w *simulation) furnish() error {
	ctx := context.Background()
	for w.engine.Actors.Ready() != nil {
		time.Sleep(5 * time.Millisecond)
	}
	op := admin.NewOperator(w.engine.Actors, time.Now)
	for i := range 1 + w.rng.IntN(2) {
		account, app, err := op.CreateApplication(ctx, fmt.Sprint("label ", i), "site", domain.Advanced)
		if err != nil {
			return err
		}
		l := &label{id: account, app: app, limits: simLimits, plan: domain.Advanced, visits: map[domain.MemberID]int{}}
		if err := op.PutLimits(ctx, account, simLimits); err != nil {
			return err
		}
		if l.key, _, err = op.CreateKey(ctx, app, domain.ScopeApplication); err != nil {
			return err
		}
		w.model.labels = append(w.model.labels, l)
		for range 2 {
			w.makeBrand(l)
		}
		for j := range 3 {
			w.makeDefinition(l, j == 2)
		}
		for range 3 {
			w.register(l, w.newIdentity(l, "spotify"))
		}
	}
	w.users.Wait()
	return w.failed()
}
