// Package kafka runs one Apache Kafka 4 for tests: broker and controller in one
// process, on loopback, from the published jars that pom.xml names. The script run does
// the work and is of use by itself; this package is run for a Go program.
//
//	Start ─► run start ─► java kafka.Kafka      PORT    clients, no password
//	                          │                 PORT+1  the controller
//	                          │                 PORT+2… one port for each of Listeners, and of StartBehind
//	                        DIR/data            survives Kill and Restart
//
// The broker ends with the process that started it, even if that is killed.
//
// Needs a JDK of 17 or newer, Maven and bash. The jars, 46 MB, come through Maven's own
// local repository; the first start downloads what is not there.
//
// A Broker may be used by any goroutine, Kill, Restart and Close by one at a time.
package kafka
