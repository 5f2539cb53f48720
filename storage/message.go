package storage

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
)

// Members, requests, outbox entries, parked activities and the catalog's entities are Protocol
// Buffers behind a version byte.

// appendMessage appends the value of a pointer to a structure that package codec knows.
func appendMessage(dst []byte, v any) ([]byte, error) {
	dst, err := codec.Append(append(dst, version1), v)
	if err != nil {
		return dst, fmt.Errorf("storage: %w", err)
	}
	return dst, nil
}

// decodeMessage reads a value into a pointer to such a structure.
func decodeMessage(b []byte, v any) error {
	if len(b) == 0 {
		return fmt.Errorf("storage: %T: %w: no value", v, errDamaged)
	}
	if b[0] != version1 {
		return fmt.Errorf("storage: %T: %w: %d", v, errVersion, b[0])
	}
	if err := codec.Decode(b[1:], v); err != nil {
		return fmt.Errorf("storage: %w: %w", errDamaged, err)
	}
	return nil
}

// decodeParked reads a parked activity; account, ordinal and number are in the key.
func decodeParked(k, v []byte) (*domain.Parked, error) {
	if len(k) != parkedKeyLen {
		return nil, damaged("k")
	}
	p := new(domain.Parked)
	if err := decodeMessage(v, p); err != nil {
		return nil, err
	}
	p.Account = domain.AccountID(be.Uint32(k[3:]))
	p.Ord = domain.Ordinal(be.Uint32(k[7:]))
	p.Number = be.Uint32(k[11:])
	return p, nil
}
