package wire_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// script is a sequence of calls by one client; what came of each is written down.
type script struct {
	t    *testing.T
	ctx  context.Context
	addr string
	c    *kgo.Client
	out  []string
}

func (s *script) say(format string, a ...any) {
	s.out = append(s.out, fmt.Sprintf(format, a...))
}

func (s *script) ask(req kmsg.Request) kmsg.Response {
	s.t.Helper()
	rs, err := s.c.SeedBrokers()[0].Request(s.ctx, req)
	if err != nil {
		s.t.Fatalf("%s at %s: %v", kmsg.NameForKey(req.Key()), s.addr, err)
	}
	return rs
}

func (s *script) create(name string, partitions int32, replicas int16, config ...string) {
	req := kmsg.NewPtrCreateTopicsRequest()
	q := kmsg.NewCreateTopicsRequestTopic()
	q.Topic, q.NumPartitions, q.ReplicationFactor = name, partitions, replicas
	for i := 0; i < len(config); i += 2 {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = config[i], &config[i+1]
		q.Configs = append(q.Configs, c)
	}
	req.Topics = append(req.Topics, q)
	for _, t := range s.ask(req).(*kmsg.CreateTopicsResponse).Topics {
		s.say("create %s: code %d, %d partitions, id %v", t.Topic, t.ErrorCode, t.NumPartitions, t.TopicID != [16]byte{})
	}
}

func (s *script) remove(name string) {
	req := kmsg.NewPtrDeleteTopicsRequest()
	q := kmsg.NewDeleteTopicsRequestTopic()
	q.Topic = &name
	req.Topics, req.TopicNames = append(req.Topics, q), []string{name}
	for _, t := range s.ask(req).(*kmsg.DeleteTopicsResponse).Topics {
		s.say("delete %s: code %d", name, t.ErrorCode)
	}
}

func (s *script) grow(name string, count int32) {
	req := kmsg.NewPtrCreatePartitionsRequest()
	q := kmsg.NewCreatePartitionsRequestTopic()
	q.Topic, q.Count = name, count
	req.Topics = append(req.Topics, q)
	for _, t := range s.ask(req).(*kmsg.CreatePartitionsResponse).Topics {
		s.say("partitions %s %d: code %d", t.Topic, count, t.ErrorCode)
	}
}

func (s *script) metadata(names ...string) {
	req := kmsg.NewPtrMetadataRequest()
	for _, n := range names {
		q := kmsg.NewMetadataRequestTopic()
		q.Topic = &n
		req.Topics = append(req.Topics, q)
	}
	rs := s.ask(req).(*kmsg.MetadataResponse)
	slices.SortFunc(rs.Topics, func(a, b kmsg.MetadataResponseTopic) int { return strings.Compare(*a.Topic, *b.Topic) })
	for _, t := range rs.Topics {
		slices.SortFunc(t.Partitions, func(a, b kmsg.MetadataResponseTopicPartition) int { return int(a.Partition - b.Partition) })
		var line strings.Builder
		line.WriteString(fmt.Sprintf("metadata %s: code %d", *t.Topic, t.ErrorCode))
		for _, p := range t.Partitions {
			line.WriteString(fmt.Sprintf(" %d:%d leader %d isr %v", p.Partition, p.ErrorCode, p.Leader, p.ISR))
		}
		s.say("%s", line.String())
	}
}

// produce sends records of one batch per call.
func (s *script) produce(topic string, partition int32, n int, idempotent bool, codec kgo.CompressionCodec) {
	opts := []kgo.Opt{kgo.ProducerBatchCompression(codec), kgo.ProducerLinger(20 * time.Millisecond)}
	if !idempotent {
		opts = append(opts, kgo.DisableIdempotentWrite())
	}
	c := clientOf(s.t, s.addr, opts...)
	var records []*kgo.Record
	for i := range n {
		r := &kgo.Record{Topic: topic, Partition: partition, Timestamp: time.UnixMilli(int64(1_000_000 + 10*i)), Value: []byte(strings.Repeat(fmt.Sprint(i), 1+i*20))}
		if i%3 > 0 {
			r.Key = fmt.Appendf(nil, "key-%d", i)
			r.Headers = []kgo.RecordHeader{{Key: "h", Value: []byte{byte(i)}}, {Key: "null"}}
		}
		if i == 2 {
			r.Value = nil
		}
		records = append(records, r)
	}
	for _, res := range c.ProduceSync(s.ctx, records...) {
		if res.Err != nil {
			s.say("produce: %v", res.Err)
		} else {
			s.say("produce %s/%d: offset %d", res.Record.Topic, res.Record.Partition, res.Record.Offset)
		}
	}
}

