package sending

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
)

const (
	// keepWithin is how long a Keep waits for the log.
	keepWithin = 10 * time.Second
	// successEvery is how often the last success of a receiver is kept, where nothing else of its health moved.
	successEvery = time.Minute
)

// keeper keeps the progress of one webhook. It is the Keeper of its Sender.
type keeper struct {
	log     Log
	hook    *domain.Webhook
	clock   clock
	disable func(ctx context.Context, why domain.Disabled) error
	counts  *counters
	shards  []kept          // owned by who calls Keep
	health  delivery.Health // likewise: as kept

	mu    sync.Mutex          // guards what follows
	ended [][]domain.Delivery // by shard: since the last Keep
}

// kept is what was kept of a shard.
type kept struct {
	version uint64
	through uint64
	pending map[domain.EventPlace]domain.Undelivered
}

// load is a keeper of what there is.
func load(
	log Log, hook *domain.Webhook, c clock, disable func(context.Context, domain.Disabled) error, counts *counters,
) (*keeper, []delivery.State, error) {
	k := &keeper{log: log, hook: hook, clock: c, disable: disable, counts: counts, ended: make([][]domain.Delivery, log.Shards())}
	states := make([]delivery.State, log.Shards())
	for shard := range states {
		of, state, p, err := loadShard(log, hook, c, shard)
		if err != nil {
			return nil, nil, err
		}
		k.shards = append(k.shards, of)
		states[shard] = state
		if shard == k.home() {
			k.health = healthOf(c, &p, hook)
		}
	}
	return k, states, nil
}

// loadShard is what there is of a shard.
func loadShard(r Reader, hook *domain.Webhook, c clock, shard int) (of kept, s delivery.State, p domain.Progress, err error) {
	p, pending, err := r.Progress(shard, hook.ID)
	if err != nil {
		return of, s, p, err
	}
	of = kept{version: p.Version, through: throughOf(&p, hook, shard), pending: map[domain.EventPlace]domain.Undelivered{}}
	for i := range pending {
		of.pending[pending[i].Place()] = pending[i]
	}
	return of, stateOf(c, of.through, pending), p, nil
}

// throughOf is up to where the events of a shard were taken.
func throughOf(p *domain.Progress, hook *domain.Webhook, shard int) uint64 {
	if p.Version == 0 && shard < len(hook.Begin) {
		return hook.Begin[shard]
	}
	return p.Through
}

// healthOf is how the receiver fares. What failed before the webhook was enabled again does not count.
func healthOf(c clock, p *domain.Progress, hook *domain.Webhook) (h delivery.Health) {
	if p.Failing >= hook.Since {
		h.Failing = c.moment(p.Failing)
	}
	h.Success = c.moment(p.Success)
	return h
}

// Home is the shard, of so many, whose progress has the health of a webhook's receiver.
func Home(id domain.WebhookID, shards int) int { return id.Slot().Shard(shards) }

func (k *keeper) home() int { return Home(k.hook.ID, k.log.Shards()) }

// Keep keeps the states that moved, and says that this node is at work.
func (k *keeper) Keep(ctx context.Context, states map[int]delivery.State, h delivery.Health) error {
	ctx, cancel := context.WithTimeout(ctx, keepWithin)
	defer cancel()
	records := map[int]*record{}
	for shard, s := range states {
		records[shard] = k.record(shard, &s, h)
	}
	// Beside other nodes each Keep has a record of the home: by it one of two nodes that send is told so, whatever they sent.
	if home := k.home(); records[home] == nil && (len(states) == 0 || k.healthMoved(h) || !k.log.Alone()) {
		records[home] = k.record(home, nil, h)
	}
	var all sync.WaitGroup
	for _, r := range records {
		all.Go(func() { r.counts, r.err = k.log.Keep(ctx, k.hook.Account, &r.of) })
	}
	all.Wait()
	var failed []error
	for shard, r := range records {
		switch {
		case r.err != nil:
			failed = append(failed, r.err)
		case !r.counts:
			return delivery.ErrElsewhere
		default:
			k.hasKept(shard, r, h)
		}
	}
	return errors.Join(failed...)
}

// record is a record on its way.
type record struct {
	of      domain.Delivered
	pending map[domain.EventPlace]domain.Undelivered
	counts  bool
	err     error
}

// record makes the record of what a shard has now; nil: what was kept of it.
func (k *keeper) record(shard int, now *delivery.State, h delivery.Health) *record {
	r := &record{}
	of, pending := recordOf(k.hook, k.clock, shard, &k.shards[shard], now)
	r.of, r.pending = *of, pending
	r.of.Success, r.of.Failing = k.clock.ms(h.Success), k.clock.ms(h.Failing)
	k.mu.Lock()
	defer k.mu.Unlock()
	r.of.Ended = slices.Clone(k.ended[shard])
	return r
}

