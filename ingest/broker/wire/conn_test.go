package wire

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

// A connection keeps no more of its buffers than the broker allows, however large a request
// or an answer was.
func TestConn_KeepsBuffersWithinTheBrokersBound(t *testing.T) {
	for _, c := range []struct{ in, out, page, want int }{{30, 30, 30, 90}, {30, 30, 50, 60}, {90, 20, 10, 10}, {500, 0, 500, 0}} {
		conn := &conn{
			b: &Broker{cfg: Config{KeepBytes: 100}}, in: make([]byte, c.in), out: make([]byte, c.out), pages: [][]byte{make([]byte, c.page)},
		}
		conn.trim()
		if kept := cap(conn.in) + cap(conn.out) + cap(conn.pages[0]); kept != c.want {
			t.Errorf("%+v: %d bytes are kept", c, kept)
		}
	}
}

// A client that sends nothing for long is closed without a word, as if it had left; one whose frame
// does not arrive in time, however little it lacks, is counted as too slow.
func TestConn_SlowClients(t *testing.T) {
	frame := []byte{0, 0, 0, 20, 0, 3, 0, 12, 0, 0, 0, 1, 0xff}
	for _, c := range []struct {
		sent  int
		after time.Duration
		slow  uint64
	}{{0, idleTime, 0}, {1, idleTime, 1}, {5, frameTime, 1}, {len(frame), frameTime, 1}} {
		synctest.Test(t, func(t *testing.T) {
			b := &Broker{cfg: Config{MaxProduce: 1 << 20, KeepBytes: 1 << 20}}
			client, server := net.Pipe()
			start := time.Now()
			done := make(chan struct{})
			go func() {
				defer close(done)
				newConn(b, server).serve()
			}()
			if _, err := client.Write(frame[:c.sent]); err != nil {
				t.Fatal(err)
			}
			<-done
			if took, slow := time.Since(start), b.counts.closed[closeSlow].Load(); took != c.after || slow != c.slow {
				t.Errorf("%d bytes sent: closed after %v, %d counted as slow", c.sent, took, slow)
			}
			client.Close()
			server.Close()
		})
	}
}

// Offsets of a topic that was deleted a moment ago are left out of a group's, all of them: none is
// answered as another topic's.
func TestGroups_OffsetsOfADeletedTopic(t *testing.T) {
	l, err := log.Open("log", log.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	id, err := l.Topics.Create("t", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	low, high := domain.TopicID{15: 1}, domain.TopicID{0xff, 0xff, 0xff}
	at := func(id domain.TopicID, partition int32, offset int64) log.GroupOffset {
		return log.GroupOffset{Topic: id, Partition: partition, Offset: offset}
	}
	topics := groups{call{&Broker{log: l}, nil}}.byTopic([]log.GroupOffset{
		at(low, 0, 10), at(low, 1, 11), at(high, 1, 31), at(id, 1, 21), at(high, 0, 30), at(id, 0, 20),
	})
	got := map[string][]int64{}
	for _, topic := range topics {
		for _, p := range topic.Partitions {
			got[topic.Topic] = append(got[topic.Topic], p.Offset)
		}
	}
	if d := cmp.Diff(map[string][]int64{"t": {20, 21}}, got); d != "" {
		t.Error(d)
	}
}
