// Package trace has the spans of requests and of sampled records, for every room. It makes and exports none: a Tracer
// does.
//
//	request ─► Tracer.Request ─► Span, in the context ─► Start: a child for each part of the work
//	record  ─► Records.Sampled, by its origin ─► Routed, where it came from; Applied, where it is visible
//
// The zero Span and the nil *Records record nothing, and cost no allocation: without a Tracer there is nothing else.
//
// Which records are traced, and the ids of their first spans, are functions of the origin. So each node that
// works on a record knows by itself whether the record is traced, and adds to the same trace, and no log carries either.
//
// A span has numbers, and texts that the program has written: names of operations, shapes and reasons. It has no text of a
// request, a record or a member, and no id of a member. Any goroutine may use a Span.
package trace
