package format

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const noticeKeyLen = 1 + 2 + 4 + 8

// NoticePrefix begins the keys of an account's notices, in order of their sequences.
func NoticePrefix(shard uint16, account domain.AccountID) []byte {
	return be.AppendUint32(AppendShard(nil, FamilyNotice, shard), uint32(account))
}

// AppendNoticeKey is the key of a notice.
func AppendNoticeKey(dst []byte, shard uint16, account domain.AccountID, sequence uint64) []byte {
	return be.AppendUint64(be.AppendUint32(AppendShard(dst, FamilyNotice, shard), uint32(account)), sequence)
}

// ParseNoticeKey reads a key of d.
func ParseNoticeKey(k []byte) (account domain.AccountID, sequence uint64, err error) {
	if len(k) != noticeKeyLen {
		return 0, 0, Damaged("d")
	}
	return domain.AccountID(be.Uint32(k[3:])), be.Uint64(k[7:]), nil
}

// noticeCopied is the flag of a copy's notice.
const noticeCopied = 1

// AppendNotice appends the value of a notice; account and sequence are in its key.
func AppendNotice(dst []byte, r *domain.Notice) []byte {
	flags := byte(0)
	if r.Copied {
		flags = noticeCopied
	}
	dst = append(dst, version1, byte(r.Kind), flags, byte(r.Service))
	for _, x := range [...]uint64{uint64(r.Member), uint64(r.Other), uint64(r.Action), uint64(r.Brand), uint64(r.Definition), uint64(r.At)} {
		dst = binary.AppendUvarint(dst, x)
	}
	return dst
}

// DecodeNotice reads a notice with its key.
func DecodeNotice(k, v []byte) (r domain.Notice, err error) {
	if r.Account, r.Seq, err = ParseNoticeKey(k); err != nil {
		return r, err
	}
	cur, err := openValue(v, "d")
	if err != nil {
		return r, err
	}
	r.Kind = domain.EventKind(cur.byte())
	flags := cur.byte()
	r.Copied, r.Service = flags == noticeCopied, domain.Service(cur.byte())
	r.Member, r.Other, r.Action = domain.MemberID(cur.uvarint()), domain.MemberID(cur.uvarint()), domain.ActionID(cur.uvarint())
	r.Brand, r.Definition = domain.BrandID(cur.uint32()), domain.DefinitionID(cur.uint32())
	r.At = int64(cur.below(1<<63 - 1))
	if flags > noticeCopied || r.Kind > domain.EventUnmerged || !domain.NoticeEvents.Has(r.Kind) {
		cur.fail()
	}
	return r, cur.close("d")
}
