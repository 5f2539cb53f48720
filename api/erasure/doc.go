// Package erasure erases members, and gives receipts of it.
//
//	request ─► EraseMember ─► log ─► outcome: when, and from which offset on ─► receipt
//
// Whether the member is there, and whether the request is a repeat, is judged where the command is
// applied: the outcome is remembered for a day, so a repeat with the same Idempotency-Key gets the
// same receipt, until another key signs. The time by which the last bytes are gone is of the first
// request and in its record: settings of topics may have changed since. Any goroutine may call the
// package.
package erasure
