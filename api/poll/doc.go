// Package poll answers a conditional GET without making its answer again.
//
// The response cache keeps of an answer not its body but what it was made of: the tag, the
// versions before anything was read, the read set, the ranges by the clock, the links. A
// poll is answered from it where the account's catalog, the ranges and the read set are
// unchanged. The read set is complete without discipline of the handlers: they read through
// a Recorder, which implements the whole Engine.
//
// What makes the body of a cached answer must be its parameters, the base of addresses, its
// application, its account's catalog, what it read of the engine, and the clock by the
// ranges of Clock alone; a range shows in the body by links alone, or by days where the
// question's shape has days. An answer that reads what has no read set is not cached.
//
// A Cache may be called by any goroutine; a Request belongs to the goroutine that serves it.
package poll
