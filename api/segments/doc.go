// Package segments answers the operations on segments: lists with the number of members,
// one, create, edit, delete. Whether a segment is there is judged where a command is
// applied, which also knows the outcome of a repeat. A handler runs on the goroutine of its
// request and keeps no state.
package segments
