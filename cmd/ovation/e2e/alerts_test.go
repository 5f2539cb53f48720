package e2e

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/deploy/harness"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// hastyRules are the alerts with short intervals, and lag from two seconds on.
func hastyRules(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(watchFiles, "ovation.rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rules := string(text)
	for _, c := range [][2]string{{`(?m)^(\s+for:) \w+$`, "$1 1s"}, {`\[\d+m\]`, "[10s]"}, {`ovation_lag_seconds > 30`, "ovation_lag_seconds > 2"}} {
		changed := regexp.MustCompile(c[0]).ReplaceAllString(rules, c[1])
		if changed == rules {
			t.Fatalf("the rules have no %s", c[0])
		}
		rules = changed
	}
	return rules
}

// brokerAhead is a broker whose clock is ahead of this machine's, by nanoseconds that a test sets.
func brokerAhead(t *testing.T, ahead *atomic.Int64) (address string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	l, err := brokerlog.Open(filepath.Join(t.TempDir(), "log"), brokerlog.Options{
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.New(wire.Config{Listen: "127.0.0.1:0", Measured: true, Logger: log}, l)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- b.Run(context.Background()) }()
	t.Cleanup(func() {
		b.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return b.Addr()
}

// A node whose disk fills, whose collector publishes what is refused, and which is killed; another one whose broker's
// clock leaps, and loses a topic: a Prometheus that scrapes both has the alert of each fault, and none before it.
func TestAlerts_FireInFaults(t *testing.T) {
	t.Parallel()
	rules := hastyRules(t)
	flags := []string{"--memory", "256MiB", "--shards", "2"}
	disk := newSmallDisk(t, 1200)
	a := newNode(t, harness.Node{Data: filepath.Join(disk.dir, "data"), Within: disk.within, Args: flags})
	a.start()
	var ahead atomic.Int64
	broker := brokerAhead(t, &ahead)
	b := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Args: append(flags, "--kafka", broker)})
	b.start()
	p := newPrometheus(t, rules, target{a.Admin, "a"}, target{b.Admin, "b"})
	p.eventually("readiness of both", func() bool { return len(p.query("ovation_ready == 1")) == 2 })
	p.none()

	disk.fill(900 << 20)
	p.fires("OvationDiskLow of a")
	disk.empty()
	p.none()

	p.fires("OvationDeadLetters of", publishing(t, a.Kafka))

	ahead.Store(int64(10 * time.Minute))
	p.fires("OvationClock of b", publishing(t, broker)) // the clock is that of what is applied

	_, err := kadm.NewClient(kafkaClient(t, broker)).DeleteTopic(ctx(t), kafka.Activities)
	if err != nil {
		t.Fatal(err)
	}
	p.fires("OvationStopped of b")
	p.fires("OvationLag of b")

	a.Kill()
	p.fires("OvationDown of a")
}

func kafkaClient(t *testing.T, broker string) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// publishing publishes a record that is refused, each time it is called.
func publishing(t *testing.T, broker string) func() {
	t.Helper()
	c := kafkaClient(t, broker)
	return func() {
		t.Helper()
		r := &kgo.Record{Topic: kafka.Activities, Value: []byte("not JSON")}
		if err := c.ProduceSync(ctx(t), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// ofFaults matches the alerts of the faults.
var ofFaults = regexp.MustCompile(`Ovation(Down|Stopped|Lag|DeadLetters|DiskLow|Clock)\b`)

// none waits until none of the alerts of faults is pending or fires, of rules that were evaluated.
func (p *prometheus) none() {
	p.t.Helper()
	p.eventually("evaluation of the rules", p.evaluated)
	p.eventually("end of all alerts", func() bool { return !slices.ContainsFunc(p.alerts(), ofFaults.MatchString) })
}

// fires waits until an alert fires; between looks it calls what brings the fault about.
func (p *prometheus) fires(alert string, fault ...func()) {
	p.t.Helper()
	p.eventually("alert "+alert, func() bool {
		for _, f := range fault {
			f()
		}
		return slices.ContainsFunc(p.alerts(), func(s string) bool { return strings.HasPrefix(s, "firing "+alert) })
	})
}

// evaluated reports that each rule was evaluated, without an error.
func (p *prometheus) evaluated() bool {
	p.t.Helper()
	var data struct {
		Groups []struct {
			Rules []struct{ Health, LastError string }
		}
	}
	p.get("/api/v1/rules", &data)
	rules := 0
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			if r.Health != "ok" {
				return false
			}
			rules++
		}
	}
	return rules > 0
}
