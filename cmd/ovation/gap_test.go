package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// kafkaFixture is a program in this process, on a Kafka whose logs the test can harm.
type kafkaFixture struct {
	t       *testing.T
	cluster *kfake.Cluster
	admin   *kadm.Client
	kgo     *kgo.Client
	cfg     config.Config

	p     *node.Node
	ended chan error
	leave context.CancelFunc

	account    domain.AccountID
	key        string
	brand      domain.BrandID
	definition string
	fans       []string
	sent       int
}

func newKafkaFixture(t *testing.T) *kafkaFixture {
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	h := &kafkaFixture{t: t, cluster: c, cfg: config.Config{
		Data: filepath.Join(t.TempDir(), "data"), HTTP: "127.0.0.1:0", Kafka: c.ListenAddrs(), Shards: 2, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}}
	if h.kgo, err = kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(kafka.MaxActivityBytes)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.kgo.Close)
	h.admin = kadm.NewClient(h.kgo)
	h.open()
	t.Cleanup(h.close)
	h.furnish()
	return h
}

func (h *kafkaFixture) open() {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := node.Open(ctx, h.cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		cancel()
		h.t.Fatal(err)
	}
	h.p, h.leave, h.ended = p, cancel, make(chan error, 1)
	go func() { h.ended <- p.Run(ctx) }()
	h.eventually("the whole admin port", func() bool { return strings.Contains(h.adminText("/version"), "revision") })
}

func (h *kafkaFixture) close() {
	if h.p == nil {
		return
	}
	h.leave()
	if err := <-h.ended; err != nil {
		h.t.Error(err)
	}
	if err := h.p.Close(); err != nil {
		h.t.Error(err)
	}
	h.p = nil
}

// furnish makes an account with a brand, a definition and two members.
func (h *kafkaFixture) furnish() {
	h.t.Helper()
	ctx := context.Background()
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	op := admin.NewOperator(h.p.Actors, time.Now)
	account, app, err := op.CreateApplication(ctx, "label", "site", domain.Advanced)
	h.must(err)
	h.account = account
	h.key, _, err = op.CreateKey(ctx, app, domain.ScopeApplication)
	h.must(err)
	b, _, err := client.Do(ctx, h.api(), client.CreateBrand{Name: "Band", Type: "Music"})
	h.must(err)
	d, _, err := client.Do(ctx, h.api(), client.CreateActivity{Name: "played", Type: "Listened", Service: "spotify"})
	h.must(err)
	h.brand, h.definition = domain.BrandID(b.ID), d.ID
	for i := range 2 {
		uid := fmt.Sprint("fan-", i)
		_, _, err := client.Do(ctx, h.api(), client.RegisterMember{Service: "spotify", UID: uid, AuthToken: "t"})
		h.must(err)
		h.fans = append(h.fans, uid)
	}
}

func (h *kafkaFixture) api() *client.Client {
	return client.New("http://"+h.p.HTTPAddr(), h.key)
}

func (h *kafkaFixture) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// publish sends n new activities to partition 0 of the public topic.
func (h *kafkaFixture) publish(n int) {
	h.t.Helper()
	for range n {
		h.sent++
		v, _ := json.Marshal(map[string]any{
			"id": fmt.Sprint(h.sent), "source": "t", "account": h.account, "service": "spotify",
			"serviceUserID": h.fans[h.sent%2], "activityID": h.definition, "brandID": h.brand, "time": "2026-01-02T03:04:05Z",
		})
		h.must(h.kgo.ProduceSync(context.Background(), &kgo.Record{Topic: kafka.Activities, Value: v}).FirstErr())
	}
}

// counted waits until the API counts so many.
func (h *kafkaFixture) counted(want int) {
	h.t.Helper()
	h.eventually(fmt.Sprint("count of ", want), func() bool {
		got, _, err := client.Do(context.Background(), h.api(), client.GetBrandActivityStats{
			BrandID: h.brand, StartDate: "2026-01-01 00:00:00", EndDate: "2026-02-01 00:00:00",
		})
		return err == nil && got.TotalCount == fmt.Sprint(want)
	})
}

func (h *kafkaFixture) eventually(what string, holds func() bool) {
	h.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			st, _ := json.MarshalIndent(h.p.Shown().Read(), "", " ")
			h.t.Fatalf("no %s within two minutes: %s", what, st)
		}
	}
}

// cut moves the start of a partition's log.
func (h *kafkaFixture) cut(topic string, partition int32, before int64) {
	h.t.Helper()
	var o kadm.Offsets
	o.Add(kadm.Offset{Topic: topic, Partition: partition, At: before})
	r, err := h.admin.DeleteRecords(context.Background(), o)
	h.must(err)
	h.must(r.Error())
}

