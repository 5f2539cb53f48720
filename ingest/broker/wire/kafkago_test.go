package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"
)

// The client that the engine itself uses.
func TestBroker_ServesKafkaGo(t *testing.T) {
	r := newHarness(t)
	ctx := testContext(t)
	addr, err := net.ResolveTCPAddr("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	transport := &kafka.Transport{MetadataTTL: 100 * time.Millisecond}
	t.Cleanup(transport.CloseIdleConnections)
	c := &kafka.Client{Addr: addr, Transport: transport}
	made, err := c.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: "t", NumPartitions: 2, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "message.timestamp.type", ConfigValue: "LogAppendTime"}, {ConfigName: "retention.ms", ConfigValue: "-1"}},
	}}})
	if err := errors.Join(err, made.Errors["t"]); err != nil {
		t.Fatal(err)
	}
	described, err := c.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{Resources: []kafka.DescribeConfigRequestResource{
		{ResourceType: kafka.ResourceTypeTopic, ResourceName: "t", ConfigNames: []string{"message.timestamp.type"}},
	}})
	if err != nil || described.Resources[0].ConfigEntries[0].ConfigValue != "LogAppendTime" {
		t.Fatalf("%+v %v", described, err)
	}

	want := writeEachCodec(ctx, t, addr, transport)
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{r.addr}, Topic: "t", Partition: 1, MaxWait: 100 * time.Millisecond})
	var got []string
	for range want {
		m, err := reader.ReadMessage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(m.Value))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}

	offsets, err := c.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{"t": {kafka.FirstOffsetOf(1), kafka.LastOffsetOf(1)}}})
	if err != nil || offsets.Topics["t"][0].FirstOffset != 0 || offsets.Topics["t"][0].LastOffset != 50 {
		t.Fatalf("%+v %v", offsets, err)
	}
	committed, err := c.OffsetCommit(ctx, &kafka.OffsetCommitRequest{GroupID: "g", GenerationID: -1, Topics: map[string][]kafka.OffsetCommit{"t": {{Partition: 1, Offset: 33, Metadata: "m"}}}})
	if err := errors.Join(err, committed.Topics["t"][0].Error); err != nil {
		t.Fatal(err)
	}
	fetched, err := c.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: "g", Topics: map[string][]int{"t": {0, 1}}})
	if err != nil || fetched.Error != nil {
		t.Fatal(err, fetched.Error)
	}
	if p := fetched.Topics["t"]; p[0].CommittedOffset != -1 || p[1].CommittedOffset != 33 || p[1].Metadata != "m" {
		t.Fatalf("%+v", p)
	}
	deleted, err := c.DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{"t"}})
	if err := errors.Join(err, deleted.Errors["t"]); err != nil {
		t.Fatal(err)
	}
}

// writeEachCodec writes ten records with each codec, and gives their values.
func writeEachCodec(ctx context.Context, t *testing.T, addr net.Addr, transport *kafka.Transport) (want []string) {
	t.Helper()
	for _, codec := range []kafka.Compression{0, kafka.Gzip, kafka.Snappy, kafka.Lz4, kafka.Zstd} {
		var batch []kafka.Message
		for i := range 10 {
			v := fmt.Sprint(codec, i)
			want = append(want, v)
			batch = append(batch, kafka.Message{Partition: 1, Key: []byte("k"), Value: []byte(v), Headers: []kafka.Header{{Key: "h", Value: []byte("v")}}})
		}
		w := &kafka.Writer{Addr: addr, Topic: "t", Balancer: second{}, RequiredAcks: kafka.RequireAll, Compression: codec, Transport: transport, BatchTimeout: time.Millisecond}
		if err := errors.Join(w.WriteMessages(ctx, batch...), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// second puts everything into partition 1.
type second struct{}

func (second) Balance(kafka.Message, ...int) int { return 1 }
