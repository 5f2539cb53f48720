package audience

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// friday is an End that is no Monday.
var friday = time.Date(2026, 11, 20, 17, 45, 0, 0, time.UTC)

func small() Options { return Options{Seed: 7, Members: 300, Actions: 6000, End: friday} }

func made(t testing.TB, o Options) *Audience {
	t.Helper()
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAudience_SameOptionsGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	const golden = "ec99f16c9445b85ab6958e34346d4b8a102a118f13ba46ec693eddf381a8c1d5"
	if got := sum(t, made(t, small())); got != golden {
		t.Errorf("the audience of %+v has the hash %s, not %s: other people, or other actions", small(), got, golden)
	}
	for name, o := range map[string]Options{
		"seed":    {Seed: 8, Members: 300, Actions: 6000, End: friday},
		"members": {Seed: 7, Members: 301, Actions: 6000, End: friday},
		"actions": {Seed: 7, Members: 300, Actions: 6001, End: friday},
		"brands":  {Seed: 7, Members: 300, Actions: 6000, Brands: 47, End: friday},
		"week":    {Seed: 7, Members: 300, Actions: 6000, End: friday.AddDate(0, 0, 7)},
	} {
		if sum(t, made(t, o)) == golden {
			t.Errorf("another %s gives the same audience", name)
		}
	}
}

// sum is the hash of all that others see.
func sum(t *testing.T, a *Audience) string {
	t.Helper()
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, v := range []any{a.Brands, a.Definitions, a.Segments, a.Members} {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	for action := range a.History() {
		if err := enc.Encode(&action); err != nil {
			t.Fatal(err)
		}
	}
	if err := enc.Encode(a.Live().At(a.End().Add(30*time.Hour), 50)); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestAudience_AnotherWeekMovesDatesOnly(t *testing.T) {
	t.Parallel()
	a, o := made(t, small()), small()
	o.End = friday.AddDate(0, 0, -4) // the Monday of that week
	same := made(t, o)
	if !a.End().Equal(time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)) || !same.End().Equal(a.End()) {
		t.Fatalf("the history ends %v and %v, not on the Monday", a.End(), same.End())
	}
	o.End = friday.AddDate(0, 0, 21)
	later := made(t, o)
	shift := func(x Action) Action {
		x.ID, x.Time = "", x.Time.Add(21*day)
		return x
	}
	at := 0
	moved := slices.Collect(later.History())
	for x := range a.History() {
		y := moved[at]
		at++
		y.ID = ""
		if x = shift(x); x != y {
			t.Fatalf("action %d: %+v, three weeks later %+v", at, x, y)
		}
	}
	for i, m := range a.Members {
		if n := later.Members[i]; !m.Birthdate.IsZero() && !m.Birthdate.AddDate(0, 0, 21).Equal(n.Birthdate) {
			t.Fatalf("member %d was born %v, three weeks later %v", i, m.Birthdate, n.Birthdate)
		}
	}
}

func TestHistory_IsItsDaysInOrder(t *testing.T) {
	t.Parallel()
	a := made(t, small())
	var all []Action
	ids := map[string]bool{}
	last := a.Start()
	for x := range a.History() {
		if x.Time.Before(last) || !x.Time.Before(a.End()) {
			t.Fatalf("%v after %v, in a history to %v", x.Time, last, a.End())
		}
		last, ids[x.ID] = x.Time, true
		all = append(all, x)
	}
	if len(all) != 6000 || len(ids) != 6000 {
		t.Fatalf("%d actions with %d ids, not 6000", len(all), len(ids))
	}
	var days []Action
	for d := historyDays - 1; d >= 0; d-- { // a day hangs on no other
		days = append(slices.Clone(a.Day(d)), days...)
	}
	if diff := cmp.Diff(all, days); diff != "" {
		t.Error("the days in another order are not the history:", diff)
	}
	from, to := a.Start().Add(100*day+5*time.Hour), a.Start().Add(103*day+time.Minute)
	part := slices.DeleteFunc(slices.Clone(all), func(x Action) bool { return x.Time.Before(from) || !x.Time.Before(to) })
	if diff := cmp.Diff(part, slices.Collect(a.Between(from, to))); diff != "" {
		t.Error("a part is not what the history has there:", diff)
	}
	for range a.History() { // stops at a break
		break
	}
}

func TestAudience_ContinuesAfterTheHistory(t *testing.T) {
	t.Parallel()
	a := made(t, small())
	for d := historyDays; d < planDays+20; d++ {
		if n := len(a.Day(d)); n < 5 || n > 60 { // 16.5 a day, more at the end of the year
			t.Errorf("day %d has %d actions", d, n)
		}
	}
	if len(a.Day(-1)) != 0 || len(slices.Collect(a.Between(a.Start().AddDate(-1, 0, 0), a.Start()))) != 0 {
		t.Error("something happened before the start")
	}
}

func TestAudience_CountsAreExact(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{Members: 1, Actions: 0},
		{Members: 1, Actions: 1},
		{Members: 1, Actions: 1000, Brands: 1},
		{Members: 3, Actions: 2, Brands: 1000},
		{Members: 2000, Actions: 50},
		{Members: 40, Actions: 30_000, Seed: 1<<64 - 1, End: friday},
	} {
		t.Run(fmt.Sprintf("%d members %d actions", o.Members, o.Actions), func(t *testing.T) {
			t.Parallel()
			n := 0
			for range made(t, o).History() {
				n++
			}
			if n != o.Actions {
				t.Errorf("%d actions", n)
			}
		})
	}
}

