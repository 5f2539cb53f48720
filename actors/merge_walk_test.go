package actors

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// walked is members with many actions of few seconds, over whose lists clients walk.
type walked struct {
	*pollHarness
	rnd  *rand.Rand
	ids  []domain.MemberID
	into map[domain.MemberID]domain.MemberID // of those who are merged
	sent byte
}

const walkedFrom, walkedActions = 1_699_900_000, 2300

func newWalked(t *testing.T, members int) *walked {
	x := &walked{pollHarness: newPollHarness(t, 3, 1), rnd: seeded(t), into: map[domain.MemberID]domain.MemberID{}}
	for i := range members {
		x.ids = append(x.ids, x.enroll(fmt.Sprint("u", i)))
	}
	acts := make([]domain.Activity, walkedActions)
	for i := range acts {
		acts[i] = domain.Activity{
			Member: x.ids[x.rnd.IntN(members)], Definition: 100, Brand: 1, Time: walkedFrom + x.rnd.Int64N(1500), Hash: x.rnd.Uint64(),
		}
	}
	x.publish(acts...)
	x.settled()
	return x
}

// switchHands merges two members, or takes a merge back.
func (x *walked) switchHands() {
	x.t.Helper()
	a, b := x.ids[x.rnd.IntN(len(x.ids))], x.ids[x.rnd.IntN(len(x.ids))]
	to := x.into[b]
	var c domain.Command
	switch {
	case to != 0 && x.into[to] == 0:
		a, c = to, &domain.UnmergeMember{Member: to, From: b}
		delete(x.into, b)
	case a != b && to == 0 && x.into[a] == 0:
		c = &domain.MergeMembers{Member: a, From: b}
		x.into[b] = a
	default:
		x.switchHands()
		return
	}
	x.do(a, c)
}

// do submits a command for a member.
func (x *walked) do(id domain.MemberID, c domain.Command) {
	x.t.Helper()
	for { // what is taken back may be on its way yet
		x.sent++
		out, err := x.repeated(domain.Submission{Account: 1, Slot: id.Slot(), Command: c, Request: domain.RequestID{5, 15: x.sent}})
		if err == nil {
			err = out.Err()
		}
		if err == nil {
			return
		}
		if domain.CodeOf(err) != domain.Conflict {
			x.t.Fatal(err)
		}
	}
}

// pageOf is the ids of a page's actions and the address of the next; empty: there is none. refused is the
// parameter of an error of code 4.
func (x *walked) pageOf(target string) (ids []string, next, refused string) {
	x.t.Helper()
	w := x.serve(x.oracle, http.MethodGet, target, "")
	var b struct {
		Items   []struct{ ID string } `json:"items"`
		Explain struct {
			Actions []string `json:"actions"`
			Next    string   `json:"next"`
		} `json:"explain"`
		Error     struct{ Code domain.Code } `json:"error"`
		Parameter string                     `json:"parameter"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &b); err != nil {
		x.t.Fatalf("%v: %s", err, w.Body)
	}
	if w.Code == http.StatusBadRequest && b.Error.Code == domain.InvalidParameter {
		return nil, "", b.Parameter
	}
	if w.Code != http.StatusOK {
		x.t.Fatalf("%d %s", w.Code, w.Body)
	}
	if of := b.Explain; of.Actions != nil {
		if of.Next == "" {
			return of.Actions, "", ""
		}
		u, err := url.Parse(of.Next)
		if err != nil {
			x.t.Fatal(err)
		}
		return of.Actions, u.RequestURI() + "&apiKey=" + pollKey, ""
	}
	for _, i := range b.Items {
		ids = append(ids, i.ID)
	}
	return ids, nextOf(x.t.(*testing.T), w.Header().Get("Link")), ""
}

// walk walks over a list. Hands are switched before its page at (0: never). Either each action is met
// once, or the walk is told to begin again; then the rest of it is not met.
func (x *walked) walk(first, parameter string, at int) (told bool) {
	x.t.Helper()
	met := map[string]int{}
	for target, pages := first, 0; target != ""; pages++ {
		if at > 0 && pages == at {
			x.switchHands()
		}
		ids, next, refused := x.pageOf(target)
		if refused != "" {
			if refused != parameter || at == 0 || pages < at {
				x.t.Fatalf("page %d of %s is refused: %s", pages, first, refused)
			}
			return true
		}
		for _, id := range ids {
			if met[id]++; met[id] > 1 {
				x.t.Fatalf("%s: action %s is met again on page %d, hands were switched before %d", first, id, pages, at)
			}
		}
		target = next
	}
	if len(met) != walkedActions {
		x.t.Fatalf("%s: %d actions of %d are met, hands were switched before page %d", first, len(met), walkedActions, at)
	}
	return false
}

// A walk that a merge, or one that is taken back, comes between meets each action once, or is told to
// begin again: in order of time where its cursor stands between actions of one second, in order of
// recording always. One that begins afterwards is walked whole.
func TestMerge_WalksAreRightOrBeginAgain(t *testing.T) {
	large(t)
	x := newWalked(t, 6)
	const all = "&start_date=2023-11-01+00:00:00&end_date=2023-11-15+00:00:00&apiKey=" + pollKey
	for _, of := range []struct {
		list, parameter string
		recorded        bool
	}{
		{"/v1.1/activity/feed?all_member_actions=1&cursor=&limit=100&sort=DESC", "cursor", false},
		{"/v1.1/activity/feed?all_member_actions=1&cursor=&limit=100&sort=ASC", "cursor", false},
		{"/v1.1/activity/feed?all_member_actions=1&order_by_recorded=1&cursor=&limit=400", "cursor", true},
		{"/v1.1/brand/1/stats/activity?explain=1", "explain_after", false},
	} {
		n, told := 16, 0
		if of.recorded {
			n = 3
		}
		for range n {
			pages := 22
			if of.parameter != "cursor" {
				pages = 2
			} else if of.recorded {
				pages = 5
			}
			if x.walk(of.list+all, of.parameter, 1+x.rnd.IntN(pages)) {
				told++
			}
		}
		x.walk(of.list+all, of.parameter, 0)
		t.Logf("%s: %d of %d walks were to begin again", of.list, told, n)
		// An explanation has two further pages.
		if of.recorded && told != n || !of.recorded && of.parameter == "cursor" && (told == 0 || told == n) {
			t.Errorf("%s: %d of %d walks were told to begin again", of.list, told, n)
		}
	}
}
