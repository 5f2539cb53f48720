package actors

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Pages of a stream go on over merges: each action comes once, and names whom its member stands for when it is read.
func TestMerge_PagesOfAStreamGoOn(t *testing.T) {
	x := newWalked(t, 6)
	met := map[string]int{}
	copied := map[string]string{} // who did what, as a client that takes back what is removed and erased has it
	cursor := "begin"
	// read reads some pages, or all, and requires of each action the member whom those who did it stand for.
	read := func(pages int) {
		t.Helper()
		for n := 0; pages == 0 || n < pages; n++ {
			w := x.serve(x.oracle, http.MethodGet, "/v1.1/activity/feed?limit=300&cursor="+url.QueryEscape(cursor)+"&apiKey="+pollKey, "")
			var page struct {
				Items   []struct{ ID, MemberID, MergedMemberID string } `json:"items"`
				Removed []struct{ ID string }                           `json:"removed"`
				Erased  []struct{ MemberID string }                     `json:"erased"`
				Next    string                                          `json:"next"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%v: %d %s", err, w.Code, w.Body)
			}
			for _, removed := range page.Removed {
				delete(copied, removed.ID)
			}
			for _, erased := range page.Erased {
				maps.DeleteFunc(copied, func(_, of string) bool { return of == erased.MemberID })
			}
			for _, item := range page.Items {
				copied[item.ID] = cmp.Or(item.MergedMemberID, item.MemberID)
				if met[item.ID]++; met[item.ID] > 1 {
					t.Fatalf("action %s comes again", item.ID)
				}
				action, err := strconv.ParseUint(item.ID, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				of, err := strconv.ParseUint(item.MemberID, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				stands := false
				for _, id := range x.ids {
					root := id
					for x.into[root] != 0 {
						root = x.into[root]
					}
					stands = stands || domain.ActionID(action).Slot() == id.Slot() && root == domain.MemberID(of)
				}
				if !stands {
					t.Fatalf("action %s is shown as of %s", item.ID, item.MemberID)
				}
			}
			if cursor = page.Next; len(page.Items)+len(page.Removed)+len(page.Erased) == 0 {
				return
			}
		}
	}
	merge := func(a, b domain.MemberID) {
		x.do(a, &domain.MergeMembers{Member: a, From: b})
		x.into[b] = a
	}
	act := func(id domain.MemberID, n int) {
		for range n {
			a := x.actOf(id, x.rnd.Uint64())
			a.Time = walkedFrom
			x.publish(a)
		}
		x.settled()
	}
	low, mid, top := x.ids[0], x.ids[1], x.ids[2]
	read(2)
	merge(mid, low)
	act(low, 40)
	read(2)
	merge(top, mid)
	act(low, 40)
	act(mid, 40)
	read(1)
	read(0)
	act(low, 40)
	x.do(top, &domain.UnmergeMember{Member: top, From: mid})
	delete(x.into, mid)
	act(low, 40)
	read(0)
	if want := walkedActions + 200; len(met) != want {
		t.Errorf("%d actions of %d came", len(met), want)
	}
	copy := func(want int) {
		t.Helper()
		read(0)
		if len(copied) != want {
			t.Fatalf("a copy has %d actions, want %d", len(copied), want)
		}
	}
	of := func(id domain.MemberID) (actions []domain.ActionID) {
		for action, who := range copied {
			if who == strconv.FormatUint(uint64(id), 10) {
				n, err := strconv.ParseUint(action, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				actions = append(actions, domain.ActionID(n))
			}
		}
		return actions
	}
	left := len(met)
	copy(left)
	gone := of(low)[0]
	x.do(low, &domain.DeleteAction{Member: low, Action: gone}) // while it is merged into mid
	left--
	copy(left)
	x.do(mid, &domain.UnmergeMember{Member: mid, From: low})
	delete(x.into, low)
	merge(top, low)
	act(low, 20)
	left += 20
	copy(left)
	left -= len(of(mid))
	x.do(mid, &domain.EraseMember{Member: mid, At: 1}) // what low did, and was shown as of mid, stays
	copy(left)
	left -= len(of(low)) + len(of(top))
	x.do(top, &domain.EraseMember{Member: top, At: 1}) // with those who are merged into it
	x.settled()
	copy(left)
}
