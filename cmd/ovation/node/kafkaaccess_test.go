package node

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Journal and catalog of the embedded log are changed by nodes of the installation only:
// those of its secrets. Refusals are counted.
func TestEmbeddedLog_KnowsTheNodesByTheirSecrets(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n, err := Open(ctx, config.Config{
		Data: filepath.Join(t.TempDir(), "data"), HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 2, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	trim := func(a config.KafkaAccess, s *secrets.Secrets, topic string) error {
		password, err := s.KafkaPassword(a.KafkaUser)
		if err != nil {
			t.Fatal(err)
		}
		c := kafka.Config{Brokers: []string{n.Logs.Broker.Addr()}}
		if err := a.Into(&c, password); err != nil {
			t.Fatal(err)
		}
		client, err := kafka.New(c)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		_, err = client.DeleteRecords(ctx, topic, 0, 0)
		return err
	}
	node := config.KafkaAccess{KafkaSASL: "scram-sha-256", KafkaUser: wire.NodeUser}
	other := *n.Secrets
	other.Pepper[0]++
	for _, topic := range []string{kafka.Journal, kafka.Catalog, kafka.Activities, kafka.DeadLetters} {
		if err := trim(config.KafkaAccess{}, n.Secrets, topic); !errors.Is(err, kafkago.TopicAuthorizationFailed) {
			t.Errorf("a stranger trims %s: %v", topic, err)
		}
		if err := trim(node, n.Secrets, topic); err != nil {
			t.Errorf("a node trims %s: %v", topic, err)
		}
		if err := trim(node, &other, topic); err == nil {
			t.Errorf("a node of another installation trims %s: %v", topic, err)
		}
	}
	if got := n.Shown().ReadLog().Requests["topic_authorization_failed"]; got != 4 {
		t.Errorf("%d refusals counted", got)
	}
}
