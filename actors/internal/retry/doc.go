// Package retry has the state of an operation that is retried until it succeeds: what status
// and log say of it meanwhile, and how long the next attempt waits.
package retry
