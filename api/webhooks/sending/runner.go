package sending

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
)

const (
	// lookEvery is how often a Runner looks which webhooks it sends.
	lookEvery = time.Second
	// takeAfter is for how long a webhook with something to do is not sent before the next node takes it over. A node that
	// sends begins no try so long after the last record of its own that counts, before it has another one.
	takeAfter = 5 * time.Second
	// handOver is for how long no node has to be seen sending before the one of rank 0 begins, unless it sent last: longer
	// than a lease goes without being renewed, less than the next node waits.
	handOver = 3 * time.Second
	// longestStep is the most idleness that two looks one after the other can show.
	longestStep = 2 * lookEvery
	// longestPause is how long a webhook waits at most that finds no events by its filters, before they are looked at again.
	longestPause = time.Minute
)

// Config is what a Runner is made with.
type Config struct {
	Log      Log
	Webhooks func() []*domain.Webhook // all there are, deleted ones too; they never change
	Source   func(context.Context, *domain.Webhook) (delivery.Source, error)
	Secrets  func(*domain.Webhook) delivery.Secrets
	Disable  func(ctx context.Context, w *domain.Webhook, why domain.Disabled) error
	Poster   delivery.Poster
	Logger   *slog.Logger

	TimeOfDay func(machine time.Time) time.Time // at a moment of the machine's clock
}

// Runner sends the events of the webhooks that its node has the duty for.
type Runner struct {
	c       Config
	running map[domain.WebhookID]*running
	watches map[domain.WebhookID]*watch
	pauses  map[domain.WebhookID]*pause
	forgot  map[domain.WebhookID]bool // deleted ones of which nothing is kept any more
	ended   chan *running
	all     sync.WaitGroup
	counts  counters
}

// running is a Sender at work.
type running struct {
	of     *domain.Webhook
	cancel context.CancelFunc
	leave  func() // ends it when what is on its way has ended
	rank   int    // of this node: the least since it began
	wishes uint64 // that accounts had before it began
	err    error  // why it ended: delivery.ErrFilters
}

// pause is how long a webhook is left alone that found no events by its filters.
type pause struct {
	of    *domain.Webhook
	tries int
	until time.Time
}

// watch follows a webhook that another node may send.
type watch struct {
	moves uint64
	idle  time.Duration // for how long it made no progress that it could make
	at    time.Time     // of the last look
}

// NewRunner makes a Runner.
func NewRunner(c Config) *Runner {
	return &Runner{
		c: c, running: map[domain.WebhookID]*running{}, watches: map[domain.WebhookID]*watch{},
		pauses: map[domain.WebhookID]*pause{}, forgot: map[domain.WebhookID]bool{}, ended: make(chan *running),
	}
}

// Run sends until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	r.look(ctx, time.Now())
	for {
		select {
		case <-t.C:
			r.look(ctx, time.Now())
		case of := <-r.ended:
			delete(r.running, of.of.ID)
			r.pause(of, time.Now())
		case <-ctx.Done():
			for len(r.running) > 0 {
				delete(r.running, (<-r.ended).of.ID)
			}
			r.all.Wait()
			return
		}
	}
}

// look begins and ends what is to be sent.
func (r *Runner) look(ctx context.Context, now time.Time) {
	for _, w := range r.c.Webhooks() {
		at := r.running[w.ID]
		wanted := !w.Deleted && w.Disabled == domain.NotDisabled
		switch {
		case at != nil && (!wanted || at.of.Updated != w.Updated):
			at.cancel() // it begins again once it has ended
		case at != nil:
			if r.c.Log.Wishes(w.ID) != at.wishes && r.c.Log.WishesVisible(w.ID) {
				at.cancel() // likewise, with what is wanted
			} else if r.outranked(at) {
				at.leave()
			}
		case w.Deleted:
			r.forget(ctx, w)
		case wanted && !r.paused(w, now) && r.has(w, now):
			r.start(ctx, w)
		}
	}
}

// pause has a webhook be left alone for a while, where its filters found no events; each time for longer.
func (r *Runner) pause(of *running, now time.Time) {
	if of.err == nil {
		delete(r.pauses, of.of.ID)
		return
	}
	p := r.pauses[of.of.ID]
	if p == nil || p.of.Updated != of.of.Updated {
		p = &pause{of: of.of}
		r.pauses[of.of.ID] = p
		r.c.Logger.Warn("a webhook sends nothing: what its filters name is not there any more", "webhook", of.of.ID, "error", of.err)
	}
	p.until = now.Add(min(lookEvery<<p.tries, longestPause))
	p.tries = min(p.tries+1, 10)
}

// paused reports that a webhook is left alone, and was not edited since.
func (r *Runner) paused(w *domain.Webhook, now time.Time) bool {
	p := r.pauses[w.ID]
	return p != nil && p.of.Updated == w.Updated && now.Before(p.until)
}

// outranked reports that another node has come before this one since a Sender began. A node that took a webhook over
// from one that stands still goes on: the order of the two is as it was.
func (r *Runner) outranked(of *running) bool {
	rank := r.c.Log.Rank(of.of.ID)
	if rank >= 0 {
		of.rank = min(of.rank, rank)
	}
	return rank > of.rank
}

