package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/deploy/harness"
	apache "github.com/ovation-analytics/ovation/deploy/kafka"
)

// users makes the user that SCRAM knows: unlike PLAIN's it is in the broker's own log.
func users(t *testing.T, b *apache.Broker) {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, m := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} { // one a request
		user := kadm.UpsertSCRAM{User: apache.User, Mechanism: m, Iterations: 4096, Password: apache.Secret}
		made, err := kadm.NewClient(c).AlterUserSCRAMs(ctx(t), nil, []kadm.UpsertSCRAM{user})
		if err == nil {
			err = made.Error()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// guarded is a node that speaks to one of the broker's guarded listeners.
func guarded(t *testing.T, b *apache.Broker, address, password string, flags ...string) *node {
	n := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Prefix: newPrefix(), LogData: b.Data()})
	n.Args = append([]string{"--kafka", address, "--topic-prefix", n.Prefix, "--shards", "1"}, flags...)
	n.Env = []string{"OVATION_KAFKA_PASSWORD=" + password}
	return n
}

// TestAccess_EveryKindOfListener opens every kind of listener that Apache Kafka has:
// by TLS, by a certificate of the node's own, by a password, by both. The embedded log
// has none of these.
func TestAccess_EveryKindOfListener(t *testing.T) {
	t.Parallel()
	b := onKafka(t).apache
	users(t, b)
	l := &b.Listeners
	for _, c := range []struct {
		name, address string
		flags         []string
	}{
		{"TLS", l.TLS, []string{"--kafka-ca", l.CA}},
		{"Certificate", l.Mutual, []string{"--kafka-ca", l.CA, "--kafka-cert", l.ClientCertificate, "--kafka-cert-key", l.ClientKey}},
		{"Plain", l.Password, []string{"--kafka-sasl", "plain", "--kafka-user", apache.User}},
		{"PlainOverTLS", l.Both, []string{"--kafka-ca", l.CA, "--kafka-sasl", "plain", "--kafka-user", apache.User}},
		{"SCRAM256", l.Password, []string{"--kafka-sasl", "scram-sha-256", "--kafka-user", apache.User}},
		{"SCRAM512OverTLS", l.Both, []string{"--kafka-ca", l.CA, "--kafka-sasl", "scram-sha-512", "--kafka-user", apache.User}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := guarded(t, b, c.address, apache.Secret, c.flags...)
			n.start()
			n.publishes(c.flags)
			n.keepsTo(apache.Secret)
			if warned := strings.Contains(n.Log(), "goes over the network as it is"); warned != (c.name == "Plain") {
				t.Errorf("warned of a password in the clear: %v\n%s", warned, n.Log())
			}
			if code := n.Stop(); code != 0 {
				t.Fatalf("stopped with %d:\n%s", code, n.Log())
			}
			if c.name != "SCRAM256" {
				return
			}
			n.Env = []string{"OVATION_KAFKA_PASSWORD="} // the file of secrets has it as well
			f, err := os.OpenFile(filepath.Join(n.Data, "secrets.yaml"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(f, "kafka_password: %q\n", apache.Secret)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			n.start()
			n.keepsTo(apache.Secret)
		})
	}
}

// publishes publishes two actions with ovation collect, which has the node's flags, and
// waits until they are applied.
func (n *node) publishes(flags []string) {
	n.t.Helper()
	_, key := n.account("guarded")
	folder := n.t.TempDir()
	mapping := filepath.Join(folder, "mapping.yaml")
	input := filepath.Join(folder, "rows.csv")
	text := `
source: guarded
id: "{id}"
time: {value: "{at}", layout: datetime}
member: {service: spotify, uid: "{uid}", register: {authtoken: t}}
brand: {create: {name: "Moons", type: Music}}
activity: played
activities:
  played: {name: played, type: Listened, service: spotify}
`
	for path, content := range map[string]string{mapping: text, input: "id,at,uid\n1,2026-01-02 03:04:05,a\n2,2026-01-02 03:04:06,b\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			n.t.Fatal(err)
		}
	}
	c := startCollect(n, folder, key, 1, append(flags, mapping, input)...)
	if said := c.must(); !strings.HasPrefix(said, "2 actions published") {
		n.t.Fatal(said)
	}
	n.eventually("two rows", func() bool { return n.status().Shards[0].Rows == 2 })
}

// keepsTo requires that neither the log nor the admin port says a secret.
func (n *node) keepsTo(secret string) {
	n.t.Helper()
	for _, path := range []string{"/status", "/metrics", "/readyz"} {
		if _, body := n.Get(path); strings.Contains(body, secret) {
			n.t.Errorf("%s says the secret", path)
		}
	}
	if strings.Contains(n.Log(), secret) {
		n.t.Errorf("the log says the secret:\n%s", n.Log())
	}
}

// TestAccess_RefusedNodeIsNotReady: it lives, says in its log and at
// /readyz what is wrong, and goes on asking, as it may be mended on the other side.
func TestAccess_RefusedNodeIsNotReady(t *testing.T) {
	t.Parallel()
	b := onKafka(t).apache
	users(t, b)
	l := &b.Listeners
	const wrong = "another-than-the-broker-has"
	for _, c := range []struct {
		name, address, password string
		flags                   []string
		says                    string
	}{
		{"AnotherCA", l.TLS, "", []string{"--kafka-ca", l.OtherCA}, "certificate signed by unknown authority"},
		{"TheSystemsCAs", l.TLS, "", []string{"--kafka-tls"}, "certificate signed by unknown authority"},
		{"NoTLS", l.TLS, "", nil, "broker appears to be expecting TLS"},
		{"TLSWhereThereIsNone", b.Addr, "", []string{"--kafka-ca", l.CA}, "perhaps it speaks no TLS"},
		{"NoCertificate", l.Mutual, "", []string{"--kafka-ca", l.CA}, "certificate"},
		{"NoPassword", l.Password, "", nil, "perhaps it wants a user and a password"},
		{"WrongPlain", l.Password, wrong, []string{"--kafka-sasl", "plain", "--kafka-user", apache.User}, "SASL Authentication Failed"},
		{"WrongSCRAM", l.Both, wrong, []string{"--kafka-ca", l.CA, "--kafka-sasl", "scram-sha-512", "--kafka-user", apache.User}, "SASL Authentication Failed"},
		{"UnknownUser", l.Password, wrong, []string{"--kafka-sasl", "scram-sha-256", "--kafka-user", "nobody"}, "SASL Authentication Failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := guarded(t, b, c.address, c.password, c.flags...)
			n.Admin = n.begin(harness.Starting)[1]
			n.eventually("reason at /readyz", func() bool {
				status, body := n.Get("/readyz")
				return status == http.StatusServiceUnavailable && strings.Contains(body, c.says)
			})
			if status, _ := n.Get("/livez"); status != http.StatusOK {
				t.Errorf("/livez: %d", status)
			}
			if status, body := n.Get("/status"); status != http.StatusServiceUnavailable || !strings.Contains(body, c.says) {
				t.Errorf("/status: %d %s", status, body)
			}
			n.eventually("reason in the log", func() bool { return strings.Contains(n.Log(), c.says) }) // which comes by a pipe
			n.keepsTo(wrong)
			if code := n.Stop(); code != 0 {
				t.Errorf("stopped with %d:\n%s", code, n.Log())
			}
		})
	}
}
