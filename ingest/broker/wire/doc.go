// Package wire speaks the Kafka protocol in front of a log of this machine, so
// that an installation without a broker runs the same client code as one with, and
// kcat, librdkafka and the Java client can publish to it.
//
//	client ──TCP──► conn: frame ─► shape ─► kmsg ─► handler ─► broker/log
//	                one goroutine a connection, requests in order, answers in order
//
// What is in the same process comes by Dial, a pipe instead of TCP.
//
// One node, number 0, leads every partition and coordinates every group. The leader
// epoch is the log's, one per opening.
//
// # What is answered
//
// Versions are in api.go. Produce (acks 0, 1 and all alike wait for the disk; 0 is
// not answered), Fetch (by topic id from version 13; without sessions), ListOffsets,
// Metadata, CreateTopics, DeleteTopics, CreatePartitions, DescribeConfigs,
// DeleteRecords, OffsetForLeaderEpoch, InitProducerID for idempotent producers,
// FindCoordinator, OffsetCommit and OffsetFetch by clients that are no group members,
// SaslHandshake and SaslAuthenticate with SCRAM-SHA-256.
//
// # Nodes and clients
//
// A connection is a node's if it comes by Dial, or has authenticated as NodeUser with
// Config.Password. All others are clients'. A client reads every topic but Config.Private and
// writes to all but Config.Own: fetch of the former, and produce, create, grow, trim and delete of the latter are
// answered with TOPIC_AUTHORIZATION_FAILED, counted, and logged at a bounded rate. A node's
// connections are not counted. There are at most MaxConnections of clients: a new one
// closes the one that has been idle for the longest time, and is closed itself only where
// a request of each other is being answered.
//
// # What is not
//
// Groups with members, transactions (refused with an error that no client repeats),
// ACLs, users, TLS, quotas, changing a topic's settings, compaction of other topics than
// Config.Own. Topics are not made by asking for them unless configured. Retention settings
// are kept and shown, and nothing is deleted by them but tombstones of compacted topics.
//
// # A hostile client
//
// It costs itself its connection. A frame is read as its bytes arrive, never by its
// announced length; before it is decoded its shape is walked, so that no length in
// it allocates more than the frame has. Frames are Config.MaxProduce at most for Produce and
// 1 MiB for all else, and an idle or stuck connection is closed.
//
// A Broker runs from New to Close; Run may be called once.
package wire
