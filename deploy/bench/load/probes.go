package load

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
)

// probes measure when a record is visible. A probe is an activity of a definition and a brand of
// its own; once it is durable, the node is asked how often its member did that, until the answer
// counts it. An answer that has not changed is a 304 without a scan: probes disturb little.
type probes struct {
	by      []*prober // by shard
	visible *report.Latencies
}

// prober is the member of a shard who does the probes.
type prober struct {
	visible *report.Latencies
	index   int // of the member
	member  domain.MemberID
	made    atomic.Int64 // probes queued
	ready   chan struct{}
	seen    int64 // probes that an answer has counted

	mu      sync.Mutex // guards durable
	durable []*probe   // not yet seen, in order
}

// probe is a record whose visibility is measured.
type probe struct {
	of        *prober
	due, sent time.Time
}

// probeEvery is the time between two questions for a probe that is not yet visible.
const probeEvery = time.Millisecond

// newProbes finds a member in each shard.
func newProbes(p *population.Population, shards int) (*probes, error) {
	all := &probes{by: make([]*prober, shards), visible: report.NewLatencies()}
	for i := range p.Members {
		id := p.Members[i].ID
		if s := id.Slot().Shard(shards); all.by[s] == nil {
			all.by[s] = &prober{visible: all.visible, index: i, member: id, ready: make(chan struct{}, 1)}
		}
	}
	for s, one := range all.by {
		if one == nil {
			return nil, fmt.Errorf("no member is in shard %d: more members are needed", s)
		}
	}
	return all, nil
}

// next is the i-th probe. The shards take turns.
func (p *probes) next(i int, due time.Time) *probe {
	of := p.by[i%len(p.by)]
	of.made.Add(1)
	return &probe{of: of, due: due}
}

// acked notes that the probe is durable.
func (p *probe) acked(sent time.Time) {
	p.sent = sent
	p.of.mu.Lock()
	p.of.durable = append(p.of.durable, p)
	p.of.mu.Unlock()
	select {
	case p.of.ready <- struct{}{}:
	default:
	}
}

// first is the first probe that was not yet seen; nil: there is none.
func (p *prober) first() *probe {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.durable) == 0 {
		return nil
	}
	return p.durable[0]
}

// pop notes that the first probe is visible since a time.
func (p *prober) pop(at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.visible.Note(at.Sub(p.durable[0].due))
	p.durable = p.durable[1:]
}

// maxInvisible is how long a durable probe may be in no answer: the run fails then.
const maxInvisible = 5 * time.Minute

// watch asks for the shard's probes until ctx ends or, once over is closed, until all are seen.
// ask gives how many an answer counts, 0 for a 304, and its ETag.
func (p *prober) watch(ctx context.Context, over <-chan struct{},
	ask func(etag string) (counted int64, now string, err error),
) error {
	var (
		etag    string
		ended   bool
		last    time.Time   // of the question before
		visible []time.Time // of probes that an answer counted before they were known to be durable
	)
	for {
		first := p.first()
		switch {
		case first == nil && ended:
			return nil
		case first == nil:
			select {
			case <-p.ready:
			case <-over:
				ended = true
				over = nil
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		case len(visible) > 0:
			p.pop(visible[0])
			visible = visible[1:]
			continue
		}
		time.Sleep(time.Until(last.Add(probeEvery)))
		last = time.Now()
		counted, now, err := ask(etag)
		if err != nil {
			return fmt.Errorf("a probe: %w", err)
		}
		etag = now
		for ; p.seen < counted; p.seen++ {
			visible = append(visible, time.Now())
		}
		if made := p.made.Load(); p.seen > made {
			return fmt.Errorf("a probe: the answer counts %d of %d", p.seen, made)
		}
		if time.Since(first.sent) > maxInvisible {
			return fmt.Errorf("a probe is not visible %v after it was durable", maxInvisible)
		}
	}
}

// askFor is the question that a probe needs.
func (r *run) askFor(ctx context.Context, p *prober) func(string) (int64, string, error) {
	api := r.mix.API(r.publisher.Node, 1)
	definition := r.mix.Definitions[len(r.mix.Definitions)-1].ID
	brand := r.mix.Brands[len(r.mix.Brands)-1]
	return func(etag string) (int64, string, error) {
		out, meta, err := client.Do(ctx, api.With("If-None-Match", etag), client.CheckMemberActivity{MemberID: p.member, ActivityID: definition, BrandID: brand})
		if err != nil || out.Count == "" {
			return 0, meta.ETag, err
		}
		n, err := strconv.ParseInt(out.Count, 10, 64)
		return n, meta.ETag, err
	}
}
