package domain

import (
	"encoding/hex"
	"errors"
)

// NodeID is the id of a node: 16 random bytes, made once and kept in its --data.
type NodeID [16]byte

// IsZero reports whether there is no id.
func (id NodeID) IsZero() bool { return id == NodeID{} }

// String is the id in 32 hex digits.
func (id NodeID) String() string { return hex.EncodeToString(id[:]) }

// ParseNodeID reads an id in 32 hex digits.
func ParseNodeID(s string) (id NodeID, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return NodeID{}, errors.New("a node's id has 32 hex digits")
	}
	copy(id[:], b)
	return id, nil
}

// MarshalText is the id in hex, for JSON.
func (id NodeID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads an id in hex.
func (id *NodeID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseNodeID(string(text))
	return err
}
