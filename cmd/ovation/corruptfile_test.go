package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// newSecondKafkaFixture is a program on its embedded log.
func newSecondKafkaFixture(t *testing.T) *kafkaFixture {
	h := &kafkaFixture{t: t, cfg: config.Config{
		Data: filepath.Join(t.TempDir(), "data"), HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 2, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}}
	h.open()
	t.Cleanup(h.close)
	var err error
	h.kgo, err = kgo.NewClient(kgo.SeedBrokers(h.p.Logs.Broker.Addr()), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	h.must(err)
	t.Cleanup(h.kgo.Close)
	h.admin = kadm.NewClient(h.kgo)
	h.furnish()
	return h
}

// rot flips a bit in the middle of a partition of the embedded log, in a table, and gives
// the table's name. The program is not running.
func (h *kafkaFixture) rot(topic string, partition int32) (file string) {
	h.t.Helper()
	dir := filepath.Join(h.cfg.Data, "log")
	l, err := brokerlog.Open(dir, brokerlog.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}) // brings its WAL into tables
	h.must(err)
	top, _ := l.Topics.ByName(topic)
	log, err := l.Topics.Partition(top.ID, partition)
	h.must(err)
	_, end, err := log.Bounds()
	h.must(err)
	batch, _, err := log.Read(end/2, 1, true, nil)
	h.must(err)
	h.must(l.Close())
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	h.must(err)
	for _, name := range tables {
		b, err := os.ReadFile(name)
		h.must(err)
		if at := bytes.Index(b, batch); at >= 0 {
			b[at+len(batch)/2] ^= 1
			h.must(os.WriteFile(name, b, 0o600))
			return filepath.Base(name)
		}
	}
	h.t.Fatalf("no table of %v has the batch", tables)
	return ""
}

// A bad block of the embedded log ends a verification, and stops the shard that is built
// from it, with the file's name; the shard beside it is built.
func TestEmbeddedLog_ABadBlockStopsItsShardWithTheFile(t *testing.T) {
	h := newSecondKafkaFixture(t)
	for range 30 {
		h.publish(20)
		h.counted(h.sent)
	}
	busy := h.p.Hasher.Identity(h.account, domain.ByService, "spotify", h.fans[0]).Slot().Shard(2)
	h.settled(int64(h.sent))
	h.close()
	want := "the log's file " + h.rot(kafka.Journal, int32(busy)) + " is corrupt"

	h.open() // nothing reads the block
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	if r := h.verified(exitFailed); r.State != verify.Incomplete || r.Shards[busy].State != verify.NotReplayed || !strings.Contains(r.Shards[busy].Why, want) {
		t.Errorf("verified: %+v, want %q", r, want)
	}
	h.close()

	h.must(os.RemoveAll(filepath.Join(h.cfg.Data, "store")))
	h.open()
	shard := func(i int) (stopped, behaviour string) {
		s := h.p.Actors.Status().Shards[i]
		return s.Stopped, s.Behaviour
	}
	h.eventually("stop of the shard", func() bool { why, _ := shard(busy); return strings.Contains(why, want) })
	h.eventually("the other shard", func() bool { why, is := shard(1 - busy); return why == "" && is == "serving" })
	got, err := h.p.Management().AcceptGap(context.Background(), kafka.Journal, busy, false)
	h.must(err)
	if got.To <= got.From {
		t.Errorf("%+v", got)
	}
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
}
