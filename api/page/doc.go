// Package page makes result pages: which rows are on one, the addresses of the pages beside it, and the cursor that a
// further page is asked for with.
//
//	Paged, Explaining   the parameters that ask for a page
//	List                the list of one request: its Keyset, its Links, the actions that an answer explains
//	Keyset              a list that is paged by keys; a list without one is paged by offset
//	Cursor              the last row of a page, with the range and the minute of the first page
//	Sealer              makes the opaque token of a Cursor, and opens it for the same account, operation and parameters only
//	FeedRow             the row of a Cursor of actions, which outlasts a handover or says that it does not
//
// A row whose key stays is on exactly one page of a Keyset while data arrives. All pages are computed at the time of
// the first one, where the list depends on the clock.
//
// What the package takes of a request is a port (Request). A List and a Keyset belong to the goroutine of their
// request; a Sealer is for any goroutine. Package serve continues lists, the operations of package api page them.
package page
