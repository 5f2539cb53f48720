// Command ovation is the engine and its tools in one binary. It is the only place
// that sees all rooms: it wires them, and gives operators their commands.
//
//	            flags > OVATION_* > --config FILE > defaults
//	                               │ Config
//	serve, demo ──► the node: embedded log, store, actors, API
//	                               │ admin.Engine
//	                          admin port: probes, metrics, status, pprof, management
//	                               ▲ loopback, or the token of --admin-token
//	app, key, node, status, accept-gap, set-aside, verify, rebuild ──┘
//
//	main.go         the commands, signals; exits.go the exit codes
//	grammar.go      what the command line is, with examples; environment.go warns of misspelt variables
//	serve.go        a node; demo.go one with an audience, demonodes.go several
//	admin.go        the client of the commands that ask the admin port; follow.go of those that follow a run there
//	publishing.go   what collect file and collect generator publish with
//	letters.go      which dead letters dlq list, show and replay are about
//	export.go       what export actions and export members have in common
//	harmless.go     what strangers wrote, as a terminal may show it
//
// Every other command has a file of its own, that of app create is appcreate.go; a group, such as app, has one that
// lists its commands. arch_test.go holds the architecture.
//
// What the commands do is in packages below:
//
//	node            a node: every room wired, its ports, its start and its end
//	config          the configuration of a node: flags, a YAML file, what its files hold
//	secrets         the installation's secrets: made at the first start, changed only by a rotation
//	files, size     small files of operators, private ones; numbers of bytes
//	build           what the binary was built from
//	tuning          --memory, the heap, malloc, huge pages: the process on its machine
//	status          /status and the metrics
//	bundle          an archive for support
//	systemd         what systemd learns of a node that it runs
//	accesslog       the access log's file
//	geoip           where addresses are, by a file
//	verify          replays of the journal beside the node: verification, rebuild
//	demo, audience  an audience that is played on a node
//	supervisor      processes that are kept running and end together: the nodes of demo --nodes
//	export          files for a warehouse
//	collect, dlq    publishing to the public topic, dead letters
//	e2e             tests of the binary
package main
