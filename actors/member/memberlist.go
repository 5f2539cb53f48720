package member

import (
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// List is the first of the members of a bitset, by id; nil: of everyone, as Select
// means it.
func (c *Index) List(set []uint64, r *domain.MemberListing) *domain.MemberList {
	p := listPage{up: r.Up, rows: r.End()}
	if r.After != 0 {
		p.after = p.key(r.After)
	}
	out := &domain.MemberList{}
	take := func(ord domain.Ordinal) {
		if r.Changed == 0 || c.Changed(ord) >= r.Changed {
			out.Total++
			p.offer(c.ids[ord])
		}
	}
	if set == nil {
		for ord := range c.ids {
			take(domain.Ordinal(ord))
		}
	}
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			take(domain.Ordinal(i<<6 | bits.TrailingZeros64(w)))
		}
	}
	out.Members = p.first()
	return out
}

// listPage keeps at least the first rows of a list of those offered, by keys that ascend in
// the list's order.
type listPage struct {
	up    bool
	rows  int
	after uint64 // only keys above it are on the page
	last  uint64 // if not 0: keys above it are not
	keys  []uint64
}

// key is the member's place; never 0, since no id is 0 or has all bits.
func (p *listPage) key(id domain.MemberID) uint64 {
	if p.up {
		return uint64(id)
	}
	return ^uint64(id)
}

func (p *listPage) offer(id domain.MemberID) {
	k := p.key(id)
	if k <= p.after || p.last != 0 && k > p.last || p.rows == 0 {
		return
	}
	if p.keys = append(p.keys, k); len(p.keys) >= max(2*p.rows, 64) {
		p.cut()
		p.last = p.keys[len(p.keys)-1]
	}
}

// cut drops what is behind the first rows.
func (p *listPage) cut() {
	slices.Sort(p.keys)
	p.keys = p.keys[:min(p.rows, len(p.keys))]
}

func (p *listPage) first() []domain.MemberID {
	p.cut()
	out := make([]domain.MemberID, len(p.keys))
	for i, k := range p.keys {
		if out[i] = domain.MemberID(k); !p.up {
			out[i] = domain.MemberID(^k)
		}
	}
	return out
}
