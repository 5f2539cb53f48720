// Package tracing exports the spans of a node to a collector, by OTLP over HTTP.
//
//	rooms ─► trace.Tracer ─► span of OpenTelemetry's SDK ─► queue, at most 4,096 spans ─► exporter ─► collector
//	                                                           └─ full: the span is dropped and counted
//
// No request and no record waits for the collector: a span that ends is put into the queue or dropped, and one goroutine
// exports what is queued, at the latest a second after it came. The exporter repeats what a collector does not take for
// now, and gives up after a minute; what it gave up is counted. Close exports what is queued, within FlushTime.
//
// The address is the program's setting. What else the standard's variables OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES say is read by OpenTelemetry's own code; Unread names those that have no effect.
//
// The header traceparent of a caller is continued: its trace, and whether that is sampled. What else callers say of
// traces (tracestate, baggage) is ignored: it may be any text. What spans may hold: package trace.
package tracing
