package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	kafkascram "github.com/segmentio/kafka-go/sasl/scram"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

// guarded is a broker whose topic own is the nodes', beside one for all. Its log is in
// said.
func guarded(t testing.TB) (r *harness, said *bytes.Buffer) {
	said = &bytes.Buffer{}
	r = newHarness(t, func(c *wire.Config, _ *log.Options) {
		c.Own, c.Kept, c.OwnGroups = []string{"own", "later"}, []string{"kept"}, []string{"router-", "node-"}
		c.BriefGroups = "node-"
		c.Password, c.Logger = "the password", slog.New(slog.NewTextHandler(said, nil))
	})
	r.create("own", 1)
	r.create("open", 1)
	r.create("kept", 1)
	return r, said
}

func asNode(password string) kgo.Opt {
	return kgo.SASL(scram.Auth{User: wire.NodeUser, Pass: password}.AsSha256Mechanism())
}

// changes is every way to change a topic, with its error. The topic is deleted last.
func changes(ctx context.Context, c *kgo.Client, name string) (errs map[string]error) {
	errs = map[string]error{}
	code := func(what string, err error, code func() int16) {
		if err == nil {
			err = kerr.ErrorForCode(code())
		}
		errs[what] = err
	}
	errs["append"] = c.ProduceSync(ctx, &kgo.Record{Topic: name, Value: []byte("v")}).FirstErr()

	trim := kmsg.NewPtrDeleteRecordsRequest()
	trim.Topics = []kmsg.DeleteRecordsRequestTopic{{Topic: name, Partitions: []kmsg.DeleteRecordsRequestTopicPartition{{Offset: -1}}}}
	trimmed, err := trim.RequestWith(ctx, c)
	code("trim", err, func() int16 { return trimmed.Topics[0].Partitions[0].ErrorCode })

	grow := kmsg.NewPtrCreatePartitionsRequest()
	grow.Topics = []kmsg.CreatePartitionsRequestTopic{{Topic: name, Count: 2}}
	grown, err := grow.RequestWith(ctx, c)
	code("grow", err, func() int16 { return grown.Topics[0].ErrorCode })

	remove := kmsg.NewPtrDeleteTopicsRequest()
	remove.Topics, remove.TopicNames = []kmsg.DeleteTopicsRequestTopic{{Topic: &name}}, []string{name}
	removed, err := remove.RequestWith(ctx, c)
	code("delete", err, func() int16 { return removed.Topics[0].ErrorCode })

	again := kmsg.NewPtrCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = "later", 1, 1
	if name != "own" {
		topic.Topic = "another"
	}
	again.Topics = append(again.Topics, topic)
	made, err := again.RequestWith(ctx, c)
	code("create", err, func() int16 { return made.Topics[0].ErrorCode })
	return errs
}

// The topics of the nodes are changed by nodes only, which authenticate on a socket and
// need not from within; other topics by all.
func TestOwnTopics_AreChangedByNodesOnly(t *testing.T) {
	within := func(r *harness) kgo.Opt {
		return kgo.Dialer(func(context.Context, string, string) (net.Conn, error) { return r.broker.Dial() })
	}
	none := func(*harness) kgo.Opt { return kgo.ClientID("client") }
	for _, c := range []struct {
		who, topic string
		opt        func(*harness) kgo.Opt
		want       error
	}{
		{"a client", "own", none, kerr.TopicAuthorizationFailed},
		{"a client", "open", none, nil},
		{"a node on a socket", "own", func(*harness) kgo.Opt { return asNode("the password") }, nil},
		{"a node from within", "own", within, nil},
	} {
		t.Run(c.who+" and the topic "+c.topic, func(t *testing.T) {
			r, said := guarded(t)
			for what, err := range changes(testContext(t), r.client(c.opt(r), kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck())), c.topic) {
				if !errors.Is(err, c.want) {
					t.Errorf("%s: %v, want %v", what, err, c.want)
				}
			}
			refused := r.broker.Stats().Refused["topic_authorization_failed"]
			r.stop()
			if c.want == nil {
				if refused != 0 || said.Len() > 0 {
					t.Errorf("%d refused\n%s", refused, said)
				}
				return
			}
			if lines := strings.Count(said.String(), "\n"); refused != 5 || lines != 1 || !strings.Contains(said.String(), "topic=own") {
				t.Errorf("%d refused\n%s", refused, said)
			}
		})
	}
}

