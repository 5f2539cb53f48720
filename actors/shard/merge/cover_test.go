package merge

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Of one-time actions of a borrower and its lender the earliest counts, whichever comes when, and whichever is
// deleted; of one second the smaller hash. Deleting the earliest closes the pair for both. Where a shard starts
// again nothing else counts.
func TestMerge_OneTimeActions(t *testing.T) {
	type act struct {
		name string
		hash uint64
		at   int64
	}
	for _, c := range []struct {
		name     string
		before   []act
		after    []act
		remove   []uint64 // after the merge, at their own members
		sent     []string // by B, after the merge
		merged   string   // that count as A's, without visits
		unmerged [2]string
	}{
		{"the borrower's is earlier", []act{{"A", 1, 5}, {"B", 2, 6}}, nil, nil, nil, "1", [2]string{"1", "2"}},
		{"the lender's is earlier", []act{{"A", 1, 6}, {"B", 2, 5}}, nil, nil, nil, "2", [2]string{"1", "2"}},
		{"of one second the borrower's", []act{{"A", 1, 5}, {"B", 2, 5}}, nil, nil, nil, "1", [2]string{"1", "2"}},
		{"of one second the lender's", []act{{"A", 2, 5}, {"B", 1, 5}}, nil, nil, nil, "1", [2]string{"2", "1"}},
		{
			"the covered one of the lender is deleted",
			[]act{{"A", 1, 5}, {"B", 2, 6}},
			nil,
			[]uint64{2},
			[]string{"rows B>A -2"},
			"1",
			[2]string{"1", ""},
		},
		{
			"the covered one of the borrower is deleted",
			[]act{{"A", 1, 6}, {"B", 2, 5}},
			nil,
			[]uint64{1},
			nil, "2",
			[2]string{"", "2"},
		},
		{
			"the earliest, of the lender, is deleted",
			[]act{{"A", 1, 6}, {"B", 2, 5}},
			nil,
			[]uint64{2},
			[]string{"rows B>A -2"},
			"",
			[2]string{"1", ""},
		},
		{
			"the earliest, of the borrower, is deleted",
			[]act{{"A", 1, 5}, {"B", 2, 6}},
			nil,
			[]uint64{1},
			nil, "",
			[2]string{"", "2"},
		},
		{
			"both are deleted, the covered one first",
			[]act{{"A", 1, 5}, {"B", 2, 6}},
			nil,
			[]uint64{2, 1},
			[]string{"rows B>A -2"},
			"",
			[2]string{"", ""},
		},
		{
			"an earlier one of the lender comes",
			[]act{{"A", 1, 6}, {"B", 2, 7}},
			[]act{{"B", 3, 5}},
			nil,
			[]string{"rows B>A -2 3"},
			"3",
			[2]string{"1", "3"},
		},
		{
			"an earlier one of the borrower comes",
			[]act{{"A", 1, 6}, {"B", 2, 5}},
			[]act{{"A", 3, 4}},
			nil,
			nil, "3",
			[2]string{"3", "2"},
		},
		{
			"the lender's first one comes, later",
			[]act{{"A", 1, 6}},
			[]act{{"B", 2, 7}},
			nil,
			[]string{"rows B>A 2"},
			"1",
			[2]string{"1", "2"},
		},
		{
			"the lender's first one comes, earlier",
			[]act{{"A", 1, 6}},
			[]act{{"B", 2, 5}},
			nil,
			[]string{"rows B>A 2"},
			"2",
			[2]string{"1", "2"},
		},
		{
			"the borrower's first one comes, later",
			[]act{{"B", 2, 6}},
			[]act{{"A", 1, 7}},
			nil,
			nil, "2",
			[2]string{"1", "2"},
		},
		{"a repeat of the lender's", []act{{"B", 2, 6}}, []act{{"B", 3, 7}}, nil, nil, "2", [2]string{"", "2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				ids, of := map[uint64]domain.ActionID{}, map[uint64]string{}
				do := func(all []act) {
					for _, a := range all {
						ids[a.hash], of[a.hash] = h.act(a.name, once, a.hash, a.at), a.name
					}
				}
				do(c.before)
				h.merged("A", "B")
				do(c.after)
				for _, hash := range c.remove {
					h.expectOutcome("delete", h.remove(of[hash], ids[hash]), domain.OK, of[hash], "")
				}
				h.expect("B follows", h.next("B"), c.sent...)
				h.expectCounts("merged", map[string]string{"A": joined(c.merged, "1000 1001"), "B": ""})
				h.restart()
				h.unmerge("A", "B")
				h.deliverAll()
				h.expectCounts("unmerged", map[string]string{"A": joined(c.unmerged[0], "1000"), "B": joined(c.unmerged[1], "1001")})
				h.restart()
			})
		})
	}
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// Pairs of other brands and definitions cover nothing of each other.
func TestMerge_OneTimeActionsOfOtherPairs(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.act("A", once, 1, 5)
		h.act("B", once+1, 2, 6)
		h.activity("B", &domain.Activity{Definition: once, Hash: 3, Time: 1_700_000_000, Brand: 2})
		h.act("B", plain, 4, 7)
		h.act("A", plain, 5, 7)
		h.merged("A", "B")
		h.expectCounts("merged", map[string]string{"A": "1 2 3 4 5 1000 1001"})
		h.restart()
	})
}

