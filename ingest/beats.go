package ingest

import (
	"context"
	"errors"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Beats keeps the beats of nodes: each in the offset of a consumer group without members, of the
// catalog's one partition. Any goroutine may call it.
type Beats struct {
	client *kafka.Client
	topic  string
	prefix string // of the groups
}

// BeatGroups begins the names of the groups of nodes.
func BeatGroups(topicPrefix string) string { return topicPrefix + "node-" }

// NewBeats are the beats of the installation whose topics have the prefix.
func NewBeats(client *kafka.Client, topicPrefix string) *Beats {
	return &Beats{client: client, topic: topicPrefix + kafka.Catalog, prefix: BeatGroups(topicPrefix)}
}

// Commit keeps an offset and metadata for a node, instead of what it had. It asks once.
func (b *Beats) Commit(ctx context.Context, id domain.NodeID, offset int64, metadata string) error {
	at := []kafka.GroupOffset{{Next: offset, Epoch: kafka.NoEpoch, Metadata: metadata}}
	return b.explained(b.client.CommitOffsets(ctx, b.prefix+id.String(), b.topic, at))
}

// Read gives what is kept for a node; an offset below zero: nothing. It asks once.
func (b *Beats) Read(ctx context.Context, id domain.NodeID) (offset int64, metadata string, err error) {
	kept, err := b.client.CommittedOffsets(ctx, b.prefix+id.String(), b.topic, []int{0})
	if err != nil {
		return 0, "", b.explained(err)
	}
	return kept[0].Next, kept[0].Metadata, nil
}

// explained is an error with what an operator has to do about it.
func (b *Beats) explained(err error) error {
	if errors.Is(err, kafkago.GroupAuthorizationFailed) {
		return fmt.Errorf("the node has no right to the consumer groups of nodes; allow it READ of groups that begin with %q: %w",
			b.prefix, err)
	}
	return err
}
