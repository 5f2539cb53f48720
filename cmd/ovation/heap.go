package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A node's heap is many small things that stay (members, columns, filters) and a
// stream of pages that go. With the runtime's own rule, collect when the heap has
// doubled, a tenth to a sixth of the CPU went into looking at what stays, as long as
// that is little beside the memory there is. So the heap may grow to what --memory
// leaves beside the store's cache, at most to five times what lives, at least to twice.
// What lives is kept to half of it, since columns give way: heap and cache take --memory,
// unless what else lives, as when questions and records wait in masses, leaves no room
// for what columns keep in any case.
const (
	leastGCPercent = 100
	mostGCPercent  = 400
)

// heapBudget is what a heap may take, in bytes.
type heapBudget struct {
	all   uint64
	live  uint64 // of it what lives, before columns give way
	least uint64 // that columns keep, whatever else lives
}

// heapOf divides --memory: a quarter is the store's cache, and the runtime keeps a tenth
// more than the heap was at its largest.
func heapOf(memory uint64) heapBudget {
	all := memory / 4 * 3 / 11 * 10
	return heapBudget{all: all, live: all / 2, least: memory / 8}
}

// gcPercent is by how much the heap may grow over what lives before it is collected.
func (b heapBudget) gcPercent(live uint64) int {
	if live >= b.all {
		return leastGCPercent
	}
	return int(min(max((b.all-live)*100/max(live, 1), leastGCPercent), mostGCPercent))
}

// columnsBeside is how much columns may take beside so much else that lives: what it
// leaves, and the least in any case: with less, questions read so much from disk that what
// waits for them takes more than columns would.
func (b heapBudget) columnsBeside(rest uint64) uint64 {
	return max(b.live-min(rest, b.live), b.least)
}

// rests is what lived beside the columns at the last few looks, the newest first; zero
// where there was none yet.
type rests [4]uint64

// least is the least of them and of this one, which is the newest from now on. What the
// collector calls living holds all that was made while it marked, pages and answers of a
// moment, now much and now little: columns do not give way to that.
func (r *rests) least(rest uint64) uint64 {
	copy(r[1:], r[:])
	r[0] = rest
	for _, was := range r {
		if was > 0 {
			rest = min(rest, was)
		}
	}
	return rest
}

// columnKeeper is the part of a node that holds the columns.
type columnKeeper interface {
	Resident() (bytes int64)
	KeepResident(bytes int64)
}

// heapEvery is how often it is looked how much lives.
const heapEvery = time.Second

// tuneHeap keeps the collector's percentage and the columns' part as the budget asks,
// until ctx ends. Who sets GOGC has decided the first already.
func tuneHeap(ctx context.Context, budget heapBudget, columns columnKeeper) {
	percent := 0
	if os.Getenv("GOGC") == "" {
		percent = mostGCPercent
		before := debug.SetGCPercent(percent)
		defer func() { debug.SetGCPercent(before) }()
	}
	t := time.NewTicker(heapEvery)
	defer t.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	var lately rests
	for looked := uint64(0); ; {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		metrics.Read(sample)
		live, cycles := sample[0].Value.Uint64(), sample[1].Value.Uint64()
		// What gives way is garbage only for the collection after the next.
		if cycles >= looked+2 {
			looked = cycles
			rest := live - min(uint64(columns.Resident()), live)
			columns.KeepResident(int64(budget.columnsBeside(lately.least(rest))))
		}
		if percent > 0 {
			percent = setGCPercent(percent, budget.gcPercent(live))
		}
	}
}

// setGCPercent sets it, but not for a small difference: that stops the world for a moment.
func setGCPercent(now, p int) int {
	end := p == leastGCPercent || p == mostGCPercent
	if p != now && (end || p < now*9/10 || p > now*11/10) {
		debug.SetGCPercent(p)
		return p
	}
	return now
}
