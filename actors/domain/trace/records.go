package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// IDs are those of a record's span.
type IDs struct {
	Trace  [16]byte
	Span   [8]byte // zero: any
	Parent [8]byte // zero: it is the first of its trace
}

// Records traces a share of the records of the public topic. Nil: none. Any goroutine may use it.
type Records struct {
	tracer Tracer
	below  uint64 // of the hash of an origin
}

// NewRecords traces a share from 0 to 1 of the records; nil where there is no tracer, or the share is 0.
func NewRecords(t Tracer, share float64) *Records {
	switch {
	case t == nil || share <= 0:
		return nil
	case share >= 1:
		return &Records{t, math.MaxUint64}
	}
	return &Records{t, uint64(share * (1 << 63) * 2)}
}

// Sampled reports that the record of an origin is traced: the same on every node that traces the same share.
func (r *Records) Sampled(o *domain.Origin) bool {
	return r != nil && hashOf(o) <= r.below && !o.IsZero()
}

// Routed is the span in which a record came from the public topic into the journal, from the time on at which it was
// read.
func (r *Records) Routed(o *domain.Origin, read time.Time) Span {
	ids := idsOf(o)
	return r.tracer.Record("route", ids, read)
}

// Applied is the span in which a shard makes a record visible, from the time on at which it was read from the journal.
func (r *Records) Applied(o *domain.Origin, read time.Time) Span {
	ids := idsOf(o)
	ids.Parent, ids.Span = ids.Span, [8]byte{}
	return r.tracer.Record("apply", ids, read)
}

// idsOf are the ids of the first span of a record's trace. None of them is zero, but by a chance of 2⁻⁶⁴.
func idsOf(o *domain.Origin) (ids IDs) {
	b := append([]byte("trace\n"), o.Topic[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(o.Partition))
	b = binary.BigEndian.AppendUint32(b, uint32(o.Epoch))
	b = binary.BigEndian.AppendUint64(b, uint64(o.Offset))
	sum := sha256.Sum256(b)
	copy(ids.Trace[:], sum[:])
	copy(ids.Span[:], sum[16:])
	return ids
}

// hashOf spreads origins evenly. It is asked for each record.
func hashOf(o *domain.Origin) uint64 {
	h := binary.LittleEndian.Uint64(o.Topic[:]) ^ bits.RotateLeft64(binary.LittleEndian.Uint64(o.Topic[8:]), 32)
	h = mixed(h ^ uint64(uint32(o.Partition))<<32 ^ uint64(uint32(o.Epoch)))
	return mixed(h ^ uint64(o.Offset))
}

// mixed is the finalizer of SplitMix64.
func mixed(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
