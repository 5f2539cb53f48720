package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/api/client"
)

// load is what collectors and clients do while something befalls a cluster. There are two accounts: in one, readers and
// scribes hold every answer to what its position allows (watch), in the other, writers make, change and delete what a model
// counts in the end (writers).
type load struct {
	c    *cluster
	seed uint64
	size loadSize

	seen, told       *model
	seenKey, toldKey string
	watch            *watch
	writers          *writers
	collector        *publisher // past all proxies
	published        int64      // in the public topic at the end

	over     atomic.Bool
	answered atomic.Int64 // to readers and scribes
	records  atomic.Int64 // acknowledged by Kafka
	clients  sync.WaitGroup
	collects sync.WaitGroup

	mu    sync.Mutex // guards what follows
	errs  []error
	worst time.Duration // between two answers to one client
}

type loadSize struct {
	records, fans   int
	clients         uint64 // readers, and as many scribes
	writers, writes int
}

// newLoad makes the accounts and who is in them, at the first node.
func (c *cluster) newLoad(seed uint64, size loadSize) *load {
	c.t.Helper()
	l := &load{c: c, seed: seed, size: size}
	first := c.nodes[0]
	l.seen = newModel(rand.New(rand.NewPCG(seed, 1)), "seen", sizes{brands: 3, fans: size.fans})
	l.told = newModel(rand.New(rand.NewPCG(seed, 2)), "told", sizes{brands: 3, fans: size.fans})
	for _, p := range []*model{l.seen, l.told} {
		p.enter(first, 16)
	}
	l.seenKey, l.toldKey = l.seen.keys[first], l.told.keys[first]
	l.watch = watchOf(first, l.seen, seed, size.clients)
	return l
}

// begin has everybody begin. Each client begins at an address of its own.
func (l *load) begin() {
	for _, one := range l.watch.readers {
		l.client(one.read)
	}
	for _, one := range l.watch.scribes {
		l.client(one.write)
	}
	share := func(share float64) {
		for float64(l.records.Load()) < share*float64(l.size.records) && !l.failed() {
			time.Sleep(pollEvery)
		}
	}
	l.writers = writersOf(l.c.t, l.told, l.seed, storm{writers: l.size.writers, writes: l.size.writes}, newFront(l.c.api(l.toldKey)), share)
	l.collector = l.c.collector()
	l.c.t.Cleanup(l.collector.close)
	l.collects.Go(l.collect)
}

// client does something again and again until the load is over or it fails.
func (l *load) client(do func(testing.TB, *client.Client) error) {
	api := l.c.api(l.seenKey)
	l.clients.Go(func() {
		for last := time.Now(); !l.over.Load() && !l.failed(); l.answered.Add(1) {
			err := do(l.c.t, api)
			l.mu.Lock()
			if err != nil {
				l.errs = append(l.errs, err)
			}
			l.worst = max(l.worst, time.Since(last))
			l.mu.Unlock()
			last = time.Now()
		}
	})
}

// collect publishes the actions of both accounts.
func (l *load) collect() {
	const batch = 100
	for k := 0; k < l.size.records && !l.failed(); k += batch {
		var records []*kgo.Record
		for i := range batch {
			p := []*model{l.seen, l.told}[i%2]
			a := p.act(l.watch.rnd, fmt.Sprint("act-", k+i), l.watch.s)
			p.note(a)
			records = append(records, p.anyRecord(l.watch.rnd, &a))
		}
		if err := l.collector.client.ProduceSync(ctx(l.c.t), records...).FirstErr(); err != nil {
			l.mu.Lock()
			l.errs = append(l.errs, err)
			l.mu.Unlock()
			return
		}
		l.records.Add(batch)
	}
}

// failed reports that a client got an answer that it must not get, or none.
func (l *load) failed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.errs) > 0 || l.c.t.Failed()
}

// await waits until that share of the records is published.
func (l *load) await(share float64) {
	l.c.t.Helper()
	for float64(l.records.Load()) < share*float64(l.size.records) {
		l.look()
	}
}

// more waits for so many more answers.
func (l *load) more(n int64) {
	l.c.t.Helper()
	for to := l.answered.Load() + n; l.answered.Load() < to; {
		l.look()
	}
}

// look ends the test if the load has failed; else it waits for the next look.
func (l *load) look() {
	l.c.t.Helper()
	if l.failed() {
		l.end()
	}
	time.Sleep(pollEvery)
}

// end waits until all is published and answered and holds that nothing failed.
func (l *load) end() {
	l.c.t.Helper()
	l.collects.Wait()
	l.over.Store(true)
	l.clients.Wait()
	if err := errors.Join(l.errs...); err != nil {
		l.c.t.Fatalf("seed %d: after %d answers: %v", l.seed, l.answered.Load(), err)
	}
	l.writers.wait()
	l.published = l.collector.end(l.c.t)
}

// tell holds that every node knows what was published and written, each once, and nothing else, and is in the state of the others.
func (l *load) tell() {
	l.c.t.Helper()
	for _, n := range l.c.nodes {
		n.settled(l.published)
	}
	l.c.agree()
	l.writers.tell(l.told)
	asked := 0
	for i := range l.c.nodes {
		for _, r := range l.watch.readers {
			want := number(l.c.t, l.seen.tally(r.q).TotalCount)
			for _, one := range l.watch.scribes {
				if one.q.brand == r.q.brand {
					want += one.done
				}
			}
			if err := r.read(l.c.t, l.c.apiOf(i, l.seenKey)); err != nil || r.max != want {
				l.c.t.Errorf("seed %d: node %d has %d actions, want %d: %v", l.seed, i, r.max, want, err)
			}
		}
		asked += l.told.checkRandom(l.c.t, l.seed, l.c.apiOf(i, l.toldKey), rand.New(rand.NewPCG(l.seed, 3)), last(40), 3, 4)
	}
	l.c.t.Logf("%d answers under load, the longest time between two of one client %v; %d writes, %d deletes; %d answers of the end compared",
		l.answered.Load(), l.worst.Round(time.Millisecond), l.writers.answered, l.writers.deleted, asked)
}
