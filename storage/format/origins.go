package format

import (
	"encoding/binary"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The highest origin applied moves with nearly every commit, of each source partition: a
// key each would be half of what a small commit writes. So those that moved lately are
// in the shard's state, which every commit writes. When there are more, all of them are
// written under their keys, and the list begins again: of a stream in the list it has a
// newer origin than the key.

// MaxRecentOrigins is how many streams the list has at most.
const MaxRecentOrigins = 32

// RecentOrigins is the list, each stream once.
type RecentOrigins []domain.Origin

// Move takes the origins that moved; full says that all have to be written.
func (l *RecentOrigins) Move(origins []domain.Origin) (full bool) {
	for _, o := range origins {
		if i := l.Find(o); i >= 0 {
			(*l)[i] = o
		} else {
			*l = append(*l, o)
		}
	}
	return len(*l) > MaxRecentOrigins
}

// Find is the place of an origin's stream; -1: it is not in the list.
func (l RecentOrigins) Find(o domain.Origin) int {
	for i := range l {
		if l[i].Partition == o.Partition && l[i].Topic == o.Topic {
			return i
		}
	}
	return -1
}

// AppendOrigin appends what an origin's key does not say.
func AppendOrigin(dst []byte, o domain.Origin) []byte {
	dst = binary.AppendVarint(append(dst, version1), int64(o.Epoch))
	return binary.AppendVarint(dst, o.Offset)
}

// DecodeOrigin reads an origin with its key.
func DecodeOrigin(k, v []byte) (o domain.Origin, err error) {
	if len(k) != 24 {
		return o, Damaged("origin")
	}
	cur, err := openValue(v, "origin")
	if err != nil {
		return o, err
	}
	copy(o.Topic[:], k[4:])
	o.Partition = int32(be.Uint32(k[20:]))
	o.Epoch, o.Offset = cur.int32(), cur.varint()
	return o, cur.close("origin")
}

// append appends the list: n, n × (topic [16], z partition, z epoch, z offset).
func (l RecentOrigins) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(l)))
	for _, o := range l {
		dst = append(dst, o.Topic[:]...)
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(o.Partition)), int64(o.Epoch))
		dst = binary.AppendVarint(dst, o.Offset)
	}
	return dst
}

// lateOrigins reads a list.
func (c *cursor) lateOrigins() (l RecentOrigins) {
	for range c.count(MaxRecentOrigins, len(domain.TopicID{})+3) {
		var o domain.Origin
		c.fill(o.Topic[:])
		o.Partition, o.Epoch, o.Offset = c.int32(), c.int32(), c.varint()
		l = append(l, o)
	}
	return l
}

// String is for Dump.
func (l RecentOrigins) String() string {
	var s strings.Builder
	for _, o := range l {
		s.WriteString(" " + o.String())
	}
	return s.String()
}
