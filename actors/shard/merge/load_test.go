package merge

import (
	"fmt"
	"maps"
	"testing"

	"github.com/ovation-analytics/ovation/actors/member"
)

// memory is what a merger keeps of the merges of its shard, but for caches and depths: that of a lender below which
// a merge has ended is less after a start.
func (m *Merger) memory() string {
	covered := maps.Clone(m.groups.pairs)
	maps.DeleteFunc(covered, func(_ member.Place, of map[pair]uint64) bool { return len(of) == 0 })
	return fmt.Sprintf("counted %v\nshadows of %v\ncovered %v\nloans %v\nshadows %v",
		m.groups.counted, m.groups.shadowsOf, covered, m.loans.byMember, m.borrowers.shadows)
}

// A start loads what the merger had before it: while rows are copied, after the handover, in the middle of a chain,
// and after a merge that was taken back or followed by another (I6).
func TestLoad_AsBefore(t *testing.T) {
	withShards(t, func(h *harness) {
		same := func(when string) {
			t.Helper()
			var before [testShards]string
			for i, s := range h.shards {
				before[i] = s.merger.memory()
			}
			h.restart()
			for i, s := range h.shards {
				if after := s.merger.memory(); after != before[i] {
					t.Errorf("%s, shard %d loads\n%s\nbefore\n%s", when, i, after, before[i])
				}
			}
		}
		for i, name := range []string{"A", "B", "C", "D", "E"} {
			h.member(name, i%testShards)
			h.act(name, once, uint64(i), int64(9-i))
			h.act(name, plain, uint64(100+i), int64(i))
		}
		h.merged("B", "C")
		same("merged")
		h.merge("A", "B")
		same("asked")
		for n := 0; h.deliverNext(); n++ {
			same(fmt.Sprintf("%d steps later", n+1))
		}
		h.merged("A", "D")
		same("two into one")
		h.unmerge("A", "B")
		h.deliverAll()
		same("taken back")
		h.merged("E", "B")
		same("merged into another")
		h.erase("C")
		h.deliverAll()
		same("the lowest erased")
	})
}

// deliverNext commits, and delivers one entry of the first shard that has sent one; false: there is none.
func (h *harness) deliverNext() bool {
	h.t.Helper()
	for from, s := range h.shards {
		s.commit()
		for to := range h.shards {
			if h.deliver(from, to) {
				return true
			}
		}
	}
	return false
}
