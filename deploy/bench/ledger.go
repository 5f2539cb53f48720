package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// ledger counts what a crowd does as it must be counted, by brand and definition: each
// activity once, and of what is one-time each member's first for a brand.
type ledger struct {
	place  map[domain.BrandID]int
	brands []domain.BrandID
	counts [][]int64 // by brand, by deed
	fans   int
	once   []map[int][]uint64 // by deed, by brand: whose was there
	all    int64
}

func newLedger(c *crowd) *ledger {
	l := &ledger{place: map[domain.BrandID]int{}, brands: append(slices.Clone(c.brands), c.hot), fans: len(c.fans), once: make([]map[int][]uint64, len(c.deeds))}
	for i, id := range l.brands {
		l.place[id] = i
		l.counts = append(l.counts, make([]int64, len(c.deeds)))
	}
	for i := range c.deeds {
		if c.deeds[i].oneTime == "1" {
			l.once[i] = map[int][]uint64{}
		}
	}
	return l
}

// note counts an activity.
func (l *ledger) note(a act) {
	brand := l.place[a.brand]
	if once := l.once[a.deed]; once != nil {
		set := once[brand]
		if set == nil {
			set = make([]uint64, (l.fans+63)/64)
			once[brand] = set
		}
		bit := uint64(1) << (a.fan % 64)
		if set[a.fan/64]&bit != 0 {
			return
		}
		set[a.fan/64] |= bit
	}
	l.counts[brand][a.deed]++
	l.all++
}

// Equality is whether what was published is what is counted.
type Equality struct {
	Published   int64    `json:"published"` // records, also those that count once only
	Expected    int64    `json:"expected"`  // actions that they make
	Counted     int64    `json:"counted"`   // that the brands' tallies have
	Letters     int64    `json:"letters"`   // dead letters
	Compared    int      `json:"compared"`  // numbers: of a brand and a definition each
	Differences int      `json:"differences"`
	First       []string `json:"first,omitempty"`
}

// fine reports that nothing is lost, double or refused.
func (e *Equality) fine() bool {
	return e.Differences == 0 && e.Letters == 0 && e.Counted == e.Expected
}

// firstShown is how many differences are told.
const firstShown = 10

// compare asks for the tally of each brand, over the longest range, and compares it
// definition by definition.
func (l *ledger) compare(ctx context.Context, api *client.Client, c *crowd) (e Equality, err error) {
	e = Equality{Published: c.made, Expected: l.all}
	deeds := map[string]int{}
	for i := range c.deeds {
		deeds[itoa(int(c.deeds[i].id))] = i
	}
	var mu sync.Mutex // guards e
	differs := func(format string, args ...any) {
		if e.Differences++; len(e.First) < firstShown {
			e.First = append(e.First, fmt.Sprintf(format, args...))
		}
	}
	err = side(len(l.brands), func(i int) error {
		out, _, err := api.StatsActivity(ctx, l.brands[i], client.Params{"period": itoa(historyDays+1) + " Day", "includeOneTime": "1"})
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		got := make([]int64, len(c.deeds))
		for _, row := range out.Items {
			id := ""
			if row.ActivityID != nil {
				id = *row.ActivityID
			}
			deed, ok := deeds[id]
			if !ok {
				differs("brand %d has %s actions of something that nobody did: %s", l.brands[i], row.Count, row.Activity)
				continue
			}
			got[deed] += count(row.Count)
		}
		total := int64(0)
		for deed, n := range got {
			e.Compared++
			if total += n; n != l.counts[i][deed] {
				differs("brand %d, definition %d: %d counted, %d published", l.brands[i], c.deeds[deed].id, n, l.counts[i][deed])
			}
		}
		if n := count(out.TotalCount); n != total {
			differs("brand %d: its total is %d, its rows have %d", l.brands[i], n, total)
		}
		e.Counted += total
		return nil
	})
	return e, err
}
