// Package merging merges members, and takes merges back.
//
//	request ─► MergeMembers ─► log ─► … ─► outcome ─► the survivor, united
//
// Whether the two may be merged is judged where the command is applied: the outcome is remembered for
// a day, so a repeat with the same Idempotency-Key changes nothing, also one that would be refused by
// now. A merge is complete, and visible at the position of the answer, before it is answered. Any
// goroutine may call the package.
package merging
