package e2e

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage/store"
)

// verification is what ovation verify --output json says.
type verification struct {
	State                 string
	Compared, Differences int
	Shards                []struct {
		Shard         int
		State, Why    string
		Position      int64
		Facts, Replay string
		Stretch       *struct{ From, To int64 }
		First         []struct{ Family, Key, What string }
	}
}

func (n *node) verify(code int, args ...string) (v verification) {
	n.t.Helper()
	out := n.command(code, "", append([]string{"verify", "--admin", n.Admin, "--output", "json", "--rate", "0"}, args...)...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		n.t.Fatalf("%v: %s", err, out)
	}
	return v
}

// TestVerify_AfterAKill: a load with repeats, late and one-time actions and refused ones,
// a kill in the middle of it; a replay gives all that is stored. Then the store is
// altered behind the node's back, and the difference is named.
func TestVerify_AfterAKill(t *testing.T) {
	onBothLogs(t, verifiedAfterAKill)
}

func verifiedAfterAKill(t *testing.T, on site) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	n := on.start(t, "--shards", "3", "--memory", "256MiB") // seals 8192 rows of a shard at once
	w := newMalformedFixture(n, rnd)
	mixed, _ := w.mixture(rnd, last(20), on.some(300))
	o, total := rawClientAt(n), int64(0)
	var messages [][]kafka.Message
	for _, list := range mixed {
		var part []kafka.Message
		for _, m := range list {
			part = append(part, m.Message)
		}
		messages, total = append(messages, part), total+int64(len(part))
	}
	for i, a := range w.model.load(rnd, 30_000) { // sealed ones are in blocks that a start does not read
		r := w.model.anyRecord(rnd, &a)
		m := kafka.Message{Key: r.Key, Value: r.Value}
		for _, h := range r.Headers {
			m.Headers = append(m.Headers, kafka.Header{Key: h.Key, Value: h.Value})
		}
		messages[i%len(messages)] = append(messages[i%len(messages)], m)
		total++
	}
	o.publish(messages, 20<<10, kafka.LZ4)
	n.Kill()
	n.start()
	n.settled(total)
	requireServing(n)
	v := n.verify(0)
	if v.State != "equal" || v.Compared != 3 || v.Differences != 0 {
		t.Fatalf("%+v", v)
	}
	for i, sh := range n.status().Shards {
		if got := v.Shards[i]; got.Replay != got.Facts || got.Position == sh.Applied && got.Facts != sh.Facts || got.Position < 20 {
			t.Errorf("shard %d: %+v, status says %+v", i, got, sh)
		}
	}

	f := w.model.fans[0]
	shard := f.id.Slot().Shard(3)
	n.Stop()
	alterBit(t, n, shard, w.model.account)
	n.start()
	v = n.verify(1)
	if v.State != "different" || v.Differences != 1 || len(v.Shards[shard].First) != 1 || v.Shards[shard].First[0].Family != "b" ||
		!strings.HasPrefix(v.Shards[shard].First[0].Key, "b shard=") || v.Shards[shard].Stretch != nil {
		t.Errorf("of one bit altered: %+v", v)
	}

	// Bytes flipped on the disk below the store: their reader gets an error, and the
	// process continues.
	n.Stop()
	n.start() // nothing of contents is in the cache
	flip(t, filepath.Join(n.Data, "store"))
	n.command(1, "", "verify", "--admin", n.Admin, "--rate", "0")
	if last, err := os.ReadFile(filepath.Join(n.Data, "verify.json")); err != nil || !strings.Contains(string(last), "checksum mismatch") || strings.HasPrefix(string(last), `{"state":"equal"`) {
		t.Errorf("the last run is told as %s %v", last, err)
	}
	_, said := n.Get("/status")
	if !strings.Contains(said, `"corruptFiles":["`) || !strings.Contains(n.Log(), "a file of the store is corrupt") {
		t.Errorf("it is not told:\n%s\n%s", said, n.Log())
	}
	// A feed shows what contents say, and reads them from a table that a compaction wrote
	// after the start had read them, unless that was sooner.
	_, _, err := client.Do(ctx(t), w.model.api(n), client.GetFeed{AllActions: true, Period: "1 year"})
	if err == nil {
		t.Log("all that the feed reads was in the cache: that damage stops a shard is not seen this time")
		n.Stop()
		return
	}
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || refused.Code != domain.Unavailable {
		t.Errorf("a feed of what cannot be read: %v", err)
	}
	n.eventually("stop of a shard", func() bool {
		for _, s := range n.status().Shards {
			if strings.Contains(s.Stopped, "checksum mismatch") {
				return true
			}
		}
		return false
	})
	if _, said = n.Get("/metrics"); !strings.Contains(said, "ovation_store_corrupt_files ") || strings.Contains(said, "ovation_store_corrupt_files 0\n") {
		t.Errorf("metrics do not tell it:\n%s", said)
	}
	if code := n.Stop(); code != 0 {
		t.Errorf("stopped with %d:\n%s", code, n.Log())
	}
}

// alterBit puts a member of the shard where no record did, through the store.
func alterBit(t *testing.T, n *node, shard int, account domain.AccountID) {
	t.Helper()
	store, err := store.Open(filepath.Join(n.Data, "store"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Shard(shard)
	if err == nil {
		bit := &domain.Bit{Account: account, Attribute: domain.AttrDomain, Value: "nobody.example", On: true}
		err = s.Stage([]domain.Change{{Kind: domain.BitPut, Value: bit}})
	}
	if err == nil {
		err = s.Commit(s.State(), nil)
	}
	if err == nil {
		err = s.Close()
	}
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// flip changes bytes in the tables of a store that is in use, so that every block has
// one: the test does not know which blocks the node has cached.
func flip(t *testing.T, dir string) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables in %s: %v", dir, err)
	}
	for _, path := range tables {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 50; i < len(b)/2; i += 100 { // the rows come first, whatever the size of the table
			b[i] ^= 0x10
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
