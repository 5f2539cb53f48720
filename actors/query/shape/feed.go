package shape

import (
	"cmp"
	"container/heap"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeFeed is the page of a feed that the listing asks for, of the shards' first
// items. A nil part lists nothing. Each part stays in its own order; among the parts
// the time decides, ties are ordered by ID ascending. A part in order of recording is in order
// of its shard's sequences.
func MergeFeed(l *domain.Listing, parts []*domain.Feed) *domain.Feed {
	out := &domain.Feed{}
	h, listed := &heads{listing: l}, 0
	for _, p := range parts {
		if p == nil {
			continue
		}
		out.Total += p.Total
		out.Ahead += p.Ahead
		out.HandedOver += p.HandedOver
		if len(p.Items) > 0 {
			h.parts = append(h.parts, p.Items)
			listed += len(p.Items)
		}
	}
	out.Items = make([]domain.FeedItem, 0, max(0, min(listed, l.End())-l.Offset))
	heap.Init(h)
	for at := 0; at < l.End() && len(h.parts) > 0; at++ {
		if at >= l.Offset {
			out.Items = append(out.Items, h.parts[0][0])
		}
		if h.parts[0] = h.parts[0][1:]; len(h.parts[0]) == 0 {
			heap.Pop(h)
		} else {
			heap.Fix(h, 0)
		}
	}
	return out
}

// heads is a heap of what is left of the parts, by its first item.
type heads struct {
	listing *domain.Listing
	parts   [][]domain.FeedItem
}

func (h *heads) Len() int      { return len(h.parts) }
func (h *heads) Swap(i, j int) { h.parts[i], h.parts[j] = h.parts[j], h.parts[i] }
func (h *heads) Push(x any)    { h.parts = append(h.parts, x.([]domain.FeedItem)) }

func (h *heads) Pop() any {
	last := len(h.parts) - 1
	p := h.parts[last]
	h.parts = h.parts[:last]
	return p
}

func (h *heads) Less(i, j int) bool {
	a, b := &h.parts[i][0], &h.parts[j][0]
	by := cmp.Compare(a.Row.Time, b.Row.Time)
	if h.listing.Recorded {
		by = cmp.Compare(a.Recorded, b.Recorded)
	}
	if by == 0 {
		return a.Row.ID() < b.Row.ID()
	}
	return (by < 0) == h.listing.Up
}
