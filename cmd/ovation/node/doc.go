// Package node is a node of an installation: every room wired to the others, its ports, its start and its end.
//
//	Open ─► memory, addresses, admin port ─► secrets, logs, stores ─► actors, layout, data keys ─► API
//	Run  ─► serve until the context ends or something fails, drain
//	Close   what was opened, in the opposite order
//
//	steps.go       the steps of Open, in their order
//	open.go        the steps that open stores, actors and the API; openlogs.go the logs, openkeys.go the data keys
//	run.go         serving and draining
//	node.go        what a node has open
//	logs.go        the logs as the actors need them; adapters.go the stores and the engine: the rooms do not know each other
//	join.go        the node among those of its installation: its id, and what the list says of it
//	management.go  the node as the admin port needs it; adminport.go that port
//	webhooks.go    what sends the events of webhooks
//	publicport.go  what the API's port has open: certificate, access log, locations, networks
//	datakeys.go    the data keys and the slot keys that wrap them
//	tracing.go     where spans go
//	retention.go   how long the logs have what was published, and when files give up what was deleted
//
// Where Open fails, all that it opened is closed again; what remains are folders in --data. While it waits, for
// a disk with room, a broker or a catalog, the admin port says for what. A Node that is open is called by one
// goroutine; its rooms are for any, as their packages say.
//
// The rooms are exported for the demo, which plays on them, and for tests that wire a node to other logs and disks:
// they fill in what Open opens and take the steps from OpenActors on themselves.
package node