// In a chain a member sends on what counts as its own: that one action takes the place of another is one step, and
// what is covered below is not sent until it counts.
func TestMerge_OneTimeActionsOfAChain(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("C", 2)
		h.act("A", once, 1, 30)
		h.act("B", once, 2, 20)
		c3 := h.act("C", once, 3, 10)
		h.merged("B", "C")
		h.merge("A", "B")
		h.next("A")
		h.expect("B lends what counts", h.next("B"), "rows B>A 1001 1002 3 last record:B")
		h.expectCounts("merged", map[string]string{"A": "3 1000 1001 1002", "B": "", "C": ""})

		h.act("B", once, 4, 5)
		h.expect("B's takes the place of C's", h.next("B"), "rows B>A -3 4")
		h.expectCounts("B's", map[string]string{"A": "4 1000 1001 1002"})
		h.restart()

		h.act("C", once, 5, 7)
		h.expect("C's is covered", h.next("C"), "rows C>B -3 5")
		h.expect("so it is not sent on", h.next("B"))
		h.expectCounts("B's still", map[string]string{"A": "4 1000 1001 1002"})

		h.act("C", once, 6, 2)
		h.expect("C's", h.next("C"), "rows C>B -5 6")
		h.expect("takes the place of B's", h.next("B"), "rows B>A -4 6")
		h.expectCounts("C's", map[string]string{"A": "6 1000 1001 1002"})
		h.restart()

		h.expectOutcome("delete", h.remove("C", c3), domain.NotFound, "actionid", "the member has no such action")
		h.erase("C")
		h.expect("C is erased", h.next("C"), "erased C>B")
		h.expect("B's counts again, in one step", h.next("B"), "rows B>A record:B", "rows B>A -1002 -6 4")
		h.expectCounts("B's again", map[string]string{"A": "4 1000 1001", "B": "", "C": ""})
		h.restart()
		h.erase("B")
		h.deliverAll()
		h.expectCounts("A's again", map[string]string{"A": "1 1000", "B": "", "C": ""})
		h.restart()
		h.handovers()
	})
}

// What is deleted below is closed above, also where it was covered by another one when it was deleted, and a member
// that is merged later closes its pairs, too.
func TestMerge_ClosedPairsOfAChain(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("C", 2)
		h.act("A", once, 1, 30)
		h.act("B", once, 2, 20)
		c3 := h.act("C", once, 3, 10)
		h.remove("C", c3)
		h.merge("B", "C")
		h.next("B")
		h.expect("C lends its closed pair", h.next("C"), "rows C>B 1002 -3 last record:C")
		h.expectCounts("closed for B", map[string]string{"A": "1 1000", "B": "1001 1002", "C": ""})
		h.restart()
		h.merge("A", "B")
		h.next("A")
		h.expect("B lends it on", h.next("B"), "rows B>A 1001 1002 -3 last record:B")
		h.expectCounts("closed for A", map[string]string{"A": "1000 1001 1002", "B": "", "C": ""})
		h.restart()
		h.act("B", once, 4, 5)
		h.expect("an earlier one of B", h.next("B"), "rows B>A 4")
		h.expectCounts("comes before the one that was deleted", map[string]string{"A": "4 1000 1001 1002"})
	})
}

