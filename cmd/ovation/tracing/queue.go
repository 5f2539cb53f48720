package tracing

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The bounds of the queue. The SDK's own processor has the same shape, but does not say what it dropped.
const (
	queued   = 4096
	together = 512         // spans in one export
	within   = time.Second // from a span's end to its export
)

// Stats is what became of spans since the start.
type Stats struct {
	Exported uint64 // a collector has taken them
	Dropped  uint64 // the queue was full, or a trace had too many
	Failed   uint64 // the collector was away, or refused them
}

// queue has the spans that have ended and are not exported yet. It is a processor of the SDK.
type queue struct {
	exporter sdktrace.SpanExporter
	log      *slog.Logger
	spans    chan sdktrace.ReadOnlySpan

	mu     sync.RWMutex // held for reading while a span is queued
	closed bool         // no span is queued any more

	ending context.Context // ends when what is queued must have been exported
	end    context.CancelFunc
	done   chan struct{}
	failed bool // the last export did; owned by run

	exported, dropped, lost atomic.Uint64
}

func newQueue(e sdktrace.SpanExporter, log *slog.Logger) *queue {
	q := &queue{exporter: e, log: log, spans: make(chan sdktrace.ReadOnlySpan, queued), done: make(chan struct{})}
	q.ending, q.end = context.WithCancel(context.Background())
	go q.run()
	return q
}

// OnStart does nothing.
func (q *queue) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd queues a span, or drops it. It never waits.
func (q *queue) OnEnd(s sdktrace.ReadOnlySpan) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.closed {
		q.drop()
		return
	}
	select {
	case q.spans <- s:
	default:
		q.drop()
	}
}

// drop counts a span that is not exported.
func (q *queue) drop() { q.dropped.Add(1) }

// ForceFlush does nothing: Shutdown exports what is queued.
func (q *queue) ForceFlush(context.Context) error { return nil }

// Shutdown exports what is queued until ctx ends, and ends the exporter.
func (q *queue) Shutdown(ctx context.Context) error {
	q.mu.Lock()
	was := q.closed
	q.closed = true
	q.mu.Unlock()
	if was {
		return nil
	}
	close(q.spans)
	defer context.AfterFunc(ctx, q.end)()
	<-q.done // an export ends with its context
	return q.exporter.Shutdown(ctx)
}

// run exports until the queue is closed and empty.
func (q *queue) run() {
	defer close(q.done)
	defer q.end()
	batch := make([]sdktrace.ReadOnlySpan, 0, together)
	timer := time.NewTimer(within)
	timer.Stop()
	for {
		var due <-chan time.Time
		if len(batch) > 0 {
			due = timer.C
		}
		select {
		case s, open := <-q.spans:
			if !open {
				q.export(batch)
				return
			}
			if batch = append(batch, s); len(batch) == 1 {
				timer.Reset(within)
			}
			if len(batch) < together {
				continue
			}
		case <-due:
		}
		q.export(batch)
		clear(batch)
		batch = batch[:0]
	}
}

// export exports a batch, and says once that it fails, and once that it succeeds again.
func (q *queue) export(batch []sdktrace.ReadOnlySpan) {
	if len(batch) == 0 {
		return
	}
	err := q.exporter.ExportSpans(q.ending, batch)
	if err == nil {
		q.exported.Add(uint64(len(batch)))
		if q.failed {
			q.log.Info("traces are exported again", "lost", q.lost.Load())
		}
		q.failed = false
		return
	}
	q.lost.Add(uint64(len(batch)))
	if !q.failed {
		q.log.Warn("traces cannot be exported; spans are lost until the collector takes them", "err", cut(err.Error()))
	}
	q.failed = true
}

// maxError bounds what is logged of an error: it has what the collector answered.
const maxError = 300

func cut(text string) string {
	if len(text) > maxError {
		return text[:maxError] + " …"
	}
	return text
}

func (q *queue) stats() Stats {
	return Stats{Exported: q.exported.Load(), Dropped: q.dropped.Load(), Failed: q.lost.Load()}
}
