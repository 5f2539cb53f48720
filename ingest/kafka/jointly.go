package kafka

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// joint lets fetchers of one leader share their requests: a request takes the client and
// the broker longer than a small batch in it, and what a router appends in a round comes
// to all partitions at once. Who asks waits a moment for others; who gets nothing stays
// aboard the next request, until its own wait is over.
//
// Any goroutine may call.
type joint struct {
	client *Client

	mu sync.Mutex // guards what follows, and the wishes
	by map[int32]*leading
}

// leading is what is wished of one leader.
type leading struct {
	waiting []*wish // for the next request
	due     bool    // it leaves when gatherFor is over
	under   int     // wishes in requests under way
	most    int     // wishes there ever were at a time, but for those that were given up
}

// wish is what a fetcher waits for.
type wish struct {
	cfg      *FetchConfig
	next     int64
	epoch    int32
	maxBytes int
	until    time.Time     // then nothing is an answer too
	got      chan delivery // holds one
	gone     bool          // nobody waits for it any more
}

// delivery is a partition's part of an answer, or why there is none. Who does not read its
// memory need not release it.
type delivery struct {
	part   *kmsg.FetchResponseTopicPartition
	memory *lent
	err    error
}

// lent is the memory of an answer, of which several read.
type lent struct {
	x       *exchange
	readers atomic.Int32
}

// release says that one of them has no need of it any more.
func (l *lent) release() {
	if l.readers.Add(-1) == 0 {
		l.x.release()
	}
}

// gatherFor is how long a request waits for more who ask. Nobody comes sooner whose last
// answer is being applied, and what the next round brings comes later.
const gatherFor = time.Millisecond

// underMost is how long a request is under way at most: who came too late for it comes
// aboard the next.
const underMost = 250 * time.Millisecond

// ask waits for what the leader answers.
func (j *joint) ask(ctx context.Context, leader int32, w *wish) delivery {
	w.until, w.got = time.Now().Add(w.cfg.MaxWait), make(chan delivery, 1)
	j.mu.Lock()
	l := j.by[leader]
	if l == nil {
		l = &leading{}
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
		w.gone = true
		return delivery{err: ctx.Err()}
	}
}

// wait takes wishes aboard the next request. It leaves at once with as many as there ever
// were. mu is held.
func (j *joint) wait(leader int32, l *leading, wishes ...*wish) {
	l.waiting = append(l.waiting, wishes...)
	l.most = max(l.most, len(l.waiting)+l.under)
	switch {
	case len(l.waiting) >= l.most:
		j.leave(leader, l)
	case !l.due && len(l.waiting) > 0:
		l.due = true
		time.AfterFunc(gatherFor, func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			l.due = false
			j.leave(leader, l)
		})
	}
}

// leave sends the request of those who wait. Of two readers of one partition the second
// comes aboard the next: an answer names the partition, not the offset that it was asked
// for. mu is held.
func (j *joint) leave(leader int32, l *leading) {
	wished := len(l.waiting)
	all := slices.DeleteFunc(l.waiting, func(w *wish) bool { return w.gone })
	l.waiting, l.most = nil, l.most-(wished-len(all))
	var aboard, others []*wish
	for _, w := range all {
		if slices.ContainsFunc(aboard, w.samePartition) {
			others = append(others, w)
		} else {
			aboard = append(aboard, w)
		}
	}
	if len(aboard) == 0 {
		return
	}
	l.under += len(aboard)
	go j.fetch(leader, l, aboard)
	j.wait(leader, l, others...)
}

func (w *wish) samePartition(o *wish) bool {
	return w.cfg.Partition == o.cfg.Partition && w.cfg.ID == o.cfg.ID
}

// fetch asks the leader, and gives each his part.
func (j *joint) fetch(leader int32, l *leading, aboard []*wish) {
	m, within, limit := requestOf(aboard)
	x, err := j.client.exchange(j.client.ctx, request{
		message: m, version: versionFetch, route: node(leader), over: j.client.fetching,
		within: within + j.client.cfg.RequestTimeout, limit: limit + answerRoom,
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	l.under -= len(aboard)
	if err != nil {
		for _, w := range aboard {
			w.got <- delivery{err: err}
		}
		return
	}
	answer, now := x.answer.(*kmsg.FetchResponse), time.Now()
	memory := &lent{x: x}
	memory.readers.Store(int32(len(aboard)))
	var again []*wish
	for _, w := range aboard {
		d := w.of(answer)
		d.memory = memory
		switch {
		case w.gone:
			memory.release()
			l.most--
		case d.err == nil && nothing(d.part, w.next) && now.Before(w.until):
			memory.release()
			again = append(again, w)
		default:
			w.got <- d
		}
	}
	j.wait(leader, l, again...)
}

// nothing reports that an answer tells a fetcher nothing that it waits for.
func nothing(p *kmsg.FetchResponseTopicPartition, next int64) bool {
	return p.ErrorCode == 0 && len(p.RecordBatches) == 0 && p.DivergingEpoch.EndOffset < 0 && next >= p.LogStartOffset
}

// of is the wish's part of an answer.
func (w *wish) of(a *kmsg.FetchResponse) delivery {
	if err := errorOf(a); err != nil {
		return delivery{err: err}
	}
	for i := range a.Topics {
		if a.Topics[i].TopicID != w.cfg.ID {
			continue
		}
		for k := range a.Topics[i].Partitions {
			if p := &a.Topics[i].Partitions[k]; p.Partition == int32(w.cfg.Partition) {
				return delivery{part: p}
			}
		}
	}
	return delivery{err: &passing{why: "the broker's answer has no partition", err: errAnswer}}
}

// requestOf is one fetch of all that is wished. It waits no longer than any of them would;
// limit is what its records may take.
func requestOf(aboard []*wish) (m *kmsg.FetchRequest, wait time.Duration, limit int) {
	m = newFetch()
	wait = underMost
	for _, w := range aboard {
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

func (w *wish) partition() kmsg.FetchRequestTopicPartition {
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.LastFetchedEpoch, p.PartitionMaxBytes = int32(w.cfg.Partition), w.next, w.epoch, int32(w.maxBytes)
	return p
}
