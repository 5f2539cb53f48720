package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestALedgerCountsOneTimeActivitiesOnce(t *testing.T) {
	const seed = 11
	c := someCrowd(seed, 0.5)
	l, r := newLedger(c), rand.New(rand.NewPCG(seed, 2))
	type done struct {
		fan, deed int
		brand     domain.BrandID
	}
	want, seen, all := map[done]int64{}, map[done]bool{}, int64(0)
	for range 200_000 {
		a := act{fan: r.IntN(len(c.fans)), brand: c.brands[r.IntN(5)], deed: r.IntN(len(c.deeds)), at: time.Unix(0, 0)}
		l.note(a)
		if d := (done{a.fan, a.deed, a.brand}); c.deeds[a.deed].oneTime == "1" && seen[d] {
			continue
		} else {
			seen[d] = true
		}
		want[done{0, a.deed, a.brand}]++
		all++
	}
	once := int64(0)
	for i, b := range l.brands {
		for d := range c.deeds {
			if got := l.counts[i][d]; got != want[done{0, d, b}] {
				t.Errorf("brand %d, deed %d: %d, want %d", b, d, got, want[done{0, d, b}])
			}
			if c.deeds[d].oneTime == "1" {
				once += l.counts[i][d]
			}
		}
	}
	if l.all != all || once == 0 || once > 5*int64(len(c.fans)) {
		t.Errorf("%d in all, want %d; %d of them one-time", l.all, all, once)
	}
}

func TestALoadIsFineWhenAllIsCountedOnce(t *testing.T) {
	good := Equality{Published: 12, Expected: 10, Counted: 10, Compared: 4}
	for what, change := range map[string]func(*Load){
		"a number differs":        func(l *Load) { l.Equality.Differences = 1 },
		"one is lost":             func(l *Load) { l.Equality.Counted = 9 },
		"one is double":           func(l *Load) { l.Equality.Counted = 11 },
		"there is a dead letter":  func(l *Load) { l.Equality.Letters = 1 },
		"what is stored is wrong": func(l *Load) { l.Unequal = true },
	} {
		l := Load{Equality: good}
		if r := (&Report{Loads: []Load{l}}); r.fault() != nil {
			t.Fatal(r.fault())
		}
		if change(&l); (&Report{Loads: []Load{l}}).fault() == nil {
			t.Errorf("fine though %s", what)
		}
	}
}
