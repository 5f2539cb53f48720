package actors

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// away is a log whose broker takes nothing while it is off.
type away struct {
	*memLog
	off   atomic.Bool
	tries atomic.Int64
}

func (l *away) Appender() Appender { return l }

func (l *away) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	if l.off.Load() {
		l.tries.Add(1)
		return 0, errors.New("nobody there")
	}
	return l.memLog.Append(ctx, p, records)
}

func (l *away) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	if !l.off.Load() {
		l.memLog.AppendEach(ctx, batches, done)
	}
}

// A router that waits for the broker keeps its mailbox to itself: it must hear of the
// node's stop all the same.
func TestANodeStopsWhileItsRoutersWaitForTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := &away{memLog: newMemLog(1, 2)}
		r := newRig(t, 2, Options{Journal: journal})
		journal.off.Store(true)
		r.publish(domain.Activity{Member: 1, Definition: 100, Brand: 1, Time: 1_700_000_000, Hash: 1})
		r.eventually("an append", func() bool { return journal.tries.Load() > 3 })
		began := time.Now()
		r.close()
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the stop took %v", took)
		}
		after := journal.tries.Load()
		time.Sleep(time.Minute)
		if n := journal.tries.Load() - after; n > 0 {
			t.Errorf("%d attempts after the stop", n)
		}
	})
}
