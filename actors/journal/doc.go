// Package journal is a log of records as the engine sees it: the journal, and the catalog.
//
//	Log ──Reader──► Fetcher ──Page──► shard, catalog      one goroutine a partition
//	                   ▲        │
//	                   └─credit─┘
//	    ◄─Appender─ PartitionAppender ◄── commands        one goroutine a partition
//	    ◄─Appender─ Batcher ◄── routers                   one goroutine a node
//
// A Fetcher reads ahead by as many pages as it has credits, and waits for the receiver to give
// one back: with the Kafka fetch behind them the only back-pressure there is (I8). Pages of one
// fetcher arrive in order; a page that arrives after Stop is of no receiver any more, and the
// receiver knows by the page's Fetcher.
//
// What commands bring is appended one batch at a time, and what routers bring in rounds, one
// multi-partition produce each; both retry until the records are durable, and a Batcher waits
// for the Backlog of a shard that has fallen behind. A command whose submitter has left is not sent any
// more, and a batch is given up with the last of its submitters. It may come into the log late: no
// session of a producer takes back what stands before a broker. So a command that waits for its outcome carries the
// time, by the log's clock, after which it is void (domain.Record.Until).
//
// The ports Log, Reader and Appender are implemented by package ingest. Any goroutine may call a Log; a Reader has one
// caller at a time, an Appender one a partition.
package journal
