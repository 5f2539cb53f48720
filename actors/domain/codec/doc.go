// Package codec is how values of the domain are stored: Protocol Buffers of one schema
// (schema/member.proto), in a canonical form. Every room may import it.
//
//	codec.AppendMember(dst, m)  ─► bytes   fields by number, zero values left out
//	codec.DecodeMember(b, m)    ◄─ bytes   an unknown field is an error: nothing is dropped
//
// Equal values have equal bytes: no maps, one order. The codec is written by hand: it
// decodes a member into the domain's value in the time that the generated code takes for
// its own (BenchmarkMember: 0.75 µs; 5 allocations, not 16), which would have to be copied
// then. Tests hold every field against the generated code. What names, locates or
// authenticates a member is apart from the rest, in one message (Personal), so that it can
// be sealed as one.
//
// After a change of the schema:
//
//	go generate ./actors/domain/codec
package codec
