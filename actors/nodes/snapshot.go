package nodes

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Duty is something that one node does for all.
type Duty uint8

const (
	Routing    Duty = iota + 1 // of a partition of the public topic
	Publishing                 // of a shard's outbox: forwards, dead letters, deletions of keys
	Ticking                    // of a shard
	Trimming                   // of a partition of the public topic; partition 0 also trims dead letters
	Listing                    // what is appended to the catalog about nodes; partition 0
	Upgrading                  // of a shard to newer rules of applying
	Delivering                 // of a webhook: its number
)

// Member is a node of the list as its reader sees it.
type Member struct {
	ID     domain.NodeID
	Beat   Beat
	Heard  bool          // a beat of it was read
	Alive  bool          // it beats, or was listed a moment ago
	Silent time.Duration // for how long the reader has seen no new beat of it
}

// Snapshot is the nodes of an installation as one of them sees them at a moment. It never
// changes. A nil Snapshot is that of a node alone.
type Snapshot struct {
	Self    domain.NodeID
	Members []Member // those listed, by id; this node is among them when it is listed
	order   []domain.NodeID
	last    []domain.NodeID // starting, lagging or ending: after those in order
}

// newSnapshot derives who can have duties.
func newSnapshot(self domain.NodeID, members []Member) *Snapshot {
	s := &Snapshot{Self: self, Members: members}
	for _, m := range members {
		switch {
		case !m.Alive:
		case m.Heard && m.Beat.State != Serving: // without a beat yet it is not known
			s.last = append(s.last, m.ID)
		default:
			s.order = append(s.order, m.ID)
		}
	}
	return s
}

// Rank is the place of this node among those that are alive, for a duty of a partition or a
// shard: 0 has the duty, i takes it over when it was undone for i times the duty's delay. A node
// that is not among them comes after all. A node alone has rank 0.
func (s *Snapshot) Rank(duty Duty, partition int) int {
	if s == nil {
		return 0
	}
	return s.RankOf(s.Self, duty, partition)
}

// RankOf is the rank of any node.
func (s *Snapshot) RankOf(id domain.NodeID, duty Duty, partition int) int {
	if s == nil {
		return 0
	}
	switch {
	case slices.Contains(s.order, id):
		return place(s.order, id, duty, partition)
	case slices.Contains(s.last, id):
		return len(s.order) + place(s.last, id, duty, partition)
	}
	return len(s.order) + len(s.last)
}

// place is how many of the ids come before id.
func place(ids []domain.NodeID, id domain.NodeID, duty Duty, partition int) (n int) {
	own := weight(id, duty, partition)
	for _, other := range ids {
		w := weight(other, duty, partition)
		if cmp.Or(cmp.Compare(w, own), bytes.Compare(other[:], id[:])) < 0 {
			n++
		}
	}
	return n
}

// weight orders the nodes for one duty of a partition: the same at every node and in every
// version of the program.
func weight(id domain.NodeID, duty Duty, partition int) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte{byte(duty), byte(partition >> 24), byte(partition >> 16), byte(partition >> 8), byte(partition)})
	_, _ = h.Write(id[:])
	w := h.Sum64() // its high bits hardly depend on the last bytes: they are mixed, as MurmurHash3 ends
	w ^= w >> 33
	w *= 0xff51afd7ed558ccd
	w ^= w >> 33
	w *= 0xc4ceb9fe1a85ec53
	return w ^ w>>33
}

// without is the snapshot after a node said that it ends.
func (s *Snapshot) without(id domain.NodeID) *Snapshot {
	if s == nil {
		return nil
	}
	members := slices.Clone(s.Members)
	for i := range members {
		if members[i].ID == id {
			members[i].Heard = true
			members[i].Beat.State = Ending
			members[i].Beat.Ready = false
		}
	}
	return newSnapshot(s.Self, members)
}

// Member is a node of the list; nil: it is not listed.
func (s *Snapshot) Member(id domain.NodeID) *Member {
	if s == nil {
		return nil
	}
	for i := range s.Members {
		if s.Members[i].ID == id {
			return &s.Members[i]
		}
	}
	return nil
}

// Beats reports that a node is listed and was not silent for long, also one that said that it ends.
func (s *Snapshot) Beats(id domain.NodeID) bool {
	m := s.Member(id)
	return m != nil && m.Silent < AliveFor
}

// Others are the other nodes that are listed.
func (s *Snapshot) Others() (others []Member) {
	if s == nil {
		return nil
	}
	for _, m := range s.Members {
		if m.ID != s.Self {
			others = append(others, m)
		}
	}
	return others
}

// AnotherAlive reports that another node is alive.
func (s *Snapshot) AnotherAlive() bool {
	return slices.ContainsFunc(s.Others(), func(m Member) bool { return m.Alive })
}

// AnotherReady reports that another node is alive and says that it is ready.
func (s *Snapshot) AnotherReady() bool {
	return slices.ContainsFunc(s.Others(), func(m Member) bool {
		return m.Alive && m.Heard && m.Beat.Ready && m.Beat.State.serves()
	})
}

// Current is the newest Snapshot. Its zero value is that of a node alone.
type Current struct{ p atomic.Pointer[Snapshot] }

// Get is the newest snapshot; nil: the node is alone.
func (c *Current) Get() *Snapshot { return c.p.Load() }

// Set replaces it.
func (c *Current) Set(s *Snapshot) { c.p.Store(s) }

// Rank is that of the newest snapshot.
func (c *Current) Rank(duty Duty, partition int) int { return c.Get().Rank(duty, partition) }
