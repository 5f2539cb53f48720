// Command structure prints what the packages of the project look like inside: the types that have
// methods promoted from embedded ones, and the files of a package that use each other in a circle.
// It judges nothing: a reader does, before and after a large change.
//
//	go run ./deploy/structure ./actors/...
package main
