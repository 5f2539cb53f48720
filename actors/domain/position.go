package domain

// Position says what has been applied: the catalog up to an offset, and shards up
// to theirs. A question that waits for a position is answered once every offset
// in it is applied.
type Position struct {
	Journal TopicID
	Catalog int64         // offset after the last catalog record applied
	Shards  []ShardOffset // ascending; shards that were not touched are not there
}

// ShardOffset is the offset after the last record a shard applied.
type ShardOffset struct {
	Shard int
	Next  int64
}

// Reach is p raised to what q asks for.
func (p Position) Reach(q Position) Position {
	out := Position{Journal: p.Journal, Catalog: max(p.Catalog, q.Catalog)}
	if out.Journal.IsZero() {
		out.Journal = q.Journal
	}
	a, b := p.Shards, q.Shards
	if n := max(len(a), len(b)); n > 0 {
		out.Shards = make([]ShardOffset, 0, n)
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Shard < b[0].Shard:
			out.Shards, a = append(out.Shards, a[0]), a[1:]
		case len(a) == 0 || b[0].Shard < a[0].Shard:
			out.Shards, b = append(out.Shards, b[0]), b[1:]
		default:
			out.Shards = append(out.Shards, ShardOffset{a[0].Shard, max(a[0].Next, b[0].Next)})
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// Next is the offset the position has for a shard; 0 when it has none.
func (p Position) Next(shard int) int64 {
	for _, s := range p.Shards {
		if s.Shard == shard {
			return s.Next
		}
	}
	return 0
}
