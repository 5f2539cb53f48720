package merge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

// What a lender answers, what then becomes of the request, and that a refusal leaves both as they were.
func TestMerge_Asked(t *testing.T) {
	large := strings.Repeat("x", stepRecord)
	for _, c := range []struct {
		name      string
		prepare   func(h *harness)
		sent      []string
		code      domain.Code
		parameter string
		message   string
	}{
		{name: "lends", sent: []string{"rows B>A 1001 1 last record:B"}, parameter: "A"},
		{
			name: "not known", prepare: func(h *harness) { h.ids["B"] = domain.MemberIDOf(77, slot(1)); h.names[h.ids["B"]] = "B" },
			sent: []string{"refused B>A code:5"}, code: domain.NotFound, parameter: "from", message: "no such member",
		},
		{
			name: "not active", prepare: func(h *harness) { h.state("B").State = domain.MemberPending },
			sent: []string{"refused B>A code:5"}, code: domain.NotFound, parameter: "from", message: "no such member",
		},
		{
			name: "erased", prepare: func(h *harness) { h.erase("B") },
			sent: []string{"refused B>A code:16"}, code: domain.Gone, message: domain.ErrErased.Message,
		},
		{
			name: "merged into another", prepare: func(h *harness) { h.merged("C", "B") },
			sent: []string{"refused B>A code:7"}, code: domain.Conflict, message: busy,
		},
		{
			name: "merges another", prepare: func(h *harness) { h.merge("B", "C"); h.shards[1].commit(); h.shards[1].delivered[2] = 1 },
			sent: []string{"refused B>A code:7"}, code: domain.Conflict, message: busy,
		},
		{
			name: "has merged another", prepare: func(h *harness) { h.merged("B", "C") },
			sent: []string{"rows B>A 1001 1 1002 last record:B"}, parameter: "A",
		},
		{
			name: "too large", prepare: func(h *harness) { h.state("B").Profile = domain.Fields{{Field: domain.Country, Value: large}} },
			sent: []string{"refused B>A code:12"}, code: domain.PlanLimit, parameter: "from",
			message: "the member is too large, with those merged into it",
		},
		{
			name: "too deep", prepare: func(h *harness) { h.deep("B", domain.DeepestMerge) },
			sent: []string{"refused B>A code:12 deep"}, code: domain.PlanLimit, parameter: "from",
			message: "members would be merged one into the other more than 8 times",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				h.member("C", 2)
				h.act("B", plain, 1, -1)
				if c.prepare != nil {
					c.prepare(h)
				}
				before := *h.state("A")
				id := h.merge("A", "B")
				h.expect("asks", h.next("A"), "ask B>A")
				h.expect("answers", h.next("B"), c.sent...)
				h.expectOutcome("merge", id, c.code, c.parameter, c.message)
				if c.code == domain.OK {
					return
				}
				h.counted()
				if a := h.state("A"); len(a.Absorbed) > 0 || a.HandedOver != before.HandedOver {
					t.Errorf("after a refusal: %+v", a)
				}
				h.expect("sent", h.next("A"))
			})
		})
	}
}

// deep has a member be as one with a chain of so many merges below it.
func (h *harness) deep(name string, merges int) {
	of := h.state(name)
	for i := range merges {
		below := &domain.Member{ID: domain.MemberIDOf(uint64(100+i), slot(2)), State: domain.MemberActive}
		of.Absorbed = []domain.Absorbed{{Member: below.ID, Ticket: 1, Done: true, Record: below}}
		of = below
	}
}

// A borrower that does not know of its loan any more asks again: the old loan ends, and the rows count once.
func TestMerge_AskedAgainByTheSame(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.act("B", plain, 1, 0)
		h.merged("A", "B")
		h.unmerge("A", "B")
		h.shards[0].commit()
		h.shards[0].delivered[1] = h.shards[0].committed // the return is lost
		h.act("B", plain, 2, 0)
		h.shards[1].commit()
		h.shards[1].delivered[0] = h.shards[1].committed // and so is what B sends
		id := h.merge("A", "B")
		h.expect("A asks again", h.next("A"), "ask B>A")
		h.expect("B lends again", h.next("B"), "rows B>A 1001 1 2 last record:B")
		h.expectOutcome("merged", id, domain.OK, "A", "")
		h.expectCounts("merged again", map[string]string{"A": "1 2 1000 1001", "B": ""})
	})
}

