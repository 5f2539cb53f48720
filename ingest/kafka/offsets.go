package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// GroupOffset is where a group has come to in a partition.
type GroupOffset struct {
	Partition int
	Next      int64  // the offset to continue from; −1: none is kept
	Epoch     int32  // leader epoch of the batch before it; NoEpoch
	Metadata  string // whatever the group wants to keep with it
}

// groups keeps and gives the offsets of groups.
type groups struct {
	*conns
	coordinators sync.Map // group → node id, int32
}

// CommitOffsets keeps offsets for a group that has no members: nothing is joined,
// balanced or fenced, the last word counts. A group with members refuses. It asks
// once.
func (c *groups) CommitOffsets(ctx context.Context, group, topic string, offsets []GroupOffset) error {
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic = topic
	for i := range offsets {
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.LeaderEpoch = int32(offsets[i].Partition), offsets[i].Next, offsets[i].Epoch
		p.Metadata = &offsets[i].Metadata
		t.Partitions = append(t.Partitions, p)
	}
	m := kmsg.NewPtrOffsetCommitRequest()
	m.Group, m.Generation, m.MemberID = group, -1, ""
	m.Topics = append(m.Topics, t)
	answer, err := c.coordinated(ctx, group, m)
	if err == nil {
		err = committed(answer.(*kmsg.OffsetCommitResponse), len(offsets))
	}
	if err != nil {
		c.coordinators.Delete(group)
		return fmt.Errorf("commit offsets of group %s in %s: %w", group, topic, err)
	}
	return nil
}

// committed finds the first offset that was refused, or not answered.
func committed(a *kmsg.OffsetCommitResponse, want int) error {
	n := 0
	for i := range a.Topics {
		for _, p := range a.Topics[i].Partitions {
			if p.ErrorCode != 0 {
				return fmt.Errorf("partition %d: %w", p.Partition, kafkago.Error(p.ErrorCode))
			}
			n++
		}
	}
	if n != want {
		return &passing{why: fmt.Sprintf("the broker answers for %d of %d partitions", n, want), err: errAnswer}
	}
	return nil
}

// CommittedOffsets gives what is kept for the group, one for each partition in that
// order. It asks once.
func (c *groups) CommittedOffsets(ctx context.Context, group, topic string, partitions []int) ([]GroupOffset, error) {
	t := kmsg.NewOffsetFetchRequestTopic()
	t.Topic = topic
	for _, p := range partitions {
		t.Partitions = append(t.Partitions, int32(p))
	}
	m := kmsg.NewPtrOffsetFetchRequest()
	m.Group = group
	m.Topics = append(m.Topics, t)
	offsets, err := c.fetchOffsets(ctx, group, m, partitions)
	if err != nil {
		c.coordinators.Delete(group)
		return nil, fmt.Errorf("offsets of group %s in %s: %w", group, topic, err)
	}
	return offsets, nil
}

func (c *groups) fetchOffsets(
	ctx context.Context, group string, m *kmsg.OffsetFetchRequest, partitions []int,
) ([]GroupOffset, error) {
	answer, err := c.coordinated(ctx, group, m)
	if err != nil {
		return nil, err
	}
	a := answer.(*kmsg.OffsetFetchResponse)
	// Some brokers answer GroupIdNotFound for a group without offsets.
	if code := kafkago.Error(a.ErrorCode); code == kafkago.GroupIdNotFound {
		return unkept(partitions), nil
	} else if code != 0 {
		return nil, code
	}
	found := make(map[int]GroupOffset, len(partitions))
	for i := range a.Topics {
		for _, p := range a.Topics[i].Partitions {
			if p.ErrorCode != 0 {
				return nil, fmt.Errorf("partition %d: %w", p.Partition, kafkago.Error(p.ErrorCode))
			}
			found[int(p.Partition)] = GroupOffset{
				Partition: int(p.Partition), Next: p.Offset, Epoch: p.LeaderEpoch, Metadata: deref(p.Metadata),
			}
		}
	}
	offsets := make([]GroupOffset, len(partitions))
	for i, p := range partitions {
		o, ok := found[p]
		if !ok {
			return nil, &passing{why: fmt.Sprintf("the broker does not answer for partition %d", p), err: errAnswer}
		}
		offsets[i] = o
	}
	return offsets, nil
}

// unkept is the answer for a group that has kept nothing.
func unkept(partitions []int) []GroupOffset {
	offsets := make([]GroupOffset, len(partitions))
	for i, p := range partitions {
		offsets[i] = GroupOffset{Partition: p, Next: -1, Epoch: NoEpoch}
	}
	return offsets
}

// coordinated asks the group's coordinator, which is found first and remembered
// until something fails.
func (c *groups) coordinated(ctx context.Context, group string, m kmsg.Request) (kmsg.Response, error) {
	if group == "" {
		return nil, errors.New("kafka: a group needs a name")
	}
	id, known := c.coordinators.Load(group)
	if !known {
		f := kmsg.NewPtrFindCoordinatorRequest()
		f.CoordinatorKey, f.CoordinatorType = group, 0
		answer, err := c.ask(ctx, request{message: f})
		if err != nil {
			return nil, fmt.Errorf("coordinator: %w", err)
		}
		a := answer.(*kmsg.FindCoordinatorResponse)
		if a.ErrorCode != 0 {
			return nil, fmt.Errorf("coordinator: %w", kafkago.Error(a.ErrorCode))
		}
		id = a.NodeID
		c.coordinators.Store(group, id)
	}
	return c.ask(ctx, request{message: m, route: node(id.(int32))})
}
