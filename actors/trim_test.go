package actors

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/router"
)

func TestTrim_CutsOnlyWhatIsAppliedAndPublished(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	tr := newTrimmer(time.Hour)
	tr.note(trimMark{at(0), map[int]int64{0: 100, 1: 50}, []int64{10, 20}})
	tr.note(trimMark{at(1), map[int]int64{0: 200, 1: 60}, []int64{11, 30}})
	for _, c := range []struct {
		name    string
		minute  int
		applied []int64
		letters map[int]int64
		want    map[int]int64
	}{
		{"too early", 59, []int64{99, 99}, nil, nil},
		{"not applied", 60, []int64{99, 19}, nil, nil},
		{"a letter holds one partition", 60, []int64{10, 20}, map[int]int64{0: 40}, map[int]int64{0: 40, 1: 50}},
		{"the next mark is not applied", 61, []int64{11, 29}, nil, nil},
		{"all of it", 61, []int64{11, 30}, map[int]int64{1: 60}, map[int]int64{0: 200, 1: 60}},
		{"nothing more", 500, []int64{99, 99}, nil, nil},
	} {
		if diff := cmp.Diff(c.want, tr.due(at(c.minute), c.applied, c.letters)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Every minute the dead letters are cut that are older than they are kept; an error is tried again.
func TestRetention_CutsOldLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cut []time.Duration
		o := Options{Now: time.Now, Clock: new(nodes.Clock), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Retention: Retention{
			TrimLettersAfter: 7 * 24 * time.Hour,
			TrimLetters: func(_ context.Context, before time.Time) error {
				cut = append(cut, time.Since(before))
				return errors.New("away")
			},
		}}
		none := func(context.Context) (map[int]int64, error) { return nil, nil }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			(&retention{o: &o, shards: &shards{}, marks: none, trimmer: newTrimmer(time.Hour)}).run(ctx)
		}()
		time.Sleep(3*trimEvery + time.Second)
		cancel()
		<-done
		week := 7 * 24 * time.Hour
		if diff := cmp.Diff([]time.Duration{week, week, week}, cut); diff != "" {
			t.Error(diff)
		}
	})
}

// unrouted is a public topic of which a node routes nothing: the rest is another node's.
type unrouted struct{ *memSource }

func (s unrouted) Reader(int) router.SourceReader { return unroutedReader{} }

type unroutedReader struct{}

func (unroutedReader) Read(ctx context.Context, next int64, _ int32, _ []domain.Arrival) (domain.SourcePage, error) {
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Millisecond):
	}
	return domain.SourcePage{Next: max(next, 0)}, nil
}

// The node with the embedded log cuts what another one has routed, and nothing above the original of a dead letter
// that is still to be published, whichever node is to do that; a shard that does not serve is told in status.
func TestTrim_WhatAnotherNodeRoutes(t *testing.T) {
	var now atomic.Int64
	start := time.Now()
	out := &refusing{letters: &letters{}}
	r := furnished(t, 2, 1, Options{Logs: Logs{DeadLetters: out}})
	r.letters = out.letters
	ids := r.memberOfEach()
	r.close()
	r.options = Options{Logs: Logs{DeadLetters: out, Source: unrouted{r.source}}, Now: func() time.Time { return start.Add(time.Duration(now.Load())) }}
	cut := map[int]int64{}
	r.options.Trim = func(_ context.Context, p int, before int64) error { cut[p] = before; return nil }
	r.options.TrimAfter = time.Hour
	r.open()
	out.on.Store(true)
	other := r.beside(Options{Logs: Logs{DeadLetters: out}})
	for i := range uint64(50) {
		a := r.actOf(ids[i%2], i+1)
		if i == 30 {
			a.Time = 1 // before 2000: a dead letter
		}
		r.publish(a)
	}
	other.eventually("routing of all", other.routed)
	other.close() // with its last mark
	for r.node.Status().Shards[0].Recorded+r.node.Status().Shards[1].Recorded < 49 {
		runtime.Gosched()
	}
	cutter := r.node.health.retention
	for range 3 {
		cutter.trim(t.Context())
		now.Add(int64(2 * time.Hour))
	}
	const part, at = 0, 50 // publish has them there
	held := cut[part]
	if held != 30 {
		t.Fatalf("cut below %d of %d, with a letter that is still to be published", held, at)
	}
	out.on.Store(false)
	r.eventually("the letter", func() bool { return len(out.reasons()) == 1 })
	r.eventually("no letters waiting", func() bool { // a record says that it is published
		cutter.trim(t.Context())
		now.Add(int64(2 * time.Hour))
		return cut[part] == at
	})
}
