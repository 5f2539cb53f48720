package storage

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
)

// appendMemberRecord appends the value of m: a version byte, and the member in Protocol Buffers.
func appendMemberRecord(dst []byte, m *domain.Member) ([]byte, error) {
	dst, err := codec.AppendMember(append(dst, version1), m)
	if err != nil {
		return dst, fmt.Errorf("storage: %w", err)
	}
	return dst, nil
}

// decodeMemberRecord reads a value into a zero member.
func decodeMemberRecord(v []byte, m *domain.Member) error {
	if len(v) == 0 {
		return damaged("m")
	}
	if v[0] != version1 {
		return fmt.Errorf("storage: m: %w: %d", errVersion, v[0])
	}
	if err := codec.DecodeMember(v[1:], m); err != nil {
		return fmt.Errorf("storage: m: %w: %w", errDamaged, err)
	}
	return nil
}
