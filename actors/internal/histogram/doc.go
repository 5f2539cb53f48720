// Package histogram counts how values are spread, for metrics: by upper bounds that never change.
//
// Any goroutine may observe and read. A reading is not of one moment: what is observed meanwhile may be in a part of it.
package histogram
