package shape

import "github.com/ovation-analytics/ovation/actors/domain"

// MergeStream is the page of a stream that the query asks for, of the parts of shards, by id: nil where a shard was not
// asked, or has nothing. Each part is a shard's first events above its place of the query; the page has room for
// an equal share of each of those that have some, then for those of the first shards. So no shard's events hold
// up those of another for ever.
func MergeStream(q *domain.StreamQuery, parts []*domain.StreamPart) *domain.Stream {
	out := &domain.Stream{Next: make([]uint64, len(parts))}
	taken := share(q.Page(), parts)
	for shard, p := range parts {
		out.Next[shard] = q.AboveIn(shard)
		if p == nil {
			continue
		}
		n := domain.StreamCut(p.Events, taken[shard])
		for i := range p.Events[:n] {
			event := p.Events[i]
			event.Shard = shard
			out.Events = append(out.Events, event)
		}
		switch {
		case n == len(p.Events):
			out.Next[shard] = max(out.Next[shard], p.Next)
			out.More = out.More || p.More
		case n > 0:
			out.Next[shard] = p.Events[n-1].Sequence()
			out.More = true
		default:
			out.More = true
		}
	}
	return out
}

// share says how many of each part's events a page of so many takes.
func share(limit int, parts []*domain.StreamPart) []int {
	taken := make([]int, len(parts))
	left, open := limit, 0
	for _, p := range parts {
		if p != nil && len(p.Events) > 0 {
			open++
		}
	}
	for i, p := range parts {
		if p != nil && open > 0 {
			taken[i] = min(len(p.Events), limit/open)
			left -= taken[i]
		}
	}
	for i, p := range parts {
		if p != nil {
			n := min(len(p.Events)-taken[i], left)
			taken[i] += n
			left -= n
		}
	}
	return taken
}
