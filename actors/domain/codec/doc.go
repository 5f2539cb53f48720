// Package codec is how values of the domain are stored: Protocol Buffers of one schema
// (schema/member.proto), in a canonical form. Every room may import it.
//
//	codec.AppendMember(dst, m)  ─► bytes   fields by number, zero values left out
//	codec.DecodeMember(b, m)    ◄─ bytes   an unknown field is an error: nothing is dropped
//
// Equal values have equal bytes: no maps, one order. The codec is written by hand: the
// generated code takes twice the time and three times the allocations to decode a member
// (BenchmarkMember), before its fields are copied into the domain's. Tests hold every field
// against the generated code. What names, locates or authenticates a member is apart from
// the rest, in one message (Personal), so that it can be sealed as one.
//
// After a change of the schema:
//
//	go generate ./actors/domain/codec
package codec
