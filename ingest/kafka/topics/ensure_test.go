package topics

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// given starts a cluster and a client, and ends both with the test.
func given(t *testing.T, opts ...kfake.Opt) (context.Context, *kfake.Cluster, *kafka.Client) {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	client, err := kafka.New(kafka.Config{Brokers: cluster.ListenAddrs(), ClientID: "test", MetadataTTL: 100 * time.Millisecond, RequestTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx, cluster, client
}

func TestEnsure_MakesTopicsWithTheirSettingsOnce(t *testing.T) {
	for brokers, replicas := range map[int]int{1: 1, 3: 3} {
		ctx, _, client := given(t, kfake.NumBrokers(brokers), kfake.ClusterID("the cluster"))
		specs := Of("p.", 8, 3)
		made, err := Ensure(ctx, client, specs)
		if err != nil {
			t.Fatal(err)
		}
		if made.Cluster != "the cluster" || made.Brokers != brokers || made.Single != (brokers == 1) || len(made.Created) != 5 {
			t.Errorf("%+v", made)
		}
		var partitions []int
		for i, topic := range made.Topics {
			if topic.Name != specs[i].Name || topic.ID.IsZero() || topic.Replicas != replicas {
				t.Errorf("%+v", topic)
			}
			partitions = append(partitions, topic.Partitions)
		}
		if diff := cmp.Diff([]int{3, 8, 1, 1, 1}, partitions); diff != "" {
			t.Error(diff)
		}
		if len(made.Problems) > 0 {
			t.Errorf("%d brokers: %v", brokers, made.Problems)
		}
		again, err := Ensure(ctx, client, specs)
		if err != nil || len(again.Created) != 0 {
			t.Fatal(again, err)
		}
		if diff := cmp.Diff(made, again, cmpopts.IgnoreFields(Ensured{}, "Created")); diff != "" {
			t.Error(diff)
		}
	}
}

// A node must not wait for the leaders to be asked for again before it can read what
// it has just made.
func TestEnsure_NewTopicsCanBeReadAtOnce(t *testing.T) {
	ctx, cluster, _ := given(t)
	client, err := kafka.New(kafka.Config{Brokers: cluster.ListenAddrs(), MetadataTTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	made, err := Ensure(ctx, client, Of("", 2, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range made.Topics {
		f, err := client.Fetcher(kafka.FetchConfig{Topic: topic.Name, ID: topic.ID, MaxWait: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Fetch(ctx, -1, kafka.NoEpoch); err != nil {
			t.Error(err)
		}
	}
}

func TestEnsure_ReportsTopicsThatDiffer(t *testing.T) {
	ctx, _, client := given(t, kfake.NumBrokers(3))
	wrong := []Spec{
		{Name: kafka.Journal, Partitions: 4, Replicas: 1, Settings: []Setting{
			{"retention.ms", "3600000", Equal}, {"max.message.bytes", "100000", Equal}, {"message.timestamp.type", "CreateTime", Equal},
		}},
		{Name: kafka.Activities, Partitions: 17, Replicas: 3, Settings: []Setting{{"retention.ms", "3600000", Equal}, {"max.message.bytes", "1048576", Equal}}},
		{Name: kafka.Catalog, Partitions: 1, Replicas: 3, Settings: append(forEver(), Setting{"max.message.bytes", "9000000", Equal})},
	}
	if _, err := Ensure(ctx, client, wrong); err != nil {
		t.Fatal(err)
	}
	has, err := Ensure(ctx, client, Of("", 8, 3))
	var bad *SettingsError
	if !errors.As(err, &bad) || kafka.Retriable(err) {
		t.Fatal(err)
	}
	var fatal, warnings []string
	for _, p := range has.Problems {
		if p.Fatal {
			fatal = append(fatal, p.String())
		} else {
			warnings = append(warnings, p.String())
		}
	}
	if diff := cmp.Diff([]string{
		"topic journal: number of partitions is 4, should be 8",
		"topic journal: message.timestamp.type is CreateTime, should be LogAppendTime",
		"topic journal: max.message.bytes is 100000, should be 2097152",
		"topic journal: retention.ms is 3600000, should be -1",
	}, fatal); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"topic activities: retention.ms is 3600000, should be 604800000",
		"topic activities: segment.ms is 604800000, should be 86400000",
		"topic journal: number of replicas is 1, should be 3",
		"topic journal: min.insync.replicas is 1, should be 2",
		"topic journal: unclean.leader.election.enable is not known, should be false",
	}, warnings); diff != "" {
		t.Error(diff)
	}
	if len(bad.Problems) != len(fatal) || !strings.Contains(err.Error(), fatal[0]) {
		t.Error(err)
	}
}

// The topic of data keys is compacted; one that drops keys, or marks of deleted ones too early,
// is refused, and one that compacts late is a warning.
func TestEnsure_TopicOfDataKeys(t *testing.T) {
	ctx, _, client := given(t)
	made, err := Ensure(ctx, client, []Spec{Keys("p.")})
	if err != nil || len(made.Problems) > 0 || made.Topics[0].Partitions != 1 || made.Topics[0].Name != "p.keys" {
		t.Fatalf("%+v %v", made, err)
	}
	wrong := Spec{Name: kafka.Keys, Partitions: 1, Settings: []Setting{
		{"cleanup.policy", "delete", Equal}, {"delete.retention.ms", "86400000", Equal}, {"max.compaction.lag.ms", "172800000", Equal},
	}}
	if _, err := Ensure(ctx, client, []Spec{wrong}); err != nil {
		t.Fatal(err)
	}
	has, err := Ensure(ctx, client, []Spec{Keys("")})
	var bad *SettingsError
	if !errors.As(err, &bad) {
		t.Fatal(err)
	}
	fatal := map[string]bool{}
	for _, p := range has.Problems {
		fatal[p.Setting] = p.Fatal
	}
	want := map[string]bool{"cleanup.policy": true, "delete.retention.ms": true, "max.compaction.lag.ms": false}
	for setting := range want {
		if is, told := fatal[setting]; !told || is != want[setting] {
			t.Errorf("%s: %v", setting, has.Problems)
		}
	}
}

func TestEnsure_RefusesTwoBrokers(t *testing.T) {
	ctx, _, client := given(t, kfake.NumBrokers(2))
	if _, err := Ensure(ctx, client, Of("", 8, 3)); err == nil || kafka.Retriable(err) {
		t.Fatal(err)
	}
	made, err := Ensure(ctx, client, []Spec{{Name: "by hand", Partitions: 1, Replicas: 2}})
	if made == nil || made.Topics[0].Replicas != 2 {
		t.Fatal(made, err)
	}
}

func TestEnsure_RetriesWhatMayPass(t *testing.T) {
	ctx, cluster, client := given(t)
	for _, key := range []kmsg.Key{kmsg.Metadata, kmsg.CreateTopics, kmsg.DescribeConfigs} {
		cluster.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("away"), true })
	}
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Topic: kafka.Catalog, Err: kerr.NotController})
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Topic: kafka.Journal, Err: kerr.RequestTimedOut}) // made all the same
	if _, err := Ensure(ctx, client, Of("", 8, 3)); err != nil {
		t.Fatal(err)
	}
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: kerr.PolicyViolation, Count: -1})
	if _, err := Ensure(ctx, client, []Spec{{Name: "new", Partitions: 1}}); !errors.Is(err, kafkago.PolicyViolation) {
		t.Fatal(err)
	}
}

func TestSetting_ComparesAsItsCheckSays(t *testing.T) {
	for _, c := range []struct {
		check     Check
		want, has string
		ok        bool
	}{
		{Equal, "a", "a", true},
		{Equal, "5", "6", false},
		{AtLeast, "5", "6", true},
		{AtLeast, "5", "4", false},
		{AtLeast, "5", "-1", true},
		{AtLeast, "-1", "5", false},
		{AtLeast, "-1", "-1", true},
		{AtLeast, "5", "x", false},
	} {
		s := Setting{Value: c.want, Check: c.check}
		if s.satisfied(c.has) != c.ok {
			t.Errorf("%+v", c)
		}
	}
}
