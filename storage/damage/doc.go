// Package damage notes what a Pebble store holds and cannot read, such as a block of a
// table whose checksum is wrong.
//
// Who reads it hears of it; nobody else does, and the store goes on. Compaction goes on
// beside it: Pebble leaves a table alone for five minutes that it could not read, but one
// of its newest level it tries again at once and for ever. Such tries are paced here.
// They are the store's end when writes have to wait for them, which nobody would see.
package damage
