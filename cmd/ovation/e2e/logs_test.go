package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/deploy/harness"
	apache "github.com/ovation-analytics/ovation/deploy/kafka"
)

// site is where the logs of a test's nodes are: each has its own, embedded, or all are on
// the one Apache Kafka of this run, under names of their own.
type site struct{ apache *apache.Broker }

// embedded is the log that a node brings with it.
var embedded site

// onBothLogs runs a test on the embedded log, and on Apache Kafka.
func onBothLogs(t *testing.T, test func(t *testing.T, on site)) {
	t.Run("EmbeddedLog", func(t *testing.T) { test(t, embedded) })
	t.Run("ApacheKafka", func(t *testing.T) { test(t, onKafka(t)) })
}

// onEitherLog runs a test whose answers come from the engine alone: in the short size on one of the logs, by chance.
func onEitherLog(t *testing.T, test func(t *testing.T, on site)) {
	switch {
	case full:
		onBothLogs(t, test)
	case rand.IntN(2) == 0:
		t.Run("EmbeddedLog", func(t *testing.T) { test(t, embedded) })
	default:
		t.Run("ApacheKafka", func(t *testing.T) { test(t, onKafka(t)) })
	}
}

// some is a size of a test: on Apache Kafka a quarter, but for those that are quoted. The
// engine is the same; what differs is not a matter of size.
func (s site) some(n int) int {
	if s.apache == nil || full {
		return n
	}
	return n / 4
}

// start runs a node on an empty directory, with more flags if given, and waits until it
// is ready.
func (s site) start(t testing.TB, args ...string) *node {
	t.Helper()
	n := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data")})
	if s.apache != nil {
		n.Prefix, n.LogData = newPrefix(), s.apache.Data()
	}
	n.Args = append(s.flags(n.Prefix), args...)
	n.start()
	return n
}

// flags are a node's flags for its log.
func (s site) flags(prefix string) []string {
	if s.apache == nil {
		return []string{"--embedded-kafka", "127.0.0.1:0"}
	}
	return []string{"--kafka", s.apache.Addr, "--topic-prefix", prefix}
}

var prefixes atomic.Int64

// newPrefix is one that no other node of the run has before its topics.
func newPrefix() string { return fmt.Sprintf("node-%d.", prefixes.Add(1)) }

// broker is the one Apache Kafka of this run. Tests that kill it do not run beside others.
var broker = sync.OnceValues(func() (*apache.Broker, error) {
	dir, err := os.MkdirTemp("", "ovation-kafka-")
	if err != nil {
		return nil, err
	}
	b, err := apache.Start(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	atEnd = append(atEnd, func() { _ = b.Close(); os.RemoveAll(dir) })
	return b, nil
})

// onKafka is Apache Kafka; where it cannot run the test is skipped, but never in CI.
func onKafka(t testing.TB) site {
	t.Helper()
	b, err := broker()
	if errors.Is(err, apache.ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return site{b}
}

// atEnd is what is done when all tests are over.
var atEnd []func()
