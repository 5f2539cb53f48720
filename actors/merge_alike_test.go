package actors

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// wantBrands requires that so many actions of each brand count.
func (x *merges) wantBrands(what string, brands ...uint64) {
	x.t.Helper()
	x.rested()
	for i, n := range brands {
		if got := x.tally(domain.BrandID(i + 1)).Total.Actions; got != n {
			x.t.Errorf("%s: brand %d has %d actions, want %d", what, i+1, got, n)
		}
	}
}

// removeOf deletes the only action of a brand, of a member or of one who is merged into others.
func (x *merges) removeOf(id domain.MemberID, brand domain.BrandID) {
	x.t.Helper()
	for _, item := range x.feed().Items {
		if item.Row.Brand != brand {
			continue
		}
		action := x.shown(item)[0].Content.Action
		if action == 0 {
			action = item.Row.ID()
		}
		x.expect(domain.OK, id, &domain.DeleteAction{Member: id, Action: action})
		return
	}
	x.t.Fatalf("brand %d has no action", brand)
}

// Members may have actions of one id each, by the marker of an application. When they are merged one
// below the other these are two actions of the survivor, and what becomes of one of them does nothing
// to the other (I2, I11).
func TestMerge_ActionsOfOneIDBelowOthers(t *testing.T) {
	for _, once := range []bool{false, true} {
		x := newMerges(t, seeded(t), 3, 1000)
		last, second, third := x.fans[0], x.fans[1], x.fans[2]
		act := func(id domain.MemberID, brand domain.BrandID, hash uint64) domain.Activity {
			a := x.actOf(id, hash)
			if once {
				a = x.onceOf(id, hash)
			}
			a.Brand, a.Content.Content, a.Time = brand, "of one id", a.Time+int64(hash)
			return a
		}
		x.publish(act(third, 1, 77), act(second, 2, 77))
		x.settled()
		x.expect(domain.OK, second, &domain.MergeMembers{Member: second, From: third})
		x.expect(domain.OK, last, &domain.MergeMembers{Member: last, From: second})
		x.wantBrands("merged", 1, 1)
		x.restart()
		if once { // these are covered
			x.publish(act(last, 1, 78), act(last, 2, 79))
		}
		x.wantBrands("after a restart", 1, 1)
		x.removeOf(third, 1)
		x.wantBrands("one deleted", 0, 1)
		x.removeOf(second, 2)
		x.wantBrands("both deleted", 0, 0)
		x.expect(domain.OK, last, &domain.UnmergeMember{Member: last, From: second})
		if once {
			x.wantBrands("taken back", 1, 1)
		} else {
			x.wantBrands("taken back", 0, 0)
		}
		x.replaysEqual(t)
	}
}

// Members one below the other have actions of one id, time and brand. The one that is deleted is shown no more, and
// the other is, with what it says.
func TestMerge_DeletedOfOneIDIsShownNoMore(t *testing.T) {
	for _, deleted := range []int{1, 2} {
		x := newMerges(t, seeded(t), 3, 1000)
		said := []string{"", "what the second says", "what the third says"}
		var acts []domain.Activity
		for i := 1; i < 3; i++ {
			a := x.actOf(x.fans[i], 77)
			a.Brand, a.Content.Content = 1, said[i]
			acts = append(acts, a)
		}
		x.publish(acts...)
		x.settled()
		x.expect(domain.OK, x.fans[1], &domain.MergeMembers{Member: x.fans[1], From: x.fans[2]})
		x.expect(domain.OK, x.fans[0], &domain.MergeMembers{Member: x.fans[0], From: x.fans[1]})
		x.wantBrands("merged", 2)
		x.restart()
		for _, item := range x.feed().Items {
			if c := x.shown(item)[0].Content; c.Content == said[deleted] {
				x.expect(domain.OK, x.fans[deleted], &domain.DeleteAction{Member: x.fans[deleted], Action: c.Action})
			}
		}
		x.wantBrands("one deleted", 1)
		for _, item := range x.feed().Items {
			if got := x.shown(item)[0].Content.Content; got != said[3-deleted] {
				t.Errorf("of member %d the action is deleted, and shown is %q", deleted, got)
			}
		}
		x.replaysEqual(t)
	}
}
