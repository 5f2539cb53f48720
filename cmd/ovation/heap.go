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
// leaves beside the store's cache, at most five times what lives, at least twice.
const (
	leastGCPercent = 100
	mostGCPercent  = 400
)

// heapBudget is how large the heap may be with so much --memory: a quarter is the store's
// cache, and the runtime keeps a tenth more than the heap was at its largest.
func heapBudget(memory uint64) uint64 { return memory * 3 / 4 * 10 / 11 }

// gcPercent is by how much the heap may grow over what lives before it is collected.
func gcPercent(live, budget uint64) int {
	if live == 0 || live >= budget {
		return leastGCPercent
	}
	return int(min(max((budget-live)*100/live, leastGCPercent), mostGCPercent))
}

// heapEvery is how often it is looked how much lives.
const heapEvery = time.Second

// tuneHeap keeps the collector's percentage as the budget asks, until ctx ends. Who
// sets GOGC has decided already.
func tuneHeap(ctx context.Context, budget uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	t := time.NewTicker(heapEvery)
	defer t.Stop()
	before := debug.SetGCPercent(mostGCPercent)
	defer func() { debug.SetGCPercent(before) }()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for now := mostGCPercent; ; {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		metrics.Read(sample)
		// Setting it stops the world for a moment: not for a small difference.
		p := gcPercent(sample[0].Value.Uint64(), budget)
		if end := p == leastGCPercent || p == mostGCPercent; p != now && (end || p < now*9/10 || p > now*11/10) {
			debug.SetGCPercent(p)
			now = p
		}
	}
}
