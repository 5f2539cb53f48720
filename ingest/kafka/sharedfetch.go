package kafka

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// sharedFetches lets fetchers of one leader share requests: a request takes the client and the
// broker longer than a small batch in it, and what a router appends in a produce round reaches
// all partitions at once. A fetcher waits a moment for others; where its partition has nothing
// yet, it is in the next request too, until its own wait has ended.
//
// Without it an activity takes 1.05 times the CPU where the log is in the node, and 1.14 times
// where it is a process of its own (bench -only cost, 8 shards, medians of 15 runs of 300,000
// activities in turn, 2026-11-24, 2 cores).
//
// Any goroutine may call.
type sharedFetches struct {
	conns *conns
	began time.Time // waits end at multiples from here on

	mu sync.Mutex // guards what follows, and the pending fetches
	by map[int32]*leaderQueue
}

// leaderQueue is what waits for one leader.
type leaderQueue struct {
	waiting []*pendingFetch // for the next request
	due     bool            // which is sent when gatherFor has passed
	sent    int             // pending fetches in requests under way
	peak    int             // pending at a time so far, less those that were abandoned
}

// pendingFetch is what a fetcher waits for.
type pendingFetch struct {
	cfg       *FetchConfig
	next      int64
	epoch     int32
	maxBytes  int
	until     time.Time        // then an empty answer is one too
	got       chan fetchResult // holds one
	abandoned bool             // its fetcher has left
}

// fetchResult is a partition's part of an answer, or why there is none. Its memory need not be
// released.
type fetchResult struct {
	part   *kmsg.FetchResponseTopicPartition
	memory *sharedAnswer
	err    error
}

// sharedAnswer is the memory of an answer that several fetchers read.
type sharedAnswer struct {
	x       *exchange
	readers atomic.Int32
}

// release ends the use by one of them; the last one frees it.
func (l *sharedAnswer) release() {
	if l.readers.Add(-1) == 0 {
		l.x.release()
	}
}

// gatherFor is how long a request waits for more fetchers: less than it takes to apply the last
// answer, and less than the next produce round is away.
const gatherFor = time.Millisecond

// sharedWait bounds how long the broker holds a shared request: a fetcher that came too late for
// it is in the next.
const sharedWait = 250 * time.Millisecond

// until is when a fetcher that asks now has waited long enough: at the next multiple of its wait. So all that have nothing end
// together, and share the next request too. With ends that are apart an idle node of 64 shards sends 33 fetches a second, not 5,
// and takes 20 to 24 ms of CPU a second, not 13 to 14; the node with the log takes 41 to 42, not 20 (three nodes, 60 s each:
// three runs before, one after, 2026-11-30, 2 cores).
func (j *sharedFetches) until(now time.Time, wait time.Duration) time.Time {
	return now.Add(wait - now.Sub(j.began)%wait)
}

// ask waits for what the leader answers.
func (j *sharedFetches) ask(ctx context.Context, leader int32, w *pendingFetch) fetchResult {
	w.until = j.until(time.Now(), w.cfg.MaxWait)
	w.got = make(chan fetchResult, 1)
	j.mu.Lock()
	l := j.by[leader]
	if l == nil {
		l = &leaderQueue{}
		j.by[leader] = l
	}
	j.wait(leader, l, w)
	j.mu.Unlock()
	select {
	case d := <-w.got:
		return d
	case <-ctx.Done():
		j.mu.Lock()
		defer j.mu.Unlock()
		w.abandoned = true
		return fetchResult{err: ctx.Err()}
	}
}

// wait adds pending fetches to the next request, which is sent at once when it has as many as
// there ever were. mu is held.
func (j *sharedFetches) wait(leader int32, l *leaderQueue, more ...*pendingFetch) {
	l.waiting = append(l.waiting, more...)
	l.peak = max(l.peak, len(l.waiting)+l.sent)
	switch {
	case len(l.waiting) >= l.peak:
		j.send(leader, l)
	case !l.due && len(l.waiting) > 0:
		l.due = true
		time.AfterFunc(gatherFor, func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			l.due = false
			j.send(leader, l)
		})
	}
}