func (h *kafkaFixture) end(topic string, partition int32) int64 {
	h.t.Helper()
	r, err := h.admin.ListEndOffsets(context.Background(), topic)
	h.must(err)
	o, _ := r.Lookup(topic, partition)
	return o.Offset
}

// A retention gap of the source stops its router until it is accepted.
func TestGap_SourceStopsItsRouter(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(5)
	h.counted(5)
	h.close()
	h.publish(4)                  // no reader is running
	h.cut(kafka.Activities, 0, 7) // and two of them are gone
	h.open()
	why := func() string {
		for _, r := range h.p.Actors.Status().Routers {
			if r.Partition == 0 {
				return r.Stopped
			}
		}
		return ""
	}
	h.eventually("stop of the router", func() bool { return strings.Contains(why(), "retention") })
	h.counted(5)
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil }) // the others go on
	got, err := h.p.Management().AcceptGap(context.Background(), kafka.Activities, 0, false)
	h.must(err)
	if got.From != 5 || got.To != 7 {
		t.Fatalf("%+v", got)
	}
	h.counted(7)
	if w := why(); w != "" {
		t.Fatal(w)
	}
	h.publish(1)
	h.counted(8)
	if _, err := h.p.Management().AcceptGap(context.Background(), kafka.Activities, 0, false); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("accepted without a gap: %v", err)
	}
}

// A gap of the journal stops its shard until it is accepted.
func TestGap_JournalStopsItsShard(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(4)
	h.counted(4)
	busy := int32(h.p.Hasher.Identity(h.account, domain.ByService, "spotify", h.fans[0]).Slot().Shard(2))
	// Something reaches the journal that the shard never reads: the node is stopped
	// between the append and the read, as far as the store knows.
	store := h.cfg.Data
	var read int64
	h.eventually("shard that has read its journal", func() bool {
		read = h.p.Actors.Status().Shards[busy].Applied
		return read == h.end(kafka.Journal, busy)
	})
	h.close() // a router's last mark may be behind what the shard has read
	end := h.end(kafka.Journal, busy)
	h.must(h.kgo.ProduceSync(context.Background(), &kgo.Record{Topic: kafka.Journal, Partition: busy, Value: []byte("lost")}).FirstErr())
	h.cut(kafka.Journal, busy, end+1)
	h.cfg.Data = store
	h.open()
	stopped := func() string { return h.p.Actors.Status().Shards[busy].Stopped }
	h.eventually("stop of the shard", func() bool { return strings.Contains(stopped(), "retention") })
	if err := h.p.Actors.Ready(); err == nil {
		t.Fatal("ready with a stopped shard")
	}
	got, err := h.p.Management().AcceptGap(context.Background(), kafka.Journal, int(busy), false)
	h.must(err)
	if got.From < read || got.From > end || got.To != end+1 {
		t.Fatalf("%+v, the journal ended at %d, read to %d", got, end, read)
	}
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	h.counted(4)
	h.publish(3)
	h.counted(7)
}

// A record of the journal that cannot be read stops its shard.
func TestGap_UnreadableRecordStopsItsShard(t *testing.T) {
	h := newKafkaFixture(t)
	damaged := codec.AppendRecord(nil, &domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: 1}})
	damaged = append(damaged[:len(damaged)-1], 0xff)
	h.must(h.kgo.ProduceSync(context.Background(), &kgo.Record{Topic: kafka.Journal, Partition: 1, Value: damaged}).FirstErr())
	h.eventually("stop of the shard", func() bool { return strings.Contains(h.p.Actors.Status().Shards[1].Stopped, "corrupt") })
	_, err := h.p.Management().AcceptGap(context.Background(), kafka.Journal, 1, false)
	h.must(err)
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	h.publish(2)
	h.counted(2)
}

// Ten values of another program in a row in the journal and in the catalog stop nothing:
// they are counted, and those of the journal are dead letters.
func TestNode_PassesOverForeignRecords(t *testing.T) {
	h := newKafkaFixture(t)
	putForeign := func(topic string, partition int32) {
		for i := range 10 {
			h.must(h.kgo.ProduceSync(context.Background(), &kgo.Record{Topic: topic, Partition: partition, Value: fmt.Appendf(nil, "hello %d", i)}).FirstErr())
		}
	}
	h.publish(3)
	putForeign(kafka.Journal, 0)
	putForeign(kafka.Journal, 1)
	putForeign(kafka.Catalog, 0)
	h.publish(3)
	h.counted(6)
	h.close()
	putForeign(kafka.Journal, 1)
	h.open()
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	h.publish(2)
	h.counted(8)
	_, _, err := client.Do(context.Background(), h.api(), client.CreateBrand{Name: "Other band", Type: "Music"})
	h.must(err)
	h.eventually("dead letters", func() bool { return h.end(kafka.DeadLetters, 0) >= 30 })
	letters := int64(0)
	for _, s := range h.p.Actors.Status().Shards {
		letters += s.Dead[domain.Foreign.String()]
	}
	if letters != 30 {
		t.Errorf("%d dead letters of 30 values", letters)
	}
}

