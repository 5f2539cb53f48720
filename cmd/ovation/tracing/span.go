package tracing

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/ovation-analytics/ovation/actors/domain/trace"
)

// maxSpans bounds the spans of one request: an export has a part for every thousand actions.
const maxSpans = 1000

// budget is how many spans a trace may still have in this process.
type budget struct{ left atomic.Int64 }

func newBudget() *budget {
	b := new(budget)
	b.left.Store(maxSpans)
	return b
}

// recorder is a span under way.
type recorder struct {
	tracing *Tracing
	span    oteltrace.Span
	left    *budget
}

// Child begins a span in this one; one above the bound is dropped and counted.
func (r *recorder) Child(name string, at time.Time) trace.Recorder {
	if !r.span.IsRecording() {
		return nil
	}
	if r.left.left.Add(-1) <= 0 {
		r.tracing.queue.drop()
		return nil
	}
	o := []oteltrace.SpanStartOption{oteltrace.WithSpanKind(oteltrace.SpanKindInternal)}
	if !at.IsZero() {
		o = append(o, oteltrace.WithTimestamp(at))
	}
	_, s := r.tracing.tracer.Start(oteltrace.ContextWithSpan(context.Background(), r.span), name, o...)
	return &recorder{tracing: r.tracing, span: s, left: r.left}
}

// Rename gives the span another name.
func (r *recorder) Rename(name string) { r.span.SetName(name) }

// Int adds a number.
func (r *recorder) Int(key string, value int64) { r.span.SetAttributes(attribute.Int64(key, value)) }

// Text adds a text of the program.
func (r *recorder) Text(key, value string) { r.span.SetAttributes(attribute.String(key, value)) }

// Fail marks the span as failed.
func (r *recorder) Fail() { r.span.SetStatus(codes.Error, "") }

// End ends the span.
func (r *recorder) End(at time.Time) {
	if at.IsZero() {
		r.span.End()
		return
	}
	r.span.End(oteltrace.WithTimestamp(at))
}

// Trace is the id of the trace.
func (r *recorder) Trace() string { return r.span.SpanContext().TraceID().String() }

// idsKey is that of the ids of a record's span in a context.
type idsKey struct{}

// generator makes random ids, and those of records by their origin.
type generator struct{}

// NewIDs are the ids of the first span of a trace.
func (g generator) NewIDs(ctx context.Context) (oteltrace.TraceID, oteltrace.SpanID) {
	if ids, ok := ctx.Value(idsKey{}).(trace.IDs); ok {
		return ids.Trace, ids.Span
	}
	var id oteltrace.TraceID
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()|1) // never zero
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID is the id of a further span.
func (generator) NewSpanID(context.Context, oteltrace.TraceID) oteltrace.SpanID {
	var id oteltrace.SpanID
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}
