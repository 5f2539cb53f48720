// Program bench measures one Ovation node on this machine and prints what it measured as a
// table, with the machine named.
//
//	go run ./deploy/bench                 cost, questions, disk, restart: about ten minutes on two cores
//	go run ./deploy/bench --quick         small sizes, about a minute: to see that it works
//	go run ./deploy/bench --only cost     one part, or some by comma
//	go run ./deploy/bench --binary FILE   a given program, not one built from this checkout
//	go run ./deploy/bench --vs FILE       the cost of this checkout's program and of another in turn
//	go run ./deploy/bench --json FILE     also writes the figures as JSON
//	go run ./deploy/bench --deadline 1h   of each part: beyond it the run fails and says what it waited for
//
// Runs that are kept are in runs/, named by date and machine. The parts:
//
//	cost       CPU of an activity; --profiles DIR keeps profiles of it (make pgo)
//	questions  the questions about --rows rows over HTTP, 24 statistics of the largest brand among them
//	disk       bytes of an activity
//	restart    time until a node with --rows rows is ready again
//	api        CPU of requests that scan nothing, and of polls that are answered 304
//	load       a steady load: --rate, --questions, --for, --warm, --log embedded|kafka
//	peers      the questions again, beside this engine in this process, DuckDB and ClickHouse;
//	           for 10 M rows --rows 10000000 --members 1000000 --memory 4GiB, half an hour
//
// It builds the program as make build does without a profile, runs it as a child process with a
// directory and ports of its own (package harness), registers members over HTTP and publishes
// activities as Kafka records, as a network's collector does. Nothing in the child is special.
//
//	bench ──register──► HTTP  ┐
//	      ──publish───► Kafka ├─ ovation serve     /proc/PID/stat    CPU of all its threads
//	      ──ask───────► HTTP  │                    /debug/pprof      which stage took it
//	      ──/status───► admin ┘                    /proc/PID/status  resident memory
//
//	population  the account, its records and the mix of the load
//	publish     as fast as the node takes it, or at a steady pace
//	stages      CPU profiles by stage        load     the steady load
//	peers       rows, questions, DuckDB, ClickHouse, and the engine in this process
//	report      spreads, latencies, the table
//
// # What the figures are
//
//   - CPU per activity: user and system time of the node from before the first record is
//     published until the last is committed, divided by the records. A busy machine changes it
//     less than wall time. It is measured twice: with the embedded log in the node, as
//     installed, and with the same log in a process of its own. The stages come from CPU
//     profiles taken during the same runs.
//
//   - Questions: one request after another over one connection, in rounds. The first brand
//     has 18 % of the rows, the others share the rest; there are as many as the last.fm data
//     set has artists.
//
//   - Disk: the store's families as the node reports them, the journal by reading its batches;
//     both after a restart and with no compaction due.
//
//   - Load: an open loop (package load). The run fails if the node has not counted each
//     activity once.
//
//   - Peers: pip fetches DuckDB and ClickHouse by pinned versions into the user's cache.
//     Answers are compared first, and a run fails where two differ (package peers says what is
//     fair). All are asked in turn, round by round.
//
//   - The yardstick: what a read at random costs on this machine at that moment. Most of an
//     activity's cost is waiting for memory, so figures of two runs compare where their
//     yardsticks do; on a busy machine use --vs.
//
// A run is deterministic by its seed but for the times of the activities, which end now.
// Medians are over the runs; beside them are the least and the most.
package main
