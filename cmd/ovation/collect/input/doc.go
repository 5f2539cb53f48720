// Package input makes actions of the rows of a file, as a mapping file says.
//
//	file ── unpacked, in UTF-8 ── rows: reader (lines), elements (JSON documents) ── mapper ──► File: Row by Row
//	                                         cells, by fieldPath                     names
//
// A file is read as a stream: of a document one row is in memory, whatever its size. A value of a row is what a
// column or a path into JSON has (fieldPath), or what an expression computes (expression, which is where rows are
// chosen, too).
//
// A Mapping is read from YAML and checked whole (compile) before a row is read. A bad row is a
// Row with an error and stops no other; no value of a row is in an error. The id of an action
// depends on its row alone, so that publishing twice counts once. A Mark names a place between
// actions, with a sum of the file up to it: Resume refuses a file that has changed before it.
//
// An Action has names in the places of ids; package collect fills them in and publishes it. A
// File belongs to one goroutine.
package input
