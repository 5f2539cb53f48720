package merge

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

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
