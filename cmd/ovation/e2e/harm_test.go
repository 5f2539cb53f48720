package e2e

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// topicFixture is a node whose public topic the test harms; what is published goes to
// partition 0.
type topicFixture struct {
	*testing.T
	n     *node
	p     *model
	rnd   *rand.Rand
	kgo   *kgo.Client
	admin *kadm.Client
	done  int // actions made up
}

func newTopicFixture(t *testing.T, n *node) *topicFixture {
	t.Helper()
	h := &topicFixture{T: t, n: n, rnd: rand.New(rand.NewPCG(81, 1))}
	h.p = newModel(h.rnd, "harmed", sizes{brands: 2, fans: 20})
	h.p.enter(n, 8)
	h.connect()
	return h
}

// begun is a node with five actions routed.
func begun(t *testing.T, on site) *topicFixture {
	t.Helper()
	h := newTopicFixture(t, on.start(t))
	h.publish(5, false)
	h.counted()
	return h
}

// goesOn publishes more, and all is counted.
func (h *topicFixture) goesOn() {
	h.Helper()
	h.publish(3, false)
	h.counted()
}

// resumes accepts the gap that stopped a router for this reason; then all is counted.
func (h *topicFixture) resumes(reason string) {
	h.Helper()
	h.stopped(reason)
	h.accept()
	h.counted()
}

// restarts kills the node and starts it.
func (h *topicFixture) restarts() {
	h.Helper()
	h.n.Kill()
	h.n.start()
	h.connect()
	h.goesOn()
}

