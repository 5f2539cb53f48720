// Package api is the contract's HTTP interface over the engine: the table of operations
// (operations.go) and New, which wires the resources.
//
//	brands/ activities/ segments/ members/ feed/ stats/ logins/ applications/   handlers, a package a resource
//	registration/ profile/ merging/ erasure/ export/   handlers that register members, log them in, change, merge, erase and
//	            export them
//	selection/  parameters become the filter of a question
//	serve/      the pipeline of a request, and the Request that a handler gets
//	poll/       response cache: conditional GETs without making the answer again
//	page/       pages by keys, cursors, links        port/       what is needed of the engine
//	bind/       parameters                           route/      paths
//	token/      jwt and access tokens of members
//	problem/    errors                               wire/       JSON shapes
//	openapi/    /openapi.json                        docs/       /docs: the guides, the document as a page
//	client/     typed client                         avatar/     pictures of members
//	transport/  the API's port: TLS, HTTP/2, limits  compress/   gzip and zstd
//	personal/   sealed parts of members              envelope/   a member as answers show it
//	node/       the Extended node of members         extended/   conditions on it, and its order
//	credentials/ passwords                           networks/   tokens at the networks
//	admin/      the admin port
//	follow/     readers of a stream share its pages          webhooks/   who gets actions sent; below it what
//	            signs, sends and repeats them
//
// What is promised: nothing that is random, hashed or read from a clock is left to the
// application of a command; it is made here, before the submission (I6). Parameters of the
// contract that this version cannot honour are refused where they would change a number, and
// named in a Warning where they would only add to an answer.
//
// What is not: the API keeps no state but counters, a cache of a list's order, and the
// response cache. An *API may be called by any goroutine, and several may run on the same
// engine.
package api
