package shape

// MergeLists adds the shards' numbers of members of n lists. A nil part counts no member.
func MergeLists(n int, parts [][]uint64) []uint64 {
	out := make([]uint64, n)
	for _, p := range parts {
		for i, members := range p {
			out[i] += members
		}
	}
	return out
}
