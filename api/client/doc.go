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
// A Client is a value that never changes; any goroutine may use it. It retries nothing: a write that gets
// code 11 is retried by the caller with the same Idempotency-Key.
package client

//go:generate go run ./generate
