// Package txtest has the State of a shard for tests: over a naive store in memory, with an outbox that is a
// slice.
//
//	childrentest.Run(t, func(kids *children.Children) {
//		a, b := txtest.New(t, kids, 0, 2), txtest.New(t, kids, 1, 2)
//		err := a.Do(r, func(t *tx.Tx) error { return registrar.Register(t, r, c) })
//		for _, o := range a.Take() {
//			// o.Forward is applied at b by hand
//		}
//	})
//
// What the store is asked "as of the last commit" it answers as of Commit. Reopen throws away what was staged since
// then, and loads the state again as a start does: the caller applies its log from State.Shard.Next on.
package txtest
