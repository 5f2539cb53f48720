package actors

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// updated_since lists the survivor of a merge, and both members once it is taken back; LastUpdated is that
// of their records.
func TestMerge_UpdatedSince(t *testing.T) {
	x := newWalked(t, 3)
	into, from := x.ids[0], x.ids[1]
	lists := []string{"members", "members/extended"}
	changed := func(list string, since time.Time) (ids []string) {
		w := x.serve(x.oracle, http.MethodGet, "/v1.1/"+list+"?sort=ASC&updated_since="+url.QueryEscape(since.Format(time.DateTime))+"&apiKey="+pollKey, "")
		var b struct {
			Items []struct{ ID string } `json:"items"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &b); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %v %s", w.Code, err, w.Body)
		}
		for _, i := range b.Items {
			ids = append(ids, i.ID)
		}
		return ids
	}
	lastUpdated := func() int64 {
		m, _, err := x.node.Member(t.Context(), 1, into, domain.Position{})
		if err != nil {
			t.Fatal(err)
		}
		return member.Union(m).Changed()
	}
	before := lastUpdated()
	for _, step := range []struct {
		do   domain.Command
		want []domain.MemberID
	}{
		{&domain.MergeMembers{Member: into, From: from}, []domain.MemberID{into}},
		{&domain.UnmergeMember{Member: into, From: from}, []domain.MemberID{into, from}},
	} {
		x.advance(time.Hour)
		since := x.now()
		for _, list := range lists {
			if ids := changed(list, since); len(ids) > 0 {
				t.Errorf("%s: %v have changed already", list, ids)
			}
		}
		x.do(into, step.do)
		x.settled()
		var want []string
		slices.Sort(step.want)
		for _, id := range step.want {
			want = append(want, strconv.FormatUint(uint64(id), 10))
		}
		for _, list := range lists {
			if got := changed(list, since); !slices.Equal(got, want) {
				t.Errorf("after %T %s has %v, want %v", step.do, list, got, want)
			}
		}
		if at := lastUpdated(); at != before {
			t.Errorf("after %T: updated at %d, before at %d", step.do, at, before)
		}
	}
}

// What a merged member opts in to by its own name the survivor is opted in to, at once; it is the member's
// own again once the two are parted.
func TestMerge_OptInByNameIsItsOwn(t *testing.T) {
	x := newWalked(t, 12)
	into, from := x.ids[0], domain.MemberID(0)
	var name string
	for i, id := range x.ids {
		if id.Slot().Shard(3) != into.Slot().Shard(3) {
			from, name = id, fmt.Sprint("u", i)
		}
	}
	opted := func(id domain.MemberID) (brands []string) {
		var e struct {
			OptIns []struct{ ID string } `json:"optins"`
		}
		w := x.serve(x.oracle, http.MethodGet, fmt.Sprint("/v1.1/member/", id, "?apiKey=", pollKey), "")
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %v %s", w.Code, err, w.Body)
		}
		for _, o := range e.OptIns {
			brands = append(brands, o.ID)
		}
		return brands
	}
	x.do(into, &domain.MergeMembers{Member: into, From: from})
	for range 20 {
		for how, want := range map[string]int{"in": 1, "out": 0} {
			body, _ := x.write("/v1.1/brand/1/opt"+how, "service=spotify&username="+name)
			if got := body["optins"].([]any); len(got) != want || body["data"].(map[string]any)["ID"] != float64(into) {
				t.Fatalf("opted %s: %v", how, body)
			}
		}
	}
	x.write("/v1.1/brand/1/optin", "service=spotify&username="+name)
	x.do(into, &domain.UnmergeMember{Member: into, From: from})
	x.settled()
	if a, b := opted(into), opted(from); len(a) > 0 || !slices.Equal(b, []string{"1"}) {
		t.Errorf("parted they are opted in to %v and %v", a, b)
	}
}