func (s *script) list(topic string, partition int32, times ...int64) {
	for _, ms := range times {
		req := kmsg.NewPtrListOffsetsRequest()
		req.ReplicaID = -1
		q, p := kmsg.NewListOffsetsRequestTopic(), kmsg.NewListOffsetsRequestTopicPartition()
		q.Topic, p.Partition, p.Timestamp = topic, partition, ms
		q.Partitions = append(q.Partitions, p)
		req.Topics = append(req.Topics, q)
		rp := s.ask(req).(*kmsg.ListOffsetsResponse).Topics[0].Partitions[0]
		s.say("list %s/%d %d: code %d offset %d", topic, partition, ms, rp.ErrorCode, rp.Offset)
	}
}

func (s *script) consume(topic string, partition int32, from int64, n int) {
	c := clientOf(s.t, s.addr, kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().At(from)}}))
	for n > 0 {
		f := c.PollFetches(s.ctx)
		if err := f.Err(); err != nil {
			s.t.Fatal(err)
		}
		f.EachRecord(func(r *kgo.Record) {
			n--
			s.say("read %d: %q %q %v at %d", r.Offset, r.Key, r.Value, r.Headers, r.Timestamp.UnixMilli())
		})
	}
}

func (s *script) fetchCode(topic string, partition int32, offset int64) {
	req := kmsg.NewPtrFetchRequest()
	q, p := kmsg.NewFetchRequestTopic(), kmsg.NewFetchRequestTopicPartition()
	q.Topic, q.TopicID = topic, s.id(topic)
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, offset, 1<<20
	q.Partitions = append(q.Partitions, p)
	req.Topics = append(req.Topics, q)
	rp := s.ask(req).(*kmsg.FetchResponse).Topics[0].Partitions[0]
	s.say("fetch %s/%d %d: code %d, %v", topic, partition, offset, rp.ErrorCode, len(rp.RecordBatches) > 0)
}

func (s *script) id(topic string) [16]byte {
	req := kmsg.NewPtrMetadataRequest()
	q := kmsg.NewMetadataRequestTopic()
	q.Topic = &topic
	req.Topics = append(req.Topics, q)
	return s.ask(req).(*kmsg.MetadataResponse).Topics[0].TopicID
}

func (s *script) deleteRecords(topic string, partition int32, before int64) {
	req := kmsg.NewPtrDeleteRecordsRequest()
	q, p := kmsg.NewDeleteRecordsRequestTopic(), kmsg.NewDeleteRecordsRequestTopicPartition()
	q.Topic, p.Partition, p.Offset = topic, partition, before
	q.Partitions = append(q.Partitions, p)
	req.Topics = append(req.Topics, q)
	rp := s.ask(req).(*kmsg.DeleteRecordsResponse).Topics[0].Partitions[0]
	if rp.ErrorCode != 0 { // kfake has 0, Apache Kafka this
		rp.LowWatermark = -1
	}
	s.say("delete records %s/%d %d: code %d low %d", topic, partition, before, rp.ErrorCode, rp.LowWatermark)
}

func (s *script) commit(group, topic string, partition int32, offset int64, metadata string) {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = group, -1
	q, p := kmsg.NewOffsetCommitRequestTopic(), kmsg.NewOffsetCommitRequestTopicPartition()
	q.Topic, q.TopicID = topic, s.id(topic)
	p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = partition, offset, 3, &metadata
	q.Partitions = append(q.Partitions, p)
	req.Topics = append(req.Topics, q)
	rp := s.ask(req).(*kmsg.OffsetCommitResponse).Topics[0].Partitions[0]
	s.say("commit %s %s/%d %d: code %d", group, topic, partition, offset, rp.ErrorCode)
}

