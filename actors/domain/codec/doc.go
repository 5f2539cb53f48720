// Package codec is how values of the domain are written to the log and to the store: Protocol
// Buffers of one schema (schema/*.proto). Every room may import it.
//
//	AppendRecord(dst, r)  ─► bytes    a record of the journal or of the catalog
//	DecodeRecord(r, b)    ◄─ bytes
//	Append(dst, v)        ─► bytes    a member, a request, an entity, an outbox entry, …
//	Decode(b, v)          ◄─ bytes
//
// Equal values have equal bytes: no maps, one order, zero values left out. A decoder refuses
// unknown fields, so that nothing is dropped when a value is written again. What names,
// locates or authenticates a member is apart from the rest, in one message (Personal), so
// that it is sealed as one.
//
// protoc-gen-go generates the messages; commands.go, catalog.go, member.go and store.go map
// them to values of the domain. A record's envelope and an activity are read and written by
// hand (wire.go): neither allocates, and the strings of a decoded activity share the memory
// of the bytes (BenchmarkRecord, BenchmarkRecord_Generated: 4 times as fast to write, 4 to 5
// times to read). A member by hand was 2 times as fast to read and 5 times to write, 1 µs
// each: too little beside the commit that follows.
//
// A new command is a message and its payload number in schema/record.proto, a struct and a
// Kind in the domain, and here a pair of functions with a line in messages. Golden files and
// tests by reflection fail on a field that one of them lacks.
//
// All functions are pure; any goroutine may call them. After a change of the schema:
//
//	go generate ./actors/domain/codec
package codec
