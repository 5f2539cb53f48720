package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// fellow is another node of a fixture's installation.
type fellow struct {
	p     *node.Node
	leave context.CancelFunc
	ended chan error // of Run, and then closed
}

// join starts another node with its data in dir.
func (h *kafkaFixture) join(dir string) *fellow { return h.joinWith(dir, "") }

// joinWith is join with a file of networks.
func (h *kafkaFixture) joinWith(dir, networks string) *fellow {
	h.t.Helper()
	cfg := h.cfg
	cfg.Data = dir
	cfg.PrivateFiles.Secrets = h.cfg.SecretsFile()
	cfg.PrivateFiles.Networks = networks
	ctx, cancel := context.WithCancel(context.Background())
	p, err := node.Open(ctx, cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		cancel()
		h.t.Fatal(err)
	}
	f := &fellow{p: p, leave: cancel, ended: make(chan error, 1)}
	go func() {
		f.ended <- errors.Join(p.Run(ctx), p.Close())
		close(f.ended)
	}()
	h.t.Cleanup(func() {
		cancel()
		<-f.ended
	})
	return f
}

// states are the states of the nodes as one of them shows them, by id.
func states(p *node.Node) map[domain.NodeID]string {
	m := map[domain.NodeID]string{}
	for _, n := range p.Shown().Read().Nodes {
		m[n.ID] = n.State
	}
	return m
}

// self is a node as it shows itself.
func self(p *node.Node) (st actors.NodeStatus) {
	for _, n := range p.Shown().Read().Nodes {
		if n.Self {
			st = n
		}
	}
	return st
}

// A node joins by being started: it is listed, it beats and shares duties. As it ends the other
// sees it away, and it comes again with the same id. Removed, it ends with exit code 3, and its id
// is not listed again.
func TestNodes_JoinLeaveAndRemove(t *testing.T) {
	h := newKafkaFixture(t)
	if got := states(h.p); len(got) != 1 {
		t.Fatalf("one node is a list of %v", got)
	}
	dir := filepath.Join(t.TempDir(), "data")
	b := h.join(dir)
	a := h.p
	var own actors.NodeStatus
	h.eventually("two nodes that serve, each with its duties", func() bool {
		own = self(b.p)
		ofA, ofB := states(a), states(b.p)
		return own.Listed && len(ofA) == 2 && ofA[own.ID] == string(nodes.Serving) && ofB[self(a).ID] == string(nodes.Serving) &&
			strings.Contains(own.Duties, "of 2 shards")
	})
	if own.Address != "http://"+b.p.HTTPAddr() || own.Do != "" || own.Wrong != "" || own.Rules != domain.RulesVersion {
		t.Errorf("the node says of itself %+v", own)
	}
	b.leave()
	if err := <-b.ended; err != nil {
		t.Fatal(err)
	}
	h.eventually("a node that is away", func() bool { return states(a)[own.ID] == "away" })
	for _, n := range a.Shown().Read().Nodes {
		if n.ID == own.ID && !strings.Contains(n.Do, "node remove "+own.ID.String()) {
			t.Errorf("what to do about a node that is away: %q", n.Do)
		}
	}
	b = h.join(dir)
	h.eventually("the node again", func() bool { return states(a)[own.ID] == string(nodes.Serving) })
	if self(b.p).ID != own.ID {
		t.Error("the id changed")
	}
	if err := a.Actors.RemoveNode(context.Background(), own.ID, false); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("removing a node that is alive: %v", err)
	}
	h.must(a.Actors.RemoveNode(context.Background(), own.ID, true))
	if err := <-b.ended; exitCode(err) != exitTakenOver || !strings.Contains(err.Error(), filepath.Join(dir, "node-id")) {
		t.Errorf("the removed node ended with %v", err)
	}
	if got := states(a); len(got) != 1 {
		t.Errorf("the list has %v", got)
	}
	again := h.join(dir)
	if err := <-again.ended; exitCode(err) != exitTakenOver {
		t.Errorf("the removed node, started again, ended with %v", err)
	}
	h.must(os.Remove(filepath.Join(dir, "node-id")))
	c := h.join(dir)
	h.eventually("it as a new node", func() bool { return self(c.p).Listed && self(c.p).ID != own.ID })
}

// A node whose --data has the id of one that runs ends with exit code 3 and says which file to remove, each time that a
// manager starts it again. The one that runs goes on.
func TestNodes_CopiedID(t *testing.T) {
	h := newKafkaFixture(t)
	id, err := os.ReadFile(filepath.Join(h.cfg.Data, "node-id"))
	h.must(err)
	b := h.join(filepath.Join(t.TempDir(), "data"))
	h.eventually("two nodes", func() bool { return len(states(h.p)) == 2 && len(states(b.p)) == 2 })
	dir := filepath.Join(t.TempDir(), "data")
	h.must(os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, "node-id")
	h.must(os.WriteFile(path, id, 0o600))
	for range 3 {
		copied := h.join(dir)
		err := <-copied.ended
		if exitCode(err) != exitTakenOver || !strings.Contains(err.Error(), "delete "+path) {
			t.Fatalf("%d %v", exitCode(err), err)
		}
		if st := states(b.p)[self(h.p).ID]; st != string(nodes.Serving) || h.p.Actors.Ready() != nil {
			t.Fatalf("the node that had the id first is %s: %v", st, h.p.Actors.Ready())
		}
	}
	select {
	case err := <-h.p.Actors.Ended():
		t.Errorf("the node that had the id first ends: %v", err)
	default:
	}
}