// Rows are copied step by step, in the order of their sequences. What changes meanwhile is sent at once where the
// row was sent, and with the row where it was not; nothing of it counts before the handover. Where the shards start
// again decides nothing.
func TestMerge_CopiedInSteps(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprint("restarts ", restarts), func(t *testing.T) {
			withShards(t, func(h *harness) {
				again := func() {
					if restarts {
						h.restart()
					}
				}
				h.member("A", 0)
				h.member("B", 1)
				b1 := h.actLarge("B", plain, 1, 10)
				b2 := h.actLarge("B", plain, 2, 9)
				h.actLarge("B", plain, 3, 8)
				b4 := h.actLarge("B", plain, 4, 7)
				b5 := h.actLarge("B", once, 5, 6)
				h.actLarge("B", plain, 6, 5)
				id := h.merge("A", "B")
				h.next("A")
				again()
				h.expect("first step", h.next("B"), "rows B>A 1001 1 2")
				h.remove("B", b1)             // was sent
				h.remove("B", b2)             // was, as the last
				h.remove("B", b4)             // was not
				h.remove("B", b5)             // was not, and closes its pair
				h.actLarge("B", plain, 7, 1)  // comes with the last step
				h.actLarge("B", once+1, 8, 5) // is superseded before it is sent
				h.actLarge("B", once+1, 9, 4)
				h.expectCounts("first step", map[string]string{"A": "1000", "B": "3 6 7 9 1001"})
				again()
				h.expect("changed meanwhile", h.next("B"), "rows B>A -1", "rows B>A -2")
				h.expect("more is asked for, for each step", h.next("A"), "next B>A", "next B>A", "next B>A")
				again()
				h.expect("two steps", h.next("B"), "rows B>A 3 -5 6", "rows B>A 7 9 last record:B")
				h.expectOutcome("merge", id, domain.OK, "A", "")
				h.expectCounts("handed over", map[string]string{"A": "3 6 7 9 1000 1001", "B": ""})
				again()
				h.deliverAll()
				h.actLarge("B", once, 10, 20) // its pair is closed
				h.actLarge("A", once, 11, 21) // at the survivor too
				h.deliverAll()
				h.expectCounts("closed", map[string]string{"A": "3 6 7 9 1000 1001", "B": ""})
				h.handovers()
				h.unmerge("A", "B")
				h.deliverAll()
				again()
				h.expectCounts("unmerged", map[string]string{"A": "11 1000", "B": "3 6 7 9 1001"})
			})
		})
	}
}

// largeContent is that of an action of which a step has two at most.
var largeContent = strings.Repeat("c", 300<<10)

// actLarge has a member do something with a large content.
func (h *harness) actLarge(name string, of domain.DefinitionID, hash uint64, after int64) domain.ActionID {
	h.t.Helper()
	return h.activity(name, &domain.Activity{
		Definition: of, Hash: hash, Time: txtest.Clock/1000 + after, Brand: 1, Content: domain.Content{Content: largeContent},
	})
}

// A copy ends where the merge is taken back: the lender sends no more of it, and counts at home.
func TestMerge_CopyTakenBack(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		for hash := range uint64(5) {
			h.actLarge("B", plain, hash+1, 0)
		}
		id := h.merge("A", "B")
		h.next("A")
		h.expect("first step", h.next("B"), "rows B>A 1001 1 2")
		h.unmerge("A", "B")
		h.expect("taken back", h.next("A"), "next B>A", "return B>A")
		h.expect("a step that was asked for before", h.next("B"), "rows B>A 3 4")
		h.expect("is given back", h.next("A"), "return B>A")
		h.expect("nothing follows", h.next("B"))
		h.expectOutcome("merge", id, domain.Conflict, "", busy)
		h.expectCounts("in the end", map[string]string{"A": "1000", "B": "1 2 3 4 5 1001"})
		h.handovers()
		h.restart()
		h.merged("A", "B")
		h.expectCounts("merged again", map[string]string{"A": "1 2 3 4 5 1000 1001", "B": ""})
		audience := h.shards[0].State.Accounts.Of(account).Audience
		if n := audience.Members(); n != 3 {
			t.Fatalf("shard 0 has %d ordinals, want those of A and of two shadows of B", n)
		}
		for i := range 2 {
			if id := audience.ID(domain.Ordinal(i + 1)); id != h.ids["B"].Shadow(i) {
				t.Errorf("shadow %d has id %x", i, uint64(id))
			}
		}
		first, last := member.Place{Account: account, Ord: 1}, member.Place{Account: account, Ord: 2}
		s := h.shards[0]
		s.merger.Shadow(s.State, first, h.ids["B"].Shadow(0)) // whichever a start meets last
		if at := s.merger.borrowers.shadows[lender{account, h.ids["B"]}]; at != last {
			t.Errorf("B is copied to %+v", at)
		}
	})
}

