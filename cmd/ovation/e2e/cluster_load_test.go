package e2e

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
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
	collector        *publisher           // past all proxies
	published        int64                // in the public topic at the end
	refused          map[string]time.Time // commands that a node has refused, and when
	void             map[string]bool      // those that had not taken effect for long after it

	over     chan struct{} // closed when the load is
	answered atomic.Int64  // to readers and scribes
	waited   atomic.Int64  // of these, answers without a position that no node had applied in time
	clients  sync.WaitGroup
	collects sync.WaitGroup

	mu    sync.Mutex                          // guards what follows
	worst struct{ read, write time.Duration } // the longest time of one, with its repeats, over all addresses
}

// loadSize is how much is done in a second.
type loadSize struct {
	fans       int
	clients    uint64 // readers, and as many scribes
	asked      int    // questions, by all of them
	activities int    // published
	writers    int
	written    int // over HTTP, by all writers; one in five registers a member
}

// every is the time between two of n things that each of so many do a second, all together.
func every(n, of int) time.Duration { return time.Duration(of) * time.Second / time.Duration(n) }

// newLoad makes the accounts and who is in them, at the first node.
func (c *cluster) newLoad(seed uint64, size loadSize) *load {
	c.t.Helper()
	l := &load{c: c, seed: seed, size: size, over: make(chan struct{}), refused: map[string]time.Time{}, void: map[string]bool{}}
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

// begin has all begin. Each client begins at an address of its own.
func (l *load) begin() {
	for _, one := range l.watch.readers {
		one.keeps, one.waits = true, l.waits
		l.client(one.read, &l.worst.read)
	}
	for _, one := range l.watch.scribes {
		one.insists, one.waits = true, l.waits
		l.client(one.write, &l.worst.write)
	}
	tick := time.NewTicker(every(l.size.written, 1))
	l.c.t.Cleanup(tick.Stop)
	pace := func(float64) bool {
		select {
		case <-tick.C:
			return true
		case <-l.over:
			return false
		}
	}
	l.writers = writersOf(l.c.t, l.told, l.seed, storm{writers: l.size.writers, writes: math.MaxInt}, newFront(l.c.api(l.toldKey)), pace)
	l.collector = l.c.collector()
	l.c.t.Cleanup(l.collector.close)
	l.collects.Go(l.collect)
}

// waits counts the answer without a position that a client got.
func (l *load) waits() {
	l.answered.Add(1)
	l.waited.Add(1)
}

// client does something again and again until the load is over or it fails.
func (l *load) client(do func(testing.TB, *client.Client) error, worst *time.Duration) {
	api := l.c.api(l.seenKey)
	l.clients.Go(func() {
		tick := time.NewTicker(every(l.size.asked, 2*int(l.size.clients)))
		defer tick.Stop()
		for !l.failed() {
			select {
			case <-tick.C:
			case <-l.over:
				return
			}
			began := time.Now()
			if err := do(l.c.t, api); err != nil {
				l.c.t.Errorf("seed %d: after %d answers: %v", l.seed, l.answered.Load(), err)
			}
			l.mu.Lock()
			*worst = max(*worst, time.Since(began))
			l.mu.Unlock()
			l.answered.Add(1)
		}
	})
}

// collect publishes the actions of both accounts until the load is over.
func (l *load) collect() {
	const batch = 100
	tick := time.NewTicker(every(l.size.activities, batch))
	defer tick.Stop()
	for k := 0; !l.failed(); k += batch {
		select {
		case <-tick.C:
		case <-l.over:
			return
		}
		var records []*kgo.Record
		for i := range batch {
			p := []*model{l.seen, l.told}[i%2]
			a := p.act(l.watch.rnd, fmt.Sprint("act-", k+i), l.watch.s)
			p.note(a)
			records = append(records, p.anyRecord(l.watch.rnd, &a))
		}
		if err := l.collector.client.ProduceSync(ctx(l.c.t), records...).FirstErr(); err != nil {
			l.c.t.Errorf("seed %d: publish: %v", l.seed, err)
			return
		}
	}
}

// refuse has a node that reaches no broker refuse commands that no client repeats.
func (l *load) refuse(i int) (names []string) {
	api := l.c.apiOf(i, l.toldKey)
	for range 20 {
		name := fmt.Sprintf("refused %d", len(l.refused))
		_, _, err := client.Do(ctx(l.c.t), api, client.CreateActivity{Name: name, Type: "Listened", Service: "custom"})
		if codeOf(err) != domain.Unavailable {
			l.c.t.Fatalf("seed %d: a node that reaches no broker answers a command with %v", l.seed, err)
		}
		l.refused[name] = time.Now()
		names = append(names, name)
	}
	return names
}

// late is how long after it was refused a command may take effect.
const late = 30 * time.Second

// expire notes which of the refused commands must not take effect any more.
func (l *load) expire(names []string) {
	effects := l.effects()
	for _, name := range names {
		if time.Since(l.refused[name]) > late && effects[name] == 0 {
			l.void[name] = true
		}
	}
}

// effects are the refused commands that took effect, and how often.
func (l *load) effects() map[string]int {
	l.c.t.Helper()
	list, _, err := client.Do(ctx(l.c.t), l.c.api(l.toldKey), client.ListActivities{Limit: "1000", Keyword: "refused "})
	if err != nil {
		l.c.t.Fatal(err)
	}
	effects := map[string]int{}
	for _, d := range list.Items {
		effects[d.Name]++
	}
	return effects
}

// holdsRefused holds that no command took effect twice, or long after it was refused.
func (l *load) holdsRefused() {
	l.c.t.Helper()
	effects := l.effects()
	for name, n := range effects {
		if at, known := l.refused[name]; !known || n > 1 || l.void[name] {
			l.c.t.Errorf("seed %d: %s, refused at %v, took effect %d times, long after it: %v", l.seed, name, at, n, l.void[name])
		}
	}
	l.c.t.Logf("%d commands were refused, %d of them took effect; %d were looked at after %v", len(l.refused), len(effects), len(l.void), late)
}

// failed reports that a client got an answer that it must not get, or none.
func (l *load) failed() bool { return l.c.t.Failed() }

// lasts lets so much time pass under load.
func (l *load) lasts(d time.Duration) {
	l.c.t.Helper()
	for until := time.Now().Add(d); time.Now().Before(until); {
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

// end waits until all is published and answered and holds that nothing failed. After a failure it does not wait for
// what a fault under way may hold up for ever.
func (l *load) end() {
	l.c.t.Helper()
	close(l.over)
	if l.failed() {
		for i, n := range l.c.nodes {
			_, status := n.Get("/status")
			l.c.t.Logf("status of node %d: %s", i, status)
		}
		l.collector.close() // what it has in flight has no other end while Kafka is away
	}
	l.collects.Wait()
	l.clients.Wait()
	if l.failed() {
		l.c.t.FailNow()
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
	asked, slow := 0, time.Duration(0)
	for _, r := range l.watch.readers {
		slow = max(slow, r.slow)
	}
	for _, s := range l.watch.scribes {
		slow = max(slow, s.slow)
	}
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
	l.c.t.Logf("%d answers under load, the longest of a question took %v; %d reads were repeated, since no node had applied their position, at most for %v; "+
		"the longest write that was repeated until it was answered took %v; %d writes, %d deletes; %d answers of the end compared",
		l.answered.Load(), slow.Round(time.Millisecond), l.waited.Load(), l.worst.read.Round(time.Millisecond), l.worst.write.Round(time.Millisecond),
		l.writers.answered, l.writers.deleted, asked)
	if full && slow > longestAnswer {
		l.c.t.Errorf("seed %d: a question took %v", l.seed, slow)
	}
}

// longestAnswer is what one question may take, whatever befalls the nodes: a second until its address is overdue, and at each
// address what a node waits for a position.
const longestAnswer = 2 * time.Second
