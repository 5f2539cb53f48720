// Package admin is the admin port of a node: probes, metrics, status, profiles, and management
// of applications, keys, gaps, records and the jobs beside the node.
//
//	open to all   /livez /readyz /metrics /status /version, the console's pages, /console/session
//	by a session  /console/v1.1/
//	guarded       /debug/pprof/, /applications, /keys, /signing-keys, /gaps/accept, /records/set-aside, /nodes, /console/links, /console/sessions,
//	              /letters, /log-level, and each Job's path
//
// Guarded paths are for requests made on this machine, or with the token; one that a browser makes needs the session of
// an operator who is signed in to the console, which is at /console/session. No path answers a page of another site
// in a browser, or one that asks by a name of its own (Hosts). Errors are those of
// the API, by the table of api/problem, and never show their cause; what has one is logged.
// A Gate serves in place of the port while the node starts. A key is made here, shown once
// and in no other place: the catalog gets its SHA-256.
//
// Handlers run on net/http's goroutines and hold no state: Engine and Job must allow any.
// Client asks the port for the commands.
package admin
