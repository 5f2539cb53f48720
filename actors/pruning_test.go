package actors

import (
	"math/rand/v2"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// compareMembers asks about few members, some of whose brands are on disk only, about one of them,
// and for pages of all members. Of no members there is nothing to ask.
func (r *harness) compareMembers(rnd *rand.Rand, m *reference.Model, ids []domain.MemberID, brands int) {
	r.t.Helper()
	if len(ids) == 0 {
		return
	}
	q := random(rnd, domain.ShapeStandings, ids, brands)
	q.Filter.Exclude = nil
	for range 1 + rnd.IntN(3)*rnd.IntN(2) {
		q.Filter.Members = append(q.Filter.Members, ids[rnd.IntN(len(ids))])
	}
	slices.Sort(q.Filter.Members)
	q.Filter.Members = slices.Compact(q.Filter.Members)
	q.Top = domain.Top{Limit: 1 + rnd.IntN(brands), Least: uint64(rnd.IntN(2) * rnd.IntN(40))}
	var asked, have []int
	for _, s := range r.compare(m, q).Position.Shards {
		asked = append(asked, s.Shard)
	}
	for _, id := range q.Filter.Members {
		have = append(have, id.Slot().Shard(r.node.count))
	}
	slices.Sort(have)
	if !slices.Equal(asked, slices.Compact(have)) {
		r.t.Fatalf("members of the shards %v, asked were %v", have, asked)
	}
	q.Shape = domain.ShapeSummaries
	r.compare(m, q)
	one := q.Filter.Members[:1]
	q.Without, q.Filter.Members, q.Top, q.Listing = nil, one, domain.Top{Limit: 1}, domain.Listing{Every: true, Limit: 5}
	q.Shape = domain.ShapeFeed
	r.compare(m, q)
	q.Shape = domain.ShapeLeaders
	score := uint64(0)
	for _, l := range r.compare(m, q).Leaders.Members {
		score = l.Score
	}
	q.Top, q.Filter.Members, q.Filter.Exclude = domain.Top{Above: &score}, nil, one
	r.compare(m, q)
	list := domain.MemberListing{Up: rnd.IntN(2) == 0, Offset: rnd.IntN(2) * rnd.IntN(len(ids)), Limit: rnd.IntN(20)}
	if rnd.IntN(2) == 0 {
		list.Changed = m.Members[rnd.IntN(len(ids))].Changed
	}
	r.compare(m, &domain.Question{
		Account: 1, Shape: domain.ShapeMemberList, MemberListing: list, Filter: domain.Filter{Exclude: []domain.MemberID{ids[rnd.IntN(len(ids))]}},
	})
}
