// Package merging merges members, and takes merges back.
//
//	Merge, Unmerge  commands at the member that stays: the borrower
//	Lend            the steps between it and the lender, by the outboxes of their shards
//	Follow          what changed at a lender, or at a member with shadows, since
//
// The lender's shard copies rows to a shadow in the borrower's shard (domain/merge.go has the
// steps). A shadow is an ordinal with rows and one-time pairs of its own: what is stored of the two
// members is never mixed, and a merge that is taken back leaves nothing. As whose rows count is
// known in memory alone (brand/rows, Counted), and made anew at a start of what is stored: the
// loans of members and of shadows.
//
// Of a one-time action that several of a member and its shadows have, the earliest counts; the
// others are covered (cover.go).
//
// A lender may have shadows itself: what it lends are the rows that count as its own.
//
// Each record of a member that has part in a merge is followed by itself, so that what it sends does
// not hang on where a micro-batch ends (I6).
package merging
