// Package demo plays an audience on a running node: an account with brands, definitions and
// segments, members who register over the API, a year of actions published to Kafka as
// collectors do, and actions from now on.
//
//	Options.Audience ──► Play: account and key, catalog, members, the past, then live
//	                       └─► prints where everything is, and questions with their answers
//
// The answers are counted from the audience as it was made, not by the engine. Which audience
// is in a data directory, and its key, are noted in it before a node is opened there (Options.Claim), so that a
// later run goes on with the same people; a directory or a log that an installation has filled is refused. Every step may be repeated: a run that was cut off is taken up.
//
// A Generator gives the same actions to a collector, as a source of package collect.
//
// Play blocks until its context ends; it and the goroutines that it waits for are all there
// are. Only the commands demo and collect call it.
package demo
