package main

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/actors/keys"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

func someDataKeys(n int) (all []seal.DataKey, ids []domain.KeyID, secrets [][]byte) {
	for range n {
		var b [48]byte
		_, _ = rand.Read(b[:])
		k := seal.DataKeyOf(b)
		all = append(all, k)
		ids = append(ids, k.ID)
		secrets = append(secrets, b[16:])
	}
	return all, ids, secrets
}

// embeddedConfig is a node with an embedded log of its own.
func embeddedConfig(t *testing.T) config.Config {
	return config.Config{
		Data: filepath.Join(t.TempDir(), "data"), HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 2, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}
}

func openProgram(t *testing.T, c config.Config) (*node.Node, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return node.Open(ctx, c, slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// opened calls f with an open node, and closes it.
func opened(t *testing.T, c config.Config, f func(p *node.Node)) {
	t.Helper()
	p, err := openProgram(t, c)
	if err != nil {
		t.Fatal(err)
	}
	f(p)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// hasKeys fails unless the node gives all keys.
func hasKeys(t *testing.T, p *node.Node, all []seal.DataKey, ids []domain.KeyID) {
	t.Helper()
	got, err := p.Stores.Keys.Keeper.Get(t.Context(), nil, ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range got {
		if c.IsZero() {
			t.Fatalf("key %d of %d is missing", i, len(ids))
		}
		if _, err := all[i].Cipher.Open(nil, seal.Scope{}, c.Seal(nil, seal.Scope{}, nil)); err != nil {
			t.Fatalf("key %d is another one", i)
		}
	}
}

// Data keys outlast restarts and rotations of the master key, also once the older key is out of
// the secrets; no file of the node but that of the secrets has a key in the clear.
func TestNode_DataKeysOutlastRotation(t *testing.T) {
	c := embeddedConfig(t)
	all, ids, raw := someDataKeys(100)
	masters := map[domain.MasterID]bool{}
	for generation := uint32(1); generation <= 3; generation++ {
		opened(t, c, func(p *node.Node) {
			if generation == 1 {
				if err := p.Stores.Keys.Keeper.Put(t.Context(), all); err != nil {
					t.Fatal(err)
				}
			}
			hasKeys(t, p, all, ids)
			stored := p.Actors.Catalog().SlotKeys()
			masters[stored.Master] = true
			if stored.Generation != generation || stored.Master != p.Secrets.Masters[0].ID {
				t.Fatalf("generation %d, want %d, under %s", stored.Generation, generation, stored.Master)
			}
			if st := p.Shown().ReadKeys(); st.Loaded+st.Hits != 100 || st.Missing != 0 || st.Disk == 0 || st.Stopped != "" {
				t.Errorf("%+v", st)
			}
		})
		if _, err := secrets.RotateMaster(c.SecretsFile()); err != nil {
			t.Fatal(err)
		}
	}
	if len(masters) != 3 {
		t.Errorf("%d master keys wrapped", len(masters))
	}
	s, err := secrets.Read(c.SecretsFile())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(c.SecretsFile())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, line := range lines { // masters and their keys, as the file has them
		if _, value, ok := strings.Cut(line, "key: "); ok {
			b, err := hex.DecodeString(strings.Trim(value, "\"\n"))
			if err != nil {
				t.Fatal(err)
			}
			raw = append(raw, b)
		}
	}
	if len(raw) != 104 {
		t.Fatalf("%d keys", len(raw))
	}
	before, after, _ := strings.Cut(string(text), "masters:"+"\n")
	newest := strings.Join(strings.SplitAfter(after, "\n")[:2], "")
	if err := os.WriteFile(c.SecretsFile(), []byte(before+"masters:"+"\n"+newest), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = openProgram(t, c) // the last rotation was of a node that was stopped
	if !errors.Is(err, seal.ErrNoMaster) || !strings.Contains(err.Error(), s.Masters[1].ID.String()) {
		t.Fatalf("without the key that wraps: %v", err)
	}
	if err := os.WriteFile(c.SecretsFile(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t, c, func(p *node.Node) { hasKeys(t, p, all, ids) })
	if err := os.WriteFile(c.SecretsFile(), []byte(before+"masters:"+"\n"+newest), 0o600); err != nil {
		t.Fatal(err)
	}
	var wrapped []byte
	opened(t, c, func(p *node.Node) {
		hasKeys(t, p, all, ids)
		stored := p.Actors.Catalog().SlotKeys()
		wrapped = stored.Wrapped[:seal.WrappedBytes]
		raw = append(raw, rawSlotKeys(t, raw[100], stored)...)
	})
	if n := countInFiles(t, c.Data, c.SecretsFile(), raw...); n != 0 {
		t.Errorf("keys are in the clear in %d places", n)
	}
	if n := countInFiles(t, c.Data, c.SecretsFile(), wrapped); n == 0 {
		t.Error("a wrapped slot key is found nowhere: the search finds nothing")
	}
}

// rawSlotKeys are the first slot keys, opened by the format alone.
func rawSlotKeys(t *testing.T, master []byte, stored *domain.SlotKeys) (raw [][]byte) {
	t.Helper()
	block, err := aes.NewCipher(master)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	for slot := range 16 {
		w := stored.Wrapped[slot*seal.WrappedBytes:][:seal.WrappedBytes]
		key, err := aead.Open(nil, w[1:13], w[13:], []byte{1, 201, 0, byte(slot)})
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, key)
	}
	return raw
}

// countInFiles is how many files of a directory, but for one, have some of the keys: as they
// are, in hex or in base64.
func countInFiles(t *testing.T, dir, except string, secrets ...[]byte) (n int) {
	t.Helper()
	var forms [][]byte
	for _, s := range secrets {
		forms = append(forms, s, []byte(hex.EncodeToString(s)), []byte(strings.ToUpper(hex.EncodeToString(s))),
			[]byte(base64.RawStdEncoding.EncodeToString(s)), []byte(base64.RawURLEncoding.EncodeToString(s)))
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == except {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(forms, func(f []byte) bool { return bytes.Contains(text, f) }) {
			t.Logf("found in %s", path)
			n++
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Fatalf("%d files, %v", files, err)
	}
	return n
}

// A node whose copy of the data keys is gone makes it again from the log, and deleted ones do not come back.
func TestNode_LostCopyOfDataKeysIsMadeAgain(t *testing.T) {
	c := embeddedConfig(t)
	all, ids, _ := someDataKeys(10)
	opened(t, c, func(p *node.Node) {
		if err := p.Stores.Keys.Keeper.Put(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		if err := p.Stores.Keys.Delete(t.Context(), ids[8:]); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.RemoveAll(filepath.Join(c.Data, config.KeysDir)); err != nil {
		t.Fatal(err)
	}
	opened(t, c, func(p *node.Node) {
		hasKeys(t, p, all[:8], ids[:8])
		gone, err := p.Stores.Keys.Keeper.Get(t.Context(), nil, ids[8:])
		if err != nil || !gone[0].IsZero() || !gone[1].IsZero() {
			t.Errorf("deleted keys are there: %v", err)
		}
	})
}

// Of keys that are deleted no file of the embedded log and of the copy, WALs among them, has the bytes after one Reclaim; of others
// both do.
func TestNode_DeletedDataKeysLeaveTheFiles(t *testing.T) {
	c := embeddedConfig(t)
	all, ids, _ := someDataKeys(10)
	wrapped := make([][]byte, len(ids))
	opened(t, c, func(p *node.Node) {
		if err := p.Stores.Keys.Keeper.Put(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		err := p.Stores.Keys.Store.Get(t.Context(), ids, func(i int, w []byte) error { wrapped[i] = bytes.Clone(w); return nil })
		if err != nil {
			t.Fatal(err)
		}
	})
	files := func(dir, kind string) (all []byte) {
		for _, path := range filesIn(t, filepath.Join(c.Data, dir)) {
			if strings.HasSuffix(path, kind) {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, b...)
			}
		}
		return all
	}
	opened(t, c, func(*node.Node) {}) // what the WALs had is in tables
	for _, dir := range []string{"log", config.KeysDir} {
		if n := found(files(dir, ".sst"), wrapped); n != len(wrapped) {
			t.Fatalf("%s has %d of %d keys", dir, n, len(wrapped))
		}
	}
	opened(t, c, func(p *node.Node) {
		if err := p.Stores.Keys.Delete(t.Context(), ids[5:]); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Logs.Embedded.Reclaim(t.Context()), p.Stores.Keys.Store.Reclaim(t.Context())); err != nil {
			t.Fatal(err)
		}
	})
	for _, dir := range []string{"log", config.KeysDir} {
		if n, gone := found(files(dir, ""), wrapped[:5]), found(files(dir, ""), wrapped[5:]); n != 5 || gone != 0 {
			t.Errorf("%s has %d of 5 keys, and %d that were deleted", dir, n, gone)
		}
	}
}

// A topic of data keys on a Kafka that is not compacted is refused at the start.
func TestNode_TopicOfDataKeysThatIsNotCompacted(t *testing.T) {
	h := newKafkaFixture(t)
	h.close()
	policy := "delete"
	_, err := h.admin.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "cleanup.policy", Value: &policy}}, kafka.Keys)
	h.must(err)
	if _, err := openProgram(t, h.cfg); err == nil || !strings.Contains(err.Error(), "topic keys: cleanup.policy is delete, should be compact") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// inspect shows the ids of data keys, on either log, and never a key.
func TestInspect_DataKeysByID(t *testing.T) {
	h := newKafkaFixture(t)
	members := int(h.p.Stores.Keys.Keeper.Stats().Put) // have keys of their own
	all, ids, raw := someDataKeys(5)
	if err := h.p.Stores.Keys.Keeper.Put(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	h.close()
	c := embeddedConfig(t)
	opened(t, c, func(p *node.Node) {
		if err := p.Stores.Keys.Keeper.Put(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	})
	for dir, n := range map[string]int{h.cfg.Data: members + 5, c.Data: 5} {
		for prefix, want := range map[string]int{"": n, ids[0].String()[:8]: 1} {
			var stdout, stderr bytes.Buffer
			if code := run([]string{"inspect", "--data", dir, "--keys", prefix}, &stdout, &stderr); code != exitFine {
				t.Fatalf("%d %s", code, &stderr)
			}
			if n := strings.Count(stdout.String(), "\n"); n != want || !strings.Contains(stdout.String(), ids[0].String()+"\n") {
				t.Errorf("%q: %d lines\n%s", prefix, n, &stdout)
			}
			for _, s := range raw {
				if strings.Contains(stdout.String(), hex.EncodeToString(s[:4])) {
					t.Error("a key is printed")
				}
			}
		}
		var stdout, stderr bytes.Buffer
		if code := run([]string{"inspect", "--data", dir, "--keys", "xyz"}, &stdout, &stderr); code != exitFailed {
			t.Errorf("a prefix that is no hex: %d", code)
		}
	}
}

// On a Kafka, a key that one node made is given by another one, and by a node on an empty disk;
// a topic that was made again is refused and leaves the copy as it is.
func TestNode_DataKeysOnKafka(t *testing.T) {
	h := newKafkaFixture(t)
	members := int(h.p.Stores.Keys.Keeper.Stats().Put) // have keys of their own
	all, ids, raw := someDataKeys(50)
	if err := h.p.Stores.Keys.Keeper.Put(t.Context(), all[:25]); err != nil {
		t.Fatal(err)
	}
	other := h.cfg
	other.Data = filepath.Join(t.TempDir(), "other")
	if err := os.MkdirAll(other.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(h.cfg.SecretsFile())
	h.must(err)
	h.must(os.WriteFile(other.SecretsFile(), text, 0o600))
	opened(t, other, func(p *node.Node) {
		hasKeys(t, p, all[:25], ids[:25])
		h.must(h.p.Stores.Keys.Keeper.Put(t.Context(), all[25:]))
		hasKeys(t, p, all, ids)
	})
	want := fmt.Sprint(members + 50)
	if text := h.adminText("/metrics"); !strings.Contains(text, "ovation_data_keys_created_total "+want+"\n") || !strings.Contains(text, "ovation_data_keys_next_offset "+want+"\n") {
		t.Errorf("%s keys are not told:\n%s", want, text)
	}
	h.close()
	if n := countInFiles(t, other.Data, other.SecretsFile(), raw...); n != 0 {
		t.Errorf("keys are in the clear in %d places", n)
	}
	consumed := h.kgo
	consumed.AddConsumePartitions(map[string]map[int32]kgo.Offset{kafka.Keys: {0: kgo.NewOffset().AtStart()}})
	n := 0
	for n < len(all) {
		consumed.PollFetches(t.Context()).EachRecord(func(r *kgo.Record) {
			if len(r.Key) != len(domain.KeyID{}) || len(r.Value) != seal.WrappedBytes {
				t.Errorf("a record of %d and %d bytes", len(r.Key), len(r.Value))
			} else if slices.Contains(ids, domain.KeyID(r.Key)) {
				n++
			}
		})
	}
	_, err = h.admin.DeleteTopic(t.Context(), kafka.Keys)
	h.must(err)
	var stopped *keys.StoppedError
	for range 2 {
		if _, err := openProgram(t, h.cfg); !errors.As(err, &stopped) || !strings.Contains(err.Error(), "made again") {
			t.Fatalf("on another topic: %v", err)
		}
	}
}
