// Package streams answers questions that are asked again and again as server-sent events: the feed, and who comes onto a list.
//
// A Question says what is asked and what clients get of an answer. Streams opens a Stream of it: from a token, which is
// the id of an event, or from now. The token has one sequence a shard, sealed for the account, the question and the journal, so a
// stream goes on at any node. Readers of one question share its pages (package follow).
package streams
