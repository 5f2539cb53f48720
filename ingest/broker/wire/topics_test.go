package wire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

func metadataRequest(allow bool, names ...string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = allow
	for _, n := range names {
		q := kmsg.NewMetadataRequestTopic()
		q.Topic = new(n)
		req.Topics = append(req.Topics, q)
	}
	return req
}

func TestMetadata_CreatesTopicsOnlyWhenConfigured(t *testing.T) {
	r := newHarness(t)
	if rt := ask[*kmsg.MetadataResponse](r.dial(), metadataRequest(true, "t"), 12).Topics[0]; rt.ErrorCode != 3 || len(r.log.Topics.All()) > 0 {
		t.Fatalf("%+v", rt)
	}
	r = newHarness(t, func(c *wire.Config, _ *log.Options) { c.AutoCreate = 3 })
	w := r.dial()
	if rt := ask[*kmsg.MetadataResponse](w, metadataRequest(false, "t"), 12).Topics[0]; rt.ErrorCode != 3 {
		t.Fatalf("%+v", rt)
	}
	if rt := ask[*kmsg.MetadataResponse](w, metadataRequest(true, "t"), 12).Topics[0]; rt.ErrorCode != 0 || len(rt.Partitions) != 3 {
		t.Fatalf("%+v", rt)
	}
	if rt := ask[*kmsg.MetadataResponse](w, metadataRequest(true, "a/b"), 12).Topics[0]; rt.ErrorCode != 17 {
		t.Fatalf("%+v", rt)
	}
}

func TestMetadata_ByNameByIDAndOfAll(t *testing.T) {
	r := newHarness(t)
	id := r.create("b", 2)
	r.create("a", 1)
	w := r.dial()
	for version := int16(0); version <= 12; version++ {
		req := kmsg.NewPtrMetadataRequest() // null: all; in version 0 an empty list
		if version == 0 {
			req.Topics = []kmsg.MetadataRequestTopic{}
		}
		rs := ask[*kmsg.MetadataResponse](w, req, version)
		if len(rs.Topics) != 2 || *rs.Topics[0].Topic != "a" || len(rs.Topics[1].Partitions) != 2 {
			t.Fatalf("version %d: %+v", version, rs)
		}
		if version >= 10 && rs.Topics[1].TopicID != id || version >= 7 && rs.Topics[1].Partitions[1].LeaderEpoch != r.log.Epoch() {
			t.Fatalf("version %d: %+v", version, rs)
		}
		if version > 0 {
			req.Topics = []kmsg.MetadataRequestTopic{}
			if rs := ask[*kmsg.MetadataResponse](w, req, version); len(rs.Topics) != 0 {
				t.Fatalf("version %d: none asked for, %+v", version, rs)
			}
		}
	}
	byID := kmsg.NewPtrMetadataRequest()
	for _, i := range [][16]byte{id, {9}} {
		q := kmsg.NewMetadataRequestTopic()
		q.TopicID = i
		byID.Topics = append(byID.Topics, q)
	}
	rs := ask[*kmsg.MetadataResponse](w, byID, 12)
	if *rs.Topics[0].Topic != "b" || rs.Topics[1].ErrorCode != 100 || rs.Topics[1].Topic != nil {
		t.Fatalf("%+v", rs)
	}
	if rs := ask[*kmsg.MetadataResponse](w, byID, 11); rs.Topics[1].ErrorCode != 100 {
		t.Fatalf("%+v", rs)
	}
}

// newTopic is a request to create one.
func newTopic(name string, partitions int32, replicas int16, config ...string) kmsg.CreateTopicsRequestTopic {
	q := kmsg.NewCreateTopicsRequestTopic()
	q.Topic, q.NumPartitions, q.ReplicationFactor = name, partitions, replicas
	for i := 0; i < len(config); i += 2 {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = config[i], &config[i+1]
		q.Configs = append(q.Configs, c)
	}
	return q
}

func assigned(q kmsg.CreateTopicsRequestTopic, partitions ...int32) kmsg.CreateTopicsRequestTopic {
	for _, p := range partitions {
		q.ReplicaAssignment = append(q.ReplicaAssignment, kmsg.CreateTopicsRequestTopicReplicaAssignment{Partition: p, Replicas: []int32{0}})
	}
	return q
}

