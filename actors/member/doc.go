// Package member is what a member does with a record: the pure core of the member
// actor. It knows no clock, disk, actor or goroutine.
//
//	state.go     a member in memory
//	judge.go     is the time of an activity acceptable
//	record.go    an activity: repeat, conflict, one-time, or a new row
//	delete.go    an action taken out: its hash, or its one-time pair, stays closed
//	register.go  a registration: a new member, or one met again
//	claims.go    the identities a registration needs, and waiting for them
//	password.go  a password given for an address that has one
//	login.go     a login
//	visit.go     the row of a registration or a login
//	opts.go      opting in and out
//	filterable.go  what of a member is filtered by, as bits and columns
//	audience.go  the same facts of all members of an account, as questions read them
//	select.go    which of them pass a question's filter
//	countryindex.go  where on a page of countries the members of each are
//	presence.go  of which records, opt-ins and fields they have one
//
// Every function that changes something appends domain.Change values to a slice it
// is given and returns it: the caller stages them in the store and follows them in
// memory. What is decided depends on the record, the state and the history handed
// in, on nothing else (I6).
//
// # Any order
//
// Activities that carry their time give equal facts in whatever order and however
// often they come (I9). Repeats are found by the hash of (source, id), compared
// within the member: with the actions of the month of the activity's own time, of the
// month of the shard's clock at its record, and of the one before (domain.RepeatMonths).
// An activity that carries its time is thus known for ever. One without a time gets the
// log's: repeated after more than two months it counts again. Under another time an id is
// known where its action lies in one of these months. Of the actions for a one-time definition and brand that with
// the smallest (time, hash) counts: an earlier one that comes later takes the
// place, and the row that loses it keeps only its hash. A delete of the one that counts
// closes the pair, whichever of its actions had come by then.
package member
