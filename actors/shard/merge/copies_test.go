package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

// largeContent is that of an action of which a step has two at most.
var largeContent = strings.Repeat("c", 300<<10)

// actLarge has a member do something with a large content.
func (h *harness) actLarge(name string, of domain.DefinitionID, hash uint64, after int64) domain.ActionID {
	h.t.Helper()
	return h.activity(name, &domain.Activity{
		Definition: of, Hash: hash, Time: txtest.Clock/1000 + after, Brand: 1, Content: domain.Content{Content: largeContent},
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

// What an erasure takes out at once goes up in steps that are bounded, too.
func TestMerge_StepsOfAnErasure(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("C", 2)
		const acts = 1000
		for hash := range uint64(acts) {
			h.act("C", plain, hash+1, 0)
		}
		h.merged("B", "C")
		h.merged("A", "B")
		if n := len(h.counted()["A"]); n != acts+3 {
			t.Errorf("%d rows count as A's", n)
		}
		h.erase("C")
		h.next("C")
		s, rows := h.shards[1], []int(nil)
		s.commit()
		for _, o := range s.sent[s.delivered[0]:] {
			if l := o.Forward.Command.(*domain.Lend); l.Record == nil {
				rows = append(rows, len(l.Rows))
			}
		}
		if n := stepBytes / (64 + stepTaken); len(rows) != 2 || rows[0] > n+1 || rows[0]+rows[1] != acts+1 {
			t.Errorf("rows of the steps: %v, want about %d in the first", rows, n)
		}
		h.deliverAll()
		h.expectCounts("erased", map[string]string{"A": "1000 1001", "B": "", "C": ""})
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

// A copied visit is at its place, under the borrower's number; its signup is known by the lender's service record.
// Content, points and time of a row are those that the lender has.
func TestMerge_CopiesAreAsTheRows(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		first := h.activity("B", &domain.Activity{
			Definition: plain, Hash: 5, Time: txtest.Clock/1000 - 9, Brand: 3, Points: 7, Service: domain.Twitter,
			Content: domain.Content{Content: "{}", Link: "https://b.example", Geo: domain.Geo{Country: "DE"}},
		})
		h.merged("A", "B")
		h.act("B", plain, 6, 0)
		h.deliverAll()
		s := h.shards[0]
		at := s.merger.borrowers.shadows[lender{account, h.ids["B"]}]
		past, err := s.State.Loaded.Past(at)
		if err != nil || len(past) != 3 {
			t.Fatalf("%d copies, %v", len(past), err)
		}
		contents, err := s.Store.Contents(past)
		if err != nil {
			t.Fatal(err)
		}
		row, content := past[0], contents[0]
		if row.Time != domain.Second(txtest.Clock/1000-9) || row.Brand != 3 || row.Points != 7 || row.Service != domain.Twitter ||
			row.Hash != 5 || row.Slot != slot(1) {
			t.Errorf("the copy is %+v", row)
		}
		if content.Action != first || content.Content != "{}" || content.Link != "https://b.example" || content.Geo.Country != "DE" ||
			content.Marker != "m5" || content.Recorded < txtest.Clock {
			t.Errorf("its content is %+v", content)
		}
		for i := range past {
			if !past[i].IsVisit() {
				continue
			}
			of, number, placed := past[i].Definition.Visit()
			place := s.State.Accounts.Of(account).Places.At(number)
			if of != domain.Registration || !placed || place != (domain.VisitPlace{Domain: "B.example", Page: "B.example/page"}) {
				t.Errorf("the visit is %d at %+v", of, place)
			}
			signups := member.AbsorbedOf(h.state("A"), h.ids["B"]).Signups
			if len(signups) != 1 || signups[0].Seq != past[i].Seq || signups[0].Record != uint64(contents[i].Action) {
				t.Errorf("signups %+v, the copy is %d of %d", signups, past[i].Seq, contents[i].Action)
			}
		}
	})
}

// Rows go to a shadow in every shard of a chain, and keep the place of their visit and the id of their action.
func TestMerge_CopiesOfCopies(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("C", 2)
		c1 := h.act("C", plain, 1, 0)
		h.merged("B", "C")
		h.merged("A", "B")
		c2 := h.act("C", plain, 2, 0)
		h.deliverAll()
		h.expectCounts("chain", map[string]string{"A": "1 2 1000 1001 1002", "B": "", "C": ""})
		counted := h.counted()["A"]
		for _, id := range []domain.ActionID{c1, c2} {
			found := false
			for _, is := range counted {
				found = found || is == id
			}
			if !found {
				t.Errorf("of A count %v, without %d", counted, id)
			}
		}
		places := &h.shards[0].State.Accounts.Of(account).Places
		number, fresh, kept := places.Keep(domain.VisitPlace{Domain: "C.example", Page: "C.example/page"}, false)
		if len(fresh) > 0 || !kept || places.At(number).Page != "C.example/page" {
			t.Errorf("the place of C's visit is not known in A's shard: %d %v", number, fresh)
		}
		h.restart()
		signups := func() int { return len(member.AbsorbedOf(h.state("A"), h.ids["B"]).Signups) }
		if n := signups(); n != 2 {
			t.Errorf("A knows of %d signups", n)
		}
		h.erase("C")
		h.deliverAll()
		if n := signups(); n != 2 { // a visit that is taken out is no signup
			t.Errorf("A knows of %d signups", n)
		}
	})
}

// Members have actions of one id each, and one of them is deleted: that one is taken out for all above, be it the
// first that was copied or not, and the others stay, with what they say.
func TestMerge_DeletedOfOneID(t *testing.T) {
	for _, name := range []string{"A", "B", "C", "D"} {
		for _, step := range []bool{false, true} { // copied in one step, or followed
			t.Run(fmt.Sprint(name, " ", step), func(t *testing.T) {
				withShards(t, func(h *harness) {
					ids := map[string]domain.ActionID{}
					act := func() {
						for _, of := range []string{"C", "A", "B", "D"} {
							ids[of] = h.act(of, plain, 7, 0)
						}
					}
					for i, of := range []string{"A", "B", "C", "D"} {
						h.member(of, i%testShards)
					}
					if step {
						act()
					}
					h.merged("B", "C")
					h.merged("B", "D")
					h.merged("A", "B")
					if !step {
						act()
					}
					h.deliverAll()
					h.remove(name, ids[name])
					h.deliverAll()
					counted := h.counted()["A"]
					for of, id := range ids {
						if is := slices.Contains(counted, id); is == (of == name) {
							t.Errorf("%s's counts: %v", of, is)
						}
					}
					h.restart()
				})
			})
		}
	}
}