func TestTopics_Create(t *testing.T) {
	r := newHarness(t)
	r.create("taken", 1)
	away := assigned(newTopic("t", -1, -1), 0)
	away.ReplicaAssignment[0].Replicas = []int32{1}
	unset := newTopic("u", 1, 1, "retention.ms", "60000")
	unset.Configs[0].Value = nil
	for _, c := range []struct {
		name       string
		topic      kmsg.CreateTopicsRequestTopic
		want       int16
		partitions int32
	}{
		{"by number", newTopic("n", 3, 1), 0, 3},
		{"by default", newTopic("d", -1, -1), 0, 1},
		{"by assignment", assigned(newTopic("a", -1, -1), 1, 0), 0, 2},
		{"with settings", newTopic("s", 1, 1, "retention.ms", "60000", "cleanup.policy", "delete", "message.timestamp.type", "LogAppendTime", "max.message.bytes", "2097152", "min.insync.replicas", "1"), 0, 1},
		{"a setting without a value", unset, 0, 1},
		{"a ratio and a flag", newTopic("f", 1, 1, "min.cleanable.dirty.ratio", "0.25", "preallocate", "true"), 0, 1},
		{"a ratio that is none", newTopic("t", 1, 1, "min.cleanable.dirty.ratio", "half"), 40, 0},
		{"a flag that is none", newTopic("t", 1, 1, "preallocate", "yes"), 40, 0},
		{"a taken name", newTopic("taken", 1, 1), 36, 0},
		{"a name with a slash", newTopic("a/b", 1, 1), 17, 0},
		{"three replicas", newTopic("t", 1, 3), 38, 0},
		{"no partitions", newTopic("t", 0, 1), 37, 0},
		{"2^31-1 partitions", newTopic("t", 1<<31-1, 1), 37, 0},
		{"on another broker", away, 39, 0},
		{"assignment with a hole", assigned(newTopic("t", -1, -1), 0, 2), 39, 0},
		{"assignment twice", assigned(newTopic("t", -1, -1), 0, 0), 39, 0},
		{"compacted", newTopic("t", 1, 1, "cleanup.policy", "compact"), 40, 0},
		{"two in sync", newTopic("t", 1, 1, "min.insync.replicas", "2"), 40, 0},
		{"compressed by the broker", newTopic("t", 1, 1, "compression.type", "zstd"), 40, 0},
		{"an unknown setting", newTopic("t", 1, 1, "colour", "red"), 40, 0},
		{"a number that is none", newTopic("t", 1, 1, "retention.ms", "long"), 40, 0},
		{"a size that is too large", newTopic("t", 1, 1, "max.message.bytes", "1000000000"), 40, 0},
	} {
		for _, check := range []bool{true, false} {
			req := kmsg.NewPtrCreateTopicsRequest()
			req.Topics, req.ValidateOnly = append(req.Topics, c.topic), check
			rt := ask[*kmsg.CreateTopicsResponse](r.dial(), req, 7).Topics[0]
			if rt.ErrorCode != c.want || c.want == 0 && rt.NumPartitions != c.partitions {
				t.Errorf("%s: %+v", c.name, rt)
			}
			if _, found := r.log.Topics.ByName(c.topic.Topic); found != (c.want == 0 && !check || c.want == 36) {
				t.Errorf("%s: found %v, check only %v", c.name, found, check)
			}
		}
	}
	if n := r.broker.Stats().Refused["invalid_topic"]; n != 2 {
		t.Errorf("%d refusals of a name are counted", n)
	}
}

func TestTopics_DeleteByNameAndID(t *testing.T) {
	r := newHarness(t)
	w := r.dial()
	id := r.create("a", 1)
	r.create("b", 1)
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.Topics = []kmsg.DeleteTopicsRequestTopic{{TopicID: id}, {Topic: new("b")}, {TopicID: id}, {Topic: new("b")}}
	var codes []int16
	for _, rt := range ask[*kmsg.DeleteTopicsResponse](w, req, 6).Topics {
		codes = append(codes, rt.ErrorCode)
	}
	if d := cmp.Diff([]int16{0, 0, 100, 3}, codes); d != "" || len(r.log.Topics.All()) > 0 {
		t.Fatal(d, r.log.Topics.All())
	}
	r.create("c", 1)
	req.TopicNames = []string{"c"}
	if rs := ask[*kmsg.DeleteTopicsResponse](w, req, 1); rs.Topics[0].ErrorCode != 0 {
		t.Fatalf("%+v", rs)
	}
}

