// Package applications answers the operations on the application of the key: what is known of
// it, and its allowlist of domains, whose pages may read answers (package serve, cors.go). A
// handler runs on the goroutine of its request and keeps no state.
package applications
