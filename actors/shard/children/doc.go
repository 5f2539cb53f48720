// Package children has the actors below a shard: one for each loaded member, and one for each brand
// with columns of its own. They run on the goroutine of their shard and have one message: a
// function that runs as the actor.
//
//	shard ──Do──► Child: F, on the same goroutine, before Do returns
//
// The packages that apply records import no actor library. A panic of F stops the child, and Do panics with its
// cause and stack: the shard starts again from its store.
package children
