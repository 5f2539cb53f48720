// Package log keeps a Kafka-shaped log on one machine: topics, partitions and
// record batches as producers sent them, as blocks in a Pebble store of its own.
// It knows record batches (package recordbatch) and nothing of the protocol in front of
// it.
//
//	            Append ──► check ──► sequence ──► offsets, epoch, time ──┐
//	                       (lengths,  (idempotent  patched into the      │ one Pebble batch:
//	                        CRC, ts)   producer)   batch                 ▼ block + producer + epoch
//	concurrent appends ────────────────────────────────────────► WAL ──► one fsync for all of them
//	                                                                     │
//	Read, Find ◄── [start, end) ◄── end moves when the fsync has returned┘
//
//	Log        opens and closes the store, counts, and hands out producer ids
//	Topics     the directory: makes, grows and deletes topics, finds a Partition
//	Partition  appends, reads, and deletes records of one partition
//	Groups     the offsets that consumer groups committed
//
// A partition's last small batches stay in memory too, for readers at its end (batchcache.go).
//
// # What is promised
//
//   - What Wait has acknowledged is there after a crash, under the offset that was
//     answered, and no reader ever saw what a crash can take back.
//   - Offsets of a partition are dense and never used twice, also when all its
//     records were deleted and the log was opened again.
//   - Of a topic with cleanup.policy=compact a record takes the older one of its key away in
//     the same write, and nothing else is taken away: a reader meets offsets without a record,
//     and of each key that was there the value or what came after it. A tombstone stays for
//     delete.retention.ms. Files give up what was taken away with Reclaim.
//   - A producer with an id may repeat its last five batches; they are stored once.
//     Its state is in the same batch as the block.
//   - Every record of every stored batch parses: a batch with a right checksum and
//     wrong lengths is refused, since it would stop each of its readers.
//   - On a topic with message.timestamp.type=LogAppendTime all records of a batch
//     have the time of the append, which never goes back within a partition. Such appends
//     alone are refused, with the reason in Stats.Refusing, while the clock cannot be right: at
//     the opening it is more than an hour behind the last record, or more than 90 days ahead
//     of it; later it leaps by more than an hour, either way, against the time that has
//     passed. A log that rests for weeks is right. Setting the clock right ends the refusal.
//     Where the clock is right, another opening is the operator's word for a leap,
//     Options.TrustClock that for the last record.
//   - Each opening has a leader epoch above all before it, so that a reader of a log
//     that was restored from a copy notices that it is another one.
//   - After an error of writing nothing is answered any more but StorageError; Err
//     says why. The process has to end before the log can be opened again (package pebblefs).
//   - What is stored and cannot be read is given as a batch whose checksum does not
//     match, over the offsets that are lost, as any broker does whose disk flipped a
//     bit. Everything else is read and appended as before. A block of a table with a wrong
//     checksum is read once: it and the offsets that it takes are remembered until the log
//     is opened again, with the file's name (Partition.CorruptFile).
//
// # What is not
//
// There is one replica, no transaction, and nothing but tombstones is deleted by
// age or size: DeleteRecords is for the owner of the topic, and Reclaim for what of that
// is still in files.
// Times of a CreateTime topic are the producers'; looking up a time that lies
// after a batch from the far future reads the headers after that batch one by one.
//
// Any goroutine may call any method. Slices passed in belong to the log until the call
// returns, slices returned belong to the caller.
package log
