package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/api/client"
)

// storm is how much exactly-once is tried with.
type storm struct {
	records, kills, brands, fans int // as many kills of Apache Kafka, where it is the log
	writers, writes              int // over HTTP: so many at once, so many each
	questions, again, oneIn      int // random ones a brand, then and after a rebuild and a restart; which share of the kinds each is of
	pause                        time.Duration
}

func sizeOfStorm(on site) storm {
	if full {
		return storm{records: 2_000_000, kills: 30, brands: 12, fans: 600, writers: 4, writes: 400, questions: 20, again: 2, oneIn: 4, pause: 20 * time.Second}
	}
	return storm{records: on.some(200_000), kills: 2, brands: 6, fans: 250, writers: 3, writes: 40, questions: 12, again: 4, oneIn: 4, pause: 2 * time.Second}
}

// TestExactlyOnce_OverKills kills the node again and again, while collectors publish and
// clients write over HTTP: its embedded log with it, or in turn with it Apache Kafka, which
// is also paused for a while. Without an answer a collector publishes again what was not
// acknowledged, and a client repeats its request with the same Idempotency-Key or
// marker. One record in twenty repeats an earlier action under another address, one in
// twenty is months late. At the end every number must be that of the naive model, which
// has no kills. Shards are rebuilt during the run, and each kill comes somewhere in a
// rebuild.
func TestExactlyOnce_OverKills(t *testing.T) {
	onBothLogs(t, exactlyOnce)
}

func exactlyOnce(t *testing.T, on site) {
	seed, size := rand.Uint64(), sizeOfStorm(on)
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	n := on.start(t)
	p := newModel(rnd, "storm", sizes{brands: size.brands, fans: size.fans})
	p.enter(n, 32)
	load := p.load(rnd, size.records)

	began := time.Now()
	topic := collect(t, len(load), func(i int) *kgo.Record {
		return p.anyRecord(rand.New(rand.NewPCG(seed, uint64(i+1))), &load[i])
	})
	topic.mortal = on.apache != nil
	over := newFront(p.api(n))
	w := writersOf(t, p, seed, size, over, topic.pace)
	topic.begin(n)
	kills, blows := 0, on.blows(size)
	for k, blow := range blows {
		topic.await(n, w, rnd, k, len(blows))
		w.deaths.Add(1)
		if blow != nil {
			before := n.routed()
			blow(t)
			n.eventually("recovery from the blow", func() bool { return n.routed() > before || topic.count.Load() == int64(topic.n) })
			continue
		}
		t.Logf("killed in a rebuild that is %s", n.beginRebuild(rnd))
		n.Kill()
		topic.end()
		n.start()
		kills++
		if rnd.IntN(4) == 0 { // a life that is over as soon as it began
			n.Kill()
			n.start()
			kills++
		}
		over.turn(p.api(n))
		topic.begin(n)
	}
	published := topic.done()
	w.wait()
	n.settled(published)
	took := time.Since(began)

	for i := range load {
		p.note(load[i])
	}
	w.tell(p)
	t.Logf("%d kills of the node, %d blows with them, %d records, %d writes and %d deletes in %v (%.0f/s); %d records were sent again", kills, kills+len(blows)-size.kills, published, w.answered, w.deleted,
		took.Round(time.Millisecond), float64(published)/took.Seconds(), topic.again.Load())
	compare(t, seed, n, p, rnd, size.questions, size.oneIn, true)

	n.rebuild(rnd.Perm(len(n.status().Shards))[:2]...)
	compare(t, seed, n, p, rnd, size.again, size.oneIn, full)
	if v := n.verify(0); v.State != "equal" || v.Differences != 0 {
		t.Errorf("seed %d: %+v", seed, v)
	}
	if code := n.Stop(); code != 0 {
		t.Fatalf("seed %d: stopped with %d:\n%s", seed, code, n.Log())
	}
	n.start()
	compare(t, seed, n, p, rnd, size.again, size.oneIn, full)
}

// blows are what befalls the node, in order; nil is its own death, the others leave it and
// the collectors alive.
func (s site) blows(size storm) (all []func(testing.TB)) {
	for range size.kills {
		all = append(all, nil)
		if s.apache != nil {
			all = append(all, s.killKafka)
		}
	}
	if s.apache != nil {
		all = append(all, func(t testing.TB) { s.stopKafka(t, size.pause) })
	}
	return all
}

