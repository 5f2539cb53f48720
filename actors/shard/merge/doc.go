// Package merge merges members, and takes merges back.
//
//	Merge, Unmerge  commands at the member that stays: the borrower
//	Lend            the steps between it and the lender, by the outboxes of their shards
//	Follow          what changed at a lender, or at a member with shadows, since
//
// The lender's shard copies rows to a shadow in the borrower's shard (domain/merge.go has the
// steps). A shadow is an ordinal with rows and one-time pairs of its own: what is stored of the two
// members is never mixed, and a merge that is taken back leaves nothing. For whom the
// rows of an ordinal count is kept only in memory (brand/rows, Counted); a start rebuilds it from the stored
// loans of members and shadows.
//
// Of a one-time action that several of a member and its shadows have, the earliest counts; the
// others are covered (cover.go).
//
// A lender may have shadows itself: what it lends are the rows that count as its own. Of records it
// sends on those that changed, one by one, of itself and of the members merged into it (record.go).
// The lender's shard decides whether a chain may have one merge more (domain.DeepestMerge): no member is merged
// into one that lends.
//
// What is sent is a function of the journal alone: never of what is still in memory, of what a start
// rebuilds, or of where commits are.
//
// Each record of a member that has part in a merge is followed by itself, so that what it sends does
// not hang on where a micro-batch ends (I6).
//
// Operations are methods of a Merger that take a tx.Tx. Follow is a tx.Follower: a Flush calls it with what it
// staged. SendLent is called after each record of a member that has part in a merge. Whether a command's member is active is asked before it is called.
//
// DESIGN.md has the ways that were not taken, and a walk through each failure.
package merge
