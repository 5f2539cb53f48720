package actors

// placement says which node runs which shard. On one machine one node runs all;
// nothing else in this package knows that.
type placement interface {
	// mine are the shards that this node runs.
	mine() []int
}

// alone is the placement of one node.
type alone struct{ shards int }

func (a alone) mine() []int {
	out := make([]int, a.shards)
	for i := range out {
		out[i] = i
	}
	return out
}
