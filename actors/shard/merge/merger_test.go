package merge

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// A merge is asked for, its rows are copied and hidden until the handover, and count from then on as the
// borrower's and no more as the lender's. Taking it back is identity, and leaves nothing of the shadow.
func TestMerge_StepByStep(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("A2", 0)
		h.member("B2", 1)
		h.act("A", plain, 1, 0)
		h.act("B", plain, 2, 0)
		b3 := h.act("B", plain, 3, 0)
		asked := h.merge("A", "B")
		h.expectOutcome("asked", asked, domain.OK, "", "")
		h.expect("A asks", h.next("A"), "ask B>A")
		h.expectCounts("handed over", map[string]string{"A": "1 1000", "B": ""})
		h.expect("B hands over", h.next("B"), "rows B>A 1001 2 3 last record:B")
		h.expectOutcome("merged", asked, domain.OK, "A", "")
		h.expectCounts("merged", map[string]string{"A": "1 2 3 1000 1001", "B": ""})
		h.act("B", plain, 4, 0)
		h.remove("B", b3)
		h.expect("B follows", h.next("B"), "rows B>A 4", "rows B>A -3")
		h.expectCounts("followed", map[string]string{"A": "1 2 4 1000 1001", "B": ""})
		h.sameRecord("A", "B")
		shadow := h.shards[0].merger.borrowers.shadows[lender{account, h.ids["B"]}]
		for shard, name := range []string{"A", "B"} {
			if !h.shards[shard].merger.Involved(h.actor(name).Place()) || h.shards[shard].merger.Involved(h.actor(name+"2").Place()) {
				t.Errorf("of %s and of another member of its shard is said otherwise whether they have part in a merge", name)
			}
		}
		parted := h.unmerge("A", "B")
		h.expectOutcome("unmerge asked", parted, domain.OK, "", "")
		h.expectCounts("shadow erased", map[string]string{"A": "1 1000", "B": ""})
		of := h.shards[0].State.Accounts.Of(account)
		if c := of.Counting().Of(shadow.Ord); c != nil {
			t.Errorf("an ordinal without rows counts as %+v", c)
		}
		h.expect("A gives back", h.next("A"), "return B>A")
		h.expectOutcome("unmerged", parted, domain.OK, "A", "")
		h.expectCounts("unmerged", map[string]string{"A": "1 1000", "B": "2 4 1001"})
		h.act("B", plain, 5, 0)
		h.expect("B is alone", h.next("B"))
		h.expect("A is alone", h.next("A"))
		h.handovers()
		if a, b := h.state("A"), h.state("B"); len(a.Absorbed) > 0 || b.Lent != nil || a.HandedOver == 0 || b.HandedOver == 0 {
			t.Errorf("after it was taken back: %+v, %+v", a, b)
		}
		if s := h.shards[0].stats; s.Merged.Load() != 1 || s.Unmerged.Load() != 1 {
			t.Errorf("%d merged, %d unmerged", s.Merged.Load(), s.Unmerged.Load())
		}
		if s := h.shards[0]; s.merger.Involved(h.actor("A").Place()) || !s.merger.idle() || !h.shards[1].merger.idle() {
			t.Error("a shard without merges is not idle")
		}
	})
}

// Members of one shard merge by the same steps.
func TestMerge_InOneShard(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 0)
		h.act("B", once, 1, 5)
		h.act("A", once, 2, 6)
		h.merged("A", "B")
		h.expectCounts("merged", map[string]string{"A": "1 1000 1001", "B": ""})
		h.unmerge("A", "B")
		h.deliverAll()
		h.expectCounts("unmerged", map[string]string{"A": "2 1000", "B": "1 1001"})
		h.handovers()
	})
}

