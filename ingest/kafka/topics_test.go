package kafka_test

import (
	"errors"
	"testing"
	"time"

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
	// Kafka 4 bounds by default how far ahead a timestamp may be: an hour.
	if minKept := 8*24*time.Hour + time.Hour; len(made.Endless) > 0 || made.Kept < minKept || made.Kept > minKept+2*time.Hour {
		t.Errorf("kept for %v, without limit: %v", made.Kept, made.Endless)
	}
	if _, err := topics.Ensure(ctx, client, topics.Of(prefix, 5, 2)); !errors.As(err, new(*topics.SettingsError)) {
		t.Errorf("another number of shards: %v", err)
	}
}
