package member

import (
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Roll is the first of the members of a bitset, by id; nil: of everyone, as Select
// means it.
func (c *Crowd) Roll(set []uint64, r *domain.Rolling) *domain.Roll {
	p := rollPage{up: r.Up, rows: r.End()}
	if r.After != 0 {
		p.behind = p.key(r.After)
	}
	out := &domain.Roll{}
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

// rollPage keeps the first rows of a roll of those offered, or more. Members stand by
// keys, which ascend in the roll's order.
type rollPage struct {
	up     bool
	rows   int
	behind uint64 // only keys above it are on the page
	last   uint64 // if not 0: keys above it are not
	keys   []uint64
}

// key is where the member stands; never 0, since no id is 0 or has all bits.
func (p *rollPage) key(id domain.MemberID) uint64 {
	if p.up {
		return uint64(id)
	}
	return ^uint64(id)
}

func (p *rollPage) offer(id domain.MemberID) {
	k := p.key(id)
	if k <= p.behind || p.last != 0 && k > p.last || p.rows == 0 {
		return
	}
	if p.keys = append(p.keys, k); len(p.keys) >= max(2*p.rows, 64) {
		p.cut()
		p.last = p.keys[len(p.keys)-1]
	}
}

// cut lets go of what is behind the first rows.
func (p *rollPage) cut() {
	slices.Sort(p.keys)
	p.keys = p.keys[:min(p.rows, len(p.keys))]
}

func (p *rollPage) first() []domain.MemberID {
	p.cut()
	out := make([]domain.MemberID, len(p.keys))
	for i, k := range p.keys {
		if out[i] = domain.MemberID(k); !p.up {
			out[i] = domain.MemberID(^k)
		}
	}
	return out
}
