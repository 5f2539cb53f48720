// Package domain is the language of Ovation: the values that cross the walls
// between the rooms, and nothing that does anything with them. It imports the
// standard library alone.
//
//	ids.go        accounts, brands, definitions, members, actions, slots
//	service.go    the networks a member can come from
//	record.go     one record of the journal: activity, forward or command
//	command.go    what the HTTP side and the shards ask of a shard
//	catalog.go    accounts, applications, keys, brands, definitions
//	member.go     a member and its service records
//	identity.go   the 128-bit names under which a member is found
//	action.go     rows: what a member did, once
//	visit.go      registrations and logins: rows of brand 0
//	change.go     what applying a record changes; the store writes it
//	reason.go     why a record became a dead letter
//	repeat.go     the months in which a repeat is looked for
//	segment.go    segments of members and their rules
//	webhook.go    addresses that are told what happens; delivered.go: how far that came
//	question.go   what can be asked about activity, and the mergeable answers
//	visitquery.go what can be asked about registrations and logins
//	readset.go    what an answer is made of
//	ranking.go    members by score, brands by members; rankhistogram.go: how deep rows lie
//	summary.go    what each of a few members did
//	feed.go       actions in order; contentsearch.go: a keyword in their contents
//	demography.go age bands, genders; region.go: regions
//	period.go     ranges of time, months, days
//	position.go   what has been applied: the token of X-Position
//	page.go       what one read of a log gives
//	gap.go        a log that is not the one that was read before
//	error.go      code, public message, private cause
//
// Values of this package carry no behaviour that depends on a clock, on chance
// or on the order of a map: what is computed here is the same on every node
// (I6).
package domain