// connect connects to the broker, which on the embedded log is another one in each life.
func (h *topicFixture) connect() {
	h.Helper()
	if h.kgo != nil {
		h.kgo.Close()
	}
	var err error
	h.kgo, err = kgo.NewClient(kgo.SeedBrokers(h.n.Kafka), kgo.DefaultProduceTopic(h.n.topic()), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(h.kgo.Close)
	h.admin = kadm.NewClient(h.kgo)
}

// asNode may cut and delete the public topic: of the embedded log a node alone may.
func (h *topicFixture) asNode() *kadm.Client {
	h.Helper()
	opts := []kgo.Opt{kgo.SeedBrokers(h.n.Kafka)}
	if h.n.LogData == "" {
		opts = append(opts, kgo.SASL(scram.Auth{User: wire.NodeUser, Pass: nodePassword(h.T, h.n.Data)}.AsSha256Mechanism()))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(client.Close)
	return kadm.NewClient(client)
}

// nodePassword is the one by which nodes that share the secrets of a directory know each other at the embedded log.
func nodePassword(t *testing.T, data string) string {
	t.Helper()
	var secrets struct {
		Pepper string `yaml:"pepper"`
	}
	text, err := os.ReadFile(filepath.Join(data, "secrets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &secrets); err != nil {
		t.Fatal(err)
	}
	pepper, err := hex.DecodeString(secrets.Pepper)
	if err != nil {
		t.Fatal(err)
	}
	password, err := wire.NodePassword(pepper)
	if err != nil {
		t.Fatal(err)
	}
	return password
}

func (h *topicFixture) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// publish publishes so many new actions, each under a key that many have; those that are
// lost on purpose the model does not note.
func (h *topicFixture) publish(n int, lost bool) {
	h.Helper()
	for range n {
		h.done++
		a := h.p.act(h.rnd, fmt.Sprint("act-", h.done), last(20))
		if !lost {
			h.p.note(a)
		}
		r := h.p.record(&a, plainForm, byService, fmt.Appendf(nil, "key-%d", h.done%3))
		h.must(h.kgo.ProduceSync(ctx(h), r).FirstErr())
	}
}

// counted waits until the node has the model's rows, and compares its numbers.
func (h *topicFixture) counted() {
	h.Helper()
	h.n.eventually(fmt.Sprintf("%d rows", h.p.living()), func() bool { return h.n.rows() == h.p.living() })
	h.n.eventually("a view of them", h.n.applied) // it comes after the commit that they count with
	h.p.checkAll(h, 81, h.p.api(h.n), h.rnd, last(20), 4)
}

// stopped waits until the router of partition 0 has stopped for this reason; the others
// and the shards continue.
func (h *topicFixture) stopped(reason string) {
	h.Helper()
	h.n.eventually("stop of the router: "+reason, func() bool {
		for _, r := range h.n.status().Routers {
			if r.Partition == 0 {
				return strings.Contains(r.Stopped, reason)
			}
		}
		return false
	})
	if !strings.Contains(h.n.Log(), reason) {
		h.Errorf("the log does not say %q:\n%s", reason, h.n.Log())
	}
	b, _, err := client.Do(ctx(h), h.p.api(h.n), client.CreateBrand{Name: fmt.Sprint("while it is stopped ", h.done), Type: "Music"})
	if err != nil || domain.BrandID(b.ID) == 0 {
		h.Errorf("the node does not take a command: %v", err)
	}
}

// accept gives the operator's word, by the command, for every partition that waits for it.
func (h *topicFixture) accept() {
	h.Helper()
	accepted := 0
	for _, r := range h.n.status().Routers {
		if r.Stopped == "" {
			continue
		}
		if out := h.n.command(0, "", "accept-gap", "--admin", h.n.Admin, h.n.topic(), fmt.Sprint(r.Partition)); !strings.Contains(out, "goes on at") {
			h.Fatalf("accept-gap: %s", out)
		}
		accepted++
	}
	if accepted == 0 {
		h.Fatal("nothing waits for the operator's word")
	}
}

func (h *topicFixture) cut(before int64) {
	h.Helper()
	var o kadm.Offsets
	o.Add(kadm.Offset{Topic: h.n.topic(), Partition: 0, At: before})
	r, err := h.asNode().DeleteRecords(ctx(h), o)
	h.must(err)
	h.must(r.Error())
}

// recreate deletes the public topic and makes it again as it was.
func (h *topicFixture) recreate() {
	h.Helper()
	h.delete()
	policy := "delete"
	h.n.eventually("topic made again", func() bool { // the broker forgets the old one in its own time
		_, err := h.admin.CreateTopic(ctx(h), partitions, 1, map[string]*string{"cleanup.policy": &policy}, h.n.topic())
		return err == nil
	})
	h.connect()
}

func (h *topicFixture) delete() {
	h.Helper()
	r, err := h.asNode().DeleteTopic(ctx(h), h.n.topic())
	h.must(err)
	h.must(r.Err)
}

// TestGap_CutAfterRoutingIsNoGap cuts the public topic below what was
// routed, while the node runs and before a restart: nothing is missing.
func TestGap_CutAfterRoutingIsNoGap(t *testing.T) {
	t.Parallel()
	onBothLogs(t, func(t *testing.T, on site) {
		h := newTopicFixture(t, on.start(t))
		h.publish(9, false)
		h.counted()
		h.cut(6)
		h.goesOn()
		h.noted(6) // else the killed router resumes below the cut, and nothing shows that no record is missing
		h.restarts()
	})
}

// TestGap_CutBeforeRoutingStopsThePartition cuts the public topic above
// what was routed. The embedded log is down when its node is, so no client can cut it.
func TestGap_CutBeforeRoutingStopsThePartition(t *testing.T) {
	t.Parallel()
	h := begun(t, onKafka(t))
	h.n.Stop()
	h.publish(4, true)
	h.publish(3, false)
	h.cut(9)
	h.n.start()
	h.resumes("retention")
	h.goesOn()
}

// TestGap_ForgottenOffsetHidesNoCut deletes the routers' committed offsets at the broker
// while no router reads: a cut above them still stops its partition, and records that are
// cut below them were routed. The embedded log is down when its node is, and keeps its
// offsets; its own cut is in the crash simulation.
func TestGap_ForgottenOffsetHidesNoCut(t *testing.T) {
	t.Parallel()
	h := begun(t, onKafka(t))
	h.n.Stop()
	h.forget()
	h.cut(4)
	h.publish(2, false)
	h.n.start()
	h.counted()
	h.n.Stop()
	h.forget()
	h.publish(4, true)
	h.publish(3, false)
	h.cut(11)
	h.n.start()
	h.resumes("retention")
	h.goesOn()
}

// TestGap_TopicRecreatedWhileRunning: what is published to the
// new topic counts, once the operator has accepted the gap.
func TestGap_TopicRecreatedWhileRunning(t *testing.T) {
	t.Parallel()
	onBothLogs(t, func(t *testing.T, on site) {
		h := begun(t, on)
		h.recreate()
		h.publish(3, false)
		h.resumes("recreated")
		h.restarts()
	})
}

// TestGap_TopicRecreatedWhileDown: records that the node had
// not routed are gone with the old topic. The embedded log is down when its node is.
func TestGap_TopicRecreatedWhileDown(t *testing.T) {
	t.Parallel()
	h := begun(t, onKafka(t))
	h.n.Stop()
	h.publish(4, true)
	h.recreate()
	h.publish(3, false)
	h.n.start()
	h.resumes("recreated")
	h.restarts()
}

// TestGap_CompactedTopicIsAWarning: what compaction drops before it
// is routed is not counted, which a node warns of at its start. What was compacted after it
// was routed leaves holes, and they are no gap, also to a router whose offset is forgotten.
// The embedded log compacts nothing.
func TestGap_CompactedTopicIsAWarning(t *testing.T) {
	t.Parallel()
	h := newTopicFixture(t, onKafka(t).start(t))
	h.publish(60, false)
	h.counted()
	h.settings("cleanup.policy", "compact", "segment.ms", "200", "min.cleanable.dirty.ratio", "0.01", "max.compaction.lag.ms", "500")
	h.n.eventually("compaction", func() bool {
		// What no router has read yet must be the newest of its key, which the cleaner leaves.
		h.n.eventually("routing", func() bool { return h.n.routed() >= int64(h.done) })
		h.publish(1, false) // the newest segment is never cleaned
		return h.readable() < 30
	})
	h.counted()
	h.n.Stop()

	h.n.start()
	if !strings.Contains(h.n.Log(), "cleanup.policy is compact, should be delete") {
		t.Errorf("the node does not warn of a compacted topic:\n%s", h.n.Log())
	}
	h.counted()
	h.n.Stop()
	h.settings("cleanup.policy", "delete")
	h.forget()
	h.n.start()
	h.goesOn()
}

// forget makes the broker forget where the routers were, as it does with groups that are
// idle for days.
func (h *topicFixture) forget() {
	h.Helper()
	groups, err := h.admin.ListGroups(ctx(h))
	h.must(err)
	forgotten := 0
	for _, group := range groups.Groups() {
		if offsets, err := h.admin.FetchOffsets(ctx(h), group); err == nil && len(offsets[h.n.topic()]) > 0 {
			_, err := h.admin.DeleteGroup(ctx(h), group)
			h.must(err)
			forgotten++
		}
	}
	if forgotten == 0 {
		h.Fatal("no group has offsets of the public topic")
	}
}

// noted waits until the router of partition 0 would go on at next or above it.
func (h *topicFixture) noted(next int64) {
	h.Helper()
	journal := h.n.Prefix + kafka.Journal
	topics, err := h.admin.ListTopics(ctx(h), journal)
	h.must(err)
	group := "router-" + domain.TopicID(topics[journal].ID).String()
	h.n.eventually("offset of the group", func() bool {
		offsets, err := h.admin.FetchOffsets(ctx(h), group)
		o, ok := offsets.Lookup(h.n.topic(), 0)
		return err == nil && ok && o.At >= next
	})
}

// settings alters the public topic's: name, value, name, value.
func (h *topicFixture) settings(pairs ...string) {
	h.Helper()
	var all []kadm.AlterConfig
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, kadm.AlterConfig{Name: pairs[i], Value: &pairs[i+1]})
	}
	r, err := h.admin.AlterTopicConfigs(ctx(h), all, h.n.topic())
	h.must(err)
	_, err = r.On(h.n.topic(), nil)
	h.must(err)
}

// readable is how many records partition 0 of the public topic has.
func (h *topicFixture) readable() (n int) {
	h.Helper()
	ends, err := h.admin.ListEndOffsets(ctx(h), h.n.topic())
	h.must(err)
	end, _ := ends.Lookup(h.n.topic(), 0)
	c, err := kgo.NewClient(kgo.SeedBrokers(h.n.Kafka), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{h.n.topic(): {0: kgo.NewOffset().AtStart()}}))
	h.must(err)
	defer c.Close()
	for at := int64(0); at < end.Offset; {
		f := c.PollFetches(ctx(h))
		h.must(f.Err())
		f.EachRecord(func(r *kgo.Record) { n, at = n+1, r.Offset+1 })
	}
	return n
}