// A topic that the nodes read of all clients takes records of all of them, and is trimmed and deleted by nodes
// alone: what is cut before it is routed is lost.
func TestKeptTopics_AreCutByNodesOnly(t *testing.T) {
	for who, c := range map[string]struct {
		opt kgo.Opt
		cut error
	}{
		"a client": {kgo.ClientID("client"), kerr.TopicAuthorizationFailed},
		"a node":   {asNode("the password"), nil},
	} {
		t.Run(who, func(t *testing.T) {
			r, _ := guarded(t)
			errs := changes(testContext(t), r.client(c.opt, kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck())), "kept")
			for what, err := range errs {
				want := error(nil)
				if what == "trim" || what == "delete" {
					want = c.cut
				}
				if !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", what, err, want)
				}
			}
		})
	}
}

// Where the routers of the nodes read on is a group's offset: only nodes commit it. What a client committed ahead
// of them would be routed never. Its own groups are its own business.
func TestRouterGroups_AreCommittedByNodesOnly(t *testing.T) {
	const routers = "router-00000000-0000-0000-0000-000000000001"
	r, said := guarded(t)
	commit := func(opt kgo.Opt, group string, offset int64) error {
		req := kmsg.NewPtrOffsetCommitRequest()
		req.Group, req.Generation = group, -1
		q, p := kmsg.NewOffsetCommitRequestTopic(), kmsg.NewOffsetCommitRequestTopicPartition()
		q.Topic, p.Offset = "open", offset
		p.Metadata = new("1 00000000-0000-0000-0000-000000000002 3")
		q.Partitions = append(q.Partitions, p)
		req.Topics = append(req.Topics, q)
		rs, err := req.RequestWith(testContext(t), r.client(opt))
		if err != nil {
			t.Fatal(err)
		}
		return kerr.ErrorForCode(rs.Topics[0].Partitions[0].ErrorCode)
	}
	kept := func(group string) int64 {
		req := kmsg.NewPtrOffsetFetchRequest()
		g, q := kmsg.NewOffsetFetchRequestGroup(), kmsg.NewOffsetFetchRequestGroupTopic()
		g.Group, q.Topic, q.Partitions = group, "open", []int32{0}
		g.Topics = append(g.Topics, q)
		req.Groups = append(req.Groups, g)
		req.Group = group
		req.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: "open", Partitions: []int32{0}}}
		rs, err := req.RequestWith(testContext(t), r.client())
		if err != nil {
			t.Fatal(err)
		}
		if len(rs.Groups) > 0 {
			return rs.Groups[0].Topics[0].Partitions[0].Offset
		}
		return rs.Topics[0].Partitions[0].Offset
	}
	node, client := asNode("the password"), kgo.ClientID("client")
	if err := commit(node, routers, 10); err != nil {
		t.Fatalf("a node: %v", err)
	}
	for _, offset := range []int64{1_000_000, 0, 10} {
		if err := commit(client, routers, offset); !errors.Is(err, kerr.GroupAuthorizationFailed) {
			t.Errorf("a client commits %d for the routers: %v", offset, err)
		}
	}
	if err := commit(client, "router-of-another-installation", 1); !errors.Is(err, kerr.GroupAuthorizationFailed) {
		t.Errorf("a client commits for routers of another journal: %v", err)
	}
	const beats = "node-00000000000000000000000000000001"
	if err := commit(node, beats, 5); err != nil {
		t.Errorf("a node's beat: %v", err)
	}
	if err := commit(client, beats, 6); !errors.Is(err, kerr.GroupAuthorizationFailed) || kept(beats) != 5 {
		t.Errorf("a client beats for a node: %v, kept is %d", err, kept(beats))
	}
	if err := commit(client, "mirror", 7); err != nil {
		t.Errorf("a client's own group: %v", err)
	}
	if kept(routers) != 10 || kept("mirror") != 7 {
		t.Errorf("the routers are at %d, a client at %d", kept(routers), kept("mirror"))
	}
	r.stop()
	if !strings.Contains(said.String(), "offsets of the nodes") {
		t.Errorf("the log says %s", said)
	}
}

