// Command ovation is the engine and its tools in one binary. It is the only place
// that sees all rooms: it wires them, and gives operators their words.
//
//	            flags > OVATION_* > --config FILE > defaults
//	                               │ Config
//	serve, demo ──► the program: embedded log, store, actors, API
//	                               │ Admin
//	                          admin port: probes, metrics, status, pprof, management
//	                               ▲ loopback, or the token of --admin-token
//	app, key, status, accept-gap, verify ──┘
//
//	main.go         the commands, exit codes, signals
//	config.go       what a node can be told, and the check of it
//	configfile.go   the same from a YAML file
//	secrets.go      the installation's secrets: made once, never overwritten
//	kafkaaccess.go  TLS and passwords that brokers want
//	manage.go       the commands that ask the admin port, by package api/admin
//	collect*.go     publish a file or a made-up audience, by package collect
//	configcmd.go    config print, config validate
//	verify*.go      the commands verify and rebuild: begin a run, follow it, print it
//	dlq*.go         dead letters: list, show, replay, by package dlq
//	demo.go         a node, and an audience that the package demo plays on it
//	version.go      what was built
//	demo            an audience on a running node
//	verify          replays of the journal beside the node: verification, rebuild
//	tuning          --memory, the heap, malloc, huge pages: the process on its machine
//	arch_test.go    the architecture, held by a test
//
// Exit codes: 0 fine, 1 failed, 2 wrong use, 3 another node took this one's address.
package main