// committed asks for one partition, and for all of a group.
func (s *script) committed(group, topic string, partition int32) {
	for _, all := range []bool{false, true} {
		req := kmsg.NewPtrOffsetFetchRequest()
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group = group
		req.Group = group
		if !all {
			q := kmsg.NewOffsetFetchRequestGroupTopic()
			q.Topic, q.TopicID, q.Partitions = topic, s.id(topic), []int32{partition}
			g.Topics = append(g.Topics, q)
			old := kmsg.NewOffsetFetchRequestTopic()
			old.Topic, old.Partitions = topic, []int32{partition}
			req.Topics = append(req.Topics, old)
		}
		req.Groups = append(req.Groups, g)
		rs := s.ask(req).(*kmsg.OffsetFetchResponse)
		var lines []string
		for _, t := range rs.Groups[0].Topics {
			for _, p := range t.Partitions {
				metadata := "" // kfake has null where nothing was committed, Apache Kafka this
				if p.Metadata != nil {
					metadata = *p.Metadata
				}
				lines = append(lines, fmt.Sprintf("committed %s /%d: code %d offset %d epoch %d %q", group, p.Partition, p.ErrorCode, p.Offset, p.LeaderEpoch, metadata))
			}
		}
		slices.Sort(lines)
		s.out = append(s.out, lines...)
	}
}

// run is the script. Not in it is what kfake takes lightly and Apache Kafka does not:
// names and settings of topics, growing to the same number of partitions, deleting
// records below the start, offsets of a group that never was.
func (s *script) run() []string {
	s.create("t", 3, 1)
	s.create("t", 3, 1)
	s.create("u", 1, 1, "max.message.bytes", "400")
	s.create("three", 1, 3)
	s.metadata("t", "u", "nowhere")
	s.grow("u", 2)
	s.grow("nowhere", 2)
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
	for _, codec := range codecs {
		s.produce("t", 0, 5, true, codec)
		s.produce("t", 1, 4, false, codec)
	}
	s.consume("t", 0, 0, 25)
	s.consume("t", 0, 12, 13) // within a batch
	s.consume("t", 1, 4, 16)
	s.produce("u", 0, 30, true, kgo.NoCompression()) // larger than the topic allows
	s.list("t", 0, -1, -2, 0, 1_000_000, 1_000_005, 1_000_040, 1_000_041)
	s.list("t", 2, -1, -2, 0)
	s.list("t", 7, -1)
	s.deleteRecords("t", 0, 8)
	s.deleteRecords("t", 0, 99)
	s.deleteRecords("t", 9, 0)
	s.list("t", 0, -1, -2)
	s.fetchCode("t", 0, 7)
	s.fetchCode("t", 0, 8)
	s.fetchCode("t", 0, 25)
	s.fetchCode("t", 0, 26)
	s.fetchCode("t", 5, 0)
	s.consume("t", 0, 8, 17)
	s.commit("g", "t", 0, 12, "note")
	s.commit("g", "t", 1, 3, "")
	s.commit("h", "t", 0, 1, "")
	s.committed("g", "t", 0)
	s.committed("g", "t", 2)
	s.remove("t")
	s.remove("t")
	s.metadata("t", "u")
	s.create("t", 1, 1)
	s.list("t", 0, -1, -2)
	s.produce("t", 0, 2, true, kgo.NoCompression())
	return s.out
}

func TestBroker_AnswersAsKfakeDoes(t *testing.T) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.BrokerConfigs(map[string]string{"auto.create.topics.enable": "false"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	addr := fake.ListenAddrs()[0]
	want := (&script{t: t, ctx: testContext(t), addr: addr, c: clientOf(t, addr)}).run()
	r := newHarness(t)
	got := (&script{t: t, ctx: testContext(t), addr: r.addr, c: r.client()}).run()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("- kfake, + embedded\n%s", d)
	}
	if len(got) < 150 {
		t.Fatalf("%d lines", len(got))
	}
}
