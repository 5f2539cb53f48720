package members

import (
	"fmt"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Loaded is the member actors of a shard. Those that were not touched lately are unloaded at
// a commit: until then they hold what the store does not have yet.
//
// Which are unloaded is chosen by the clock algorithm: each has a mark that a touch sets;
// the hand clears marks and takes the first actor without one. An order by last use would be
// more exact, and would read and write two neighbours with every touch.
type Loaded struct {
	limit     int                            // bytes
	held      int                            // bytes of all, as of when the hand last passed each
	byOrdinal map[domain.AccountID][]*Member // by ordinal; nil: not loaded
	of        domain.AccountID               // the account asked about last, and its byOrdinal
	last      []*Member
	ring      []*Member // all of them, in any order
	hand      int
	children  *children.Children
	store     Store
	history   member.History // the store
	loads     *atomic.Int64
}

// New is one whose members take no more bytes than the limit after Evict. It counts those
// that are read from the store.
func New(limit int, of *children.Children, store Store, loads *atomic.Int64) *Loaded {
	return &Loaded{
		limit: limit, byOrdinal: map[domain.AccountID][]*Member{}, children: of, store: store, history: store, loads: loads,
	}
}

// At is the actor in a place; nil when it is not loaded.
func (c *Loaded) At(p member.Place) *Member {
	if p.Account != c.of {
		c.of, c.last = p.Account, c.byOrdinal[p.Account]
	}
	if int(p.Ord) >= len(c.last) {
		return nil
	}
	return c.last[p.Ord]
}

// weigh notes how many bytes an actor takes now.
func (c *Loaded) weigh(k *Member) {
	c.held -= int(k.bytes)
	k.bytes = int32(min(childBytes+k.State().Bytes(), 1<<30))
	c.held += int(k.bytes)
}

// set puts an actor into a place; nil: the place is free.
func (c *Loaded) set(p member.Place, k *Member) {
	byOrdinal := c.byOrdinal[p.Account]
	if n := int(p.Ord) + 1; n > len(byOrdinal) {
		byOrdinal = append(byOrdinal, make([]*Member, n-len(byOrdinal))...)
		c.byOrdinal[p.Account], c.of = byOrdinal, 0
	}
	byOrdinal[p.Ord] = k
}

// Load is the member's actor, touched; it reads the member if it is not loaded.
func (c *Loaded) Load(at member.Place) (*Member, error) {
	if k := c.At(at); k != nil {
		k.touched = true
		return k, nil
	}
	m, err := c.store.Member(at.Account, at.Ord)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("member %d of account %d is in the roster but not in the store", at.Ord, at.Account)
	}
	c.loads.Add(1)
	return c.Spawn(at, member.NewState(m)), nil
}

// Past is all that the member of a place did, what is staged included.
func (c *Loaded) Past(at member.Place) ([]domain.Row, error) { return c.store.Past(at.Account, at.Ord) }

// Bytes is what the members took when each was last weighed.
func (c *Loaded) Bytes() int { return c.held }

// Spawn makes the actor of a member.
func (c *Loaded) Spawn(at member.Place, s *member.State) *Member {
	k := &Member{touched: true, state: s}
	c.children.Spawn(&k.child)
	c.set(at, k)
	c.weigh(k)
	c.ring = append(c.ring, k)
	return k
}

// Evict unloads members until those loaded take no more than the limit.
func (c *Loaded) Evict() (evicted int) {
	for c.held > c.limit {
		if c.hand >= len(c.ring) {
			c.hand = 0
		}
		if k := c.ring[c.hand]; k.touched {
			k.touched = false
			c.weigh(k)
			c.hand++
			continue
		}
		c.unload(c.hand)
		evicted++
	}
	return evicted
}

// Clear unloads all.
func (c *Loaded) Clear() {
	for len(c.ring) > 0 {
		c.unload(len(c.ring) - 1)
	}
}

// unload ends the actor at a place of the ring; the last one takes its place.
func (c *Loaded) unload(i int) {
	k, last := c.ring[i], len(c.ring)-1
	c.held -= int(k.bytes)
	c.ring[i], c.ring[last] = c.ring[last], nil
	c.ring = c.ring[:last]
	c.set(k.Place(), nil)
	c.children.Stop(&k.child)
}
