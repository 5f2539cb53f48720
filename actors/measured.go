package actors

import "github.com/ovation-analytics/ovation/actors/internal/histogram"

// Reading is what a histogram has counted.
type Reading = histogram.Reading

// Measured is how long things took, and what waits, for metrics.
type Measured struct {
	Commits   map[int]Reading    // by shard
	Questions map[string]Reading // by shape
	Waiting   int                // scans that wait for a worker
}

// Measured is what an open node has measured.
func (n *Node) Measured() Measured {
	m := Measured{Commits: map[int]Reading{}, Questions: n.took.Read(), Waiting: n.executor.Waiting()}
	for _, s := range n.here() {
		m.Commits[s.ID] = s.Committing.Read()
	}
	return m
}
