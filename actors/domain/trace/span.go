package trace

import (
	"context"
	"time"
)

// Recorder is a span that is exported. Any goroutine may call it. After End it records nothing more, and has no
// further children.
type Recorder interface {
	// Child begins a span in this one, at a time; the zero time is now. Nil: this one has ended.
	Child(name string, at time.Time) Recorder
	// Rename gives the span another name.
	Rename(name string)
	// Int and Text add an attribute. A text is one that the program has written.
	Int(key string, value int64)
	Text(key, value string)
	// Fail marks the span as failed.
	Fail()
	// End ends the span at a time; the zero time is now. Only the first End counts.
	End(at time.Time)
	// Trace is the id of the span's trace, for logs.
	Trace() string
}

// Tracer begins spans that no other span of this process has begun.
type Tracer interface {
	// Request begins the span of a request that came at a time, in the trace that the header traceparent of its
	// caller names, if it is one; the zero Span: the request is not traced.
	Request(traceparent string, at time.Time) Span
	// Record begins a span of a record at a time, with the ids.
	Record(name string, ids IDs, at time.Time) Span
}

// Span is a part of a trace. The zero Span records nothing.
type Span struct{ recorder Recorder }

// Of is a span that a recorder records; of nil it is the zero Span.
func Of(r Recorder) Span { return Span{r} }

// Recording reports that the span is exported.
func (s Span) Recording() bool { return s.recorder != nil }

// Start begins a span in this one, now.
func (s Span) Start(name string) Span { return s.StartAt(name, time.Time{}) }

// StartAt begins a span in this one at a time.
func (s Span) StartAt(name string, at time.Time) Span {
	if s.recorder == nil {
		return s
	}
	return Span{s.recorder.Child(name, at)}
}

// Rename gives the span another name.
func (s Span) Rename(name string) {
	if s.recorder != nil {
		s.recorder.Rename(name)
	}
}

// Int adds an attribute that is a number.
func (s Span) Int(key string, value int64) {
	if s.recorder != nil {
		s.recorder.Int(key, value)
	}
}

// Text adds an attribute that is a text of the program.
func (s Span) Text(key, value string) {
	if s.recorder != nil {
		s.recorder.Text(key, value)
	}
}

// Failed ends the span now, as failed where there is an error. What the error says is not recorded: it may quote a
// parameter.
func (s Span) Failed(err error) {
	if s.recorder == nil {
		return
	}
	if err != nil {
		s.recorder.Fail()
	}
	s.recorder.End(time.Time{})
}

// Fail marks the span as failed.
func (s Span) Fail() {
	if s.recorder != nil {
		s.recorder.Fail()
	}
}

// End ends the span now.
func (s Span) End() { s.EndAt(time.Time{}) }

// EndAt ends the span at a time.
func (s Span) EndAt(at time.Time) {
	if s.recorder != nil {
		s.recorder.End(at)
	}
}

// Trace is the id of the span's trace; empty: nothing is recorded.
func (s Span) Trace() string {
	if s.recorder == nil {
		return ""
	}
	return s.recorder.Trace()
}

// key is that of a span in a context.
type key struct{}

// With is a context with the span; one that records nothing leaves the context as it is.
func With(ctx context.Context, s Span) context.Context {
	if s.recorder == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, s.recorder)
}

// From is the span of a context.
func From(ctx context.Context) Span {
	r, _ := ctx.Value(key{}).(Recorder)
	return Span{r}
}

// Start begins a span in that of a context, and gives the context with it.
func Start(ctx context.Context, name string) (context.Context, Span) {
	s := From(ctx).Start(name)
	return With(ctx, s), s
}
