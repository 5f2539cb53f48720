package kafka_test

import (
	"errors"
	"testing"

	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

// Apache Kafka knows every setting, and gives back what it was given.
func TestRealBroker_HasTheTopicsAsTheyShouldBe(t *testing.T) {
	ctx, client, prefix := kafka.RealBroker(t)
	specs := topics.Of(prefix, 4, 2)
	made, err := topics.Ensure(ctx, client, specs)
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Created) != len(specs) || made.Cluster == "" || len(made.Problems) > 0 {
		t.Errorf("%+v", made)
	}
	if _, err := topics.Ensure(ctx, client, topics.Of(prefix, 5, 2)); !errors.As(err, new(*topics.SettingsError)) {
		t.Errorf("another number of shards: %v", err)
	}
}
