package log

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Every value starts with a version byte. Numbers are big-endian.
//
//	cluster      1 | 22 characters
//	epoch        1 | u32
//	producers    1 | u64
//	offset       1 | offset u64 | leader epoch u32 | metadata
//	topic        1 | partitions u32 | name | n u16 | n × (key, value)   strings: len u16, bytes
//	floor        1 | start u64 | newest ms u64
//	epoch start  1 | offset u64
//	producer     1 | epoch u16 | n u8 | n × (first u32, last u32, base u64, ms u64)
//	block        1 | newest ms u64 | record batch
//	newest       1 | base u64 | 1 if it is a tombstone
//	tombstone    1 | ms of its append u64 | record key
//
// A block's newest is the greatest max timestamp of the partition's batches up to
// and with this one: it never falls, so a time is found by halving.
const valueVersion = 1

const blockHead = 9 // bytes before the record batch

var errDamaged = errors.New("value is damaged or of another version")

// cursor takes a value apart. After the first lack of bytes it gives zeros and
// bad is set.
type cursor struct {
	b   []byte
	bad bool
}

// open is a cursor after the version byte.
func open(v []byte) *cursor {
	c := &cursor{b: v}
	if c.u8() != valueVersion {
		c.bad = true
	}
	return c
}

func (c *cursor) take(n int) []byte {
	if c.bad || n > len(c.b) {
		c.bad = true
		return make([]byte, n)
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
}

func (c *cursor) u8() byte    { return c.take(1)[0] }
func (c *cursor) u16() uint16 { return binary.BigEndian.Uint16(c.take(2)) }
func (c *cursor) u32() uint32 { return u32(c.take(4)) }
func (c *cursor) u64() uint64 { return u64(c.take(8)) }

func (c *cursor) text() string { return string(c.take(int(c.u16()))) }

// end is an error unless the value was well formed and used up.
func (c *cursor) end() error {
	if c.bad || len(c.b) > 0 {
		return errDamaged
	}
	return nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
}

func encodeEpoch(epoch int32) []byte {
	return binary.BigEndian.AppendUint32([]byte{valueVersion}, uint32(epoch))
}

func decodeEpoch(v []byte) (int32, error) {
	c := open(v)
	return int32(c.u32()), c.end()
}

// encodeNumber is the value of producers and of an epoch's start.
func encodeNumber(n int64) []byte {
	return binary.BigEndian.AppendUint64([]byte{valueVersion}, uint64(n))
}

func decodeNumber(v []byte) (int64, error) {
	c := open(v)
	return int64(c.u64()), c.end()
}

func encodeFloor(start, newest int64) []byte {
	return binary.BigEndian.AppendUint64(encodeNumber(start), uint64(newest))
}

func decodeFloor(v []byte) (start, newest int64, err error) {
	c := open(v)
	start, newest = int64(c.u64()), int64(c.u64())
	return start, newest, c.end()
}

func encodeNewest(n newestRecord) []byte {
	b := encodeNumber(n.base)
	if n.tombstone {
		return append(b, 1)
	}
	return append(b, 0)
}

func decodeNewest(v []byte) (n newestRecord, err error) {
	c := open(v)
	n.base, n.tombstone = int64(c.u64()), c.u8() == 1
	return n, c.end()
}

func encodeTombstone(ms int64, key []byte) []byte { return append(encodeNumber(ms), key...) }

func decodeTombstone(v []byte) (ms int64, key []byte, err error) {
	c := open(v)
	ms = int64(c.u64())
	key = c.take(len(c.b))
	return ms, key, c.end()
}

func encodeGroupOffset(o GroupOffset) []byte {
	b := binary.BigEndian.AppendUint32(encodeNumber(o.Offset), uint32(o.Epoch))
	return append(b, o.Metadata...)
}

func decodeGroupOffset(v []byte) (o GroupOffset, err error) {
	c := open(v)
	o.Offset, o.Epoch = int64(c.u64()), int32(c.u32())
	o.Metadata = string(c.take(len(c.b)))
	return o, c.end()
}

func encodeTopic(t Topic) []byte {
	b := binary.BigEndian.AppendUint32([]byte{valueVersion}, uint32(t.Partitions))
	b = appendText(b, t.Name)
	b = binary.BigEndian.AppendUint16(b, uint16(len(t.Config)))
	for _, k := range slices.Sorted(maps.Keys(t.Config)) {
		b = appendText(appendText(b, k), t.Config[k])
	}
	return b
}

func decodeTopic(id domain.TopicID, v []byte) (Topic, error) {
	c := open(v)
	t := Topic{ID: id, Partitions: int(c.u32()), Name: c.text(), Config: map[string]string{}}
	for range c.u16() {
		k := c.text()
		t.Config[k] = c.text()
	}
	return t, c.end()
}

func (s *producer) encode(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(append(b, valueVersion), uint16(s.epoch))
	b = append(b, byte(s.n))
	for _, e := range s.last[:s.n] {
		b = binary.BigEndian.AppendUint32(b, uint32(e.first))
		b = binary.BigEndian.AppendUint32(b, uint32(e.last))
		b = binary.BigEndian.AppendUint64(b, uint64(e.base))
		b = binary.BigEndian.AppendUint64(b, uint64(e.stamp))
	}
	return b
}

func decodeProducer(v []byte) (*producer, error) {
	c := open(v)
	s := &producer{epoch: int16(c.u16()), n: int(c.u8())}
	if s.n > len(s.last) {
		return nil, errDamaged
	}
	for i := range s.n {
		s.last[i] = appended{first: int32(c.u32()), last: int32(c.u32()), base: int64(c.u64()), stamp: int64(c.u64())}
	}
	return s, c.end()
}

func u32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
