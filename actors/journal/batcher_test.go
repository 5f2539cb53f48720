package journal

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// backlog has always room.
type backlog struct{ end atomic.Int64 }

func (b *backlog) HasRoom() bool              { return b.end.Load()%2 == 0 }
func (b *backlog) Wait(context.Context) error { return nil }
func (b *backlog) Grew(end int64)             { b.end.Store(max(b.end.Load(), end)) }

// flaky fails now and then, before or after it has appended, as a broker does: what comes
// again is stored once.
type flaky struct {
	*memLog
	mu    sync.Mutex
	rng   *rand.Rand
	doubt map[int]int64 // by partition: the base of a batch whose acknowledgement was lost
	lost  int
	much  int // batches of more than one source
}

func (f *flaky) Appender() Appender { return f }

func (f *flaky) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range records {
		if r.Origin.Partition != records[0].Origin.Partition {
			f.much++
			break
		}
	}
	if base, ok := f.doubt[p]; ok {
		delete(f.doubt, p)
		return base, nil
	}
	switch f.rng.IntN(20) {
	case 0:
		f.lost++
		return 0, errors.New("not sent")
	case 1:
		f.lost++
		f.doubt[p], _ = f.memLog.Append(ctx, p, records)
		return 0, errors.New("acknowledgement lost")
	}
	return f.memLog.Append(ctx, p, records)
}

func (f *flaky) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	appendEach(ctx, f, batches, done)
}

// Routers bring pages side by side: each record is in the journal once, those of a source
// in their order in each partition, and a page is there when append returns.
func TestI2_BatcherKeepsTheOrderOfEachSource(t *testing.T) {
	t.Parallel()
	const shards, sources, pages = 4, 6, 60
	seed := rand.Uint64()
	t.Log("seed", seed)
	log := &flaky{memLog: newMemLog(shards), rng: rand.New(rand.NewPCG(seed, 0)), doubt: map[int]int64{}}
	ends, backlogs := make([]backlog, shards), make([]Backlog, shards)
	for i := range ends {
		backlogs[i] = &ends[i]
	}
	g := NewBatcher(log, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { g.Run(ctx, backlogs); close(ran) }()
	var wg sync.WaitGroup
	var want [sources][shards]int64
	for s := range sources {
		rng := rand.New(rand.NewPCG(seed, uint64(s+1)))
		wg.Go(func() {
			for offset := int64(0); offset < pages*10; {
				batches := make([][]domain.Record, shards)
				for range rng.IntN(20) {
					to := rng.IntN(shards)
					batches[to] = append(batches[to], domain.Record{Origin: domain.Origin{Partition: int32(s), Offset: offset}})
					want[s][to]++
					offset++
				}
				if err := g.Append(ctx, batches); err != nil {
					t.Error(err)
				}
				for to, records := range batches {
					if n := len(records); n > 0 && !log.has(to, records[n-1].Origin) {
						t.Errorf("source %d: a page is said to be there and is not in partition %d", s, to)
					}
				}
			}
		})
	}
	wg.Wait()
	for to := range shards {
		last, n := [sources]int64{}, [sources]int64{}
		for _, r := range log.parts[to] {
			s := r.Origin.Partition
			if n[s] > 0 && r.Origin.Offset <= last[s] {
				t.Fatalf("partition %d: %d of source %d behind %d", to, r.Origin.Offset, s, last[s])
			}
			last[s], n[s] = r.Origin.Offset, n[s]+1
		}
		for s := range sources {
			if n[s] != want[s][to] {
				t.Errorf("partition %d has %d records of source %d, want %d", to, n[s], s, want[s][to])
			}
		}
		if end := ends[to].end.Load(); end != int64(len(log.parts[to])) {
			t.Errorf("shard %d was told of an end %d, want %d", to, end, len(log.parts[to]))
		}
	}
	if log.lost == 0 || log.much == 0 {
		t.Errorf("%d appends failed, %d had records of several sources", log.lost, log.much)
	}
	cancel()
	<-ran
	err := g.Append(ctx, [][]domain.Record{{{}}, nil, nil, nil})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// has reports that a record of this origin is in the partition.
func (f *flaky) has(p int, o domain.Origin) bool {
	f.memLog.mu.Lock()
	defer f.memLog.mu.Unlock()
	for i := len(f.parts[p]) - 1; i >= 0; i-- {
		if f.parts[p][i].Origin == o {
			return true
		}
	}
	return false
}

// rounds keeps the moments and the sizes of what is appended.
type rounds struct {
	*memLog
	began time.Time
	at    []time.Duration
	sizes []int
}

func (r *rounds) Appender() Appender { return r }

func (r *rounds) note(n int) {
	if now := time.Since(r.began); len(r.at) == 0 || r.at[len(r.at)-1] != now {
		r.at, r.sizes = append(r.at, now), append(r.sizes, 0)
	}
	r.sizes[len(r.sizes)-1] += n
}

func (r *rounds) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	r.note(len(records))
	return r.memLog.Append(ctx, p, records)
}

func (r *rounds) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	appendEach(ctx, r, batches, done)
}

// Small rounds are roundEvery apart; a large one, and the first after a pause, is appended at
// once.
func TestBatcher_SmallRoundsAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rounds{memLog: newMemLog(1), began: time.Now()}
		g := NewBatcher(log, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		go g.Run(ctx, []Backlog{new(backlog)})
		ms := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
		for _, o := range []struct {
			at      time.Duration
			records int
		}{
			{0, 1}, {ms(1), 2}, {ms(3), 3}, // the first at once, the others when the round is due
			{ms(6), 4}, {ms(7), CoalesceBelow}, // enough: at once
			{ms(30), 5},
		} {
			time.Sleep(o.at - time.Since(log.began))
			go func() { _ = g.Append(ctx, [][]domain.Record{make([]domain.Record, o.records)}) }()
		}
		time.Sleep(time.Second)
		cancel()
		<-g.done
		if diff := cmp.Diff([]time.Duration{0, ms(4), ms(7), ms(30)}, log.at); diff != "" {
			t.Error("moments", diff)
		}
		if diff := cmp.Diff([]int{1, 5, 4 + CoalesceBelow, 5}, log.sizes); diff != "" {
			t.Error("records", diff)
		}
	})
}