// A step has a bounded number of rows; of rows that count no more fewer, since each is looked for at the borrower.
func TestMerge_RowsOfAStep(t *testing.T) {
	steps := func(h *harness) (rows []int) {
		h.merge("A", "B")
		for h.deliver(0, 1) || h.deliverCommitted(0, 1) {
			s := h.shards[1]
			s.commit()
			for _, o := range s.sent[s.delivered[0]:] {
				rows = append(rows, len(o.Forward.Command.(*domain.Lend).Rows))
			}
			h.next("B")
		}
		return rows
	}
	t.Run("many", func(t *testing.T) {
		withShards(t, func(h *harness) {
			h.member("A", 0)
			h.member("B", 1)
			k, s := h.actor("B"), h.shards[1]
			at := k.Place()
			var all []domain.Change
			for range stepRows + 5 {
				s.State.Shard.Sequence++
				all = append(all, domain.Change{Kind: domain.RowAdded, Row: domain.Row{
					Hash: s.State.Shard.Sequence, Seq: s.State.Shard.Sequence, Account: account, Ord: at.Ord, Definition: plain,
					Brand: 2, Time: txtest.Clock / 1000, Slot: slot(1),
				}})
			}
			h.stage(1, all)
			if got, want := fmt.Sprint(steps(h)), fmt.Sprint([]int{stepRows, 6}); got != want {
				t.Errorf("rows of the steps: %s, want %s", got, want)
			}
			if n := len(h.counted()["A"]); n != stepRows+7 {
				t.Errorf("%d rows count as A's", n)
			}
		})
	})
	t.Run("deleted", func(t *testing.T) {
		withShards(t, func(h *harness) {
			h.member("A", 0)
			h.member("B", 1)
			at := h.actor("B").Place()
			const pairs = 800
			var all []domain.Change
			for i := range domain.DefinitionID(pairs) {
				h.shards[1].State.Shard.Sequence++
				row := domain.Row{
					Hash: uint64(i) + 1, Seq: h.shards[1].State.Shard.Sequence, Account: account, Ord: at.Ord, Definition: once + i,
					Brand: 2, Time: txtest.Clock / 1000, Slot: slot(1), Flags: domain.OneTimeRow | domain.Deleted,
				}
				all = append(all, domain.Change{Kind: domain.RowAdded, Row: row}, domain.Change{Kind: domain.OneTimePut, Value: &domain.OneTime{
					Account: account, Ord: at.Ord, Definition: row.Definition, Brand: 2, Time: row.Time, Hash: row.Hash, Seq: row.Seq, Deleted: true,
				}})
			}
			h.stage(1, all)
			h.shards[1].commit()
			got := steps(h)
			want := stepBytes / (64 + stepTaken)
			if len(got) != 2 || got[0] > want+1 || got[0]+got[1] != pairs+1 {
				t.Errorf("rows of the steps: %v, want about %d in the first", got, want)
			}
		})
	})
}

// A member whose record grows while it is copied is not handed over: no step could have the record.
func TestMerge_OutgrownWhileCopied(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		for hash := range uint64(3) {
			h.actLarge("B", plain, hash+1, 0)
		}
		id := h.merge("A", "B")
		h.next("A")
		h.expect("first step", h.next("B"), "rows B>A 1001 1 2")
		h.state("B").Profile = domain.Fields{{Field: domain.Country, Value: strings.Repeat("x", stepRecord)}}
		h.next("A")
		h.expect("outgrown", h.next("B"), "refused B>A code:12")
		h.expectOutcome("merge", id, domain.PlanLimit, "from", "the member is too large, with those merged into it")
		h.expectCounts("in the end", map[string]string{"A": "1000", "B": "1 2 3 1001"})
		h.act("B", plain, 4, 0)
		h.expect("nothing follows", h.next("B"))
		h.expect("nothing is given back", h.next("A"))
		if h.state("B").Lent != nil || h.shards[1].merger.Depth() != 0 || len(h.shards[1].merger.loans.unsent) > 0 {
			t.Errorf("B lends still: %+v", h.state("B").Lent)
		}
	})
}

