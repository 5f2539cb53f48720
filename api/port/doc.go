// Package port holds the interfaces that the API needs of the rest of the program: the
// engine, a state of the catalog, the keyed hashes. The program implements them over the
// actors; package poll implements Engine once more, to record what a request reads. Any
// goroutine may call an Engine and a Hasher; a Catalog never changes.
package port
