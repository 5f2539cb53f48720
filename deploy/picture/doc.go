// Command picture draws the diagram of README and of the guide Concepts: how a record and a question go through the
// program. It writes an SVG with no script and no outside reference, in the colours of the page's scheme.
//
//	go run ./deploy/picture > api/docs/overview.svg
//
// The picture is committed; this package's test makes it again and compares. Change it here.
package main
