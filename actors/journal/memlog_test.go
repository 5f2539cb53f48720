package journal

import (
	"context"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// memLog is a log in memory that is only appended to.
type memLog struct {
	Log
	mu    sync.Mutex
	parts [][]domain.Record
}

func newMemLog(partitions int) *memLog { return &memLog{parts: make([][]domain.Record, partitions)} }

func (l *memLog) Partitions() int    { return len(l.parts) }
func (l *memLog) Appender() Appender { return l }

func (l *memLog) Append(_ context.Context, p int, records []domain.Record) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	base := int64(len(l.parts[p]))
	l.parts[p] = append(l.parts[p], records...)
	return base, nil
}

func (l *memLog) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	appendEach(ctx, l, batches, done)
}

// appendEach appends one batch after the other.
func appendEach(ctx context.Context, to Appender, batches [][]domain.Record, done func(int, int64)) {
	for p, records := range batches {
		if len(records) == 0 {
			continue
		}
		if base, err := to.Append(ctx, p, records); err == nil {
			done(p, base)
		}
	}
}
