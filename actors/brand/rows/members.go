package rows

import "github.com/ovation-analytics/ovation/actors/brand/bitset"

// Members is the set of the members of a chunk's rows, deleted ones too. It is made when a question
// first asks for all of the chunk and kept as long as the chunk, which never changes: a count of
// distinct members does not read the rows then.
//
// nil where the rows are too few for so many members: they are read as fast.
func (c *Chunk) Members() []uint64 {
	if w := c.memberSet.Load(); w != nil {
		return *w
	}
	last := uint32(0)
	for _, o := range c.Ord {
		last = max(last, o)
	}
	var members []uint64
	if words := int(last>>6) + 1; words*rowsPerWord <= len(c.Ord) {
		members = make([]uint64, words)
		bitset.AddAll(members, c.Ord)
	}
	c.memberSet.Store(&members)
	return members
}

// rowsPerWord is how many rows a chunk must have for 64 members to keep the set.
const rowsPerWord = 4
