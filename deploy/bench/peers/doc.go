// Package peers puts the same rows before this engine, DuckDB and ClickHouse, and asks all
// three the same questions.
//
//	Scene ── members and rows by seed ─┬─► Engine      brand, member and query/shape of actors, in this process
//	                                   ├─► rows.csv ─► serve.py: DuckDB and ClickHouse, one table each
//	                                   └─► Activity    for a node, by Kafka
//
//	Question ──┬─► Engine.Answers    ─► Answer ┐
//	           ├─► Request, Read      ─► Answer ├─ must be equal, to the last row
//	           ├─► DuckDB(q) SQL      ─► Answer │
//	           └─► ClickHouse(q) SQL  ─► Answer ┘
//
// # What is fair
//
// The peers get one table sorted by brand and time, with what our engine looks up beside
// its rows written into theirs: the member's country and whether it pays, the
// definition's service and points, and the texts of the content in one column. Members
// are numbered densely in the order of their ids, so that peers hash four bytes. Each
// peer runs in its own best form: a question has several statements, all are tried, all
// must give the same answer, and the fastest counts. ClickHouse's time is the one that
// it tells itself, without the way to Python; DuckDB's is taken around the call. Both run with as many
// threads as there are cores, warm, with their result caches off.
//
// Our engine's time is of what a node's workers and merge do for a question: selecting
// the members, scanning eight shards by two workers, and merging. It has no actors and
// no HTTP in it; the bench measures these through a node.
//
// A Scene belongs to one goroutine while it is made; any may read it then. An Engine and a
// Server answer one question at a time.
package peers
