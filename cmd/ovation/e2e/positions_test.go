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

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// reader asks for one number again and again, of whichever endpoint has it, each time
// where it was last or after it.
type reader struct {
	p    *model
	q    question
	rnd  *rand.Rand
	at   string // the position of the last answer
	max  uint64
	asks int
	slow time.Duration // the longest time of one question, over all addresses

	keeps bool // every answer, for a look at what the journal gives at its position
	shown []shownNumber

	// waits is called before it asks again where no node has applied its position, or what follows from it, in time; the
	// same question without the position was answered then. nil: it does not ask again.
	waits func()
}

// maxWaits is how often a reader asks again with one position: nodes catch up with what was published in the longest
// fault of a test within that.
const maxWaits = 2_000

// read asks once more: the number never goes down.
func (r *reader) read(t testing.TB, api *client.Client) error {
	n, meta, err := r.ask(t, api.At(r.at))
	for tries := 0; r.waits != nil && tries < maxWaits && codeOf(err) == domain.Unavailable && !t.Failed(); tries++ {
		if _, _, err := r.ask(t, api); err != nil {
			return fmt.Errorf("without a position: %w", err)
		}
		r.waits()
		n, meta, err = r.ask(t, api.At(r.at))
	}
	if err != nil {
		return err
	}
	if r.asks++; n < r.max {
		return contradiction(fmt.Sprintf("%d actions at %q, there were %d at %q", n, meta.Position, r.max, r.at))
	}
	r.at, r.max = meta.Position, n
	if r.keeps {
		r.shown = append(r.shown, shownNumber{meta.Position, n})
	}
	return nil
}

// ask asks for the number at any of the endpoints that have it.
func (r *reader) ask(t testing.TB, api *client.Client) (uint64, client.Meta, error) {
	began := time.Now()
	defer func() { r.slow = max(r.slow, time.Since(began)) }()
	params := r.p.about(r.q, r.q.params())
	params["timeout_ms"] = "10000"
	if r.waits != nil { // it asks again
		params["timeout_ms"] = "250"
	}
	switch r.rnd.IntN(4) {
	case 0:
		d, meta, err := client.Do(ctx(t), api, client.CountDaily{More: params})
		return number64(d.TotalCount), meta, err
	case 1:
		tally, meta, err := client.Do(ctx(t), api, client.GetBrandActivityStats{BrandID: r.p.brands[r.q.brand].id, More: params})
		return number64(tally.TotalCount), meta, err
	case 2:
		params["all_member_actions"], params["limit"] = "1", "0"
		f, meta, err := client.Do(ctx(t), api, client.GetFeed{More: params})
		return number64(f.TotalSize), meta, err
	}
	l, meta, err := client.Do(ctx(t), api, client.GetBrandLocations{BrandID: r.p.brands[r.q.brand].id, More: params})
	return number64(l.TotalActivities), meta, err
}

// scribe records actions over HTTP for a fan of its own, and asks for their number at the
// position of each answer: it is exact, whether the answer waited for the action or not.
type scribe struct {
	reader
	fan     fan
	name    string
	done    uint64
	insists bool // it repeats what is refused as unavailable: the action has a marker
}

func (s *scribe) write(t testing.TB, api *client.Client) error {
	params := client.Params{
		"activityid": id(s.p.definitions[0].id), "brandid": id(s.p.brands[s.q.brand].id), "id": id(s.fan.id),
		"marker": fmt.Sprint(s.name, "-", s.done), "timestamp": rfc3339(s.q.span.within(s.rnd)),
	}
	record := func() (meta client.Meta, err error) {
		if s.rnd.IntN(2) == 0 {
			_, meta, err = client.Do(ctx(t), api, client.RecordActivity{Async: new(false), More: params})
		} else {
			_, meta, err = client.Do(ctx(t), api, client.RecordActivity{More: params})
		}
		return meta, err
	}
	meta, err := record()
	for s.insists && codeOf(err) == domain.Unavailable && !t.Failed() {
		time.Sleep(pollEvery)
		meta, err = record()
	}
	if err != nil {
		return err
	}
	s.done++
	s.at = meta.Position
	if err := s.read(t, api); err != nil {
		return err
	}
	if s.max != s.done {
		return contradiction(fmt.Sprintf("%s recorded %d actions, at the position of the last there are %d", s.name, s.done, s.max))
	}
	return nil
}

