// Program bench measures one Ovation node on this machine and prints what it found
// as a table, with the machine named.
//
//	go run ./deploy/bench                 everything, about ten minutes on two cores
//	go run ./deploy/bench --quick         small sizes, about a minute: to see that it works
//	go run ./deploy/bench --only cost     one part: cost, questions, disk, restart, load, peers
//	go run ./deploy/bench --only load     a steady load, in no other run: 10,000 activities and 50
//	                                      questions a second for a minute; --rate, --questions, --for,
//	                                      --log embedded|kafka|both, --verify
//	go run ./deploy/bench --only load --rate 20000 --questions 10 --for 1h --memory 8GiB
//	                                      an hour, told every five minutes
//	go run ./deploy/bench --only peers    beside DuckDB and ClickHouse on 10 M rows, in no other
//	                                      run: half an hour; with --quick on 1 M rows, five minutes;
//	                                      with --peer-keep DIR the next run need not load again
//	go run ./deploy/bench --json FILE     also writes what the table says, for the record
//	go run ./deploy/bench --vs PROGRAM    loads this checkout's program and another one in
//	                                      turn, and tells their ratio run by run
//
// Runs that are kept stand in runs/, named by date and machine.
//
// It builds the program as make build does, runs it as a child process with a directory and
// ports of its own, registers members over HTTP and publishes activities as Kafka records,
// as a network's collector does. Nothing in the child is special.
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
//   - The steady load: an open loop. Each activity, probe and question has a time when it is
//     due, and its latency counts from then: what waits because something before it took
//     long is not left out. Activities carry the time when they were due. Durable is until
//     the log has acknowledged one. Visible is until a question that needs it has answered
//     it: probes, activities of one member in each shard among all others, are asked for
//     every millisecond from when they are durable, of their shard alone, and how far the
//     asking itself makes that unsure is told beside it. CPU is the node's with all it
//     answers; what of it answering took is by profile, of ten seconds in each interval.
//     Figures begin after --warm, and the producer sends one request for all partitions, as
//     Apache Kafka's own does. Histograms are HdrHistogram's, to three figures. Store and
//     log are the growth of their files by the growth of the rows, compaction not waited for. At the end each number of
//     each brand's tally must be what was published, and the run fails where one is not.
//     With --rate 0 the pace is half of the slowest of three spells, of --load activities
//     each, that publish as fast as the node takes it while it is asked. That is batches
//     of --batch records. The smaller ones of producers that hardly linger cost several
//     times as much, and questions more with every row: for an hour, say a --rate.
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