// Two members that are merged into each other at once: each is refused, and no request waits.
func TestMerge_IntoEachOther(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		ab, ba := h.merge("A", "B"), h.merge("B", "A")
		h.deliverAll()
		h.expectOutcome("B into A", ab, domain.Conflict, "", busy)
		h.expectOutcome("A into B", ba, domain.Conflict, "", busy)
		h.merged("A", "B")
		h.expectCounts("merged later", map[string]string{"A": "1000 1001", "B": ""})
	})
}

// A request that comes again changes nothing, sends nothing, and has the outcome of the first.
func TestMerge_RequestsRepeated(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.act("B", plain, 1, 0)
		again := func(c domain.Command, from string, sent ...string) {
			t.Helper()
			r := h.record(c)
			for range 3 {
				h.shards[0].take(r)
			}
			h.expect("asked thrice", h.next("A"), sent...)
			h.deliverAll()
			first := h.outcome(r.Request)
			h.shards[0].take(r)
			h.expect("asked again", h.next("A"))
			if got := h.outcome(r.Request); got.Err() != nil || got.Member != h.ids["A"] || first.Member != got.Member {
				t.Errorf("outcomes %+v, then %+v, of %s", first, got, from)
			}
		}
		again(&domain.MergeMembers{Member: h.ids["A"], From: h.ids["B"]}, "B", "ask B>A")
		h.expectCounts("merged", map[string]string{"A": "1 1000 1001", "B": ""})
		again(&domain.UnmergeMember{Member: h.ids["A"], From: h.ids["B"]}, "B", "return B>A")
		h.expectCounts("unmerged", map[string]string{"A": "1000", "B": "1 1001"})
		h.handovers()
	})
}

// A step that no merge has is an error.
func TestMerge_NoSuchStep(t *testing.T) {
	withShards(t, func(h *harness) {
		if err := h.shards[0].merger.Lend(nil, nil, &domain.Lend{Step: domain.LendErased + 1}); err == nil {
			t.Error("an unknown step is applied")
		}
	})
}

// setAside has a step be set aside in the shard of the member that it addresses.
func (h *harness) setAside(l *domain.Lend) {
	h.t.Helper()
	s := h.shards[l.Member.Slot().Shard(testShards)]
	r := &domain.Record{Kind: l.Kind(), Account: account, Command: l}
	if err := s.Do(r, func(t *tx.Tx) error {
		s.merger.SetAside(t, r, l)
		return nil
	}); err != nil {
		h.t.Fatal(err)
	}
	s.log = append(s.log, logged{})
	s.sent = append(s.sent, s.Take()...)
}

// What follows from each step that is set aside: one that rows change hands by counts as applied, and a refusal
// ends the merge. Nothing else is done.
func TestMerge_StepSetAside(t *testing.T) {
	for _, c := range []struct {
		name     string
		l        domain.Lend // the lender is B, the borrower A
		toLender bool
		sent     []string
		received uint64
		outcome  domain.Code
	}{
		{"ask", domain.Lend{Step: domain.LendAsk}, true, []string{"refused B>A code:10"}, 0, 0},
		{"next", domain.Lend{Step: domain.LendNext}, true, []string{"refused B>A code:10"}, 0, 0},
		{"return", domain.Lend{Step: domain.LendReturn, Asked: domain.RequestID{9}}, true, nil, 1, domain.Internal},
		{"rows", domain.Lend{Step: domain.LendRows}, false, []string{"refused B>A code:10"}, 0, 0},
		{"handover", domain.Lend{Step: domain.LendRows, Last: true}, false, []string{"refused B>A code:10"}, 1, 0},
		{"refusal", domain.Lend{Step: domain.LendRefused, Code: domain.Conflict}, false, []string{"refused B>A code:10"}, 0, 0},
		{"refusal since a step was set aside", domain.Lend{Step: domain.LendRefused, Code: domain.Internal}, false, nil, 0, 0},
		{"erasure", domain.Lend{Step: domain.LendErased}, false, []string{"erased B>A last"}, 0, 0},
		{"erasure, sent again", domain.Lend{Step: domain.LendErased, Last: true}, false, nil, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				l, at, of := c.l, "A", 1
				l.Member, l.Other, l.Ticket = h.ids["A"], h.ids["B"], 3
				if c.toLender {
					l.Member, l.Other, at, of = l.Other, l.Member, "B", 0
				}
				h.setAside(&l)
				if got := h.received(1-of, of); got != c.received {
					t.Errorf("%d handovers received, want %d", got, c.received)
				}
				s := h.shardOf(at)
				var sent []string
				for _, o := range s.sent {
					sent = append(sent, h.text(o))
					if got := o.Forward.Command.(*domain.Lend).Ticket; got != 3 {
						t.Errorf("ticket %d", got)
					}
				}
				h.expect("sent", sent, c.sent...)
				if out := h.outcome(domain.RequestID{9}); out.Code != c.outcome {
					t.Errorf("outcome %+v", out)
				}
				h.expectCounts("nothing is done", map[string]string{"A": "1000", "B": "1001"})
			})
		})
	}
}

