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

// Node is a node of the installation, as the catalog lists it.
type Node struct {
	ID       NodeID
	Address  string // where its API listens
	Zone     string // its failure domain; empty: not known
	Rules    uint32 // newest rules of applying that its program knows
	Protocol uint32 // newest version of what nodes say to each other that it knows
	Program  string // version of its program, for operators
	Since    int64  // when it was listed, ms since 1970
	Gone     int64  // when it was taken off the list, ms since 1970; 0: it is listed
	By       GoneBy // who took it off
}

// GoneBy says who took a node off the list.
type GoneBy uint8

const (
	GoneByOperator GoneBy = iota + 1 // for good: its id is not listed again
	GoneBySilence                    // it did not beat for days: it may come again
)

// Listed reports that the node is on the list.
func (n *Node) Listed() bool { return n.Gone == 0 }

// Removed reports that an operator took the node off the list: its id is not listed again.
func (n *Node) Removed() bool { return n.Gone != 0 && n.By == GoneByOperator }

// NodeUp lists a node, or changes what the list says of it. A node appends it when it has applied
// its logs to their ends for the first time, and after a start where something differs. The
// outcome is a Conflict for a node that an operator removed.
type NodeUp struct {
	ID       NodeID
	Address  string
	Zone     string
	Rules    uint32
	Protocol uint32
	Program  string
	At       int64 // ms since 1970
}

// Kind is KindNodeUp.
func (*NodeUp) Kind() Kind { return KindNodeUp }

// Differs reports that the list says something else of the node, or does not have it.
func (u *NodeUp) Differs(n *Node) bool {
	return n == nil || !n.Listed() || n.Address != u.Address || n.Zone != u.Zone ||
		n.Rules != u.Rules || n.Protocol != u.Protocol || n.Program != u.Program
}

// NodeGone takes a node off the list.
type NodeGone struct {
	ID NodeID
	By GoneBy
	At int64 // ms since 1970
}

// Kind is KindNodeGone.
func (*NodeGone) Kind() Kind { return KindNodeGone }