// Records of one partition of the journal that are produced again into the other, as a tool that mirrors
// topics may do, change nothing there: members and their data keys stay, and the copies are dead letters that
// say nothing of what is in them. verify and status name how many there are.
func TestNode_PassesOverRecordsOfAnotherPartition(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(3)
	h.counted(3)
	from, err := kgo.NewClient(kgo.SeedBrokers(h.cluster.ListenAddrs()...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		kafka.Journal: {0: kgo.NewOffset().AtStart(), 1: kgo.NewOffset().AtStart()},
	}))
	h.must(err)
	defer from.Close()
	ends, copies, registrations := h.end(kafka.Journal, 0)+h.end(kafka.Journal, 1), [2]int64{}, 0
	for seen := int64(0); seen < ends; {
		fetches := from.PollFetches(t.Context())
		h.must(fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			seen++
			var rec domain.Record
			h.must(codec.DecodeRecord(&rec, r.Value))
			if rec.Kind == domain.KindRegister {
				registrations++
			}
			copies[1-r.Partition]++
			h.must(h.kgo.ProduceSync(t.Context(), &kgo.Record{Topic: kafka.Journal, Partition: 1 - r.Partition, Value: r.Value}).FirstErr())
		})
	}
	if registrations == 0 {
		t.Fatal("no registration was copied: the test shows nothing")
	}
	all := copies[0] + copies[1]
	h.eventually("dead letters", func() bool { return h.end(kafka.DeadLetters, 0) >= all })
	h.publish(2)
	h.counted(5)
	shown := func() string {
		res, err := http.Get("http://" + h.p.HTTPAddr() + "/v1.1/members/extended?apiKey=" + h.key)
		h.must(err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		h.must(err)
		if res.StatusCode != http.StatusOK || strings.Count(string(text), "fan-") < len(h.fans) {
			t.Fatalf("%d: %s", res.StatusCode, text)
		}
		return regexp.MustCompile(`"jwt":"[^"]*"|127.0.0.1:\d+`).ReplaceAllString(string(text), "")
	}
	before := shown()
	h.close()
	h.open()
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	if after := shown(); after != before {
		t.Errorf("members are shown otherwise after a restart: %s, were %s", after, before)
	}
	letters := h.letters("--reason", "foreign", "--limit", "0")
	if int64(letters.Total) != all {
		t.Errorf("%d dead letters of %d copies", letters.Total, all)
	}
	for _, l := range letters.Items {
		if l.Whole || l.Bytes > 0 || !strings.Contains(l.Detail, "for another partition, in partition") {
			t.Fatalf("a letter says %+v", l)
		}
	}
	for i, s := range h.verified(0).Shards {
		if int64(s.Foreign) != copies[i] {
			t.Errorf("verify names %d foreign records of shard %d, there are %d", s.Foreign, i, copies[i])
		}
	}
}

// A record of a newer version stops its shard and says what it needs; no word helps. A node that meets it as it
// starts ends and says so, and so does one that meets it in the catalog.
func TestNode_NeedsANewerBinaryForANewerRecord(t *testing.T) {
	h := newKafkaFixture(t)
	newer := codec.AppendRecord(nil, &domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: 1}})
	newer[5] = codec.RecordVersion + 1 // after the magic and the field's number
	h.must(h.kgo.ProduceSync(context.Background(), &kgo.Record{Topic: kafka.Journal, Partition: 1, Value: newer}).FirstErr())
	h.eventually("stop of the shard", func() bool { return strings.Contains(h.p.Actors.Status().Shards[1].Stopped, "needs a newer ovation") })
	_, err := h.p.Management().AcceptGap(context.Background(), kafka.Journal, 1, false)
	if domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), "needs a newer ovation") {
		t.Errorf("%v", err)
	}
	h.close()
	start := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		p, err := node.Open(ctx, h.cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err != nil {
			return err
		}
		return errors.Join(p.Run(ctx), p.Close())
	}
	needs := func(err error) {
		t.Helper()
		if exitCode(err) != exitFailed || !errors.Is(err, domain.ErrNewer) || !strings.Contains(err.Error(), "upgrade this node") {
			t.Errorf("the node ends with %v", err)
		}
	}
	needs(start())
	h.must(h.kgo.ProduceSync(context.Background(), &kgo.Record{Topic: kafka.Catalog, Value: newer}).FirstErr())
	needs(start())
}

func text(n int) string { return strconv.Itoa(n) }
