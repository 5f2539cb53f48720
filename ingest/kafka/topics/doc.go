// Package topics makes the topics of an installation with the settings that they need, and
// compares those that exist with what they should be.
//
// A difference with which records could be lost is an error; another one is a warning. Nothing
// that exists is changed. Any goroutine may call.
//
// # How long a broker keeps a record
//
// Brokers delete whole segments: one is deleted when its greatest timestamp is retention.ms old,
// so a record stays for as long as younger ones come into its segment, which is closed segment.ms
// after its first record. In activities a timestamp is the publisher's (CreateTime). Of a publisher
// that is ahead it keeps the segment longer: message.timestamp.after.max.ms bounds by how much (1
// hour by default from Kafka 4 on; before 3.6 message.timestamp.difference.max.ms, and no limit by
// default). One of the past lets the segment go early, also before it is routed, which is a gap:
// history is told by ce_time, not by the timestamp. Dead letters and journal have the broker's time (LogAppendTime).
//
// Ensured.Kept adds this up from the settings that the topics have: a receipt of an erasure says
// by it when the last bytes are gone. Of keys it is max.compaction.lag.ms and segment.ms: only
// closed segments are compacted, and the last one is closed by an append, such as that of the next
// registration's key.
package topics
