package format

import (
	"encoding/binary"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// stateOrigins is the version of a state with origins after it.
const stateOrigins = 2

// maxShards bounds the number of shards: one has a slot at least.
const maxShards = domain.Slots

// AppendState appends a shard's state, and the origins that moved lately:
//
//	ver str cluster, journal [16], z next, z epoch, z clock, v rules, z life,
//	v sequence, v outbox, v published, v deadUpTo, v keysUpTo, v rows, v expired,
//	v n, v dead × n, v n, (v shard, v sent, v received) × n of handovers, facts [16];
//	of version 2 the origins
func AppendState(dst []byte, s *domain.ShardState, late RecentOrigins) []byte {
	version := byte(version1)
	if len(late) > 0 {
		version = stateOrigins
	}
	dst = appendString(append(dst, version), s.Cluster)
	dst = append(dst, s.Journal[:]...)
	dst = binary.AppendVarint(dst, s.Next)
	dst = binary.AppendVarint(dst, int64(s.Epoch))
	dst = binary.AppendVarint(dst, s.Clock)
	dst = binary.AppendUvarint(dst, uint64(s.Rules))
	dst = binary.AppendVarint(dst, int64(s.Life))
	for _, x := range [...]uint64{
		s.Sequence, s.Outbox, s.Published, s.DeadUpTo, s.KeysUpTo, s.Rows, uint64(s.Expired), uint64(len(s.Dead)),
	} {
		dst = binary.AppendUvarint(dst, x)
	}
	for _, x := range s.Dead {
		dst = binary.AppendUvarint(dst, x)
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Handovers)))
	for _, h := range s.Handovers {
		for _, x := range [...]uint64{uint64(h.Shard), h.Sent, h.Received} {
			dst = binary.AppendUvarint(dst, x)
		}
	}
	dst = append(dst, s.Facts[:]...)
	if len(late) > 0 {
		dst = late.append(dst)
	}
	return dst
}

// DecodeState reads a shard's state and the origins after it.
func DecodeState(v []byte) (s domain.ShardState, late RecentOrigins, err error) {
	cur, err := openValue(v, "state", stateOrigins)
	if err != nil {
		return s, nil, err
	}
	s.Cluster = cur.str()
	cur.fill(s.Journal[:])
	s.Next = cur.varint()
	s.Epoch = cur.int32()
	s.Clock = cur.varint()
	s.Rules = uint16(cur.below(1<<16 - 1))
	s.Life = cur.int32()
	for _, x := range [...]*uint64{&s.Sequence, &s.Outbox, &s.Published, &s.DeadUpTo, &s.KeysUpTo, &s.Rows} {
		*x = cur.uvarint()
	}
	s.Expired = domain.Month(cur.below(1<<16 - 1))
	reasons := cur.uvarint()
	if reasons > uint64(domain.Reasons) {
		return s, nil, fmt.Errorf("state with %d reasons of dead letters: %w", reasons, domain.ErrNewer)
	}
	for i := range reasons {
		s.Dead[i] = cur.uvarint()
	}
	for range cur.count(maxShards, 3) {
		h := domain.Handover{Shard: int(cur.below(maxShards)), Sent: cur.uvarint(), Received: cur.uvarint()}
		s.Handovers = append(s.Handovers, h)
	}
	cur.fill(s.Facts[:])
	if v[0] == stateOrigins {
		late = cur.lateOrigins()
	}
	return s, late, cur.close("state")
}

func (c *cursor) int32() int32 {
	x := c.varint()
	if x != int64(int32(x)) {
		c.fail()
		return 0
	}
	return int32(x)
}