// Whichever step of a merge is set aside, its request has an outcome, each action counts once, shards agree on what
// changed hands, and the members can be merged again.
func TestMerge_GoesOnAfterAStepSetAside(t *testing.T) {
	for _, c := range []struct {
		name   string
		from   int // shard whose next entry is set aside, after so many steps of the merge
		after  int
		counts map[string]string
	}{
		{"ask", 0, 0, map[string]string{"A": "1000", "B": "1 2 3 1001"}},
		{"first rows", 1, 1, map[string]string{"A": "1000", "B": "1 2 3 1001"}},
		{"next", 0, 2, map[string]string{"A": "1000", "B": "1 2 3 1001"}},
		{"handover", 1, 3, map[string]string{"A": "1000", "B": "1 2 3 1001"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				for hash := range uint64(3) {
					h.actLarge("B", plain, hash+1, 0)
				}
				id := h.merge("A", "B")
				for i := range c.after {
					h.next([]string{"A", "B"}[i%2])
				}
				s := h.shards[c.from]
				s.commit()
				l := s.sent[s.committed-1].Forward.Command.(*domain.Lend)
				s.delivered[1-c.from] = s.committed
				h.setAside(l)
				h.deliverAll()
				h.expectOutcome("merge", id, domain.Internal, "", "a step of the merge cannot be applied")
				h.expectCounts("in the end", c.counts)
				h.handovers()
				if h.state("B").Lent != nil || len(h.state("A").Absorbed) > 0 {
					t.Errorf("still merged: %+v, %+v", h.state("A"), h.state("B"))
				}
				h.merged("A", "B")
				h.expectCounts("merged again", map[string]string{"A": "1 2 3 1000 1001", "B": ""})
			})
		})
	}
}

// A return that is set aside leaves the member lent, until the same borrower asks for it again.
func TestMerge_ReturnSetAside(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("C", 2)
		h.act("B", plain, 1, 0)
		h.merged("A", "B")
		id := h.unmerge("A", "B")
		s := h.shards[0]
		s.commit()
		l := s.sent[s.committed-1].Forward.Command.(*domain.Lend)
		s.delivered[1] = s.committed
		h.setAside(l)
		h.expectOutcome("unmerge", id, domain.Internal, "", "a step of the merge cannot be applied")
		h.expectCounts("lent to none that knows of it", map[string]string{"A": "1000", "B": ""})
		h.handovers()
		third := h.merge("C", "B")
		h.deliverAll()
		h.expectOutcome("into another", third, domain.Conflict, "", busy)
		h.merged("A", "B")
		h.expectCounts("merged again", map[string]string{"A": "1 1000 1001", "B": ""})
		h.unmerge("A", "B")
		h.deliverAll()
		h.expectCounts("at home", map[string]string{"A": "1000", "B": "1 1001"})
		h.handovers()
	})
}