// send sends the request of those that wait. Of two readers of one partition the second is in
// the next: an answer names the partition, not the offset that was asked for. mu is held.
func (j *sharedFetches) send(leader int32, l *leaderQueue) {
	before := len(l.waiting)
	all := slices.DeleteFunc(l.waiting, func(w *pendingFetch) bool { return w.abandoned })
	l.waiting = nil
	l.peak -= before - len(all)
	var asked, others []*pendingFetch
	for _, w := range all {
		if slices.ContainsFunc(asked, w.samePartition) {
			others = append(others, w)
		} else {
			asked = append(asked, w)
		}
	}
	if len(asked) == 0 {
		return
	}
	l.sent += len(asked)
	go j.fetch(leader, l, asked)
	j.wait(leader, l, others...)
}

func (w *pendingFetch) samePartition(o *pendingFetch) bool {
	return w.cfg.Partition == o.cfg.Partition && w.cfg.ID == o.cfg.ID
}

// fetch asks the leader, and gives each fetcher its part.
func (j *sharedFetches) fetch(leader int32, l *leaderQueue, asked []*pendingFetch) {
	m, within, limit := requestOf(asked)
	x, err := j.conns.exchange(j.conns.ctx, request{
		message: m, route: node(leader), over: j.conns.fetching,
		within: within + j.conns.cfg.RequestTimeout, limit: limit + answerRoom,
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	l.sent -= len(asked)
	if err != nil {
		for _, w := range asked {
			w.got <- fetchResult{err: err}
		}
		return
	}
	answer := x.answer.(*kmsg.FetchResponse)
	now := time.Now()
	memory := &sharedAnswer{x: x}
	memory.readers.Store(int32(len(asked)))
	var again []*pendingFetch
	for _, w := range asked {
		d := w.of(answer)
		d.memory = memory
		switch {
		case w.abandoned:
			memory.release()
			l.peak--
		case d.err == nil && isEmpty(d.part, w.next) && now.Before(w.until):
			memory.release()
			again = append(again, w)
		default:
			w.got <- d
		}
	}
	j.wait(leader, l, again...)
}

// isEmpty reports that an answer has nothing that a fetcher waits for.
func isEmpty(p *kmsg.FetchResponseTopicPartition, next int64) bool {
	return p.ErrorCode == 0 && len(p.RecordBatches) == 0 && p.DivergingEpoch.EndOffset < 0 && next >= p.LogStartOffset
}

// of is the part of an answer that is for the pending fetch.
func (w *pendingFetch) of(a *kmsg.FetchResponse) fetchResult {
	if err := errorOf(a); err != nil {
		return fetchResult{err: err}
	}
	for i := range a.Topics {
		if a.Topics[i].TopicID != w.cfg.ID {
			continue
		}
		for k := range a.Topics[i].Partitions {
			if p := &a.Topics[i].Partitions[k]; p.Partition == int32(w.cfg.Partition) {
				return fetchResult{part: p}
			}
		}
	}
	return fetchResult{err: &passing{why: "the broker's answer has no partition", err: errAnswer}}
}

// requestOf is one request for all of these. It waits no longer than any of them would; limit is
// what its records may take.
func requestOf(asked []*pendingFetch) (m *kmsg.FetchRequest, wait time.Duration, limit int) {
	m = newFetch()
	wait = sharedWait
	for _, w := range asked {
		wait = min(wait, time.Until(w.until))
		limit += w.maxBytes
		t := topicIn(m, w.cfg)
		t.Partitions = append(t.Partitions, w.partition())
	}
	wait = max(wait, time.Millisecond)
	m.MaxWaitMillis = int32(wait.Milliseconds())
	return m, wait, limit
}

// topicIn is the topic's place in the request.
func topicIn(m *kmsg.FetchRequest, cfg *FetchConfig) *kmsg.FetchRequestTopic {
	for i := range m.Topics {
		if m.Topics[i].TopicID == cfg.ID {
			return &m.Topics[i]
		}
	}
	t := kmsg.NewFetchRequestTopic()
	t.TopicID = cfg.ID
	m.Topics = append(m.Topics, t)
	return &m.Topics[len(m.Topics)-1]
}

func (w *pendingFetch) partition() kmsg.FetchRequestTopicPartition {
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.PartitionMaxBytes = int32(w.cfg.Partition), int32(w.maxBytes)
	p.FetchOffset, p.LastFetchedEpoch = w.next, w.epoch
	return p
}