// has reports that this node sends a webhook now.
func (r *Runner) has(w *domain.Webhook, now time.Time) bool {
	rank := r.c.Log.Rank(w.ID)
	last, moves := r.c.Log.Sending(w.ID)
	if rank < 0 || rank == 0 && (r.c.Log.Alone() || last == r.c.Log.Self()) {
		delete(r.watches, w.ID)
		return rank == 0
	}
	of := r.watches[w.ID]
	if of == nil {
		of = &watch{moves: moves, at: now}
		r.watches[w.ID] = of
	}
	of.idle += min(now.Sub(of.at), longestStep)
	of.at = now
	if moved := moves != of.moves; moved || rank > 0 && !r.undone(w, now) {
		of.moves, of.idle = moves, 0
		return false
	}
	after := time.Duration(rank) * takeAfter
	if rank == 0 {
		after = handOver
	}
	if of.idle < after {
		return false
	}
	delete(r.watches, w.ID)
	if rank > 0 {
		r.c.Logger.Warn("this node sends the events of a webhook that no other node sends now", "webhook", w.ID)
	}
	return true
}

// undone reports that a webhook has something to do now: events that there is room for, or tries that are due.
func (r *Runner) undone(w *domain.Webhook, now time.Time) bool {
	day := r.c.TimeOfDay(now).UnixMilli()
	for shard := range r.c.Log.Shards() {
		p, pending, err := r.c.Log.Progress(shard, w.ID)
		if err != nil {
			continue // of a shard that does not serve here it is not known
		}
		events, tried, due := 0, false, false
		for i := range pending {
			events += len(pending[i].Events)
			tried = tried || pending[i].First > 0
			due = due || pending[i].First > 0 && pending[i].Next <= day
		}
		room := delivery.MaxPending-events >= delivery.MaxPending/2
		if due || events > 0 && !tried || room && r.c.Log.LastEvent(shard, w) > throughOf(&p, w, shard) {
			return true
		}
	}
	return false
}

// start has a Sender be at work.
func (r *Runner) start(ctx context.Context, w *domain.Webhook) {
	ctx, cancel := context.WithCancel(ctx)
	left := make(chan struct{})
	of := &running{of: w, cancel: cancel, leave: sync.OnceFunc(func() { close(left) }), rank: max(r.c.Log.Rank(w.ID), 0)}
	if of.wishes = r.c.Log.Wishes(w.ID); !r.c.Log.WishesVisible(w.ID) {
		of.wishes-- // what is read now may lack the last of them
	}
	r.running[w.ID] = of
	r.all.Go(func() {
		defer cancel()
		of.err = r.send(ctx, w, left)
		r.ended <- of
	})
}

// send sends the events of a webhook until ctx ends, the webhook is disabled, or another node sends them, or is to once
// leave is closed. The error is delivery.ErrFilters.
func (r *Runner) send(ctx context.Context, w *domain.Webhook, leave <-chan struct{}) error {
	log := r.c.Logger.With("webhook", w.ID)
	disable := func(ctx context.Context, why domain.Disabled) error {
		err := r.c.Disable(ctx, w, why)
		if err == nil {
			r.counts.disabled.Add(1)
			log.Warn("a webhook is disabled: its receiver is gone, or took nothing for days", "gone", why == domain.DisabledByGone)
		}
		return err
	}
	k, states, err := load(r.c.Log, w, r.c.TimeOfDay, disable, &r.counts)
	if err != nil {
		log.Debug("how far a webhook came cannot be read", "error", err)
		return nil
	}
	source, err := r.c.Source(ctx, w)
	if errors.Is(err, delivery.ErrFilters) {
		return err
	}
	if err != nil {
		log.Debug("the events of a webhook cannot be read", "error", err)
		return nil
	}
	c := delivery.Config{
		Webhook: uint32(w.ID), URL: w.URL, Batch: int(w.Batch), Source: source, Poster: r.c.Poster, Keeper: k,
		Secrets: r.c.Secrets(w), TimeOfDay: r.c.TimeOfDay, States: states, Health: k.health, Tried: r.counts.tried, Leave: leave,
	}
	if !r.c.Log.Alone() {
		c.Lease = takeAfter
	}
	s := delivery.New(c)
	defer r.counts.enter(s)()
	return s.Run(ctx)
}

// forget has nothing be kept of a webhook that is deleted.
func (r *Runner) forget(ctx context.Context, w *domain.Webhook) {
	if r.forgot[w.ID] || r.c.Log.Rank(w.ID) != 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookEvery)
	defer cancel()
	done := true
	for shard := range r.c.Log.Shards() {
		p, _, err := r.c.Log.Progress(shard, w.ID)
		if err != nil {
			done = false
			continue
		}
		if p.Version > 0 {
			done = false // looked at once more: another node may have kept something meanwhile
			_, _ = r.c.Log.Keep(ctx, w.Account, &domain.Delivered{Webhook: w.ID, Partition: uint32(shard), Base: p.Version, Forget: true})
		}
	}
	r.forgot[w.ID] = done
}
