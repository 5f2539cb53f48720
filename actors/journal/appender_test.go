package journal

import (
	"context"
	"errors"
	"log/slog"
	"testing"

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
