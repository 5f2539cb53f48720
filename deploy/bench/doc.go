// Program bench measures one Ovation node on this machine and prints what it found
// as a table, with the machine named.
//
//	go run ./deploy/bench                 everything, about ten minutes on two cores
//	go run ./deploy/bench --quick         small sizes, about a minute: to see that it works
//	go run ./deploy/bench --only cost     one part: cost, questions, disk, memory, restart, peers
//	go run ./deploy/bench --only peers    beside DuckDB and ClickHouse on 10 M rows, in no other
//	                                      run: half an hour; with --quick on 1 M rows, five minutes;
//	                                      with --peer-keep DIR the next run need not load again
//	go run ./deploy/bench --json FILE     also writes what the table says, for the record
//	go run ./deploy/bench --vs PROGRAM    loads this checkout's program and another one in
//	                                      turn, and tells their ratio run by run
//
// Runs that are kept stand in runs/, named by date and machine.
//
// It builds the plain program, runs it as a child process with a directory and ports of
// its own, registers members over HTTP and publishes activities as Kafka records, as a
// network's collector does. Nothing in the child is special.
//
//	bench ──register──► HTTP  ┐
//	      ──publish───► Kafka ├─ ovation serve     /proc/PID/stat    CPU of all its threads
//	      ──ask───────► HTTP  │                    /debug/pprof      which stage took it
//	      ──/status───► admin ┘                    /proc/PID/status  resident memory
//
// # What the figures are
//
//   - CPU per activity: user and system time of the node from before the first record is
//     published until the last is committed, divided by the records. It is CPU and not
//     wall time, so that a busy machine changes it little. It is measured twice: with
//     the embedded log in the node, as installed, and with the same log in a process of
//     its own, so that the log's share needs no guessing. The stages come from CPU
//     profiles taken during the same runs: a sample belongs to the innermost of our
//     functions that it was taken in.
//
//   - Questions: the time of one request after another over one connection: about one
//     brand that has all rows, and about the account where as many rows lie with 17,632
//     brands, as many as the last.fm data set has.
//
//   - Disk: the store's families as the node tells them, the journal by reading its
//     batches; both after a restart and with no compaction due.
//
//   - Memory: resident, as the kernel counts it.
//
//   - Peers: the same questions about the same rows in this process, over HTTP, and in
//     DuckDB and ClickHouse, which pip fetches from PyPI by pinned versions into the user's
//     cache; answers are compared first, and a run fails where two differ (package peers
//     says what is fair). The engines are asked in turn, round by round, so that a
//     neighbour on the machine slows all of them. Beside it: what a poll costs that is
//     answered 304, and how long a tally takes at a steady pace of requests while
//     activities stream in, by the p99 of several spells, each next to an idle one.
//
//   - The yardstick: what a read at random costs on this machine at that moment. Most of
//     an activity's cost is waiting for memory, so figures of two runs compare where
//     their yardsticks do; on a busy machine use --vs.
//
// A run is deterministic by its seed but for the times of the activities, which end now.
// Medians are over the runs; beside them stand the least and the most.
package main
