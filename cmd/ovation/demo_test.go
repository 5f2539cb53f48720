package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// --describe prints and starts nothing.
func TestDemo_Describe(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var out bytes.Buffer
	d := Demo{Config: config.Config{Data: dir}, Seed: 1, Members: 200, Actions: 3000, Describe: true}
	if err := d.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "200 members, 3000 actions") {
		t.Errorf("it says %.80s", out.String())
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is a data directory:", err)
	}
}

// Flags of a demo that cannot be are wrong use.
func TestDemo_WrongUse(t *testing.T) {
	t.Parallel()
	for _, d := range []Demo{
		{Members: 0},
		{Members: 1, Actions: -1},
		{Members: audience.MaxMembers + 1},
		{Members: 1, Nodes: -1},
		{Members: 1, Nodes: maxDemoNodes + 1},
	} {
		if err := d.Run(t.Context(), &bytes.Buffer{}); domain.CodeOf(err) != domain.InvalidParameter {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

// A demo fills no directory that a node has filled, and names it; the directory stays as it is.
func TestDemo_RefusesAnInstallation(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"store", "catalog", "log", "keys", "secrets.yaml"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := run([]string{"demo", "--data", dir, "--members", "5", "--actions", "5", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--embedded-kafka", "127.0.0.1:0"}, &stdout, &stderr)
		if code != exitWrongUse || !strings.Contains(stderr.String(), dir+" is the directory of an installation that is no demo's") {
			t.Errorf("%s: exit code %d: %s", name, code, &stderr)
		}
		if found, err := os.ReadDir(dir); err != nil || len(found) != 1 {
			t.Errorf("%s: %v %v", name, found, err)
		}
	}
}

// What names a real installation reaches a demo by flags alone.
func TestDemo_TakesItsPlaceFromFlagsAlone(t *testing.T) {
	for name, value := range map[string]string{
		"OVATION_DATA": "/srv/ovation", "OVATION_KAFKA": "kafka-1:9092", "OVATION_SECRETS": "/srv/secrets.yaml", "OVATION_KEY": "a-key-of-others",
		"OVATION_KAFKA_TLS": "true", "OVATION_KAFKA_SASL": "plain", "OVATION_KAFKA_USER": "u", "OVATION_MEMBERS": "7",
	} {
		t.Setenv(name, value)
	}
	file := filepath.Join(t.TempDir(), "ovation.yaml")
	if err := os.WriteFile(file, []byte("data: /srv/ovation\nkafka: [kafka-1:9092]\nsecrets: s\nkey: a-key-of-others\nactions: 9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed := func(args ...string) Demo {
		parser, err := newParser(t.Output(), t.Output())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(append([]string{"--config", file, "demo"}, args...)); err != nil {
			t.Fatal(err)
		}
		return parser.Model.Target.Addr().Interface().(*CLI).Demo
	}
	d := parsed()
	if d.Config.Data != "demo-data" || len(d.Config.Kafka) != 0 || d.Config.PrivateFiles.Secrets != "" || d.Key != "" ||
		(d.Config.KafkaAccess != config.KafkaAccess{KafkaSASL: "none"}) || d.Members != 7 || d.Actions != 9 {
		t.Errorf("%+v", d)
	}
	if d = parsed("--data", "x", "--kafka", "k:1", "--key", "y"); d.Config.Data != "x" || len(d.Config.Kafka) != 1 || d.Key != "y" {
		t.Errorf("by flags: %+v", d)
	}
}
