package query

import (
	"context"
	"sync"

	"github.com/ovation-analytics/ovation/actors/brand/scan"
)

// scratch is what a worker reuses from question to question.
type scratch struct {
	scan      *scan.Scratch
	members   []uint64
	column    scan.Column // what the members are counted by
	performed []uint64    // of a segment's rule, or of a filter
	listed    []uint64    // on a segment's list
	union     []uint64    // on any of the lists
}

// Executor is the goroutines that scan: as many as asked for, with a bounded queue before
// them (I8).
type Executor struct {
	ctx  context.Context // ends with the node, and with it every scan
	jobs chan func(*scratch)
	all  sync.WaitGroup

	mu    sync.RWMutex // held for reading while a job is queued
	ended bool         // no job is queued any more
}

// questionsWaiting is how many scans may wait for a worker.
const questionsWaiting = 4096

// StartExecutor runs n workers until ctx ends.
func StartExecutor(ctx context.Context, n int) *Executor {
	e := &Executor{ctx: ctx, jobs: make(chan func(*scratch), questionsWaiting)}
	for range n {
		e.all.Go(func() {
			x := &scratch{scan: scan.NewScratch()}
			for {
				select {
				case job := <-e.jobs:
					job(x)
				case <-ctx.Done():
					e.refuse(x)
					return
				}
			}
		})
	}
	return e
}

// Waiting is how many scans wait for a worker.
func (e *Executor) Waiting() int { return len(e.jobs) }

// stopping reports that the node stops: what still waits for a worker is refused.
func (e *Executor) stopping() bool { return e.ctx.Err() != nil }

// refuse runs what waits for a worker that ends: a job holds a view, and only the job
// releases it. It scans nothing, since the executor is over.
func (e *Executor) refuse(x *scratch) {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	for {
		select {
		case job := <-e.jobs:
			job(x)
		default:
			return
		}
	}
}

// offer queues a job; false: too many wait, or the executor has ended.
func (e *Executor) offer(job func(*scratch)) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.ended {
		return false
	}
	select {
	case e.jobs <- job:
		return true
	default:
		return false
	}
}

// Wait returns when all workers have ended.
func (e *Executor) Wait() { e.all.Wait() }
