package log

import (
	"encoding/binary"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The keyspace in byte order. Numbers are big-endian; id is a topic's 16 bytes,
// p a partition as u32.
//
//	a                           format       the version of all that follows
//	b                           cluster      the installation's id
//	c                           epoch        leader epoch of the newest opening
//	d                           producers    first producer id not handed out
//	g  len(group)u16 group id p offset       where a group is in a partition
//	t  id                       topic        name, partitions, configuration
//	u  id p                     floor        first offset, newest time ever
//	v  id p epoch-u32           epoch start  first offset that an epoch wrote
//	w  id p producer-u64        producer     its last batches
//	x  id p base-offset-u64     block        one record batch
//	y  id p record-key          newest       of a compacted topic: where the newest record of a key is
//	z  id p base-offset-u64     tombstone    of a compacted topic: a record that deletes its key
//
// Within a partition blocks are in order of offset. A topic's keys t to z end with
// the topic.
const (
	keyFormat    = 'a'
	keyCluster   = 'b'
	keyEpoch     = 'c'
	keyProducers = 'd'
	keyGroup     = 'g'
	keyTopic     = 't'
	keyFloor     = 'u'
	keyEpochAt   = 'v'
	keyProducer  = 'w'
	keyBlock     = 'x'
	keyNewest    = 'y'
	keyTombstone = 'z'
)

// formatVersion is the version of keys and values; another one is not opened.
const formatVersion = 3

const partKeyLen = 1 + 16 + 4

// topicKey is the prefix of a topic's keys of one kind.
func topicKey(kind byte, id domain.TopicID) []byte {
	return append(append(make([]byte, 0, 32), kind), id[:]...)
}

// partID names a partition.
type partID struct {
	topic domain.TopicID
	index int32
}

func (p partID) String() string { return fmt.Sprintf("topic %s partition %d", p.topic, p.index) }

// key is the prefix of the partition's keys of one kind; there is room after it.
func (p partID) key(kind byte) []byte {
	return binary.BigEndian.AppendUint32(topicKey(kind, p.topic), uint32(p.index))
}

func (p partID) epochKey(epoch int32) []byte {
	return binary.BigEndian.AppendUint32(p.key(keyEpochAt), uint32(epoch))
}

func (p partID) producerKey(producer int64) []byte {
	return binary.BigEndian.AppendUint64(p.key(keyProducer), uint64(producer))
}

func (p partID) blockKey(base int64) []byte {
	return binary.BigEndian.AppendUint64(p.key(keyBlock), uint64(base))
}

func (p partID) newestKey(record []byte) []byte {
	return append(p.key(keyNewest), record...)
}

func (p partID) tombstoneKey(base int64) []byte {
	return binary.BigEndian.AppendUint64(p.key(keyTombstone), uint64(base))
}

// groupKey is the prefix of a group's keys.
func groupKey(group string) []byte {
	k := make([]byte, 0, 1+2+len(group)+16+4)
	k = binary.BigEndian.AppendUint16(append(k, keyGroup), uint16(len(group)))
	return append(k, group...)
}

func groupOffsetKey(group string, id domain.TopicID, partition int32) []byte {
	return binary.BigEndian.AppendUint32(append(groupKey(group), id[:]...), uint32(partition))
}

// groupOffsetOf takes topic and partition from a key of a group's offset.
func groupOffsetOf(key []byte) (id domain.TopicID, partition int32, ok bool) {
	if len(key) < 1+2+16+4 {
		return id, 0, false
	}
	at := len(key) - 16 - 4
	copy(id[:], key[at:])
	return id, int32(binary.BigEndian.Uint32(key[at+16:])), true
}

// after is the least key above all that start with prefix.
func after(prefix []byte) []byte {
	k := append([]byte(nil), prefix...)
	for i := len(k) - 1; i >= 0; i-- {
		if k[i]++; k[i] != 0 {
			return k[:i+1]
		}
	}
	return nil
}
