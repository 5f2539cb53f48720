// Package status shows a running node: /status as a value, and the same and more as metrics.
//
//	Source.Read ──► Node: engine, store, embedded log, the last verification and rebuild
//	Register    ──► the node's metrics, made when they are asked for
//
// It reads what the rooms count and keeps nothing. The JSON names and the metrics are read by
// operators' tools: a name is never used for something else. A metric that a verification or
// the embedded log would give is absent where there is none. Any goroutine may call it.
package status
