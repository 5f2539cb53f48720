// Package harness runs ovation serve as a child process: the end-to-end tests and the bench
// share it.
//
//	Process  a child with the last lines of its log and a line to wait for
//	Node     ovation serve on a data directory: start, stop, kill, start again
//	Proxy    what is between a node and Kafka, or its clients: it breaks, cuts and delays
//	admin    /status, accounts and anything else of the admin port
//	proc     CPU, memory and files of a process, as the kernel counts them
//
// Addresses are chosen by the child at each start and read from its log. A Node belongs to
// one goroutine; between Start and Stop any goroutine may ask its ports. Every call returns
// errors and ends with its context.
package harness
