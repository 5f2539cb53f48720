// Package feed answers the feed and its stream, and renders actions as feeds show them for the resources
// that show actions. Content and members are read at the position of the question or after
// it. Functions run on the goroutine of the request and keep no state.
package feed
