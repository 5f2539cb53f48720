package delivery

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/api/webhooks/egress"
)

const (
	// maxFlying is how many requests of a webhook are on their way at once.
	maxFlying = 8
	// keepEvery is how often what moved is kept: a kill repeats what was delivered since.
	keepEvery = time.Second
	// pageLimit is how many events a page has at most. A shard is asked while its queue has room for them all.
	pageLimit = MaxPending / 2
	// lastKeep is how long the last Keep may take, before Run returns.
	lastKeep = time.Second
	// ownDelay is how long after a failure of the node's own something is tried again.
	ownDelay = time.Second
)

// Config is what a Sender works with.
type Config struct {
	Webhook uint32
	URL     string
	Batch   int // events a message, from 1
	Source  Source
	Poster  Poster
	Keeper  Keeper
	Secrets Secrets
	States  []State // by shard
	Health  Health
	Lease   time.Duration                             // for how long after the begin of a Keep that succeeded tries begin; 0: always
	Tried   func(Event, egress.Answer, time.Duration) // counts a try, with the first event of its message; may be nil
	Leave   <-chan struct{}                           // closed: no try begins any more, Run returns after the last one; may be nil

	TimeOfDay func(machine time.Time) time.Time // at a moment of the machine's clock: requests are signed by it
}

// Sender delivers the events of a webhook, from all shards. Its fields are owned by Run.
type Sender struct {
	c      Config
	queues []*Queue
	health Health
	turn   int       // shard that is looked at first
	paused time.Time // no try before: the receiver asked for it
	flying int
	tried  chan try
	pages  chan page
	kept   chan error
	cancel context.CancelFunc // of the page that is asked for; nil: none is
	full   []bool             // shards that were left out of it
	wait   time.Time          // no page is asked for before
	keeps  bool               // a Keep is on its way
	began  time.Time          // the last Keep
	keepAt time.Time          // no Keep before
	leased time.Time          // with a lease: no try begins from then on
	moved  map[int]bool       // shards whose states are in a Keep that has to succeed
	unkept bool               // the health moved
	lost   bool               // another Sender is at work
	blind  error              // ErrFilters of the source

	pending atomic.Int64 // events that were taken and are not done
}

type try struct {
	shard  int
	m      *Message
	answer egress.Answer
	sent   bool  // an event had contents, so there was a request
	err    error // of the node's own
	took   time.Duration
}

type page struct {
	Page
	err error
}

// New makes a Sender.
func New(c Config) *Sender {
	s := &Sender{
		c: c, health: c.Health, tried: make(chan try), pages: make(chan page), kept: make(chan error),
		full: make([]bool, len(c.States)), moved: map[int]bool{},
	}
	for i, state := range c.States {
		s.queues = append(s.queues, NewQueue(Place{c.Webhook, i}, c.Batch, state))
	}
	return s
}

// Pending is how many events were taken and are not done. Any goroutine may call it.
func (s *Sender) Pending() int { return int(s.pending.Load()) }

// Run delivers until ctx ends, the webhook is disabled, what is kept is another Sender's, or the source gives ErrFilters,
// which it returns. What is on its way then is undone, and kept so. Once it is to leave, it returns when nothing is on its way.
func (s *Sender) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		s.finish(ctx)
	}()
	leave, leaving := s.c.Leave, false
	for !leaving || s.flying > 0 {
		now := time.Now()
		s.count()
		if !leaving {
			s.send(ctx, now)
			s.ask(ctx, now)
		}
		s.keep(ctx, now)
		timer := time.NewTimer(s.until(now))
		why := Enabled
		select {
		case t := <-s.tried:
			why = s.end(t, time.Now())
		case p := <-s.pages:
			s.take(p, time.Now())
		case err := <-s.kept:
			s.hasKept(err)
		case <-timer.C:
		case <-leave:
			leave, leaving = nil, true
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
		if why != Enabled {
			s.disable(ctx, why)
		}
		if why != Enabled || s.lost || s.blind != nil {
			return s.blind
		}
	}
	return nil
}

