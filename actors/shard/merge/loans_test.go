package merge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

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
