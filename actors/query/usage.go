package query

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Usage is the hits of applications, by application and hour, without hours of none, as of the
// newest commits. Each application is counted in one shard; only those shards are asked.
func (c *Coordinator) Usage(
	ctx context.Context, q *domain.UsageQuestion, wait domain.Position,
) ([]domain.HourHits, domain.Position, error) {
	if err := await(ctx, c.o.Logs, q.Account, wait); err != nil {
		return nil, c.position(), err
	}
	at := c.position()
	byShard := make([][]domain.ApplicationID, len(c.o.Shards))
	for _, id := range q.Applications {
		i := id.Slot().Shard(len(c.o.Shards))
		byShard[i] = append(byShard[i], id)
	}
	var out []domain.HourHits
	for i, applications := range byShard {
		if len(applications) == 0 {
			continue
		}
		part := *q
		part.Applications = applications
		hits, next, err := c.o.Shards[i].Usage(ctx, &part)
		if err != nil {
			return nil, at, err
		}
		out = append(out, hits...)
		at.Shards = append(at.Shards, domain.ShardOffset{Shard: i, Next: next})
	}
	return out, at, nil
}

// Usage reads on the caller's goroutine: a year of an application is some 9,000 counts for each
// life of a node.
func (l *Local) Usage(ctx context.Context, q *domain.UsageQuestion) (out []domain.HourHits, next int64, err error) {
	v := l.Views.Acquire()
	if v == nil {
		return nil, 0, domain.ErrUnavailable
	}
	defer v.Release()
	for _, id := range q.Applications {
		if ctx.Err() != nil {
			return nil, 0, domain.ErrUnavailable
		}
		err := v.Snapshot.Hits(q.Account, id, q.From, q.To, func(u domain.Usage) {
			if n := len(out) - 1; n >= 0 && out[n].Application == id && out[n].Hour == u.Hour {
				out[n].Hits += u.Total
				return
			}
			out = append(out, domain.HourHits{Application: id, Hour: u.Hour, Hits: u.Total})
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return out, v.Next, nil
}