// watch is readers and scribes of one account.
type watch struct {
	p       *model
	s       span
	rnd     *rand.Rand
	readers []*reader
	scribes []*scribe
}

// watchOf makes n readers, and as many scribes with a fan each.
func watchOf(n *node, p *model, seed, each uint64) *watch {
	n.t.Helper()
	w := &watch{p: p, s: last(40), rnd: rand.New(rand.NewPCG(seed, 1))}
	for i := range each {
		q := question{brand: int32(i) % int32(len(p.brands)), span: w.s}
		w.readers = append(w.readers, &reader{p: p, q: q, rnd: rand.New(rand.NewPCG(seed, 10+i))})
		name := fmt.Sprint("scribe-", i)
		one := &scribe{reader: reader{p: p, q: q, rnd: rand.New(rand.NewPCG(seed, 20+i))}, name: name, fan: fan{service: domain.Deezer, uid: name}}
		if err := one.fan.register(n.t, p.api(n)); err != nil {
			n.t.Fatal(err)
		}
		one.q.members = []domain.MemberID{one.fan.id}
		w.scribes = append(w.scribes, one)
	}
	return w
}

// live publishes so many records, while each scribe writes so often and readers read on
// and on, until all is done.
func (w *watch) live(n *node, name string, records, writes int) error {
	api := w.p.api(n)
	var over atomic.Bool
	var writing, reading sync.WaitGroup
	wrote, read := make([]error, len(w.scribes)), make([]error, len(w.readers))
	for i, one := range w.scribes {
		writing.Go(func() {
			for k := 0; k < writes && wrote[i] == nil; k++ {
				wrote[i] = one.write(n.t, api)
			}
		})
	}
	for i, one := range w.readers {
		reading.Go(func() {
			for first := true; read[i] == nil && (first || !over.Load()); first = false {
				read[i] = one.read(n.t, api)
			}
		})
	}
	to := n.publisher()
	defer to.close()
	for k := 0; k < records; k += 500 {
		var batch []*kgo.Record
		for i := range 500 {
			a := w.p.act(w.rnd, fmt.Sprint(name, "-", k+i), w.s)
			w.p.note(a)
			batch = append(batch, w.p.anyRecord(w.rnd, &a))
		}
		to.publish(n.t, batch...)
	}
	writing.Wait()
	n.settled(to.end(n.t))
	over.Store(true)
	reading.Wait()
	return errors.Join(append(wrote, read...)...)
}

// TestPosition_ReadsAreMonotonic polls while others write, over Kafka and over HTTP. Each
// answer's X-Position is sent with the next question: no number decreases, at any
// endpoint, also over a kill; and a client reads its own write at the position of the
// write's answer.
func TestPosition_ReadsAreMonotonic(t *testing.T) {
	t.Parallel()
	onBothLogs(t, seenStaysSeen)
}

func seenStaysSeen(t *testing.T, on site) {
	records, writes := on.some(8_000), on.some(60)
	if full {
		records, writes = 200_000, 2_000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	n := on.start(t)
	p := newModel(rand.New(rand.NewPCG(seed, 0)), "seen", sizes{brands: 3, fans: 60})
	p.enter(n, 16)
	w := watchOf(n, p, seed, 4)
	for _, life := range []string{"first", "second"} {
		if err := w.live(n, life, records, writes); err != nil {
			t.Fatalf("seed %d, %s life: %v", seed, life, err)
		}
		n.Kill()
		n.start()
	}
	for i, r := range w.readers {
		want := number(t, p.tally(r.q).TotalCount)
		for _, one := range w.scribes {
			if one.q.brand == r.q.brand {
				want += one.done
			}
		}
		if err := r.read(t, p.api(n)); err != nil || r.max != want {
			t.Errorf("seed %d: %d actions at the end, want %d: %v", seed, r.max, want, err)
		}
		t.Logf("reader %d: %d numbers, none went back", i, r.asks)
	}
}