func TestTopics_AddPartitions(t *testing.T) {
	r := newHarness(t)
	r.create("t", 2)
	grow := func(count int32, check bool, replicas ...[]int32) int16 {
		req := kmsg.NewPtrCreatePartitionsRequest()
		q := kmsg.NewCreatePartitionsRequestTopic()
		q.Topic, q.Count = "t", count
		for _, on := range replicas {
			q.Assignment = append(q.Assignment, kmsg.CreatePartitionsRequestTopicAssignment{Replicas: on})
		}
		req.Topics, req.ValidateOnly = append(req.Topics, q), check
		return ask[*kmsg.CreatePartitionsResponse](r.dial(), req, 3).Topics[0].ErrorCode
	}
	for _, c := range []struct {
		code, want int16
		partitions int
	}{
		{grow(2, false), 37, 2},
		{grow(1<<30, false), 37, 2},
		{grow(3, true), 0, 2},
		{grow(3, false, []int32{1}), 39, 2},
		{grow(3, false, []int32{0}, []int32{0}), 39, 2},
		{grow(3, false, []int32{0}), 0, 3},
		{grow(5, false), 0, 5},
	} {
		if c.code != c.want {
			t.Errorf("%+v", c)
		}
	}
	if n := r.log.Topics.All()[0].Partitions; n != 5 {
		t.Fatalf("%d partitions", n)
	}
}

func TestConfigs_Describe(t *testing.T) {
	r := newHarness(t)
	r.create("t", 1, "retention.ms", "5")
	w := r.dial()
	describe := func(version int16, kind kmsg.ConfigResourceType, name string, only ...string) kmsg.DescribeConfigsResponseResource {
		req := kmsg.NewPtrDescribeConfigsRequest()
		q := kmsg.NewDescribeConfigsRequestResource()
		q.ResourceType, q.ResourceName, q.ConfigNames = kind, name, only
		req.Resources, req.IncludeSynonyms = append(req.Resources, q), true
		return ask[*kmsg.DescribeConfigsResponse](w, req, version).Resources[0]
	}
	for version := int16(1); version <= 4; version++ {
		rr := describe(version, kmsg.ConfigResourceTypeTopic, "t", "retention.ms", "message.timestamp.type")
		var got []string
		for _, c := range rr.Configs {
			got = append(got, c.Name+"="+*c.Value+" "+c.Source.String()+" "+c.ConfigSynonyms[0].Name)
		}
		want := []string{"message.timestamp.type=CreateTime DEFAULT_CONFIG message.timestamp.type", "retention.ms=5 DYNAMIC_TOPIC_CONFIG retention.ms"}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
	if rr := describe(4, kmsg.ConfigResourceTypeTopic, "t"); len(rr.Configs) < 20 {
		t.Fatalf("%d settings", len(rr.Configs))
	}
	if rr := describe(4, kmsg.ConfigResourceTypeTopic, "nowhere"); rr.ErrorCode != 3 {
		t.Fatalf("%+v", rr)
	}
	if rr := describe(4, kmsg.ConfigResourceTypeBroker, "0", "auto.create.topics.enable"); len(rr.Configs) != 1 || *rr.Configs[0].Value != "false" {
		t.Fatalf("%+v", rr)
	}
	if rr := describe(4, kmsg.ConfigResourceTypeBrokerLogger, "0"); rr.ErrorCode != 42 {
		t.Fatalf("%+v", rr)
	}
}

// Topics of the installation, and no others, say what their node tells of them.
func TestConfigs_Told(t *testing.T) {
	r := newHarness(t, func(c *wire.Config, _ *log.Options) {
		c.Own, c.Kept, c.Told = []string{"journal"}, []string{"activities"}, map[string]string{"kept.ms": "7"}
	})
	for _, name := range []string{"journal", "activities", "t"} {
		r.create(name, 1)
		req := kmsg.NewPtrDescribeConfigsRequest()
		q := kmsg.NewDescribeConfigsRequestResource()
		q.ResourceType, q.ResourceName = kmsg.ConfigResourceTypeTopic, name
		req.Resources = append(req.Resources, q)
		told := ""
		for _, c := range ask[*kmsg.DescribeConfigsResponse](r.dial(), req, 4).Resources[0].Configs {
			if c.Name == "kept.ms" {
				told = *c.Value
			}
		}
		if want := name != "t"; (told == "7") != want {
			t.Errorf("topic %s tells %q", name, told)
		}
	}
}

func TestGroups_KeepOffsetsWithoutMembers(t *testing.T) {
	r := newHarness(t)
	r.create("t", 2)
	commit := func(group string, generation int32, member string, partition int32, metadata string) int16 {
		req := kmsg.NewPtrOffsetCommitRequest()
		req.Group, req.Generation, req.MemberID = group, generation, member
		q, p := kmsg.NewOffsetCommitRequestTopic(), kmsg.NewOffsetCommitRequestTopicPartition()
		q.Topic, p.Partition, p.Offset, p.Metadata = "t", partition, 7, &metadata
		q.Partitions = append(q.Partitions, p)
		req.Topics = append(req.Topics, q)
		return ask[*kmsg.OffsetCommitResponse](r.dial(), req, 8).Topics[0].Partitions[0].ErrorCode
	}
	for _, c := range []struct {
		name      string
		got, want int16
	}{
		{"simple", commit("g", -1, "", 1, "m"), 0},
		{"a member", commit("g", -1, "me", 1, ""), 25},
		{"a generation", commit("g", 3, "", 1, ""), 25},
		{"no group", commit("", -1, "", 1, ""), 24},
		{"a long group", commit(strings.Repeat("g", 256), -1, "", 1, ""), 24},
		{"no such partition", commit("g", -1, "", 2, ""), 3},
		{"long metadata", commit("g", -1, "", 0, strings.Repeat("m", 4097)), 12},
	} {
		if c.got != c.want {
			t.Errorf("%s: code %d, want %d", c.name, c.got, c.want)
		}
	}
	r.stop()
	r = harnessOn(t, r.fs)
	for version := int16(1); version <= 7; version++ {
		req := kmsg.NewPtrOffsetFetchRequest()
		req.Group = "g"
		if version < 2 || version%2 == 0 {
			req.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: "t", Partitions: []int32{1}}}
		}
		rs := ask[*kmsg.OffsetFetchResponse](r.dial(), req, version)
		if p := rs.Topics[0].Partitions[0]; p.Offset != 7 || *p.Metadata != "m" || p.Partition != 1 {
			t.Fatalf("version %d: %+v", version, rs)
		}
	}
	req := kmsg.NewPtrOffsetFetchRequest()
	for _, name := range []string{"g", "unknown", ""} {
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group = name
		g.Topics = []kmsg.OffsetFetchRequestGroupTopic{{Topic: "t", Partitions: []int32{0, 1}}}
		req.Groups = append(req.Groups, g)
	}
	rs := ask[*kmsg.OffsetFetchResponse](r.dial(), req, 8)
	offset := func(g, p int) int64 { return rs.Groups[g].Topics[0].Partitions[p].Offset }
	if offset(0, 0) != -1 || offset(0, 1) != 7 || offset(1, 0) != -1 || rs.Groups[2].ErrorCode != 24 {
		t.Fatalf("%+v", rs)
	}
}

