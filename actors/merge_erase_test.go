package actors

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// When a member is erased that is merged into one which is merged itself, and so on, nothing of it
// counts at whichever survivor, and what its one-time actions preceded, also deleted ones, counts again; in a
// replay too (I6, I10).
func TestErase_OfAMemberBelowOthers(t *testing.T) {
	x := newMerges(t, seeded(t), 4, 1000)
	first, second, third, last := x.fans[0], x.fans[1], x.fans[2], x.fans[3]
	once := func(id domain.MemberID, brand domain.BrandID, at int64) domain.Activity {
		a := x.onceOf(id, 100+uint64(brand))
		a.Brand, a.Time, a.Content.Content = brand, at, "once"
		return a
	}
	x.publish(x.actOf(first, 11), x.actOf(second, 12), x.actOf(third, 13),
		once(third, 1, 1_600_000_000), once(second, 1, 1_600_000_001), // the second counts when the third is erased
		once(third, 2, 1_600_000_000), once(first, 2, 1_600_000_001),
		once(third, 3, 1_600_000_000), // none does
		once(third, 4, 1_600_000_000), once(first, 4, 1_600_000_001))
	x.settled()
	for _, item := range x.feed().Items { // of the fourth brand the one that is deleted goes on to be the earliest
		if item.Member == third && item.Row.Brand == 4 {
			x.expect(domain.OK, third, &domain.DeleteAction{Member: third, Action: item.Row.ID()})
		}
	}
	wants := func(what string, brands ...uint64) {
		t.Helper()
		x.rested()
		for i, n := range brands {
			if got := x.tally(domain.BrandID(i + 1)).Total.Actions; got != n {
				t.Errorf("%s: brand %d has %d actions, want %d", what, i+1, got, n)
			}
		}
	}
	wants("at first", 5, 2, 1, 1)
	x.expect(domain.OK, second, &domain.MergeMembers{Member: second, From: third})
	x.expect(domain.OK, first, &domain.MergeMembers{Member: first, From: second})
	x.expect(domain.OK, last, &domain.MergeMembers{Member: last, From: first})
	wants("merged", 4, 1, 1, 0)
	x.expect(domain.OK, third, &domain.EraseMember{Member: third})
	wants("erased", 3, 1, 0, 1)
	x.restart()
	wants("after a restart", 3, 1, 0, 1)
	x.publish(once(second, 3, 1_600_000_005), once(first, 3, 1_600_000_006))
	wants("with later ones", 3, 1, 1, 1)
	x.expect(domain.OK, last, &domain.UnmergeMember{Member: last, From: first})
	x.expect(domain.OK, first, &domain.UnmergeMember{Member: first, From: second})
	wants("taken back", 3, 1, 2, 1)
	x.replaysEqual(t)
}

// A one-time action that was deleted while another one covered it closes its pair, also at those whom its
// member is merged into, once that one is erased; it was there before, in one case, or came while both were merged.
func TestErase_OfWhatCoversADeletedAction(t *testing.T) {
	for _, merged := range []bool{false, true} {
		x := newMerges(t, seeded(t), 3, 1000)
		last, second, third := x.fans[0], x.fans[1], x.fans[2]
		once := func(id domain.MemberID, hash uint64, at int64) domain.Activity {
			a := x.onceOf(id, hash)
			a.Time = at
			return a
		}
		x.publish(once(second, 1, 1_600_000_005))
		x.wantBrands("at first", 1)
		deleted := x.feed().Items[0].Row.ID()
		covers := once(third, 2, 1_600_000_003)
		if !merged {
			x.publish(covers)
			x.wantBrands("apart", 2)
		}
		x.expect(domain.OK, second, &domain.MergeMembers{Member: second, From: third})
		x.expect(domain.OK, last, &domain.MergeMembers{Member: last, From: second})
		if merged {
			x.publish(covers)
		}
		x.wantBrands("covered", 1)
		x.expect(domain.OK, second, &domain.DeleteAction{Member: second, Action: deleted})
		x.wantBrands("deleted", 1)
		x.expect(domain.OK, third, &domain.EraseMember{Member: third})
		x.wantBrands("erased", 0)
		x.publish(once(last, 3, 1_600_000_010), once(second, 4, 1_600_000_011))
		x.wantBrands("with later ones", 0)
		x.restart()
		x.wantBrands("after a restart", 0)
		x.expect(domain.OK, last, &domain.UnmergeMember{Member: last, From: second})
		x.wantBrands("taken back", 1)
		x.replaysEqual(t)
	}
}
