package shape_test

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/shape"
)

// Shards have disjoint members, so the counts of their parts add; the first rows of a page are
// the first of all parts.
func ExampleMergeLeaders() {
	merged := shape.MergeLeaders(domain.Top{Limit: 2}, []*domain.Leaders{
		{Total: domain.Count{Actions: 9, Members: 2}, Members: []domain.Leader{{Member: 8, Score: 7}, {Member: 16, Score: 1}}},
		{Total: domain.Count{Actions: 4, Members: 1}, Members: []domain.Leader{{Member: 9, Score: 3}}},
	})
	fmt.Println(merged.Total, merged.Members[0].Member, merged.Members[1].Member)
	// Output: {13 3} 8 9
}
