package embedded

import "github.com/ovation-analytics/ovation/actors/domain"

// Log is what the broker serves. Any goroutine may call it. An error carries the
// protocol's number in a KafkaCode() int16 of something in its chain, or is answered
// as unknown server error.
//
// The types of the parameters have no name of their own, so that a log in another
// room fits without knowing this one.
type Log interface {
	Topics
	Partitions
	Groups

	// Cluster is the installation's id.
	Cluster() string
	// Epoch is the leader epoch of every partition since the log was opened.
	Epoch() int32
	// NewProducerID is an id that no producer had before.
	NewProducerID() (int64, error)
}

// Topic describes a topic. Config is not to be changed.
type Topic = struct {
	ID         domain.TopicID
	Name       string
	Partitions int
	Config     map[string]string
}

// Topics are the topics of a log.
type Topics interface {
	Topics() []Topic // by name
	TopicByName(name string) (Topic, bool)
	TopicByID(id domain.TopicID) (Topic, bool)
	// CheckTopic is CreateTopic that makes nothing.
	CheckTopic(name string, partitions int, config map[string]string) error
	CreateTopic(name string, partitions int, config map[string]string) (domain.TopicID, error)
	AddPartitions(id domain.TopicID, total int) error
	DeleteTopic(id domain.TopicID) error
}

// Partitions are what a log holds.
type Partitions interface {
	// Append takes one record batch, which it may change, and gives its offset and
	// the time of the append (-1: the producer's times stand). It is durable when
	// done.Wait has returned, which must be called once if err is nil.
	Append(id domain.TopicID, partition int32, batch []byte) (base, stamp int64, done interface{ Wait() error }, err error)
	// Read appends to dst whole batches from the one with offset on, while they fit in
	// limit, with whole the first in any case, and gives the offset after them.
	Read(id domain.TopicID, partition int32, offset int64, limit int, whole bool, dst []byte) (out []byte, next int64, err error)
	// Bounds are the first offset and the one after the last durable.
	Bounds(id domain.TopicID, partition int32) (start, end int64, err error)
	// Find is the first record at or after a time; -1, -1: none.
	Find(id domain.TopicID, partition int32, ms int64) (offset, at int64, err error)
	// EpochAt is the epoch that wrote an offset.
	EpochAt(id domain.TopicID, partition int32, offset int64) (int32, error)
	// EpochEnd is the greatest epoch not above the one given and where it ended; -1, -1
	// for one above all.
	EpochEnd(id domain.TopicID, partition, epoch int32) (found int32, end int64, err error)
	// DeleteRecords makes before the first offset (-1: the end) and gives the first one then.
	DeleteRecords(id domain.TopicID, partition int32, before int64) (start int64, err error)
	// Watch sends on wake without waiting whenever the end moves, until Unwatch.
	Watch(id domain.TopicID, partition int32, wake chan<- struct{})
	Unwatch(id domain.TopicID, partition int32, wake chan<- struct{})
}

// GroupOffset is where a group is in a partition; Epoch -1: not given.
type GroupOffset = struct {
	Topic     domain.TopicID
	Partition int32
	Offset    int64
	Epoch     int32
	Metadata  string
}

// Groups keep offsets. They end with their topics.
type Groups interface {
	CommitOffsets(group string, offsets []GroupOffset) error // all or none, durable
	GroupOffset(group string, id domain.TopicID, partition int32) (o GroupOffset, found bool, err error)
	GroupOffsets(group string) ([]GroupOffset, error)
}
