package main

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
)

// A node whose address is taken reports it and leaves no directory behind.
func TestServe_TakenAddressLeavesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, flag := range []string{"--http", "--admin", "--embedded-kafka"} {
		data := filepath.Join(t.TempDir(), "data")
		args := []string{"serve", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--embedded-kafka", "127.0.0.1:0", "--data", data, flag, l.Addr().String()}
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), flag+": listen") || !strings.Contains(stderr.String(), "address already in use") {
			t.Errorf("%s: %d %s", flag, code, &stderr)
		}
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("%s: the directory is there: %v", flag, err)
		}
	}
}

// An error of a flag points to the help of its command.
func TestRun_ErrorsOfFlagsNameTheCommand(t *testing.T) {
	for line, want := range map[string]string{
		"app create --nonsense": "See ovation app create --help.", "serve --nonsense": "See ovation serve --help.", "nonsense": "See ovation --help.",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(line), &stdout, &stderr); code != exitWrongUse || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %d %s", line, code, &stderr)
		}
	}
}

// A reading command makes nothing where nothing is.
func TestInspect_MakesNothing(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"", "--catalog", "--keys"} {
		data := filepath.Join(t.TempDir(), "nowhere")
		args := []string{"inspect", "--data", data}
		if store != "" {
			args = append(args, store)
		}
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), data) || !strings.Contains(stderr.String(), "no such store") {
			t.Errorf("%q: %d %s", store, code, &stderr)
		}
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("%q: the directory is there: %v", store, err)
		}
	}
}

// An installation keeps its number of shards, and the node that is started with another one warns.
func TestServe_ShardsOfTheInstallation(t *testing.T) {
	t.Parallel()
	cfg := config.Config{
		Data: filepath.Join(t.TempDir(), "data"), HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 2, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}
	for _, shards := range []int{2, 5, 1, 2} {
		var log bytes.Buffer
		cfg.Shards = shards
		p, err := node.Open(t.Context(), cfg, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatalf("--shards %d: %v", shards, err)
		}
		if n := p.Logs.Topics.Journal.Partitions(); n != 2 {
			t.Errorf("--shards %d: %d partitions", shards, n)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(log.String(), "this one has its own number\" shards=2 flag="); warned != (shards != 2) {
			t.Errorf("--shards %d: warned %v", shards, warned)
		}
	}
}

// A node that is to read the log which it would serve itself says so, and does not wait for it.
func TestServe_OwnAddressAsKafka(t *testing.T) {
	t.Parallel()
	const own = "127.0.0.1:28392"
	for _, kafka := range []string{own, "localhost:28392", "broker-1:9092," + own} {
		var stdout, stderr bytes.Buffer
		code := run([]string{"serve", "--data", filepath.Join(t.TempDir(), "data"), "--kafka", kafka, "--embedded-kafka", own}, &stdout, &stderr)
		if code != exitWrongUse || !strings.Contains(stderr.String(), "is this node's own --embedded-kafka") {
			t.Errorf("%s: %d %s", kafka, code, &stderr)
		}
	}
	for _, c := range []config.Config{
		{Kafka: []string{"127.0.0.1:9092"}, EmbeddedKafka: "127.0.0.1:9092"}, // a real broker at its own port
		{Kafka: []string{"broker-1:28392"}, EmbeddedKafka: own},
		{Kafka: []string{"127.0.0.1:28393"}, EmbeddedKafka: own},
	} {
		c.Data, c.HTTP, c.AdminPort.Admin, c.Shards = "d", "127.0.0.1:0", "127.0.0.1:0", 1
		if err := c.Validate(); err != nil {
			t.Errorf("%v: %v", c.Kafka, err)
		}
	}
	if c := (&config.Config{Kafka: []string{"localhost:9092"}, EmbeddedKafka: "127.0.0.1:9092"}); c.OwnAddress() == "" {
		t.Error("the wait does not name the address")
	}
}