func TestGroups_OneCoordinator(t *testing.T) {
	r := newHarness(t)
	w := r.dial()
	for version := int16(0); version <= 4; version++ {
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorKey, req.CoordinatorKeys = "g", []string{"g", "h"}
		rs := ask[*kmsg.FindCoordinatorResponse](w, req, version)
		if version < 4 && (rs.Host != "127.0.0.1" || rs.Port == 0) || version == 4 && (len(rs.Coordinators) != 2 || rs.Coordinators[1].Host != "127.0.0.1" || rs.Coordinators[1].Key != "h") {
			t.Fatalf("version %d: %+v", version, rs)
		}
	}
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType = 9
	if rs := ask[*kmsg.FindCoordinatorResponse](w, req, 3); rs.ErrorCode != 42 {
		t.Fatalf("%+v", rs)
	}
}

func TestOffsets_DeleteRecords(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 1)
	r.append(id, 0, "a", "b", "c")
	for _, c := range []struct {
		before, low int64
		code        int16
	}{{2, 2, 0}, {1, 2, 0}, {4, -1, 1}, {-2, -1, 1}, {-1, 3, 0}} {
		req := kmsg.NewPtrDeleteRecordsRequest()
		q, p := kmsg.NewDeleteRecordsRequestTopic(), kmsg.NewDeleteRecordsRequestTopicPartition()
		q.Topic, p.Offset = "t", c.before
		q.Partitions = append(q.Partitions, p)
		req.Topics = append(req.Topics, q)
		rp := ask[*kmsg.DeleteRecordsResponse](r.dial(), req, 2).Topics[0].Partitions[0]
		if rp.ErrorCode != c.code || rp.LowWatermark != c.low {
			t.Errorf("before %d: %+v", c.before, rp)
		}
	}
	if rp := fetchOne(r.dial(), fetchRequest("t", id, 1), 13); rp.ErrorCode != 1 {
		t.Fatalf("%+v", rp)
	}
}
