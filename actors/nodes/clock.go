package nodes

import (
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// clocksDiffer is how far the clocks of two machines may be apart.
const clocksDiffer = time.Minute

// Clock is the time of day at a node: that of its machine, or that of most nodes where the machine's is more than a
// minute away from it. Its zero value, and nil, are the machine's. Any goroutine may call it.
type Clock struct{ ahead atomic.Int64 }

// Now is the time.
func (c *Clock) Now() time.Time { return c.At(time.Now()) }

// At is the time at a moment of the machine's clock.
func (c *Clock) At(machine time.Time) time.Time { return machine.Add(-c.Ahead()) }

// Ahead is by how much the machine's clock is ahead of most nodes, below zero where it is late; 0: by less than a
// minute, or it is not known.
func (c *Clock) Ahead() time.Duration {
	if c == nil {
		return 0
	}
	return time.Duration(c.ahead.Load())
}

// set sets the clock by what was judged, and tells an operator once.
func (c *Clock) set(log *slog.Logger, ahead time.Duration) {
	before := time.Duration(c.ahead.Swap(int64(ahead)))
	switch {
	case ahead != 0 && (before == 0 || (ahead-before).Abs() > clocksDiffer):
		log.Warn("this machine's clock is not that of most nodes: the node goes by theirs; set it right", "ahead", ahead.Round(time.Second))
	case ahead == 0 && before != 0:
		log.Info("recovered: this machine's clock is that of most nodes")
	}
}

// clockJudge compares the machine's clock with those that other nodes show in their beats. It has one caller.
type clockJudge struct {
	began time.Time // of the last read
	heard map[domain.NodeID]heardClock
	ahead time.Duration // as judged last
}

// heardClock is a node's last beat, and by how much the machine's clock is ahead of the node's.
type heardClock struct {
	incarnation, counter uint64
	known                bool // two beats were read, one after the other
	ahead                time.Duration
}

// judge takes the snapshot of beats that were read from began to ended, and gives by how much the machine's clock is
// ahead of most nodes, of which this one is one. While no other node beats it is what it was, unless the clock was set.
func (j *clockJudge) judge(began, ended time.Time, s *Snapshot) time.Duration {
	from := ended.Add(-ended.Sub(j.began)) // by the monotonic clock
	if from.Round(0).Sub(j.began.Round(0)).Abs() > clocksDiffer {
		*j = clockJudge{}
	}
	j.hear(from, ended, s)
	j.began = began
	votes := []time.Duration{0}
	for _, h := range j.heard {
		if h.known {
			votes = append(votes, h.ahead)
		}
	}
	if len(votes) > 1 {
		slices.Sort(votes)
		j.ahead = nearer(votes[(len(votes)-1)/2], votes[len(votes)/2])
	}
	return j.ahead
}

// hear takes the beats that are new: they were made after the last read began, which found others.
func (j *clockJudge) hear(from, to time.Time, s *Snapshot) {
	heard := map[domain.NodeID]heardClock{}
	for _, m := range s.Others() {
		if !m.Alive || !m.Heard || m.Beat.Clock == 0 {
			continue
		}
		was, again := j.heard[m.ID]
		h := heardClock{incarnation: m.Beat.Incarnation, counter: m.Beat.Counter}
		switch {
		case again && was.incarnation == h.incarnation && was.counter == h.counter:
			h = was
		case again:
			h.known = true
			h.ahead = apart(was.ahead, from, to, time.UnixMilli(m.Beat.Clock))
		}
		heard[m.ID] = h
	}
	j.heard = heard
}

// nearer is the one of two that is nearer to zero: two nodes that differ are no majority.
func nearer(a, b time.Duration) time.Duration {
	if b.Abs() < a.Abs() {
		return b
	}
	return a
}

// apart is by how much the machine's clock is ahead of another one that showed a time at some moment between two of the
// machine's: 0 if it may be less than a minute, what it was before if it may be so still.
func apart(before time.Duration, from, to, shown time.Time) time.Duration {
	least, most := from.Sub(shown), to.Sub(shown)
	switch {
	case least <= clocksDiffer && most >= -clocksDiffer:
		return 0
	case before != 0 && least <= before && before <= most:
		return before
	}
	return least + (most-least)/2
}
