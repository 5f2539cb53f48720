package storage

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The highest origin applied moves with nearly every commit, of each source partition: a
// key each would be half of what a small commit writes. So those that moved lately stand
// in the shard's state, which every commit writes. When there are more, all of them are
// written under their keys, and the list begins anew: what it says of a stream is newer
// than what its key says.

// lateMost is how many streams the list has at most.
const lateMost = 32

// lateOrigins is the list, each stream once.
type lateOrigins []domain.Origin

// move takes the origins that moved; full says that all have to be written.
func (l *lateOrigins) move(origins []domain.Origin) (full bool) {
	for _, o := range origins {
		if i := l.find(o); i >= 0 {
			(*l)[i] = o
		} else {
			*l = append(*l, o)
		}
	}
	return len(*l) > lateMost
}

// find is the place of an origin's stream; -1: it is not in the list.
func (l lateOrigins) find(o domain.Origin) int {
	for i := range l {
		if l[i].Partition == o.Partition && l[i].Topic == o.Topic {
			return i
		}
	}
	return -1
}

// writeOrigins writes what is full under the streams' keys.
func (s *Shard) writeOrigins(b *pebble.Batch) error {
	for _, o := range s.late {
		s.key, s.value = appendOriginKey(s.key[:0], s.id, o.Topic, o.Partition), appendOrigin(s.value[:0], o)
		if err := b.Set(s.key, s.value, nil); err != nil {
			return err
		}
	}
	s.late = s.late[:0]
	return nil
}

// eachOrigin calls f with the highest origin applied of each stream: what late says, and
// of the other streams what their keys say.
func eachOrigin(r pebble.Reader, shard uint16, late lateOrigins, f func(domain.Origin)) error {
	prefix := append(appendShard(nil, familyState, shard), stateOrigin)
	err := scanPrefix(r, prefix, func(k, v []byte) error {
		o, err := decodeOrigin(k[len(prefix):], v)
		if err == nil && late.find(o) < 0 {
			f(o)
		}
		return err
	})
	if err == nil {
		for _, o := range late {
			f(o)
		}
	}
	return err
}

// compareOrigins compares the streams, wherever they stand.
func compareOrigins(f *Findings, have, replay *Audit) error {
	origins := func(a *Audit) (map[string]domain.Origin, error) {
		all := map[string]domain.Origin{}
		err := eachOrigin(a.db, a.shard, a.late, func(o domain.Origin) { all[string(appendOriginKey(nil, a.shard, o.Topic, o.Partition))] = o })
		return all, err
	}
	a, err := origins(have)
	if err != nil {
		return err
	}
	b, err := origins(replay)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		was, known := b[key]
		if !known {
			f.add(familyState, keyName([]byte(key)), unexpected)
		} else if a[key] != was {
			f.add(familyState, keyName([]byte(key)), altered)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, known := a[key]; !known {
			f.add(familyState, keyName([]byte(key)), missing)
		}
	}
	return nil
}

// appendOrigin appends what an origin's key does not say.
func appendOrigin(dst []byte, o domain.Origin) []byte {
	dst = binary.AppendVarint(append(dst, version1), int64(o.Epoch))
	return binary.AppendVarint(dst, o.Offset)
}

// decodeOrigin reads an origin from its key behind the part and its value.
func decodeOrigin(key, v []byte) (o domain.Origin, err error) {
	if len(key) != 20 {
		return o, damaged("origin")
	}
	cur, err := openValue(v, "origin")
	if err != nil {
		return o, err
	}
	copy(o.Topic[:], key)
	o.Partition = int32(be.Uint32(key[16:]))
	o.Epoch, o.Offset = cur.int32(), cur.varint()
	return o, cur.close("origin")
}

// append appends the list: n, n × (topic [16], z partition, z epoch, z offset).
func (l lateOrigins) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(l)))
	for _, o := range l {
		dst = append(dst, o.Topic[:]...)
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(o.Partition)), int64(o.Epoch))
		dst = binary.AppendVarint(dst, o.Offset)
	}
	return dst
}

// lateOrigins reads a list.
func (c *cursor) lateOrigins() (l lateOrigins) {
	for range c.below(lateMost) {
		var o domain.Origin
		c.fill(o.Topic[:])
		o.Partition, o.Epoch, o.Offset = c.int32(), c.int32(), c.varint()
		l = append(l, o)
	}
	return l
}

// String is for Dump.
func (l lateOrigins) String() string {
	var s strings.Builder
	for _, o := range l {
		s.WriteString(" " + o.String())
	}
	return s.String()
}
