package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

// filesIn are the paths below a directory; none: it is not there.
func filesIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return paths
}

// altered is the text of a file of secrets with one hex value another one, the n-th on a line that begins with name.
func altered(t *testing.T, text, name string) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		before, value, ok := strings.Cut(line, name+`: "`)
		if !ok {
			continue
		}
		digits, after, _ := strings.Cut(value, `"`)
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-1] ^= 1
		lines[i] = before + name + `: "` + hex.EncodeToString(b) + `"` + after
		return strings.Join(lines, "")
	}
	t.Fatalf("no %s in the file", name)
	return ""
}

// A node with another installation's secrets, with one of its own secrets altered, or with none is refused with the
// name of the secret and of the file, and leaves nothing behind; with the right ones it joins.
func TestServe_SecretsOfAnotherInstallation(t *testing.T) {
	h := newKafkaFixture(t)
	whole, err := os.ReadFile(h.cfg.SecretsFile())
	h.must(err)
	right := string(whole)
	foreign, err := secrets.Open(filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "none"))
	h.must(err)
	path := filepath.Join(t.TempDir(), "foreign.yaml")
	_, err = foreign.Keep(path)
	h.must(err)
	others, err := os.ReadFile(path)
	h.must(err)
	for _, c := range []struct{ name, text, says string }{
		{"the pepper", altered(t, right, "pepper"), "pepper"},
		{"the token key", altered(t, right, "token"), "token key"},
		{"a signing key's name", altered(t, right, "kid"), "signing keys"},
		{"a signing key's seed", altered(t, right, "seed"), "signing key "},
		{"a signing key", altered(t, altered(t, right, "kid"), "seed"), "signing keys"},
		{"a master key's name", altered(t, right, "- id"), "master key "},
		{"a master key", altered(t, right, "    key"), "master key "},
		{"all of another installation", string(others), "pepper"},
		{"none", "", "no such file"},
	} {
		for _, inData := range []bool{true, false} {
			dir := t.TempDir()
			cfg := h.cfg
			cfg.Data, cfg.PrivateFiles.Secrets = filepath.Join(dir, "data"), filepath.Join(dir, "secrets.yaml")
			if inData {
				cfg.PrivateFiles.Secrets = ""
				h.must(os.Mkdir(cfg.Data, 0o700))
			}
			file := cfg.SecretsFile()
			if c.text != "" {
				h.must(os.WriteFile(file, []byte(c.text), 0o600))
			}
			before := filesIn(t, dir)
			p, err := openProgram(t, cfg)
			if err == nil {
				t.Errorf("%s, in --data %v: the node is open", c.name, inData)
				h.must(p.Close())
				continue
			}
			text := err.Error()
			if exitCode(err) != exitFailed || !strings.Contains(text, c.says) || !strings.Contains(text, file) || !strings.Contains(text, "other nodes have") || strings.Contains(text, "\n") {
				t.Errorf("%s, in --data %v: %d %s", c.name, inData, exitCode(err), text)
			}
			if left := filesIn(t, dir); !slices.Equal(left, before) {
				t.Errorf("%s, in --data %v: left behind %v, it began with %v", c.name, inData, left, before)
			}
			if c.text != "" {
				continue
			}
			h.must(os.MkdirAll(filepath.Dir(file), 0o700))
			h.must(os.WriteFile(file, whole, 0o600))
			opened(t, cfg, func(*node.Node) {})
			h.must(os.WriteFile(file, []byte(altered(t, right, "token")), 0o600))
			joined := filesIn(t, dir)
			if _, err := openProgram(t, cfg); err == nil || !slices.Equal(joined, filesIn(t, dir)) {
				t.Errorf("a node that has joined, with another token key: %v, %v", err, filesIn(t, dir))
			}
		}
	}
}

// A node on an empty disk beside an installation makes no secrets, however often it is started.
func TestServe_EmptyDataBesideAnInstallation(t *testing.T) {
	h := newKafkaFixture(t)
	cfg := h.cfg
	cfg.Data = filepath.Join(t.TempDir(), "data")
	for range 50 {
		_, err := openProgram(t, cfg)
		if _, other := errors.AsType[*secrets.OtherError](err); !other {
			t.Fatal(err)
		}
		if _, err := os.Stat(cfg.Data); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("left behind: %v", filesIn(t, cfg.Data))
		}
	}
}

// Before the log is known to be of no installation, a new node has written no secrets.
func TestServe_NoSecretsBeforeTheLogIsKnown(t *testing.T) {
	var said bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg := config.Config{
		Data: filepath.Join(t.TempDir(), "data"), HTTP: "127.0.0.1:0", Kafka: []string{"127.0.0.1:1"}, Shards: 1, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}
	log := slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("no broker serves this node yet")) {
			cancel()
		}
		return said.Write(b)
	}), nil))
	if _, err := node.Open(ctx, cfg, log); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v\n%s", err, &said)
	}
	if left := filesIn(t, cfg.Data); left != nil {
		t.Errorf("left behind %v", left)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Of nodes that begin at once on a new Kafka, each with an empty disk, one begins the installation, and the others,
// whose secrets are not those of it, leave nothing behind. Those that share a file of secrets all join.
func TestServe_NewNodesAtOnce(t *testing.T) {
	for _, shared := range []bool{false, true, false} {
		c, err := kfake.NewCluster(kfake.NumBrokers(1))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		dir, nodes := t.TempDir(), [3]*node.Node{}
		var wg sync.WaitGroup
		for i := range nodes {
			cfg := config.Config{
				Data: filepath.Join(dir, string(rune('a'+i))), HTTP: "127.0.0.1:0", Kafka: c.ListenAddrs(), Shards: 1, Memory: 256 << 20,
				AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
			}
			if shared {
				cfg.PrivateFiles.Secrets = filepath.Join(dir, "secrets.yaml")
			}
			wg.Go(func() {
				var err error
				nodes[i], err = node.Open(t.Context(), cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
				if _, other := errors.AsType[*secrets.OtherError](err); err != nil && (!other || shared) {
					t.Error(err)
				}
				if err == nil {
					return
				}
				if left := filesIn(t, cfg.Data); left != nil {
					t.Errorf("left behind %v", left)
				}
			})
		}
		wg.Wait()
		open := 0
		for _, n := range nodes {
			if n == nil {
				continue
			}
			open++
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		}
		if want := map[bool]int{true: 3, false: 1}[shared]; open != want {
			t.Errorf("shared %v: %d nodes are open", shared, open)
		}
	}
}
