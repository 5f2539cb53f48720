package e2e

import (
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// misfortunes are what befalls a cluster, and for how long.
type misfortunes struct {
	kills, pauses, cuts, brokerKills int
	fullDisks                        int // of the last node
	pause, cut, full                 time.Duration
	longPause                        time.Duration // of one more pause; 0: there is none
}

// TestCluster_FaultsAreNotNoticed kills and pauses nodes of three, cuts one from Kafka, fills the disk of one and kills
// Kafka, one after the other in any order, while collectors publish, and clients that hold all addresses read and write:
// no read fails, no command is lost, counts twice or takes effect long after it was refused. A read that waits for a
// position which no node has applied in time is asked again, and the same question without the position is answered:
// while Kafka is away what the last records sent to other shards reaches none. At the end all nodes are in one state and
// give the same answers under the same tags.
func TestCluster_FaultsAreNotNoticed(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	faults := misfortunes{kills: 3, pauses: 1, cuts: 1, brokerKills: 1, fullDisks: 1, pause: 5 * time.Second, cut: 15 * time.Second, full: 5 * time.Second}
	size := loadSize{fans: 60, clients: 3, asked: 50, activities: 1_000, writers: 4, written: 20}
	if full {
		faults = misfortunes{
			kills: 100, pauses: 20, cuts: 20, brokerKills: 10, fullDisks: 5,
			pause: 5 * time.Second, cut: time.Minute, full: time.Minute, longPause: 10 * time.Minute,
		}
		size = loadSize{fans: 600, clients: 8, asked: 200, activities: 5_000, writers: 8, written: 80}
	}
	room := 1 << 10
	if full {
		room = 6 << 10
	}
	disk := newSmallDisk(t, room)
	c := startClusterOf(t, 3, func(i int, h *harness.Node) {
		if i == 2 {
			h.Data, h.Within = filepath.Join(disk.dir, "data"), disk.within
		}
	})
	l := c.newLoad(seed, size)
	l.begin()
	l.more(60)
	for _, befall := range l.schedule(faults, disk, rnd) {
		befall()
		l.more(60)
	}
	l.end()
	l.tell()
	l.replayed()
	l.holdsRefused()
	c.answerAlike(seed, l.told, l.toldKey, rnd, 500)
}

// schedule is the faults in any order, each with its end.
func (l *load) schedule(f misfortunes, disk *smallDisk, rnd *rand.Rand) (all []func()) {
	c := l.c
	began := time.Now()
	times := func(what string, n int, befall func(i int)) {
		for range n {
			i := rnd.IntN(len(c.nodes))
			all = append(all, func() {
				c.t.Logf("%v: %s, node %d", time.Since(began).Round(time.Second), what, i)
				befall(i)
			})
		}
	}
	pause := func(d time.Duration) func(int) {
		return func(i int) {
			c.signal(i, syscall.SIGSTOP)
			l.lasts(d)
			c.signal(i, syscall.SIGCONT)
		}
	}
	times("kill", f.kills, func(i int) {
		c.nodes[i].Kill()
		l.more(60)
		c.start(i)
	})
	times("pause", f.pauses, pause(f.pause))
	times("cut from Kafka", f.cuts, func(i int) {
		c.links[i].Cut()
		refused := l.refuse(i)
		l.lasts(f.cut)
		l.expire(refused)
		c.links[i].Heal()
	})
	times("kill of Kafka", f.brokerKills, func(int) {
		if err := c.broker.Kill(); err != nil {
			c.t.Fatal(err)
		}
		l.more(60)
		if err := c.broker.Restart(); err != nil {
			c.t.Fatal(err)
		}
	})
	for range f.fullDisks {
		all = append(all, func() {
			c.t.Logf("%v: full disk, node 2", time.Since(began).Round(time.Second))
			disk.fill(100 << 20)
			c.nodes[2].eventually("word that the disk is full", func() bool {
				status, body := c.nodes[2].Get("/readyz")
				return status == http.StatusOK && strings.Contains(body, "the disk is nearly full")
			})
			l.lasts(f.full)
			disk.empty()
		})
	}
	if f.longPause > 0 {
		times("long pause", 1, pause(f.longPause))
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// signal sends a signal to a node.
func (c *cluster) signal(i int, s syscall.Signal) {
	c.t.Helper()
	if err := syscall.Kill(c.nodes[i].PID(), s); err != nil {
		c.t.Fatal(err)
	}
}
