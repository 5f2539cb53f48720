package kafka

import (
	"context"
	"math"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// epochOf is the fetcher's history: one or two questions to the leader where the epoch
// claimed is right, else it halves what it may be.
func (f *Fetcher) epochOf(ctx context.Context, offset int64, known, claimed int32) (int32, error) {
	if claimed >= 0 {
		found, ended, err := f.reached(ctx, offset, claimed)
		if err != nil {
			return 0, err
		}
		if !ended && claimed == known {
			return known, nil
		}
		if !ended && found == claimed && claimed > known {
			if claimed == 0 {
				return claimed, nil
			}
			if _, before, err := f.reached(ctx, offset, claimed-1); err != nil || before {
				return claimed, err
			}
		}
	}
	low, high := max(known, 0), int32(math.MaxInt32) // the first that has not ended is among them
	for low < high {
		middle := low + (high-low)/2
		_, ended, err := f.reached(ctx, offset, middle)
		switch {
		case err != nil:
			return 0, err
		case ended:
			low = middle + 1
		default:
			high = middle
		}
	}
	return low, nil
}

// reached gives the greatest epoch of the log that is not above the one given, and whether
// it had ended when the offset was written. An epoch above all has not.
func (f *Fetcher) reached(ctx context.Context, offset int64, epoch int32) (found int32, ended bool, err error) {
	p := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
	p.Partition, p.CurrentLeaderEpoch, p.LeaderEpoch = int32(f.cfg.Partition), -1, epoch
	t := kmsg.NewOffsetForLeaderEpochRequestTopic()
	t.Topic = f.cfg.Topic
	t.Partitions = append(t.Partitions, p)
	m := kmsg.NewPtrOffsetForLeaderEpochRequest()
	m.ReplicaID = -1 // a consumer
	m.Topics = append(m.Topics, t)
	answer, err := f.client.ask(ctx, request{message: m, route: f.client.leader(f.cfg.Topic, f.cfg.Partition)})
	if err != nil {
		return 0, false, err
	}
	a := answer.(*kmsg.OffsetForLeaderEpochResponse)
	if len(a.Topics) != 1 || len(a.Topics[0].Partitions) != 1 {
		return 0, false, &passing{why: "the broker's answer has no partition", err: errAnswer}
	}
	is := &a.Topics[0].Partitions[0]
	if is.ErrorCode != 0 {
		return 0, false, kafkago.Error(is.ErrorCode)
	}
	return is.LeaderEpoch, is.EndOffset >= 0 && is.EndOffset <= offset, nil
}
