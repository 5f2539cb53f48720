// Package format turns what a store keeps into bytes and back: keys, values, and the merge
// operator that joins the operands of one key. It opens no store and reads no disk.
//
//	keys.go slots.go           every key, in byte order; how much time a key spans
//	values.go                  every value, drawn; the cursor that reads them
//	rows.go rowparts.go        R: rows in columns
//	contents.go contentread.go C and c: contents in blocks; contentjoin.go joins them
//	actions.go block.go        t and T: a member's actions in blocks
//	erased.go                  whose rows a merge of t leaves out
//	bits.go columns.go         b and a: bitmaps and columns of members' attributes
//	counts.go                  n and u: row counts, hits
//	records.go                 everything that is one record a key
//	visits.go                  v: places of visits; the facts of visits
//	notices.go                d: notices of deletions, erasures and merges
//	memberships.go             g and h: who came onto lists and left them, the lists that are followed
//	webhooks.go                w: the progress of webhooks
//	state.go origins.go        a shard's state
//	catalog.go                 the catalog's entities and state
//	pack.go                    packed columns of integers
//	merge.go                   the merge operator; one form of what values of equal meaning say
//	statehash.go               the state hash and its marks
//	text.go                    keys and values as text, for operators
//
// Promised: every value begins with a version byte, and an unknown version is an error. Bytes
// that cannot be read are an error (ErrDamaged), never a panic, and take memory only as they
// are long. What merged operands mean does not depend on how Pebble groups them.
// testdata/formats has a golden example of each key and value.
//
// Codecs and writers are scratch of one goroutine; functions may be called by any.
package format
