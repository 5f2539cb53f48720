package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Disk is the bytes of an activity on the disk, with nothing left to compact.
type Disk struct {
	Of         string             `json:"of"`
	Activities int64              `json:"activities"`
	Families   map[string]float64 `json:"families"` // of the store, by the first letter of the key
	Store      float64            `json:"store"`    // the store's files, members and all
	Journal    float64            `json:"journal"`  // batches of the journal as stored
	Public     float64            `json:"public"`   // batches of the public topic as stored
	Log        float64            `json:"log"`      // the embedded log's files
}

// diskFamilies are the families that grow with activities.
var diskFamilies = []string{"R", "C", "t", "n", "T", "c", "f", "s"}

// quiet waits until the store has nothing left to compact: its size has not changed for a
// while.
func quiet(ctx context.Context, n *harness.Node) error {
	progress("waiting until the store has nothing left to compact")
	var last uint64
	for since := time.Now(); time.Since(since) < 2*time.Second; {
		st, err := n.Status(ctx)
		if err != nil {
			return err
		}
		if st.Store.Disk != last {
			last = st.Store.Disk
			since = time.Now()
		}
		if err := n.Pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// measureDisk measures what is on the disk after the activities of a population. The node is
// started again first: an opening writes what was in memory alone. It is left stopped.
func (b *bench) measureDisk(ctx context.Context, n *harness.Node, p *population.Population, of string) error {
	progress("disk: %s", of)
	n.Stop()
	if _, err := n.Start(ctx); err != nil {
		return err
	}
	if err := quiet(ctx, n); err != nil {
		return err
	}
	st, err := n.Status(ctx)
	if err != nil {
		return err
	}
	n.Stop()
	d := Disk{Of: of, Activities: p.Made, Families: map[string]float64{}}
	each := func(bytes int64) float64 { return float64(bytes) / float64(max(p.Made, 1)) }
	for _, f := range diskFamilies {
		d.Families[f] = each(int64(st.Store.Families[f]))
	}
	journal, public, err := logBytes(filepath.Join(n.Data, "log"), p.Journal)
	if err != nil {
		return err
	}
	store, err := harness.DirBytes(filepath.Join(n.Data, "store"))
	if err != nil {
		return err
	}
	log, err := harness.DirBytes(filepath.Join(n.Data, "log"))
	if err != nil {
		return err
	}
	d.Journal = each(journal)
	d.Public = each(public)
	d.Store = each(store)
	d.Log = each(log)
	b.report.Disk = append(b.report.Disk, d)
	return nil
}

// logBytes sums the batches of the journal, from offsets on, and of the public topic.
func logBytes(dir string, from []int64) (journal, public int64, err error) {
	l, err := brokerlog.Open(dir, brokerlog.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer l.Close()
	if journal, err = topicBytes(l, kafka.Journal, from); err != nil {
		return 0, 0, err
	}
	public, err = topicBytes(l, kafka.Activities, nil)
	return journal, public, err
}

// readBytes is how much of a log is read at once.
const readBytes = 4 << 20

func topicBytes(l *brokerlog.Log, name string, from []int64) (sum int64, err error) {
	t, ok := l.Topics.ByName(name)
	if !ok {
		return 0, fmt.Errorf("the log has no topic %s", name)
	}
	var buf []byte
	for p := range int32(t.Partitions) {
		log, err := l.Topics.Partition(t.ID, p)
		if err != nil {
			return 0, err
		}
		at, end, err := log.Bounds()
		if err != nil {
			return 0, err
		}
		if int(p) < len(from) {
			at = max(at, from[p])
		}
		for at < end {
			if buf, at, err = log.Read(at, readBytes, true, buf[:0]); err != nil {
				return 0, err
			}
			sum += int64(len(buf))
		}
	}
	return sum, nil
}

var familyNames = map[string]string{
	"R": "columns", "C": "content", "t": "members' timelines", "n": "counts", "T": "timelines not yet sealed",
	"c": "content not yet sealed",
	"f": "one-time pairs", "s": "sealed marks",
}

func (d *Disk) print(t *report.Table) {
	t.Row()
	t.Row(fmt.Sprintf("DISK PER ACTIVITY (bytes): %s, %d activities", d.Of, d.Activities))
	sum := 0.0
	for _, f := range diskFamilies {
		sum += d.Families[f]
		t.Figures("  "+f+" "+familyNames[f], 1, d.Families[f])
	}
	t.Figures("  these families", 1, sum)
	t.Figures("  the store's files, with members", 1, d.Store)
	t.Figures("  journal, its batches", 1, d.Journal)
	t.Figures("  public topic, its batches (not kept)", 1, d.Public)
	t.Figures("  the embedded log's files", 1, d.Log)
}
