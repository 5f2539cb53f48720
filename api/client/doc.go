// Package client calls the API with Go values: an operation is a type whose fields are its parameters,
// its answer a shape of package wire, and an error has the contract's code.
//
//	c := client.New("http://127.0.0.1:8080", key)
//	brand, meta, err := client.Do(ctx, c, client.CreateBrand{Name: "The Moons", Type: "Music"})
//	tally, _, err := client.Do(ctx, c.At(meta.Position), client.GetBrandActivityStats{BrandID: brand.ID, Period: "1 Month"})
//
// Values are texts as the contract has them, such as "1 Month" and "DE,FR"; numbers, ids and switches are
// Go's. A field with its zero value is not sent: More has parameters that are given empty, and those that no
// field has, such as custom_ fields of a brand.
//
// At gives a client whose requests are answered once a position is applied: what was written is then seen.
// A Client is a value that never changes; any goroutine may use it.
//
// # Several addresses
//
// An installation of several nodes is asked by all their addresses:
//
//	c := client.New("http://a:8080", key, "http://b:8080", "http://c:8080")
//
// A client begins at one of them, drawn by New, and keeps to it while it is well, as do the clients derived from it.
// A request is asked of each address once at most:
//
//   - of the next one where a connection breaks, where the node answers 503 with code 11 (unavailable), or where a proxy
//     without a node answers 5xx. Other answers are final. An export is asked of the next only before its first byte.
//   - A read (GET) that has no answer after 250 ms is asked of the next one too; the first answer counts and the other
//     request is cancelled. At most a tenth of the reads is asked twice, so that slow questions do not load every node.
//     Where slow reads have spent that tenth, a read that has waited for a second is asked of the next one all the same,
//     twice for each address in all, and later reads make up for it.
//   - An address that was overtaken twice is asked last for 10 s; then one request probes it. Reads and commands that
//     wait for it go on to an address that has answered in time since.
//   - A command (POST) has one Idempotency-Key at all addresses, made here where the caller gives none: it counts once.
//
// The error of a request that no address answers is the last refusal of a node, else that of the connection. Of another
// node a read may see less than was written: At closes that gap. With one address nothing is repeated; a command that gets
// code 11, also of all addresses, is repeated by the caller with its Idempotency-Key.
package client

//go:generate go run ./generate
