// Package remedy has what an operator reads of what stopped, in status, in the log and at
// /readyz: the cause, the effect on everything else, and what to do, and
// the entry of the runbook.
package remedy
