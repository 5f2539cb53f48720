// Package api answers the contract's HTTP interface from the engine.
//
//	request ─► route ─► key ─► plan ─► body ─► bind ─► operation ─► write
//	            5 6     1 2    9       14 17   3 4     5 16 15 7…
//	                                                   │        ▲
//	                                        Submission ▼        │ Outcome, Answer
//	                                                   Engine (ports.go)
//
// The numbers are the codes of the contract, in the order it checks: what comes
// first in the picture is what a request with several faults is told.
//
// Every operation stands in the one table of operations.go: method, path, input
// struct, handler. The input struct says how parameters are read and how
// /openapi.json describes them; the handler gets it bound and gives a shape of
// package wire, or an error. One place writes answers (answer.go) and one table
// turns errors into statuses (package problem).
//
// What is promised: nothing that is random, hashed or read from a clock is left to
// whoever applies a command; it is made here, before the submission (I6). An
// answer is not begun before its question is whole, so no answer is ever half an
// error. Parameters of the contract that this version cannot honour are refused
// where they would change a number, and named in a Warning where they would only
// add to an answer. No parameter, key or token is logged.
//
// What is not: the API keeps no state but counters, a cache of a list's order, and what
// polls are answered by.
// An *API may be called by any goroutine, and may run beside others on the same
// engine.
//
//	operations.go  the list of all operations     bind/     parameters
//	api.go         the handler, in its order      route/    paths
//	call.go        one request on its way         problem/  errors
//	answer.go      headers, ETag, body            wire/     JSON shapes
//	stats.go       what it counts                 client/   typed client
//	recall.go      polls answered from memory, and what an operation promises for it
//	openapi.go     /openapi.json: openapi_input.go what is sent, openapi_shape.go what is answered,
//	               openapi_texts.go its texts, fields.tsv what each field holds, examples/ an answer each
//	pages.go       what needs no key: the document, keys, what errors mean
//	page/          pages by keys, cursors
package api
