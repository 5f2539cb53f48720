// Package bloom has a filter that grows: it answers "certainly not there" for actions and
// one-time pairs of members. One goroutine.
package bloom