func TestOptions_InvalidAreRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{},
		{Members: -1},
		{Members: MaxMembers + 1},
		{Members: 1, Actions: -1},
		{Members: 1, Actions: MaxActions + 1},
		{Members: 1, Brands: -1},
		{Members: 1, Brands: MaxBrands + 1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestAudience_MoreMembersKeepTheFirst(t *testing.T) {
	t.Parallel()
	few, o := made(t, small()), small()
	o.Members, o.Actions = 900, 100
	many := made(t, o)
	if diff := cmp.Diff(few.Members, many.Members[:300], cmp.AllowUnexported(Member{}, profile{}, habits{}, Account{}, favourite{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(few.Brands, many.Brands, cmp.AllowUnexported(Brand{}, Release{})); diff != "" {
		t.Error(diff)
	}
}

func TestAudience_ConcurrentReads(t *testing.T) {
	t.Parallel()
	a := made(t, small())
	want := a.Day(200)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if diff := cmp.Diff(want, a.Day(200)); diff != "" {
				t.Error(diff)
			}
			a.Live().At(a.End(), 5)
		})
	}
	wg.Wait()
}

func TestLive_DependsOnItsSecondOnly(t *testing.T) {
	t.Parallel()
	a := made(t, small())
	at := a.End().Add(12*day + 20*time.Hour + 300*time.Millisecond)
	one, other := a.Live(), a.Live()
	got := one.At(at, 40)
	other.At(at.Add(time.Hour), 3)
	if diff := cmp.Diff(got, other.At(at, 40)); diff != "" {
		t.Error("another source does other things in the same second:", diff)
	}
	ids := map[string]bool{}
	for _, x := range slices.Concat(got, one.At(at.Add(time.Second), 40), a.Day(historyDays+12)) {
		ids[x.ID] = true
	}
	if want := 80 + len(a.Day(historyDays+12)); len(ids) != want {
		t.Errorf("%d ids for %d actions", len(ids), want)
	}
	for _, x := range got {
		if !x.Time.Equal(at.Truncate(time.Second)) {
			t.Errorf("%v is done at %v", at, x.Time)
		}
	}
	if one.At(a.Start().Add(-time.Second), 1) != nil || one.At(at, 0) != nil {
		t.Error("something out of nothing")
	}
}
