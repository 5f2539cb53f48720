// Package page holds keyset pagination: which rows are on a result page, and the cursor
// that a further page is asked for with.
//
// A Keyset is the list of one request; a list without one is paged by offset. A Cursor is
// the last row of a page with the range and the minute of the first page. A Sealer makes
// its opaque token and opens it for the same account, operation and parameters only.
//
// The package promises that a row whose key stays is on exactly one page while data
// arrives. A Keyset belongs to the goroutine of its request; a Sealer is for any goroutine.
// The operations of package api call it.
package page
