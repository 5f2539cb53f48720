// Package table writes rows of a table to files that a warehouse loads: NDJSON, CSV or Parquet.
//
//	Table    names its columns, in order, each with a Kind; a personal one is left out unless it is asked for
//	Row      has a Value a column
//	Part     is a file on its way: Append rows, then Finish gives it its name
//
// A part is written under a draft's name. Finish syncs it, renames it and syncs its folder: a file with a part's name is
// whole. A draft of a process that was killed is overwritten by the next one of that name.
//
// How a value is written:
//
//	          NDJSON                      CSV                           Parquet
//	Text      a string                    as it is, quoted at need      BYTE_ARRAY (STRING)
//	Number    a number                    decimal                       INT64
//	Time      "2026-05-01T10:00:00Z"      2026-05-01T10:00:00Z          INT64 (TIMESTAMP, milliseconds, UTC)
//	JSON      the value                   its text                      BYTE_ARRAY (JSON)
//	null      null                        an empty field; a text
//	                                      without letters is ""         null
//
// A text of a CSV file that a spreadsheet would take for a formula has an apostrophe before it, unless Options.Raw; a
// NUL, at which loaders stop, is U+FFFD there in any case. The other formats hold every text as it is.
//
// A writer keeps at most FlushRows rows or FlushBytes bytes of them in memory. A Part belongs to one goroutine.
package table
