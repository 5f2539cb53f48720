package domain

import (
	"crypto/sha256"
	"reflect"
)

// IsFor reports that the record is for a partition of the journal, of so many. Each record says so itself: by
// the slot of the member, identity or application that it is about, or by the partition's number. One that
// is found in another partition was put there by another program, and is not applied: it would be about
// what that partition's shard does not have.
func (r *Record) IsFor(partition, partitions int) bool {
	in := func(s Slot) bool { return s.Shard(partitions) == partition }
	if r.Command == nil {
		return r.Activity.isFor(&r.Origin, in)
	}
	if reflect.ValueOf(r.Command).IsNil() {
		return true // applying fails on it, wherever it is
	}
	switch c := r.Command.(type) {
	case *RegisterMember:
		return in(c.Identity.Slot())
	case *LogIn:
		if c.Member == 0 {
			return in(c.Identity.Slot())
		}
		return in(c.Member.Slot())
	case *Claim:
		if c.Step == ClaimGranted || c.Step == ClaimTaken {
			return in(c.Member.Slot())
		}
		return in(c.Identity.Slot())
	case *AttachService:
		return in(c.Member.Slot())
	case *UpdateMember:
		return in(c.Member.Slot())
	case *RemoveService:
		return in(c.Member.Slot())
	case *ResetPassword:
		return in(c.Member.Slot())
	case *OptIn:
		return in(c.Member.Slot())
	case *OptOut:
		return in(c.Member.Slot())
	case *DeleteAction:
		return in(c.Member.Slot())
	case *EraseMember:
		return in(c.Member.Slot())
	case *MergeMembers:
		return in(c.Member.Slot())
	case *UnmergeMember:
		return in(c.Member.Slot())
	case *Lend:
		return in(c.Member.Slot())
	case *Usage:
		return in(c.Application.Slot())
	case *Delivered:
		return int(c.Partition) == partition
	case *FollowList:
		return int(c.Partition) == partition
	case *Published:
		return int(c.Partition) == partition
	case *Tick:
		return int(c.Partition) == partition
	case *Expire:
		return int(c.Partition) == partition
	case *Rules:
		return int(c.Partition) == partition
	}
	return false // the catalog's
}

// isFor reports that the activity's address is in a partition. One without an address, which is refused,
// comes where its source partition's such records go.
func (a *Activity) isFor(origin *Origin, in func(Slot) bool) bool {
	switch {
	case a.Member != 0:
		return in(a.Member.Slot())
	case !a.Identity.IsZero():
		return in(a.Identity.Slot())
	}
	return in(Placeless(origin.Topic, origin.Partition))
}

// Placeless is the slot of a source partition's records without an address: the first
// 12 bits of SHA-256 of the topic's id and the partition (4 bytes, big-endian). It is part of the
// frozen function from a record's bytes to its slot.
func Placeless(topic TopicID, partition int32) Slot {
	var b [20]byte
	copy(b[:], topic[:])
	p := uint32(partition)
	b[16], b[17], b[18], b[19] = byte(p>>24), byte(p>>16), byte(p>>8), byte(p)
	sum := sha256.Sum256(b[:])
	return Slot(sum[0])<<4 | Slot(sum[1])>>4
}