// count counts what is pending.
func (s *Sender) count() {
	n := 0
	for _, q := range s.queues {
		n += q.Pending()
	}
	s.pending.Store(int64(n))
}

// finish waits for the goroutines that Run began, and keeps what moved since the last Keep.
func (s *Sender) finish(ctx context.Context) {
	for s.flying > 0 || s.cancel != nil || s.keeps {
		select {
		case t := <-s.tried:
			s.end(t, time.Now())
		case <-s.pages:
			s.cancel = nil
		case err := <-s.kept:
			s.hasKept(err)
		}
	}
	if s.lost {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastKeep)
	defer cancel()
	s.keep(ctx, s.keepAt)
	if s.keeps {
		<-s.kept
	}
}

// disable asks until it is done.
func (s *Sender) disable(ctx context.Context, why Reason) {
	for s.c.Keeper.Disable(ctx, why) != nil && ctx.Err() == nil {
		select {
		case <-time.After(ownDelay):
		case <-ctx.Done():
		}
	}
}

// until is how long nothing is to be done but what comes in.
func (s *Sender) until(now time.Time) time.Duration {
	next := now.Add(time.Hour)
	sooner := func(at time.Time) {
		if at.After(now) && at.Before(next) {
			next = at
		}
	}
	if s.flying < maxFlying {
		for _, q := range s.queues {
			sooner(q.Due())
		}
		sooner(s.paused)
	}
	sooner(s.wait)
	sooner(s.keepAt)
	if s.c.Lease > 0 && s.due(now) {
		sooner(s.renewal())
	}
	return next.Sub(now)
}

// due reports that a try is on its way, or would be with a lease and if the receiver had not asked for a pause.
func (s *Sender) due(now time.Time) bool {
	for _, q := range s.queues {
		if at := q.Due(); q.Ready() || !at.IsZero() && !at.After(now) {
			return true
		}
	}
	return s.flying > 0
}

// renewal is when the lease is renewed while a try is due, also where nothing moves.
func (s *Sender) renewal() time.Time { return s.leased.Add(-s.c.Lease / 2) }

// send begins tries, of one shard after the other, as long as one is free.
func (s *Sender) send(ctx context.Context, now time.Time) {
	if now.Before(s.paused) || s.c.Lease > 0 && !now.Before(s.leased) {
		return
	}
	for idle := 0; s.flying < maxFlying && idle < len(s.queues); {
		shard := s.turn
		s.turn = (s.turn + 1) % len(s.queues)
		m := s.queues[shard].Next(now)
		if m == nil {
			idle++
			continue
		}
		idle = 0
		s.flying++
		cursor := s.c.Source.Cursor(s.lows())
		go func() { s.tried <- s.try(ctx, shard, m, cursor) }()
	}
}

// lows is up to where, by shard, everything is done.
func (s *Sender) lows() []uint64 {
	out := make([]uint64, len(s.queues))
	for i, q := range s.queues {
		out[i] = q.Low()
	}
	return out
}

// try makes one request. It runs beside Run.
func (s *Sender) try(ctx context.Context, shard int, m *Message, cursor string) try {
	out := try{shard: shard, m: m}
	of, err := s.c.Source.Render(ctx, shard, m.Events)
	if err != nil || len(of) == 0 {
		out.err = err
		return out
	}
	begun := time.Now()
	at := s.c.TimeOfDay(begun)
	secrets, err := s.c.Secrets(ctx, at)
	if err != nil {
		out.err = err
		return out
	}
	text, err := body(Place{s.c.Webhook, shard}, m.ID.String(), cursor, s.c.Batch > 1, of)
	if err != nil {
		out.err = err
		return out
	}
	out.sent = true
	out.answer = s.c.Poster.Post(ctx, requestOf(s.c.URL, m.ID, at, text, secrets))
	out.took = time.Since(begun)
	out.err = ctx.Err()
	return out
}

