// Package lists decides who comes onto the followed lists of segments, and who leaves them.
//
//	Follow                  begins a list, or gives it another rule: the rows that there are are counted
//	Added, Returned, Taken  a row counts for a member, or counts no more
//	Bit                     a member opts in or out, comes to be, or is no more
//	NewHour                 the clock is in another full hour: rows leave the rule's period, or come back into it
//	Decide                  the memberships that follow, each under the sequence of the action that made it, or else a new one
//
// Who is on a list is a function of the rows, the opt-ins, the rule and the full hour of the shard's clock (I6). Lists keep in
// memory how many rows each member has that the rule counts, 4 bytes a member, and a bit a member: who is on the list as
// memberships have told. Nothing of it is stored: a start counts the rows again. An action of a definition that no list
// counts costs one look-up.
//
// A rule with a period counts rows from the period before the last full hour on. An action that is later than now counts as
// soon as it is applied.
//
// A micro-batch has no part in what is decided: an action of a group decides under its own sequence, as if it were applied
// alone. What a command decides comes after it, ordered by member and segment.
//
// Lists belong to the goroutine of their shard.
package lists
