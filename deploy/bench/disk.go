package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Disk is what an activity takes on the disk, in bytes, with nothing left to compact.
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

// quiet waits until the store has nothing left to compact and its size has stood
// still for a while.
func (n *node) quiet(ctx context.Context) error {
	var last uint64
	for since := time.Now(); ; {
		st, err := n.status(ctx)
		if err != nil {
			return err
		}
		if st.Store.Disk != last {
			last, since = st.Store.Disk, time.Now()
		}
		if time.Since(since) > 2*time.Second {
			return nil
		}
		select {
		case <-time.After(settleEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// measureDisk looks at what is on the disk after the activities that the feed has
// published since the crowd came in. The node is started anew first: what was in
// memory alone goes to its tables at an opening. It is left stopped.
func (b *bench) measureDisk(ctx context.Context, n *node, c *crowd, of string) error {
	progress("disk: %s", of)
	n.stop()
	if _, err := n.start(ctx); err != nil {
		return err
	}
	if err := n.quiet(ctx); err != nil {
		return err
	}
	st, err := n.status(ctx)
	if err != nil {
		return err
	}
	n.stop()
	d := Disk{Of: of, Activities: c.made, Families: map[string]float64{}}
	each := func(bytes int64) float64 { return float64(bytes) / float64(max(c.made, 1)) }
	for _, f := range diskFamilies {
		d.Families[f] = each(int64(st.Store.Families[f]))
	}
	journal, public, err := logBytes(filepath.Join(n.data, "log"), c.journal)
	if err != nil {
		return err
	}
	store, err := filesBytes(filepath.Join(n.data, "store"))
	if err != nil {
		return err
	}
	log, err := filesBytes(filepath.Join(n.data, "log"))
	if err != nil {
		return err
	}
	d.Journal, d.Public, d.Store, d.Log = each(journal), each(public), each(store), each(log)
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

// filesBytes is the size of all files below a directory.
func filesBytes(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