// end takes what became of a try.
func (s *Sender) end(t try, now time.Time) Reason {
	s.flying--
	q := s.queues[t.shard]
	switch {
	case t.err != nil:
		s.see(t.err)
		q.Postponed(t.m, now.Add(ownDelay))
		return Enabled
	case !t.sent:
		q.Delivered(t.m)
		return Enabled
	}
	if s.c.Tried != nil {
		s.c.Tried(t.m.Events[0], t.answer, t.took)
	}
	s.unkept = true
	why := s.health.note(now, t.answer)
	if t.answer.Failure == egress.None {
		t.m.Tries++
		q.Delivered(t.m)
		s.c.Keeper.Ended(t.shard, t.m, now, t.answer.Word(), false)
	} else if q.Failed(t.m, now, t.answer.Word(), rand.Float64()) {
		s.c.Keeper.Ended(t.shard, t.m, now, t.answer.Word(), true)
	}
	if t.answer.RetryAfter > 0 && t.answer.Failure != egress.None {
		s.paused = now.Add(t.answer.RetryAfter)
	}
	return why
}

// ask asks for a page of the shards that have room. While one is waited for and a shard that was left out has room
// again, it is asked for again.
func (s *Sender) ask(ctx context.Context, now time.Time) {
	if s.cancel != nil {
		for i, q := range s.queues {
			if s.full[i] && q.Room() >= pageLimit {
				s.cancel()
				return
			}
		}
		return
	}
	if now.Before(s.wait) {
		return
	}
	after := make([]uint64, len(s.queues))
	any := false
	for i, q := range s.queues {
		s.full[i] = q.Room() < pageLimit
		if s.full[i] {
			after[i] = Skip
			continue
		}
		after[i], any = q.Through(), true
	}
	if !any {
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	go func() { s.pages <- s.page(ctx, after) }()
}

// page waits for a page that has something. It runs beside Run.
func (s *Sender) page(ctx context.Context, after []uint64) page {
	for {
		p, err := s.c.Source.Page(ctx, after, pageLimit)
		if err != nil || p.More || p.moves(after) {
			return page{p, err}
		}
		if err := s.c.Source.Await(ctx); err != nil {
			return page{err: err}
		}
	}
}

// moves reports that a page takes a queue further.
func (p *Page) moves(after []uint64) bool {
	for i, next := range p.Next {
		if after[i] != Skip && next > after[i] {
			return true
		}
	}
	return false
}

// take takes what a page has.
func (s *Sender) take(p page, now time.Time) {
	s.cancel()
	s.cancel = nil
	if p.err != nil {
		s.see(p.err)
		s.wait = now.Add(ownDelay)
		return
	}
	for i, q := range s.queues {
		if !s.full[i] {
			q.Take(p.Events[i], p.Next[i])
		}
	}
}

// see notes an error of the source that no further try mends.
func (s *Sender) see(err error) {
	if errors.Is(err, ErrFilters) {
		s.blind = err
	}
}

// keep keeps what moved, at most once in keepEvery, one at a time.
func (s *Sender) keep(ctx context.Context, now time.Time) {
	if s.keeps || now.Before(s.keepAt) {
		return
	}
	states := map[int]State{}
	for i, q := range s.queues {
		if q.Moved() || s.moved[i] {
			states[i], s.moved[i] = q.State(), true
		}
	}
	renews := s.c.Lease > 0 && !now.Before(s.renewal()) && s.due(now)
	if len(states) == 0 && !s.unkept && !renews {
		return
	}
	s.keeps, s.unkept, s.began = true, false, now
	s.keepAt = now.Add(keepEvery)
	health := s.health
	go func() { s.kept <- s.c.Keeper.Keep(ctx, states, health) }()
}

// hasKept ends a Keep. What could not be kept is kept with the next one.
func (s *Sender) hasKept(err error) {
	s.keeps = false
	if err == nil {
		clear(s.moved)
		s.leased = s.began.Add(s.c.Lease)
		return
	}
	s.unkept = true
	s.lost = errors.Is(err, ErrElsewhere)
}
