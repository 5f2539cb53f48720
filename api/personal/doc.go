// Package personal seals what names, locates or authenticates a member, and opens it again.
//
//	engine ─► Engine.Member, Engine.Show ─► opened members ─► handlers
//	handler ─► Sealer.PutVisit(key, details) ─► domain.Sealed ─► command
//	handler ─► Sealer.Put(member, personal) ─► domain.PersonalPut ─► command ─► log
//
// A member's personal part is one message under one data key (port.Keys). Only this package
// opens it: the log, the shards and the store hand on sealed bytes. A command carries the whole
// part and the version that it was made of; a shard whose member has another version by then
// answers Again, and the handler makes the command again.
//
// Where a visit came from (domain.VisitDetails) is a message of its own, sealed under the member's data
// key when the command of the visit is made, and opened where the visit is shown (Engine.Show). In clear
// beside it are domain, page, country and device: questions count and filter by them in every shard,
// which opens nothing.
//
// What lists and feeds show is cached opened, as long as its data key is there (opened.go): handlers
// read it only.
//
// A data key is durable before the command is submitted whose part it seals. Any goroutine may
// call the package.
package personal
