package sending

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Log is how far webhooks came, on all nodes. Any goroutine calls it.
type Log interface {
	Reader
	// Keep appends a record of progress, and reports whether it counts: another one that is based on the same progress
	// came first where it does not. After an error that is not known, and it may be asked again.
	Keep(ctx context.Context, account domain.AccountID, of *domain.Delivered) (counts bool, err error)
	// Sending is the node that sent last, and how often a node was seen to send.
	Sending(id domain.WebhookID) (node domain.NodeID, moves uint64)
	// Wishes is how often an account was seen to want events of a webhook once more.
	Wishes(id domain.WebhookID) uint64
	// WishesVisible reports that Progress has all of that: a record is seen a moment before it is committed.
	WishesVisible(id domain.WebhookID) bool
	// LastEvent is the sequence of the last row, notice or membership of its list that there is for a webhook in a shard.
	LastEvent(shard int, of *domain.Webhook) uint64
	// Rank is the place of this node for a webhook; below zero while that is not known.
	Rank(id domain.WebhookID) int
	// Self is this node.
	Self() domain.NodeID
	// Alone reports that there is no other node.
	Alone() bool
}