// recordOf is the record by which what was kept of a shard becomes a state, and what of that is pending; nil: the state
// that was kept.
func recordOf(hook *domain.Webhook, c clock, shard int, before *kept, now *delivery.State) (*domain.Delivered, map[domain.EventPlace]domain.Undelivered) {
	through, pending := before.through, before.pending
	if now != nil {
		through, pending = now.Through, itemsOf(c, now)
	}
	of := &domain.Delivered{Webhook: hook.ID, Partition: uint32(shard), Base: before.version, Through: through}
	for at := range before.pending {
		if _, still := pending[at]; !still {
			of.Done = append(of.Done, at)
		}
	}
	for at, p := range pending {
		if old, was := before.pending[at]; !was || !reflect.DeepEqual(old, p) {
			of.Pending = append(of.Pending, p)
		}
	}
	slices.SortFunc(of.Done, comparePlaces)
	slices.SortFunc(of.Pending, func(a, b domain.Undelivered) int { return comparePlaces(a.Place(), b.Place()) })
	return of, pending
}

// hasKept notes that a record counts.
func (k *keeper) hasKept(shard int, r *record, h delivery.Health) {
	k.shards[shard] = kept{r.of.Base + 1, r.of.Through, r.pending}
	if shard == k.home() {
		k.health = h
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended[shard] = slices.Clone(k.ended[shard][len(r.of.Ended):])
}

// healthMoved reports that health is to be kept though the state of its shard did not move.
func (k *keeper) healthMoved(h delivery.Health) bool {
	return !h.Failing.Equal(k.health.Failing) || h.Success.Sub(k.health.Success) >= successEvery
}

// Disable has the webhook send nothing more.
func (k *keeper) Disable(ctx context.Context, why delivery.Reason) error { return k.disable(ctx, why) }

// Ended lists a message: of one that was delivered its first event, of one that was given up all that redelivery needs.
func (k *keeper) Ended(shard int, m *delivery.Message, at time.Time, status string, givenUp bool) {
	d := domain.Delivery{
		ID: m.ID, Events: eventsOf(m.Events), Count: uint32(len(m.Events)), Tries: uint32(m.Tries), At: k.clock.ms(at), Status: status, GivenUp: givenUp,
	}
	if givenUp {
		k.counts.givenUp.Add(uint64(len(m.Events)))
	} else {
		k.counts.delivered.Add(uint64(len(m.Events)))
		d.Events = d.Events[:1]
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all := append(k.ended[shard], d)
	if len(all) > domain.MaxDeliveries { // the oldest that is not given up is listed no more
		i := slices.IndexFunc(all, func(d domain.Delivery) bool { return !d.GivenUp })
		if i >= 0 {
			all = slices.Delete(all, i, i+1)
		}
	}
	k.ended[shard] = all
}

// stateOf is the state of a queue of what was kept.
func stateOf(c clock, through uint64, pending []domain.Undelivered) delivery.State {
	s := delivery.State{Through: through}
	for i := range pending {
		p := &pending[i]
		events := delivery.EventsOf(p.Events)
		if p.First == 0 {
			s.Held = append(s.Held, events...)
			continue
		}
		s.Messages = append(s.Messages, delivery.Message{
			Events: events, Tries: int(p.Tries), First: c.moment(p.First), Next: c.moment(p.Next), Last: c.moment(p.Last), Status: p.Status,
		})
	}
	slices.SortStableFunc(s.Messages, func(a, b delivery.Message) int { return a.First.Compare(b.First) })
	return s
}

// itemsOf is what of a state is pending, by its places.
func itemsOf(c clock, s *delivery.State) map[domain.EventPlace]domain.Undelivered {
	out := make(map[domain.EventPlace]domain.Undelivered, len(s.Messages)+len(s.Held))
	for i := range s.Messages {
		m := &s.Messages[i]
		p := domain.Undelivered{
			Events: eventsOf(m.Events), Tries: uint32(m.Tries), First: c.ms(m.First), Next: c.ms(m.Next), Last: c.ms(m.Last), Status: m.Status,
		}
		out[p.Place()] = p
	}
	for i := range s.Held {
		p := domain.Undelivered{Events: eventsOf(s.Held[i : i+1])}
		out[p.Place()] = p
	}
	return out
}

func eventsOf(events []delivery.Event) []domain.Event {
	out := make([]domain.Event, len(events))
	for i, e := range events {
		out[i] = domain.Event{EventPlace: domain.EventPlace{Sequence: e.Sequence, Kind: e.Kind}, Member: e.Member, Action: e.Action}
	}
	return out
}

func comparePlaces(a, b domain.EventPlace) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Kind, b.Kind))
}
