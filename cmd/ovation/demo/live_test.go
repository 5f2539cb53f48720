package demo

import (
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

func TestRate_IsAWordOrANumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Rate{"history": {History: true}, "0": {}, "7": {PerSecond: 7}, "10000": {PerSecond: MaxRate}} {
		var r Rate
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
		if again, err := r.MarshalText(); err != nil || string(again) != text {
			t.Errorf("%s is written %s, %v", text, again, err)
		}
	}
	for _, text := range []string{"", "-1", "10001", "1.5", "History", "5 "} {
		r := Rate{PerSecond: 3}
		if err := r.UnmarshalText([]byte(text)); domain.CodeOf(err) != domain.InvalidParameter || r != (Rate{PerSecond: 3}) {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

// What is done beside the history adds up, however it is cut, and halves with each half life.
func TestBeside_AddsUp(t *testing.T) {
	t.Parallel()
	if got := beside(0, time.Second); got != 1 {
		t.Errorf("%d in the first second", got)
	}
	first, second, all := beside(0, halfLife), beside(halfLife, 2*halfLife), beside(0, 1000*time.Hour)
	if first != 432 || second != 217 || all != 865 {
		t.Errorf("%d, then %d, of %d", first, second, all)
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	sum, at := 0, time.Duration(0)
	for at < 2*time.Hour {
		next := at + time.Duration(r.Int64N(int64(time.Minute)))
		sum, at = sum+beside(at, next), next
	}
	if want := beside(0, at); sum != want {
		t.Errorf("seed %d: %d in parts, %d at once", seed, sum, want)
	}
}

// The history goes on where it was left, each action once when it is due, whenever it is asked.
func TestLive_GoesOnWithTheHistory(t *testing.T) {
	t.Parallel()
	s := rehearsal(t, 300, 30_000)
	from := s.fans.End().Add(-30 * time.Hour)
	to := s.fans.End().Add(50 * time.Hour)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	l := &live{stage: s}
	var stop func()
	l.next, stop = iter.Pull(s.fans.Between(from, to.AddDate(1, 0, 0)))
	defer stop()
	var got []audience.Action
	for at := from; at.Before(to); {
		at = at.Add(time.Duration(r.Int64N(int64(2 * time.Hour))))
		if at.After(to) {
			at = to
		}
		for _, a := range l.due(at) {
			if a.Time.After(at) {
				t.Fatalf("seed %d: what is done at %v is due at %v", seed, a.Time, at)
			}
			got = append(got, a)
		}
	}
	want := slices.Collect(s.fans.Between(from, to.Add(time.Second)))
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 100 {
		t.Errorf("seed %d: %d actions: %s", seed, len(want), diff)
	}
}

// A visit begins with the first action after half an hour without one; what is long over begins none.
func TestVisits_Begin(t *testing.T) {
	t.Parallel()
	v := visits{}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	did := func(member, minutesAgo int) audience.Action {
		return audience.Action{Member: member, Time: at.Add(-time.Duration(minutesAgo) * time.Minute)}
	}
	actions := []audience.Action{did(1, 40), did(1, 29), did(2, 30), did(1, 5), did(2, 0)}
	if diff := cmp.Diff([]audience.Action{actions[1], actions[2]}, v.begin(at, actions)); diff != "" {
		t.Error(diff)
	}
	at = at.Add(31 * time.Minute)
	actions = []audience.Action{did(2, 0), did(1, 0), did(1, 0)}
	if diff := cmp.Diff([]audience.Action{actions[0], actions[1]}, v.begin(at, actions)); diff != "" {
		t.Error(diff)
	}
}

// A login that is refused ends nothing, and the others sign in; one that was not answered is an error.
func TestLive_RefusedLoginEndsNothing(t *testing.T) {
	t.Parallel()
	s := rehearsal(t, 300, 30_000)
	var asked atomic.Int64
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if asked.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusGone)
			io.WriteString(w, `{"error":{"code":16,"message":"the member was erased"}}`)
			return
		}
		io.WriteString(w, `{}`)
	}))
	s.api, s.log = client.New(node.URL, "key"), slog.New(slog.DiscardHandler)
	l := &live{stage: s}
	actions := slices.Collect(s.fans.Between(s.fans.End().AddDate(0, 0, -1), s.fans.End()))[:20]
	if err := l.signIn(t.Context(), actions); err != nil || asked.Load() != 20 {
		t.Errorf("%v after %d of 20 logins", err, asked.Load())
	}
	node.Close()
	if err := l.signIn(t.Context(), actions[:1]); err == nil {
		t.Error("nobody answers, and all is well")
	}
}

// A member that is there twice registers by its second account alone.
func TestAgain_IsTheSecondAccount(t *testing.T) {
	t.Parallel()
	s := rehearsal(t, 3000, 10)
	n := 0
	for i := range s.fans.Members {
		m := &s.fans.Members[i]
		if !m.Twice {
			continue
		}
		n++
		p := again(m)
		if p["uid"] != m.Accounts[1].UID || p["service"] != m.Accounts[1].Service.String() || p["email"] != "" || p["firstname"] != m.FirstName {
			t.Errorf("member %d registers again with %v", i, p)
		}
		if calls := s.further(m, 1); len(calls) < len(m.Accounts)-2 {
			t.Errorf("member %d has %d accounts and makes %d calls", i, len(m.Accounts), len(calls))
		}
	}
	if n < 15 || n > 60 {
		t.Errorf("%d of 3000 are there twice", n)
	}
}
