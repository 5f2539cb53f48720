package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
)

// Hits of applications: of a life that was cut as many count as the log had acknowledged at
// least, and no more than were answered; of the life that runs, all.

// simLimits are limits that no schedule reaches: time stands still while many ask.
var simLimits = domain.Limits{Rate: domain.MaxRate, Burst: domain.MaxBurst, Mode: domain.HardLimit}

// appHour is an hour of an application.
type appHour struct {
	app  domain.ApplicationID
	hour uint32
}

// lifeHits are the hits of one life of the engine.
type lifeHits struct {
	mu           sync.Mutex // guards what follows
	hits, stored map[appHour]uint64
}

func newLifeHits() *lifeHits {
	return &lifeHits{hits: map[appHour]uint64{}, stored: map[appHour]uint64{}}
}

// hitCounter is an engine whose hits are counted once more.
type hitCounter struct {
	node.Engine
	life *lifeHits
}

// Hit counts a hit.
func (c hitCounter) Hit(account domain.AccountID, app domain.ApplicationID, at time.Time, paid bool) {
	c.life.mu.Lock()
	c.life.hits[appHour{app, uint32(at.Unix() / 3600)}]++
	c.life.mu.Unlock()
	c.Engine.Hit(account, app, at, paid)
}

// usageLog notes which counts of hits the log has acknowledged.
type usageLog struct {
	journal.Log
	life *lifeHits
	off  func() bool // the broker's power: what is acknowledged after the cut is not durable
}

// Appender notes what it appends.
func (l usageLog) Appender() journal.Appender { return usageAppender{l.Log.Appender(), l} }

type usageAppender struct {
	journal.Appender
	log usageLog
}

// Append notes the counts of a batch that is durable.
func (a usageAppender) Append(ctx context.Context, partition int, records []domain.Record) (int64, error) {
	base, err := a.Appender.Append(ctx, partition, records)
	if err != nil || a.log.off() {
		return base, err
	}
	a.log.life.mu.Lock()
	defer a.log.life.mu.Unlock()
	for i := range records {
		if u, ok := records[i].Command.(*domain.Usage); ok {
			k := appHour{u.Application, u.Hour}
			a.log.life.stored[k] = max(a.log.life.stored[k], u.Total)
		}
	}
	return base, nil
}

// hitRange are the hits that must be stored and those that may be, of all applications.
type hitRange struct{ min, max map[appHour]uint64 }

// usageOf are the hits of the lives before, and those of the life that runs, as they are now.
func (w *simulation) usageOf() hitRange {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := hitRange{map[appHour]uint64{}, map[appHour]uint64{}}
	maps.Copy(r.min, w.settled)
	maps.Copy(r.max, w.past)
	for _, life := range w.counted {
		life.mu.Lock()
		running := w.runs(life)
		for k, n := range life.hits {
			r.max[k] += n
			if running {
				r.min[k] += n
			}
		}
		for k, n := range life.stored {
			if !running {
				r.min[k] += n
			}
		}
		life.mu.Unlock()
	}
	return r
}

