package e2e

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// previous builds the program of the commit before this one, from the history; where there
// is none, as in a shallow clone, the test is skipped.
func previous(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	archive := exec.Command("git", "archive", "--format=tar", "HEAD~1:")
	archive.Dir = filepath.Join("..", "..", "..")
	var errs bytes.Buffer
	archive.Stderr = &errs
	tar, err := archive.Output()
	if err != nil {
		t.Skipf("the history has no commit before this one: %v %s", err, errs.Bytes())
	}
	unpack := exec.Command("tar", "-x", "-C", dir)
	unpack.Stdin = bytes.NewReader(tar)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(dir, "ovation-previous")
	build := exec.Command("go", "build", "-o", path, "./cmd/ovation") // its modules are built already
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the commit before this one: %v\n%s", err, out)
	}
	return path
}

// TestUpgrade_PreviousCommitBesideThisOne runs both on one Kafka, each with a store
// of its own: each routes every record, so every record is in the journal twice, as during
// a rolling upgrade. The older node is killed in between. Both must answer as a naive model
// does, and have the same state hashes.
func TestUpgrade_PreviousCommitBesideThisOne(t *testing.T) {
	t.Parallel()
	on := onKafka(t)
	older := previous(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	a := on.start(t, "--secrets", filepath.Join(t.TempDir(), "secrets.yaml"))
	b := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Prefix: a.Prefix, LogData: a.LogData, Args: a.Args, Binary: older})
	b.start()
	p := newModel(rnd, "beside", sizes{brands: 4, fans: 80})
	p.enter(a, 8)
	p.keys[b] = p.keys[a]
	load := p.load(rnd, on.some(24_000))
	topic := collect(t, len(load), func(i int) *kgo.Record {
		return p.anyRecord(rand.New(rand.NewPCG(seed, uint64(i+1))), &load[i])
	})
	topic.begin(a)
	const kills = 2
	for k := range kills {
		topic.await(a, &writers{}, rnd, k, kills)
		b.Kill()
		b.start()
	}
	published := topic.done()
	for i := range load {
		p.note(load[i])
	}
	a.settled(published)
	b.settled(published)
	a.settled(published) // what the other one's outbox sent last
	repeats := int64(0)
	as, bs := a.status().Shards, b.status().Shards
	for i := range as {
		repeats += as[i].Repeats
		if as[i].Facts != bs[i].Facts {
			t.Errorf("seed %d: shard %d: %s in one, %s in the other", seed, i, as[i].Facts, bs[i].Facts)
		}
	}
	if repeats == 0 {
		t.Errorf("seed %d: of %d records %d came twice: the test shows nothing", seed, published, repeats)
	}
	compare(t, seed, a, p, rnd, 4, 2, true)
	compare(t, seed, b, p, rnd, 4, 2, true)
}