// A member that is erased closes no pair any more, at whichever depth it was, whatever was merged since.
func TestMerge_ClosedPairsOfTheErased(t *testing.T) {
	withShards(t, func(h *harness) {
		for i, name := range []string{"A", "B", "C", "D"} {
			h.member(name, i%testShards)
		}
		h.act("A", once, 1, 30)
		d := h.act("D", once, 4, 10)
		h.merged("C", "D")
		h.merged("B", "C")
		h.remove("D", d)
		h.expect("D", h.next("D"), "rows D>C -4")
		h.expect("C", h.next("C"), "rows C>B -4")
		h.erase("D")
		h.deliverAll()
		h.merge("A", "B")
		h.next("A")
		h.expect("B knows of no closed pair", h.next("B"), "rows B>A 1001 1002 last record:B")
		h.expectCounts("A's counts", map[string]string{"A": "1 1000 1001 1002"})
		h.restart()
	})
	withShards(t, func(h *harness) {
		for i, name := range []string{"A", "B", "C"} {
			h.member(name, i)
		}
		h.act("A", once, 1, 30)
		c := h.act("C", once, 3, 10)
		h.merged("B", "C")
		h.merged("A", "B")
		h.remove("C", c)
		h.deliverAll()
		h.expectCounts("closed", map[string]string{"A": "1000 1001 1002"})
		h.erase("C")
		h.deliverAll()
		h.expectCounts("A's counts again", map[string]string{"A": "1 1000 1001"})
		h.restart()
	})
}

// A one-time action that was deleted while another one covered it closes its pair, for all above, as soon as that
// one is erased.
func TestMerge_ClosedWhileCovered(t *testing.T) {
	withShards(t, func(h *harness) {
		for i, name := range []string{"A", "B", "C", "D"} {
			h.member(name, i%testShards)
		}
		h.act("A", once, 1, 30)
		c := h.act("C", once, 3, 20)
		h.act("D", once, 4, 10)
		h.merged("C", "D")
		h.merged("B", "C")
		h.merged("A", "B")
		h.remove("C", c)
		h.expect("covered, it is not sent", h.next("C"))
		h.expectCounts("D's counts", map[string]string{"A": "4 1000 1001 1002 1003"})
		h.erase("D")
		h.next("D")
		h.expect("C", h.next("C"), "rows C>B record:C", "rows C>B -1003 -4 -3")
		h.expect("B", h.next("B"), "rows B>A record:C", "rows B>A -1003 -4 -3")
		h.expectCounts("closed", map[string]string{"A": "1000 1001 1002"})
		h.restart()
	})
}

// What turns when a member is erased is sent in the order of the pairs, whichever of them are committed (I6).
func TestMerge_OrderOfPairsThatTurn(t *testing.T) {
	for _, committed := range []bool{false, true} {
		withShards(t, func(h *harness) {
			for i, name := range []string{"A", "B", "C"} {
				h.member(name, i)
			}
			h.act("B", once+1, 3, 31)
			h.act("B", once, 2, 30)
			h.merged("B", "C")
			h.merged("A", "B")
			h.act("C", once+1, 5, 20)
			h.deliverAll()
			h.act("C", once, 4, 10)
			h.next("C")
			h.next("B")
			if committed {
				h.restart()
			}
			h.erase("C")
			h.next("C")
			h.expect("B", h.next("B"), "rows B>A record:B", "rows B>A -1002 -4 -5 2 3")
		})
	}
}

// A member in the middle of a chain is erased: of its rows nothing else is sent, those below are erased, and nothing
// is kept in memory of an ordinal without rows.
func TestMerge_ErasedInTheMiddle(t *testing.T) {
	withShards(t, func(h *harness) {
		for i, name := range []string{"A", "B", "C"} {
			h.member(name, i)
		}
		h.act("A", once, 1, 30)
		h.act("B", once, 2, 20)
		h.act("C", once, 3, 10)
		h.merged("B", "C")
		h.merged("A", "B")
		h.erase("B")
		h.expect("B", h.next("B"), "rows B>A record:B", "erased B>A", "erase C")
		h.deliverAll()
		h.expectCounts("erased", map[string]string{"A": "1 1000", "B": "", "C": ""})
		for id, s := range h.shards {
			of := s.State.Accounts.Of(account)
			for ord := range of.Audience.Members() {
				if c := of.Counting().Of(ord); c != nil {
					t.Errorf("shard %d, ordinal %d counts as %+v", id, ord, c)
				}
			}
		}
		h.restart()
		h.handovers()
	})
}
