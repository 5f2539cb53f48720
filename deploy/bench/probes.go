package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// probes tell when a record is visible: when a question that needs it answers it. Each is
// an activity among the crowd's, in the same stream and batches, of a definition and a
// brand of its own; once it is durable it is asked how often its member did that, until
// the answer counts it. In each shard one member does probes, and only its shard is asked.
// An answer that has not changed is a 304 without a scan: so little disturbs.
type probes struct {
	by []*prober // one for each shard

	visible *latencies // from when it was due until the answer was there
	unsure  *latencies // how much of it may be the asking's: since it was asked in vain
	asked   atomic.Int64
}

// prober is the member of a shard who does probes.
type prober struct {
	all    *probes
	fan    int
	member domain.MemberID
	made   atomic.Int64 // put in line
	ready  chan struct{}

	mu      sync.Mutex // guards durable
	durable []*probe   // not yet seen, in order

	seen    int64 // that an answer has counted
	reached []reached
}

// probe is a record whose way is watched.
type probe struct {
	of       *prober
	due, put time.Time // when it was due, and when it was put on the wire
}

// reached is when an answer first counted a probe, and when the one before was asked.
type reached struct{ at, before time.Time }

// probeEvery is how often it is asked for a probe that is not visible yet, if the answer
// is there by then.
const probeEvery = time.Millisecond

// probeDeed is what probes did: nothing that the crowd does.
var probeDeed = deed{name: "probed {brand}", kind: "Listened", service: domain.Spotify, value: "1", oneTime: "0"}

// newProbes finds a member in each shard.
func newProbes(c *crowd, shards int) (*probes, error) {
	p := &probes{by: make([]*prober, shards), visible: newLatencies(), unsure: newLatencies()}
	for i := range c.fans {
		id := domain.MemberID(c.fans[i].id)
		if s := id.Slot().Shard(shards); p.by[s] == nil {
			p.by[s] = &prober{all: p, fan: i, member: id, ready: make(chan struct{}, 1)}
		}
	}
	for s := range p.by {
		if p.by[s] == nil {
			return nil, fmt.Errorf("--members: shard %d has nobody to probe it", s)
		}
	}
	return p, nil
}

// next is the i-th probe, due then. The shards take turns.
func (p *probes) next(i int, due time.Time) *probe {
	of := p.by[i%len(p.by)]
	of.made.Add(1)
	return &probe{of: of, due: due}
}

// sent notes that the probe is durable and was put on the wire then.
func (p *probe) sent(at time.Time) {
	p.put = at
	p.of.mu.Lock()
	p.of.durable = append(p.of.durable, p)
	p.of.mu.Unlock()
	select {
	case p.of.ready <- struct{}{}:
	default:
	}
}

// first is the first probe that was not seen yet; nil: there is none.
func (p *prober) first() *probe {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.durable) == 0 {
		return nil
	}
	return p.durable[0]
}

// note counts the first probe, if an answer has counted it.
func (p *prober) note(first *probe) bool {
	if len(p.reached) == 0 {
		return false
	}
	r := p.reached[0]
	p.reached = p.reached[1:]
	p.mu.Lock()
	p.durable = p.durable[1:]
	p.mu.Unlock()
	p.all.visible.note(r.at.Sub(first.due))
	if r.before.Before(first.put) {
		r.before = first.put
	}
	p.all.unsure.note(r.at.Sub(r.before))
	return true
}

// answered takes how many an answer counts.
func (p *prober) answered(count int64, r reached) {
	for ; p.seen < count; p.seen++ {
		p.reached = append(p.reached, r)
	}
}

// unseenMost is how long a probe that is durable may be in no answer: the run is of no use
// then.
const unseenMost = 5 * time.Minute

// watch asks for the shard's probes until ctx ends, or, once over is closed, until all are
// seen.
func (p *prober) watch(ctx context.Context, over <-chan struct{}, ask func(etag string) (counted int64, now string, err error)) error {
	ended, etag := false, ""
	var last time.Time
	for {
		first := p.first()
		switch {
		case first == nil && ended:
			return nil
		case first == nil:
			select {
			case <-p.ready:
			case <-over:
				ended, over = true, nil
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		case p.note(first):
			continue
		}
		time.Sleep(time.Until(last.Add(probeEvery)))
		before := last
		last = time.Now()
		p.all.asked.Add(1)
		counted, now, err := ask(etag)
		if err != nil {
			return fmt.Errorf("a probe: %w", err)
		}
		etag = now
		p.answered(counted, reached{time.Now(), before})
		if made := p.made.Load(); p.seen > made {
			return fmt.Errorf("a probe: the answer counts %d of %d", p.seen, made)
		}
		if time.Since(first.put) > unseenMost {
			return fmt.Errorf("a probe is not visible %v after it was durable", unseenMost)
		}
	}
}

// ask is the question that a probe needs.
func (p *prober) ask(ctx context.Context, api *client.Client, definition domain.DefinitionID, brand domain.BrandID) func(string) (int64, string, error) {
	about := client.Params{"brandID": itoa(int(brand))}
	return func(etag string) (int64, string, error) {
		out, meta, err := api.With("If-None-Match", etag).CheckActivity(ctx, p.member, definition, about)
		return count(out.Count), meta.ETag, err // a 304 counts nothing new
	}
}
