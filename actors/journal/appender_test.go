package journal

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// gate is a log that takes nothing until it is opened.
type gate struct {
	*memLog
	open chan struct{}
}

func (g gate) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	select {
	case <-g.open:
		return g.memLog.Append(ctx, p, records)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// A submitter of bulk waits for room, and leaves some of the queue to others.
func TestI8_BulkLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	log := gate{newMemLog(1), make(chan struct{})}
	l := StartAppender(ctx, log, 0, slog.New(slog.DiscardHandler))
	var tickets []PendingAppend
	for i := range BulkDepth {
		k, err := l.Submit(ctx, domain.Record{Time: int64(i), BodyHash: uint64(i)}, true)
		if err != nil {
			t.Fatal(i, err)
		}
		tickets = append(tickets, k)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := l.Submit(ended, domain.Record{}, true); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("one more of many: %v", err)
	}
	single, err := l.Submit(ctx, domain.Record{BodyHash: BulkDepth}, false)
	if err != nil {
		t.Fatalf("one that comes alone: %v", err)
	}
	if _, err := l.Durable(ended, single); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("who does not wait: %v", err)
	}
	close(log.open)
	for i, k := range append(tickets, single) {
		if at, err := l.Durable(ctx, k); err != nil || at != int64(i) {
			t.Fatalf("record %d is at %d: %v", i, at, err)
		}
	}
	if _, err := l.Submit(ctx, domain.Record{}, true); err != nil {
		t.Errorf("after there is room again: %v", err)
	}
}

// What is not sent yet when its submitter leaves is not sent; a batch is given up with the last of its submitters, and
// kept while one waits. What was posted is sent until it is durable.
func TestPartitionAppender_GivesUpWhatWasLeft(t *testing.T) {
	for _, c := range []struct {
		name  string
		waits [2]time.Duration // of the submitters of the batch that is under way
		opens time.Duration
		want  []uint64
	}{
		{"none is left in time", [2]time.Duration{20 * time.Second, 30 * time.Second}, 40 * time.Second, []uint64{3, 9}},
		{"one still waits", [2]time.Duration{20 * time.Second, 50 * time.Second}, 40 * time.Second, []uint64{1, 2, 3, 9}},
		{"all wait", [2]time.Duration{50 * time.Second, 50 * time.Second}, 40 * time.Second, []uint64{1, 2, 3, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				log := gate{newMemLog(1), make(chan struct{})}
				p := &PartitionAppender{
					appender: log, pending: make(chan PendingAppend, queueDepth), bulk: make(chan struct{}, BulkDepth),
					log: slog.New(slog.DiscardHandler), done: make(chan struct{}),
				}
				p.state.What = "commands cannot be appended"
				submit := func(record uint64, bulk bool, waits time.Duration) (PendingAppend, context.Context) {
					own, cancel := context.WithTimeout(ctx, waits)
					t.Cleanup(cancel)
					a, err := p.Submit(own, domain.Record{BodyHash: record}, bulk)
					if err != nil {
						t.Fatal(err)
					}
					return a, own
				}
				var pending [2]PendingAppend
				var waiting [2]context.Context
				for i := range pending {
					pending[i], waiting[i] = submit(uint64(i+1), true, c.waits[i])
				}
				p.Post(domain.Record{BodyHash: 3}, nil)
				go p.run(ctx)
				synctest.Wait() // the batch is under way
				for n := range uint64(BulkDepth / 2) {
					submit(100+n, true, 35*time.Second)
				}
				time.Sleep(c.opens)
				close(log.open)
				for i := range pending {
					if _, err := p.Durable(waiting[i], pending[i]); (err == nil) != (c.waits[i] > c.opens) {
						t.Errorf("submitter %d, who waits %s: %v", i, c.waits[i], err)
					}
				}
				last, own := submit(9, false, time.Second)
				if _, err := p.Durable(own, last); err != nil {
					t.Error(err)
				}
				var got []uint64
				for _, r := range log.parts[0] {
					got = append(got, r.BodyHash)
				}
				if !slices.Equal(got, c.want) || len(p.bulk) != 0 || p.State().Why() != "" {
					t.Errorf("the log has %d, %d are held of bulk, %q", got, len(p.bulk), p.State().Why())
				}
				end()
				<-p.Done()
			})
		})
	}
}

// An appender whose batch was given up says that the log is away until it is back, also if nothing is appended.
func TestPartitionAppender_StateAfterGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		log := &awayLog{memLog: newMemLog(1)}
		log.away.Store(true)
		p := StartAppender(ctx, log, 0, slog.New(slog.DiscardHandler))
		own, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		if _, err := p.Submit(own, domain.Record{}, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if p.State().Why() == "" {
			t.Error("the log is away, and it does not say so")
		}
		log.away.Store(false)
		time.Sleep(3 * time.Second)
		if p.State().Why() != "" || len(log.parts[0]) > 0 {
			t.Errorf("%q, %d records", p.State().Why(), len(log.parts[0]))
		}
		end()
		<-p.Done()
	})
}

// awayLog is a log that may be away.
type awayLog struct {
	*memLog
	away atomic.Bool
}

func (l *awayLog) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	if l.away.Load() {
		return 0, errors.New("no broker")
	}
	return l.memLog.Append(ctx, p, records)
}
