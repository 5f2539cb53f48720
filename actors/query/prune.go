package query

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// A question that names its members is asked of the shards that have them alone. There
// the columns are looked through as for any other (BenchmarkStandings_OneMember: in 250,000 rows
// of 17,632 brands, 20 µs for a week and 160 µs for half a year). What is on disk only is
// read by member, not brand by brand: from a million rows a member's timeline takes 0.2 ms
// for a week and 0.3 ms for half a year, twice that with a tail that is read for the first time
// (BenchmarkMemberRows), however many brands are cold.

// fewMembers is how many members' timelines are read rather than the cold brands.
const fewMembers = 64

// shardsOf are the shards that a question is asked of, by id; nil where a shard has none of
// the members that it names.
func (c *Coordinator) shardsOf(q *domain.Question) []Shard {
	among := q.Among()
	if among == nil {
		return c.o.Shards
	}
	return c.shardsWith(among)
}

// shardsWith are the shards of members, by id; nil where a shard has none of them.
func (c *Coordinator) shardsWith(ids []domain.MemberID) []Shard {
	out := make([]Shard, len(c.o.Shards))
	for _, id := range ids {
		i := id.Slot().Shard(len(c.o.Shards))
		out[i] = c.o.Shards[i]
	}
	return out
}

// source reads what a question meets on disk.
func (s *execution) source(q *domain.Question) rows.Source {
	if n := len(q.Filter.Members); n == 0 || n > fewMembers {
		return s.fromDisk(q)
	}
	var by map[domain.BrandID][]domain.Row
	return func(b rows.Cold, _ domain.Range, f func([]domain.Row)) error {
		if by == nil {
			by = map[domain.BrandID][]domain.Row{}
			if err := timelines(s.view, q, by); err != nil {
				return err
			}
		}
		if rows := by[b.Brand]; len(rows) > 0 {
			f(rows)
		}
		return nil
	}
}

// timelines puts the rows of the question's members under their brands.
func timelines(v *view.View, q *domain.Question, by map[domain.BrandID][]domain.Row) error {
	ordinal, of := ordinalsOf(v.Roster, q.Account), v.Account(q.Account)
	for _, id := range q.Filter.Members {
		ord, ok := ordinal(id)
		if !ok {
			continue
		}
		for _, ord := range append([]domain.Ordinal{ord}, of.Rows.Shadows(ord)...) {
			err := v.Snapshot.MemberRows(q.Account, ord, q.Range, func(rows []domain.Row) {
				for i := range rows {
					by[rows[i].Brand] = append(by[rows[i].Brand], rows[i])
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
