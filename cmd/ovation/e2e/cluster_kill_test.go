package e2e

import (
	"math/rand/v2"
	"testing"
)

// TestCluster_KillsAreNotNoticed kills one node of three again and again, while collectors publish, and clients
// that hold all addresses read and write: no read fails, no command is lost or counts twice. At the end all nodes are in one state and
// give the same answers under the same tags.
func TestCluster_KillsAreNotNoticed(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	kills, size := 3, loadSize{records: 6_000, fans: 60, clients: 3, writers: 2, writes: 40}
	if full {
		kills, size = 100, loadSize{records: 2_000_000, fans: 600, clients: 8, writers: 4, writes: 2_000}
	}
	c := startCluster(t, 3)
	l := c.newLoad(seed, size)
	l.begin()
	for kill := range kills {
		i := rnd.IntN(len(c.nodes))
		l.await(float64(kill) / float64(kills))
		c.nodes[i].Kill()
		l.more(60)
		c.start(i)
	}
	l.end()
	l.tell()
	c.answerAlike(seed, l.told, l.toldKey, rnd, 500)
}
