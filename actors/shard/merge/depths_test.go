package merge

import (
	"fmt"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// The depth of a lender is what it was when its loan began; each account has its own.
func TestDepths(t *testing.T) {
	d := newDepths()
	one, two, other := member.Place{Account: 1}, member.Place{Account: 1, Ord: 1}, member.Place{Account: 2}
	d.begin(one, 3)
	d.begin(one, 5)
	d.begin(two, 2)
	d.begin(other, domain.DeepestMerge+4)
	if d.deepestOf(1) != 3 || d.deepestOf(2) != domain.DeepestMerge || d.deepestOf(3) != 0 || d.deepest() != domain.DeepestMerge {
		t.Errorf("depths %d, %d, of all %d", d.deepestOf(1), d.deepestOf(2), d.deepest())
	}
	d.end(other)
	d.end(other)
	d.end(one)
	if d.deepestOf(1) != 2 || d.deepest() != 2 {
		t.Errorf("depths %d, of all %d", d.deepestOf(1), d.deepest())
	}
	d.end(two)
	if d.deepest() != 0 || len(d.of)+len(d.lenders) > 0 {
		t.Errorf("without lenders %+v", d)
	}
}

// The depth of a lender is what it was when its loan began after a start too: what follows from a merge that ended below
// it is still on its way, and who waits for that follows it.
func TestDepths_AfterAStart(t *testing.T) {
	withShards(t, func(h *harness) {
		for i, name := range []string{"C", "B", "E"} {
			h.member(name, i)
		}
		h.act("C", plain, 1, 1)
		h.merged("B", "C")
		h.merged("E", "B")
		h.erase("C")
		h.shards[0].commit()
		for h.deliver(0, 1) {
		}
		s := h.shards[1]
		s.commit() // what it sends on to E waits in its outbox
		before := s.merger.DepthOf(account)
		s.crash()
		if after := s.merger.DepthOf(account); before != 1 || after != before {
			t.Errorf("the depth is %d, it was %d", after, before)
		}
	})
}

// A chain has eight merges at most: the one at its top is not merged. What its lowest member does counts at the top,
// sent on once by each, and counts at home again when the lowest is erased or the top taken back.
func TestMerge_Chain(t *testing.T) {
	withShards(t, func(h *harness) {
		name := func(i int) string { return fmt.Sprint("M", i) }
		for i := range domain.DeepestMerge + 2 {
			h.member(name(i), i%testShards)
		}
		for i := range domain.DeepestMerge {
			h.merged(name(i+1), name(i))
		}
		for i := range domain.DeepestMerge {
			s := h.shardOf(name(i))
			if depth := s.merger.loans.depths.of[h.actor(name(i)).Place()]; depth != i {
				t.Errorf("of %s the depth is %d", name(i), depth)
			}
		}
		depths := func() (all []int) {
			for _, s := range h.shards {
				if s.merger.Depth() != s.merger.DepthOf(account) || s.merger.DepthOf(account+1) != 0 {
					t.Errorf("of all accounts %d, of this one %d", s.merger.Depth(), s.merger.DepthOf(account))
				}
				all = append(all, s.merger.Depth())
			}
			return all
		}
		if got := fmt.Sprint(depths()); got != "[6 7 5]" {
			t.Errorf("depths %s", got)
		}
		top, above := name(domain.DeepestMerge), name(domain.DeepestMerge+1)
		h.expectOutcome("one more", func() domain.RequestID {
			id := h.merge(above, top)
			h.deliverAll()
			return id
		}(), domain.PlanLimit, "from", tooDeep)
		h.act(name(0), plain, 1, 0)
		for i := range domain.DeepestMerge {
			h.expect("sent on", h.next(name(i)), "rows "+name(i)+">"+name(i+1)+" 1")
		}
		h.expectCounts("at the top", map[string]string{top: "1 1000 1001 1002 1003 1004 1005 1006 1007 1008", name(0): ""})
		h.restart()
		if got := fmt.Sprint(depths()); got != "[6 7 5]" {
			t.Errorf("after a start depths %s", got)
		}
		h.unmerge(top, name(domain.DeepestMerge-1))
		h.deliverAll()
		h.expectCounts("taken back", map[string]string{
			top: "1008", name(domain.DeepestMerge - 1): "1 1000 1001 1002 1003 1004 1005 1006 1007", name(0): "",
		})
		if got := fmt.Sprint(depths()); got != "[6 4 5]" {
			t.Errorf("after it was taken back depths %s", got)
		}
		h.merged(above, top)
		h.erase(name(0))
		h.deliverAll()
		h.expectCounts("erased", map[string]string{name(domain.DeepestMerge - 1): "1001 1002 1003 1004 1005 1006 1007", name(0): ""})
		h.erase(name(domain.DeepestMerge - 1))
		h.deliverAll()
		h.expectCounts("erased with all below", map[string]string{name(domain.DeepestMerge - 1): "", name(3): "", name(1): "", above: "1008 1009"})
		for i := range domain.DeepestMerge {
			if state := h.state(name(i)).State; state != domain.MemberErased {
				t.Errorf("%s is %d, not erased", name(i), state)
			}
		}
		h.handovers()
		h.restart()
	})
}
