package kafka

import (
	"context"
	"testing"
)

// RealBroker is a client of Apache Kafka and a prefix for topics of the test's own.
func RealBroker(t *testing.T) (ctx context.Context, client *Client, prefix string) {
	t.Helper()
	w := realBroker(t)
	return w.ctx, w.client, w.topic
}