// Nodes with different files of networks say so in the status of each, without a word of the files.
func TestNodes_DifferentNetworks(t *testing.T) {
	h := newKafkaFixture(t)
	file := filepath.Join(t.TempDir(), "networks.json")
	h.must(os.WriteFile(file, []byte(`{"spotify": {"token_endpoint": "https://a.example/t", "client_id": "1", "client_secret": "hidden"}}`), 0o600))
	b := h.joinWith(filepath.Join(t.TempDir(), "data"), file)
	told := func(p *node.Node, about *node.Node) bool {
		return strings.Contains(self(p).Wrong, "node "+self(about).ID.String()+" has another file of networks") &&
			strings.Contains(self(p).Wrong, "the same --networks") && !strings.Contains(self(p).Wrong, "hidden")
	}
	h.eventually("both to tell", func() bool { return told(h.p, b.p) && told(b.p, h.p) })
	if h.p.Actors.Ready() != nil || b.p.Actors.Ready() != nil {
		t.Error("a node is not ready")
	}
	b.leave()
	h.must(<-b.ended)
	h.eventually("nothing to tell", func() bool { return self(h.p).Wrong == "" })
}

// Nodes without the right to the groups of beats say in their status which right is missing, and go on.
func TestNodes_NoRightToTheGroupsOfBeats(t *testing.T) {
	h := newKafkaFixture(t)
	var allowed atomic.Bool
	refuse := func(f func(kmsg.Request) kmsg.Response) func(kmsg.Request) (kmsg.Response, error, bool) {
		return func(r kmsg.Request) (kmsg.Response, error, bool) {
			h.cluster.KeepControl()
			if allowed.Load() {
				return nil, nil, false
			}
			res := f(r)
			return res, nil, res != nil
		}
	}
	h.cluster.ControlKey(int16(kmsg.OffsetCommit), refuse(func(r kmsg.Request) kmsg.Response {
		req := r.(*kmsg.OffsetCommitRequest)
		if !strings.HasPrefix(req.Group, "node-") {
			return nil
		}
		res := req.ResponseKind().(*kmsg.OffsetCommitResponse)
		for _, topic := range req.Topics {
			of := kmsg.OffsetCommitResponseTopic{Topic: topic.Topic}
			for _, p := range topic.Partitions {
				of.Partitions = append(of.Partitions, kmsg.OffsetCommitResponseTopicPartition{
					Partition: p.Partition, ErrorCode: kerr.GroupAuthorizationFailed.Code,
				})
			}
			res.Topics = append(res.Topics, of)
		}
		return res
	}))
	b := h.join(filepath.Join(t.TempDir(), "data"))
	both := []*node.Node{h.p, b.p}
	h.eventually("both to say which right is missing", func() bool {
		for _, p := range both {
			if !strings.Contains(self(p).Wrong, `allow it READ of groups that begin with "node-"`) || p.Actors.Ready() != nil {
				return false
			}
		}
		return true
	})
	h.publish(5)
	h.counted(5)
	allowed.Store(true)
	h.eventually("nothing to tell", func() bool { return self(h.p).Wrong == "" && self(b.p).Wrong == "" })
}

// A node does not start on a topic of data keys that is not compacted: it says which setting of which topic is to be which.
func TestNodes_KeysAreNotCompacted(t *testing.T) {
	h := newKafkaFixture(t)
	h.close()
	policy := "delete"
	_, err := h.admin.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "cleanup.policy", Value: &policy}}, kafka.Keys)
	h.must(err)
	_, err = openProgram(t, h.cfg)
	if exitCode(err) != exitFailed || !strings.Contains(err.Error(), "keys") || !strings.Contains(err.Error(), "cleanup.policy") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%d %v", exitCode(err), err)
	}
	t.Log(err)
	policy = "compact"
	_, err = h.admin.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "cleanup.policy", Value: &policy}}, kafka.Keys)
	h.must(err)
	h.open()
}

// The id of a node is made once; a file that has none is refused by name.
func TestNodes_IDFile(t *testing.T) {
	dir := t.TempDir()
	cfg := config.Config{
		Data: filepath.Join(dir, "data"), HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 1, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}
	open := func() error {
		p, err := node.Open(context.Background(), cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err != nil {
			return err
		}
		return p.Close()
	}
	path := filepath.Join(cfg.Data, "node-id")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil || len(first) != 33 {
		t.Fatalf("%q %v", first, err)
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); string(again) != string(first) {
		t.Errorf("the id was %s and is %s", first, again)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := open(); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a file without an id: %v", err)
	}
}
