package kafka

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// asked keeps how many partitions the last fetches of a cluster were of.
type asked struct {
	mu   sync.Mutex
	of   []int
	fail func() bool // nil: none fails
}

func (w *harness) asked(fail func() bool) *asked {
	a := &asked{fail: fail}
	w.cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		a.mu.Lock()
		defer a.mu.Unlock()
		n := 0
		for _, t := range r.(*kmsg.FetchRequest).Topics {
			n += len(t.Partitions)
		}
		a.of = append(a.of, n)
		if a.fail != nil && a.fail() {
			return nil, errors.New("connection lost"), true
		}
		return nil, nil, false
	})
	return a
}

// last is how many partitions the last request was of.
func (a *asked) last() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.of[len(a.of)-1]
}

// sharing is a fetcher of a partition that has read it once, and so knows its leader.
func (w *harness) sharing(partition int, wait time.Duration) *Fetcher {
	w.Helper()
	f := w.fetcher(func(c *FetchConfig) { c.Partition, c.MaxWait, c.Shared = partition, wait, true })
	_, err := f.client.End(w.ctx, w.topic, partition)
	w.must(err)
	f.leader.Store(0 + 1)
	return f
}

// I1: each partition is read in order and whole, whatever other fetchers do.
func TestSharedFetch_ReadsWhatEachWouldAlone(t *testing.T) {
	const partitions, records = 6, 300
	seed := rand.Uint64()
	t.Log("seed", seed)
	w := given(t, kfake.NumBrokers(2), kfake.SeedTopics(partitions, "t"))
	lots := rand.New(rand.NewPCG(seed, 99))
	a := w.asked(func() bool { return lots.IntN(30) == 0 })
	var wg sync.WaitGroup
	for p := range partitions {
		rng := rand.New(rand.NewPCG(seed, uint64(p)))
		producer := w.producer(func(c *ProducerConfig) { c.Partition = p })
		wg.Go(func() {
			for i := 0; i < records; {
				var values []string
				for range 1 + rng.IntN(5) {
					values = append(values, fmt.Sprint(p, " ", i))
					i++
				}
				if _, err := producer.Send(w.ctx, messages(values...)); err != nil {
					t.Error(err)
					return
				}
			}
		})
		for reader := range 1 + p%3 { // a replay reads beside the shard
			f := w.fetcher(func(c *FetchConfig) { c.Partition, c.Shared = p, true })
			moody := rand.New(rand.NewPCG(seed, uint64(100*(1+reader)+p)))
			wg.Go(func() { readAllShared(w, f, moody, p, records) })
		}
	}
	wg.Wait()
	most := 0
	for _, n := range a.of {
		most = max(most, n)
	}
	if most < 2 {
		t.Error("no request was shared")
	}
}

func readAllShared(w *harness, f *Fetcher, moody *rand.Rand, partition, records int) {
	next, epoch := int64(0), NoEpoch
	for next < int64(records) {
		ctx, cancel := context.WithCancel(w.ctx)
		if moody.IntN(4) == 0 {
			time.AfterFunc(time.Duration(moody.IntN(3000))*time.Microsecond, cancel)
		}
		page, err := f.Fetch(ctx, next, epoch)
		cancel()
		if err != nil {
			if w.ctx.Err() != nil || !Retriable(err) && !errors.Is(err, context.Canceled) {
				w.Errorf("partition %d: %v", partition, err)
				return
			}
			continue
		}
		for i := range page.Records {
			if r := &page.Records[i]; r.Offset != next+int64(i) || string(r.Value) != fmt.Sprint(partition, " ", r.Offset) {
				w.Errorf("partition %d, offset %d: %q", partition, next+int64(i), r.Value)
				return
			}
		}
		next, epoch = page.Next, page.Epoch
	}
}

// Fetchers that wait as long and have nothing end together, none after its wait.
func TestSharedFetch_WaitsEndTogether(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	j := &sharedFetches{began: time.Now()}
	for range 1000 {
		wait := time.Duration(1 + rnd.Int64N(int64(time.Second)))
		now := j.began.Add(time.Duration(rnd.Int64N(int64(time.Hour))))
		end := j.until(now, wait)
		if late := end.Sub(now); late <= 0 || late > wait || end.Sub(j.began)%wait != 0 {
			t.Fatalf("of a wait of %v, %v after the begin, %v are left", wait, now.Sub(j.began), late)
		}
		if again := j.until(end, wait); again != end.Add(wait) {
			t.Fatalf("the next wait of %v ends after %v", wait, again.Sub(end))
		}
	}
}

func TestSharedFetch_EmptyPartitionsWaitOn(t *testing.T) {
	w := given(t, kfake.SeedTopics(2, "t"))
	a := w.asked(nil)
	short, long := w.sharing(0, 50*time.Millisecond), w.sharing(1, time.Hour)
	got := make(chan *Page)
	go func() {
		page, err := long.Fetch(w.ctx, 0, NoEpoch)
		if err != nil {
			t.Error(err)
		}
		got <- page
	}()
	for shared := 0; shared < 3; shared += a.last() / 2 { // the second time, the long one was in the request again
		page, err := short.Fetch(w.ctx, 0, NoEpoch)
		if err != nil || len(page.Records) != 0 || page.Next != 0 {
			t.Fatalf("%+v %v", page, err)
		}
	}
	w.send(w.producer(func(c *ProducerConfig) { c.Partition = 1 }), "at last")
	if page := <-got; len(page.Records) != 1 {
		t.Errorf("%+v", page)
	}
}

func TestSharedFetch_DropsAbandonedFetches(t *testing.T) {
	w := given(t, kfake.SeedTopics(2, "t"))
	stays, goes := w.sharing(0, 20*time.Millisecond), w.sharing(1, time.Hour)
	ctx, cancel := context.WithCancel(w.ctx)
	left := make(chan error)
	go func() {
		_, err := goes.Fetch(ctx, 0, NoEpoch)
		left <- err
	}()
	both := func() bool {
		_, err := stays.Fetch(w.ctx, 0, NoEpoch)
		w.must(err)
		w.client.shared.mu.Lock()
		defer w.client.shared.mu.Unlock()
		l := w.client.shared.by[0]
		return len(l.waiting)+l.sent > 0
	}
	for !both() {
		if w.ctx.Err() != nil {
			t.Fatal("the other one never was in a request")
		}
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("given up with %v", err)
	}
	for both() {
		if w.ctx.Err() != nil {
			t.Fatal("the other one is still asked for")
		}
	}
}

func TestSharedFetch_AnErrorIsItsPartitionsAlone(t *testing.T) {
	w := given(t, kfake.SeedTopics(2, "t"))
	w.send(w.producer(nil), "a")
	good, bad := w.sharing(0, time.Hour), w.sharing(1, time.Hour)
	bad.cfg.ID = domain.TopicID{9}
	failed := make(chan error)
	go func() {
		_, err := bad.Fetch(w.ctx, 0, NoEpoch)
		failed <- err
	}()
	page, err := good.Fetch(w.ctx, 0, NoEpoch)
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("%+v %v", page, err)
	}
	if err := <-failed; !Retriable(err) {
		t.Errorf("a topic of another id: %v", err)
	}
	if good.leader.Load() == 0 || bad.leader.Load() != 0 {
		t.Errorf("asked alone next: the good one %v, the bad one %v", good.leader.Load() == 0, bad.leader.Load() == 0)
	}
}
