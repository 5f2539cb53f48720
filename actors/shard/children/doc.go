// Package children has the actors below a shard: one for each loaded member, and one for each brand
// with columns of its own. They run on the goroutine of their shard and have one message: a
// function that runs as the actor.
//
//	shard ──Do──► Child: F, on the same goroutine, before Do returns
//
// What is below it applies records and knows no actor. A panic of F stops the child and goes on in
// the caller, whose shard begins again from its store.
package children