// Reading needs no authentication.
func TestOwnTopics_AreReadByAll(t *testing.T) {
	r, _ := guarded(t)
	ctx := testContext(t)
	node := r.client(asNode("the password"))
	if err := node.ProduceSync(ctx, &kgo.Record{Topic: "own", Value: []byte("v")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	reader := r.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"own": {0: kgo.NewOffset().AtStart()}}))
	if got := reader.PollFetches(ctx).Records(); len(got) != 1 || string(got[0].Value) != "v" {
		t.Fatalf("%v", got)
	}
}

// A topic of the nodes is deleted by its id no more than by its name.
func TestOwnTopics_AreNotDeletedByID(t *testing.T) {
	r, _ := guarded(t)
	own, _ := r.log.Topics.ByName("own")
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.Topics = []kmsg.DeleteTopicsRequestTopic{{TopicID: own.ID}}
	rs := ask[*kmsg.DeleteTopicsResponse](r.dial(), req, 6)
	if _, found := r.log.Topics.ByName("own"); !found || rs.Topics[0].ErrorCode != kerr.TopicAuthorizationFailed.Code {
		t.Fatalf("found %v, %+v", found, rs.Topics)
	}
}

// A client that authenticates with another password is refused, as with another user and
// where the broker knows no password, and one that does not is what it was.
func TestSASL_RefusesStrangers(t *testing.T) {
	r, said := guarded(t)
	open := newHarness(t)
	for name, c := range map[string]struct {
		addr, user, password string
		want                 string
	}{
		"a wrong password": {r.addr, wire.NodeUser, "another", "SASL_AUTHENTICATION_FAILED"},
		"another user":     {r.addr, "admin", "the password", "SASL_AUTHENTICATION_FAILED"},
		"no password":      {open.addr, wire.NodeUser, "any", "UNSUPPORTED_SASL_MECHANISM"},
	} {
		client := clientOf(t, c.addr, kgo.SASL(scram.Auth{User: c.user, Pass: c.password}.AsSha256Mechanism()), kgo.RetryTimeout(time.Second))
		if err := client.Ping(testContext(t)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := r.dial()
	step := kmsg.NewPtrSASLAuthenticateRequest()
	step.SASLAuthBytes = []byte("n,,n=x,r=y")
	if rs := ask[*kmsg.SASLAuthenticateResponse](w, step, 2); rs.ErrorCode != kerr.IllegalSaslState.Code {
		t.Errorf("without a handshake: %+v", rs)
	}
	hand := kmsg.NewPtrSASLHandshakeRequest()
	hand.Mechanism = "PLAIN"
	if rs := ask[*kmsg.SASLHandshakeResponse](w, hand, 1); rs.ErrorCode != kerr.UnsupportedSaslMechanism.Code || fmt.Sprint(rs.SupportedMechanisms) != "[SCRAM-SHA-256]" {
		t.Errorf("PLAIN: %+v", rs)
	}
	hand.Mechanism = "SCRAM-SHA-256"
	ask[*kmsg.SASLHandshakeResponse](w, hand, 1)
	if rs := ask[*kmsg.SASLAuthenticateResponse](w, step, 2); rs.ErrorCode != kerr.SaslAuthenticationFailed.Code {
		t.Errorf("a wrong user: %+v", rs)
	}
	if rs := ask[*kmsg.ProduceResponse](w, produceRequest(-1, "own", batchOf("v")), 9); rs.Topics[0].Partitions[0].ErrorCode != kerr.TopicAuthorizationFailed.Code {
		t.Errorf("behind it: %+v", rs)
	}
	r.stop()
	if strings.Contains(said.String(), "password=") || strings.Contains(said.String(), "the password") {
		t.Errorf("the log says the password\n%s", said)
	}
}

// The client that the engine itself uses authenticates as well.
func TestSASL_KafkaGoAuthenticates(t *testing.T) {
	r, _ := guarded(t)
	m, err := kafkascram.Mechanism(kafkascram.SHA256, wire.NodeUser, "the password")
	if err != nil {
		t.Fatal(err)
	}
	transport := &kafka.Transport{SASL: m}
	defer transport.CloseIdleConnections()
	w := &kafka.Writer{Addr: kafka.TCP(r.addr), Topic: "own", Transport: transport, BatchTimeout: time.Millisecond}
	if err := errors.Join(w.WriteMessages(testContext(t), kafka.Message{Value: []byte("v")}), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// Whatever a client sends in place of SASL: an answer, and the broker serves on.
func FuzzSASL_AnyBytes(f *testing.F) {
	for _, s := range []string{"n,,n=ovation-node,r=abc", "n,a=x,n=ovation-node,r=abc,x=y", "y,,n=,r=", "p=tls-unique,,n=a,r=b", "c=biws,r=abc,p=AAAA", ",,,", "n,,n==2C,r=a", "", "m=x"} {
		f.Add([]byte(s), []byte("c=biws,r=abc,p=AAAA"))
	}
	r, _ := guarded(f)
	f.Fuzz(func(t *testing.T, first, final []byte) {
		r.t = t
		w := r.dial()
		defer w.c.Close()
		hand := kmsg.NewPtrSASLHandshakeRequest()
		hand.Mechanism = "SCRAM-SHA-256"
		ask[*kmsg.SASLHandshakeResponse](w, hand, 1)
		for _, b := range [][]byte{first, final} {
			step := kmsg.NewPtrSASLAuthenticateRequest()
			step.SASLAuthBytes = b
			ask[*kmsg.SASLAuthenticateResponse](w, step, 2)
		}
		if rs := ask[*kmsg.ProduceResponse](w, produceRequest(-1, "own", batchOf("v")), 9); rs.Topics[0].Partitions[0].ErrorCode == 0 {
			t.Fatal("a client that did not authenticate appends")
		}
	})
}

// A topic of the nodes may be compacted, and read by them alone: a client is refused whether it names the topic or its
// id. A reader from any offset gets every record that is left, over the offsets that are not there any more.
func TestOwnTopics_CompactedAndPrivate(t *testing.T) {
	r := newHarness(t, func(c *wire.Config, _ *log.Options) {
		c.Own, c.Private, c.Password = []string{"own"}, []string{"own"}, "the password"
	})
	ctx := testContext(t)
	node := r.client(asNode("the password"))
	create := kmsg.NewPtrCreateTopicsRequest()
	for _, name := range []string{"own", "open"} {
		create.Topics = append(create.Topics, newTopic(name, 1, 1, "cleanup.policy", "compact", "delete.retention.ms", "3600000"))
	}
	made, err := create.RequestWith(ctx, node)
	if err != nil || made.Topics[0].ErrorCode != 0 || made.Topics[1].ErrorCode != kerr.InvalidConfig.Code {
		t.Fatalf("%+v %v", made, err)
	}
	own := made.Topics[0].TopicID
	record := func(key, value string) *kgo.Record {
		r := &kgo.Record{Topic: "own", Key: []byte(key), Value: []byte(value)}
		if value == "" {
			r.Value = nil
		}
		return r
	}
	for _, records := range [][]*kgo.Record{
		{record("a", "1"), record("b", "2"), record("c", "3")}, {record("b", "")}, {record("d", "4"), record("a", "5")},
	} {
		if err := node.ProduceSync(ctx, records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	left := map[int64]string{2: "c=3", 3: "b=", 4: "d=4", 5: "a=5"}
	for from := range int64(6) {
		c := r.client(asNode("the password"), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"own": {0: kgo.NewOffset().At(from)}}))
		got := map[int64]string{}
		for last := int64(-1); last < 5; {
			fetched := c.PollFetches(ctx)
			if err := fetched.Err(); err != nil {
				t.Fatal(err)
			}
			fetched.EachRecord(func(r *kgo.Record) { got[r.Offset], last = string(r.Key)+"="+string(r.Value), r.Offset })
		}
		for offset, text := range left {
			if offset >= from && got[offset] != text {
				t.Errorf("from %d: offset %d is %q, want %q", from, offset, got[offset], text)
			}
			delete(got, offset)
		}
		if len(got) > 0 {
			t.Errorf("from %d: also %v", from, got)
		}
	}
	for _, version := range []int16{12, 13} {
		req := kmsg.NewPtrFetchRequest()
		req.MaxBytes, req.Topics = 1<<20, []kmsg.FetchRequestTopic{{Topic: "own", TopicID: own, Partitions: []kmsg.FetchRequestTopicPartition{{PartitionMaxBytes: 1 << 20}}}}
		if p := ask[*kmsg.FetchResponse](r.dial(), req, version).Topics[0].Partitions[0]; p.ErrorCode != kerr.TopicAuthorizationFailed.Code || len(p.RecordBatches) > 0 {
			t.Errorf("version %d: a client reads: code %d, %d bytes", version, p.ErrorCode, len(p.RecordBatches))
		}
	}
}