// checkUsage compares the hits that are stored with those that were answered, by application
// and hour, and settles which of the lives before are stored: a replay has the same.
func (w *simulation) checkUsage() error {
	var want hitRange
	var got map[appHour]uint64
	time.Sleep(2 * time.Second)
	for range 3000 { // what was counted is appended once a second, and again where that failed
		idle := w.idle() // before what is stored is read
		var err error
		if want, got, err = w.usageStored(); err != nil {
			return err
		}
		if idle && (w.journalCut || lacking(got, want) == nil) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	for k, n := range got {
		if n > want.max[k] {
			return fmt.Errorf("usage: application %d has %d hits in hour %d, %d were answered", k.app, n, k.hour, want.max[k])
		}
	}
	if err := lacking(got, want); err != nil && !w.journalCut {
		return fmt.Errorf("%w; %s", err, w.hitsByLife())
	}
	w.settleUsage(got)
	return nil
}

// usageStored are the hits that must be stored and may be, and before them those that are.
func (w *simulation) usageStored() (want hitRange, got map[appHour]uint64, err error) {
	got = map[appHour]uint64{}
	for _, l := range w.model.labels {
		q := &domain.UsageQuestion{Account: l.id, Applications: []domain.ApplicationID{l.app}, To: 1 << 31}
		hits, _, err := w.engine.Actors.Usage(context.Background(), q, domain.Position{})
		if err != nil {
			return want, nil, fmt.Errorf("usage: %w", err)
		}
		for _, h := range hits {
			got[appHour{h.Application, h.Hour}] = h.Hits
		}
	}
	return w.usageOf(), got, nil // after it: what is stored was answered before
}

// lacking is an error where fewer hits are stored than must be.
func lacking(got map[appHour]uint64, want hitRange) error {
	for k, least := range want.min {
		if got[k] < least {
			return fmt.Errorf("I4: usage: application %d has %d hits in hour %d, %d are in the log", k.app, got[k], k.hour, least)
		}
	}
	return nil
}

// hitsByLife is what lacking compares, life by life.
func (w *simulation) hitsByLife() string {
	var b strings.Builder
	for _, e := range w.nodes() {
		fmt.Fprintf(&b, "%+v; ", e.Actors.Status())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(&b, "settled %v", w.settled)
	for _, life := range w.counted {
		life.mu.Lock()
		fmt.Fprintf(&b, "; runs %v, answered %v, in the log %v", w.runs(life), life.hits, life.stored)
		life.mu.Unlock()
	}
	return b.String()
}

// settleUsage takes what is stored as the least of the lives before: what one of them had sent may still arrive.
func (w *simulation) settleUsage(stored map[appHour]uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted = slices.DeleteFunc(w.counted, func(l *lifeHits) bool {
		if w.runs(l) {
			return false
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		for k, n := range l.hits {
			w.past[k] += n
		}
		return true
	})
	w.settled = maps.Clone(stored)
	for _, life := range w.counted {
		life.mu.Lock()
		for k, n := range life.hits {
			w.settled[k] -= min(n, w.settled[k])
		}
		life.mu.Unlock()
	}
}

// runs reports that hits are of a node that runs, for those who hold mu.
func (w *simulation) runs(life *lifeHits) bool {
	return slices.ContainsFunc(w.nodesLocked(), func(e *engineLife) bool { return e.hits == life })
}

// endedWell notes that a life ended with all of its hits in the log.
func (l *lifeHits) endedWell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.Copy(l.stored, l.hits)
}

// operatorStep is what an operator does in one step of eight: a change of limits, or a look at
// the usage.
func (w *simulation) operatorStep() {
	switch w.office.IntN(16) {
	case 0:
		w.changeLimits()
	case 1:
		w.askUsage()
	}
}

// askUsage asks for the hits of a label in the midst of it all: they add up, and are no more
// than were answered.
func (w *simulation) askUsage() {
	l := w.model.labels[w.office.IntN(len(w.model.labels))]
	w.user(func() error {
		var total, sum uint64
		var most hitRange
		err := w.insist(l, func(c *client.Client) error {
			u, _, err := client.Do(context.Background(), c, client.GetUsage{Interval: "hour", StartDate: time.Now().UTC().Add(-time.Hour).Format(time.DateTime), Period: "2 hour"})
			most = w.usageOf()
			total, sum = u.HitsTotal.TotalHitsForPeriod, 0
			for _, h := range u.HitsTotal.PerHour {
				n, _ := strconv.ParseUint(h.Hits, 10, 64)
				sum += n
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("usage: %w", err)
		}
		answered := uint64(0)
		for k, n := range most.max {
			if k.app == l.app {
				answered += n
			}
		}
		if total != sum || total > answered {
			return fmt.Errorf("usage: %d hits, %d by hours, %d were answered", total, sum, answered)
		}
		return nil
	})
}

// changeLimits has an operator set plan and limits of a label, one at a time.
func (w *simulation) changeLimits() {
	l := w.model.labels[w.office.IntN(len(w.model.labels))]
	limits, plan := simLimits, domain.Advanced+domain.Plan(w.office.IntN(2))
	limits.Month = uint64(1e15) + w.office.Uint64N(1000)
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	if l.operating {
		return
	}
	l.operating = true
	w.user(func() error {
		for e := w.alive(); e != nil; e = w.alive() {
			if err := operate(e, l, limits, plan); err == nil {
				break
			}
			// A produce request that a relay holds back may land after a later change.
			w.model.mu.Lock()
			l.doubtful = append(l.doubtful, limits)
			w.model.mu.Unlock()
			time.Sleep(50 * time.Millisecond)
		}
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		l.operating, l.limits, l.plan = false, limits, plan
		return nil
	})
}

// operate sets plan and limits; an error is of an unknown outcome.
func operate(e *engineLife, l *label, limits domain.Limits, plan domain.Plan) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // a node may read the catalog late
	defer cancel()
	op := admin.NewOperator(e.Actors, time.Now)
	if err := op.PutLimits(ctx, l.id, limits); err != nil {
		return err
	}
	_, err := op.PutPlan(ctx, l.app, plan)
	return err
}

// checkLimits: plans and limits are those that were set last.
func (w *simulation) checkLimits() error {
	c := w.engine.Actors.Catalog()
	for _, l := range w.model.labels {
		account, _ := c.Account(l.id)
		app, _ := c.Application(l.app)
		if account == nil || app == nil || account.Limits != l.limits && !slices.Contains(l.doubtful, account.Limits) ||
			app.Plan != l.plan && len(l.doubtful) == 0 {
			return fmt.Errorf("I4: account %+v and application %+v, want %+v and %s", account, app, l.limits, l.plan)
		}
	}
	return nil
}