// killKafka kills the broker and starts it on what it left.
func (s site) killKafka(t testing.TB) {
	t.Helper()
	if err := errors.Join(s.apache.Kill(), s.apache.Restart()); err != nil {
		t.Fatal(err)
	}
}

// stopKafka lets the broker stand still for so long: its connections stay, nothing answers.
func (s site) stopKafka(t testing.TB, pause time.Duration) {
	t.Helper()
	if err := s.apache.Pause(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(pause) // that is what is tried
	if err := s.apache.Resume(); err != nil {
		t.Fatal(err)
	}
}

// months is the span that actions of a storm lie in.
const months = 300

// load is what is published: new actions, repeats of any earlier one, and late ones.
func (p *model) load(rnd *rand.Rand, n int) []act {
	load := make([]act, 0, n)
	for len(load) < n {
		switch i := len(load); {
		case i > 0 && rnd.IntN(20) == 0:
			load = append(load, load[rnd.IntN(i)])
		case rnd.IntN(20) == 0:
			load = append(load, p.act(rnd, fmt.Sprintf("late-%d", i), last(months)))
		default:
			load = append(load, p.act(rnd, fmt.Sprintf("act-%d", i), last(28)))
		}
	}
	return load
}

// await waits for the moment of the next kill: at a random place of its share of what
// is published, or, every other time, of what is applied, and not while a writer waits too
// long for an answer. It waits as long as there is any progress.
func (c *collector) await(n *node, w *writers, rnd *rand.Rand, k, blows int) {
	c.t.Helper()
	at := (float64(k) + rnd.Float64()) / float64(blows) * float64(c.n)
	last, since := int64(-1), time.Now()
	for {
		published, routed := c.count.Load(), n.routed()
		reached := published
		if k/2%2 > 0 {
			reached = routed
		}
		if float64(reached) >= at && !w.starved() {
			return
		}
		if now := published + routed + w.heard.Load(); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > patience {
			c.t.Fatalf("no progress for %s at %d published, %d routed, towards %.0f of %d, somebody starves %v:\n%s", patience, published, routed, at, c.n, w.starved(), n.Log())
		}
		time.Sleep(5 * time.Millisecond) // between looks at another process
	}
}

// routed is how much of the public topic the node has passed on.
func (n *node) routed() (sum int64) {
	n.t.Helper()
	for _, r := range n.status().Routers {
		sum += r.Next
	}
	return sum
}

// pace waits until that share of the records is acknowledged, or no more will be.
func (c *collector) pace(share float64) (more bool) {
	for float64(c.count.Load()) < share*float64(c.n) && !c.t.Failed() {
		time.Sleep(time.Millisecond) // between looks
	}
	return true
}

// compare holds the engine to the model: every number, the rows in all, and that
// nothing was refused. The numbers are those of random questions, and of the whole span.
func compare(t *testing.T, seed uint64, n *node, p *model, rnd *rand.Rand, questions, oneIn int, whole bool) {
	t.Helper()
	st := n.status()
	for _, s := range st.Shards {
		if len(s.DeadLetters) > 0 || s.Stopped != "" {
			t.Errorf("seed %d: shard %d: stopped %q, dead letters %v", seed, s.Shard, s.Stopped, s.DeadLetters)
		}
	}
	if want := p.living(); st.Rows() != want {
		t.Errorf("seed %d: %d rows, want %d", seed, st.Rows(), want)
	}
	api, s := p.api(n), last(months+1)
	asked := p.checkRandom(t, seed, api, rnd, s, questions, oneIn)
	if whole {
		asked += p.checkSpan(t, seed, api, s)
	}
	t.Logf("%d rows, %d answers compared", st.Rows(), asked)
}

// front is the node as clients find it: an address for each life.
type front struct {
	mu  sync.Mutex
	api *client.Client
}

func newFront(api *client.Client) *front { return &front{api: api} }

func (f *front) turn(api *client.Client) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.api = api
}

func (f *front) now() *client.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.api
}