// stage stages changes in a shard.
func (h *harness) stage(shard int, changes []domain.Change) {
	h.t.Helper()
	s := h.shards[shard]
	if err := s.Do(&domain.Record{}, func(t *tx.Tx) error {
		for _, c := range changes {
			t.Change(c)
		}
		return nil
	}); err != nil {
		h.t.Fatal(err)
	}
	s.log = append(s.log, logged{})
}

// deliverCommitted is deliver after a commit.
func (h *harness) deliverCommitted(from, to int) bool {
	h.shards[from].commit()
	return h.deliver(from, to)
}

// A return, or a request for more rows, that is not of the member's loan ends nothing and sends nothing. The
// request that waits for the return is completed all the same.
func TestMerge_LateStepsOfALender(t *testing.T) {
	for _, c := range []struct {
		name   string
		member string
		other  string
		ticket func(h *harness) uint64
	}{
		{"another ticket", "B", "A", func(h *harness) uint64 { return h.ticket("A", "B") + 1 }},
		{"another borrower", "B", "C", func(h *harness) uint64 { return h.ticket("A", "B") }},
		{"no loan", "D", "A", func(h *harness) uint64 { return h.ticket("A", "B") }},
		{"no member", "E", "A", func(h *harness) uint64 { return h.ticket("A", "B") }},
	} {
		for _, step := range []domain.LendStep{domain.LendReturn, domain.LendNext} {
			t.Run(c.name, func(t *testing.T) {
				withShards(t, func(h *harness) {
					h.member("A", 0)
					h.member("B", 1)
					h.member("C", 2)
					h.member("D", 1)
					h.ids["E"] = domain.MemberIDOf(77, slot(1))
					h.act("B", plain, 1, 0)
					h.merged("A", "B")
					asked := domain.RequestID{9}
					h.step(&domain.Lend{Step: step, Member: h.ids[c.member], Other: h.ids[c.other], Ticket: c.ticket(h), Asked: asked})
					h.expect("sent", h.next("B"))
					h.expectCounts("after it", map[string]string{"A": "1 1000 1001", "B": "", "D": "1003"})
					if step == domain.LendReturn {
						h.expectOutcome("its request", asked, domain.OK, c.other, "")
					}
				})
			})
		}
	}
	t.Run("another account", func(t *testing.T) {
		withShards(t, func(h *harness) {
			h.member("A", 0)
			h.member("B", 1)
			h.actLarge("B", plain, 1, 0)
			h.actLarge("B", plain, 2, 0)
			h.actLarge("B", plain, 3, 0)
			h.merge("A", "B")
			h.next("A")
			h.next("B")
			for _, step := range []domain.LendStep{domain.LendNext, domain.LendReturn} {
				l := &domain.Lend{Step: step, Member: h.ids["B"], Other: h.ids["A"], Ticket: h.ticket("A", "B")}
				h.shards[1].take(&domain.Record{Kind: l.Kind(), Account: account + 1, Command: l})
			}
			h.expect("sent", h.next("B"))
			h.deliverAll()
			h.expectCounts("after it", map[string]string{"A": "1 2 3 1000 1001", "B": ""})
		})
	})
	t.Run("handed over", func(t *testing.T) { // and more is asked for
		withShards(t, func(h *harness) {
			h.member("A", 0)
			h.member("B", 1)
			h.merged("A", "B")
			h.step(&domain.Lend{Step: domain.LendNext, Member: h.ids["B"], Other: h.ids["A"], Ticket: h.ticket("A", "B")})
			h.expect("sent", h.next("B"))
		})
	})
}

// lentRowsOf are the rows of a member as they are lent.
func lentRowsOf(h *harness, name string) (lent []domain.LentRow) {
	past, err := h.shardOf(name).State.Loaded.Past(h.actor(name).Place())
	if err != nil {
		h.t.Fatal(err)
	}
	for i := range past {
		if !past[i].IsVisit() {
			lent = append(lent, domain.LentRow{Row: past[i], Content: domain.Content{Action: past[i].ID()}})
		}
	}
	return lent
}
