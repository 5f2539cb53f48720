package router

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// How far a partition of the public topic was routed is kept twice. The group offset
// is committed every second, but Kafka forgets it when a group is idle for days, and
// forgets records about as soon: then a router that began at the log's start would pass
// over what was cut and never routed, unnoticed. So the journal has it
// too: the router appends a mark there when it begins, every ten seconds, and when it
// stops. A router without a group offset reads on at the mark, and the fetch sees by itself
// if the log starts above it (a gap), ends below it, or is another one.
//
// The origins that the shards keep cannot replace the mark. A page's records go to all
// shards side by side, so the highest origin applied says nothing of those below it: a
// router that died in the midst of a page has appended some shards' part of it and not the
// others'. A log that was emptied since begins exactly after the highest of them. Nor do
// they tell a partition that was never read, which has a right to begin at the log's start
// wherever that is, from one that was read when it was still empty.
//
// What a mark says holds for ever: all below it is in the journal, or was cut before the
// first router of this installation looked. It may be older than what was routed. Then
// records are read again and dropped by their origin (I2), and a log that was cut between
// the mark and what was routed stops the router although nothing was lost: that cannot be known.
//
// A mark is a Tick of no hour with an origin, in a stream of its own: applying keeps the
// highest, as of any stream, and every release can read it. The stream is the journal's
// too: a new journal has none of the records that another one's marks are about.

// markEvery is how long the mark may stay behind what is routed.
const markEvery = 10 * time.Second

// markStream is the stream of the marks of a public topic in a journal.
func markStream(journal, source domain.TopicID) (id domain.TopicID) {
	sum := sha256.Sum256(append(append([]byte("routed\x00"), journal[:]...), source[:]...))
	copy(id[:], sum[:])
	return id
}

// markHome is the journal partition with the marks of a source partition.
func (o *Options) markHome(partition int) int { return partition % len(o.Backlogs) }

// begin appends the first mark of a partition that was never read, before anything of it
// is routed: that of which there is no mark was not begun.
func (r *router) begin(ctx context.Context, p *sourcePage) error {
	at := p.Next
	if len(p.Arrivals) > 0 {
		at = p.Arrivals[0].Record.Origin.Offset
	}
	return r.mark(ctx, at, -1)
}

// mark appends that all below next is in the journal.
func (r *router) mark(ctx context.Context, next int64, epoch int32) error {
	home := r.o.markHome(r.partition)
	m := domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Partition: uint32(home)}, Origin: domain.Origin{
		Topic: markStream(r.o.Journal.Topic(), r.reading), Partition: int32(r.partition), Epoch: epoch, Offset: next,
	}}
	r.batches[home] = append(r.batches[home], m)
	if err := r.append(ctx); err != nil {
		return err
	}
	r.marked, r.markedAt = next, time.Now()
	return nil
}

// Marks are the journal's marks of a public topic, by partition: below each all is in the journal,
// whichever node routed it. A partition that was never read has none. The shards that have them must
// have read the journal to their ends as they are now.
func (o *Options) Marks(ctx context.Context) (map[int]int64, error) {
	n, err := o.Source.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	marks := map[int]int64{}
	for p := range n {
		m, err := o.markedIn(ctx, o.Source.Topic(), p)
		if err != nil {
			return nil, err
		}
		if !m.Topic.IsZero() {
			marks[p] = m.Offset
		}
	}
	return marks, nil
}

// markedIn is the journal's mark of a partition; the zero origin: there is none. The shard
// that has it must have read the journal to its end.
func (o *Options) markedIn(ctx context.Context, source domain.TopicID, partition int) (domain.Origin, error) {
	home := o.markHome(partition)
	end, err := o.Journal.End(ctx, home)
	if err != nil {
		return domain.Origin{}, err
	}
	return o.Applied(ctx, home, end, markStream(o.Journal.Topic(), source), int32(partition))
}
