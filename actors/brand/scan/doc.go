// Package scan answers questions from the rows of an account in one shard. NewPlan prepares a question
// once for all shards; an Ask is the plan with what one shard adds; Scratch.Answer reads a rows.View
// and gives the shard's part of the answer, exactly. A Scratch is the memory of one worker: it grows
// with what it is asked and its owner pools it. Rows that are on disk only are read through the
// Source of the Ask.
//
// # Counting
//
// Rows under a filter, or with deleted ones among them, are gathered first, without a branch. Few
// rows are counted by a mask a member, many by a bitset a group, and more than 64 groups by putting
// the rows in group order. A timeline counts day by day with marks that carry the day. A count by a
// value of the members (country, gender, day of birth) counts rows by member before it looks up the
// values, unless they are few. Newcomers are a tally's members without those that have a row before
// the range.
//
// Leaders sum points and actions by ordinal, both in one word that is emptied before it could
// overflow, then rank the members met, or all where many were; the latest action of those on the page
// is searched backwards in time, on disk too, until none of them can have a later one. A crossover counts own sets
// one by one by a bitset. Of the small-brand pool it puts all rows in brand order, since the count of
// each brand in each chunk is known, and marks a member with the number of the last brand that it was
// met at; where few rows pass the filter, it gathers these first.
//
// # Visits
//
// Registrations and logins are counted as actions are: by tallies, timelines, leaders, feeds. What
// differs is how a kind becomes a group (visits.go): its definition names a place of the shard, whose
// domain and page the Ask has. A count by domain puts rows in order of (domain, registration or login),
// so that one pass gives visits, registrations and members of each. In a ranking a registration is a
// point. Parts name domains by text: places are numbers of one shard.
//
// # Feeds
//
// A feed counts its rows as a tally does, without reading those of chunks and tails that belong to it
// as a whole, and finds the first of them apart: it walks tails and chunks from the end that it begins
// with, keeps twice as many rows as are wanted, and from then on skips every chunk, and the rest of
// every chunk, that cannot have one before the last of these. Rows on disk are counted by their outlines
// where all of them pass; then those of the page are read, a part of the time after the other. Where what
// a row says decides, each of the range is read once, to count and to find. A listing of each member's
// latest in another order, and one with a keyword, reads every row. A keyword is searched in the contents of the
// brand at those times, and then in the rows for those that have it, where many rows pass everything
// else; else in the contents of the rows that pass.
//
// After a cursor the walk begins at the cursor's second; what is ahead of it is counted, or its
// members are noted. In order of recording, the sequences of a moment are found by reading when a few
// rows were recorded: a row is recorded when it takes its sequence, by its shard's clock, which never
// goes back. Of rows on disk the outlines tell which may be of that moment. A page far down is found by a
// rank histogram.
//
// # Performed
//
// Which members performed one of some actions, and every one of others, is answered apart from what
// is counted. Each required action has a bit, and a member a word: 64 of them take one pass.
//
// # Cancellation
//
// A question asks before every stretch of at most 65,536 rows whether it was cancelled. Then it skips
// what is left, clears its scratch and gives ErrCancelled.
//
// # Who may call
//
// Plan, Directory and Performed never change: any goroutine. Scratch: one goroutine at a time; after a
// panic it is discarded.
package scan
