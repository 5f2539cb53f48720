// Package client calls the API with Go values: the shapes of package wire, and
// errors with the contract's code.
//
//	c := client.New("http://127.0.0.1:8080", key)
//	brand, meta, err := c.CreateBrand(ctx, client.Params{"name": "The Moons", "type": "Music"})
//	tally, _, err := c.At(meta.Position).StatsActivity(ctx, brand.ID, client.Params{"period": "1 Month"})
//
// At gives a client whose requests are answered once a position is applied: what
// was written is then seen. A Client is a value that never changes; any goroutine
// may use it. It retries nothing: a write that gets code 11 is retried by the
// caller with the same Idempotency-Key.
package client
