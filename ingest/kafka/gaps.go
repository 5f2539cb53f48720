package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// errForeignTopic is a mistake of the caller's.
var errForeignTopic = errors.New("kafka: topic is not one of Config.Topics")

// passing is a failure that the same call may not meet again.
type passing struct {
	why string
	err error // may be nil
}

func (p *passing) Error() string {
	if p.err == nil {
		return p.why
	}
	return p.why + ": " + p.err.Error()
}

func (p *passing) Unwrap() error { return p.err }

// Retriable reports that the same call may succeed later: the broker is away,
// starts, or has lost its lead. Gaps, corrupt batches, refusals and the end of the
// caller's own context are not.
func Retriable(err error) bool {
	var (
		gap     *domain.GapError
		corrupt *domain.CorruptError
		p       *passing
		code    kafkago.Error
	)
	switch {
	case err == nil, errors.Is(err, ErrIdempotenceLost), errors.Is(err, ErrClosed):
		return false
	case errors.As(err, &gap), errors.As(err, &corrupt):
		return false
	case errors.As(err, &p):
		return true
	case errors.As(err, &code):
		return passes(code)
	}
	return false
}

// TooLarge reports that a batch is larger than the client or the topic takes.
func TooLarge(err error) bool { return errors.Is(err, kafkago.MessageSizeTooLarge) }

// passes reports an answer that a broker may give otherwise a little later.
func passes(code kafkago.Error) bool {
	switch code {
	case kafkago.Unknown, kafkago.BrokerNotAvailable, kafkago.ReplicaNotAvailable, kafkago.ConcurrentTransactions:
		return true
	}
	return code.Temporary()
}

// refusedForever reports that a connection can never come about: the broker's
// certificate is not to be trusted.
func refusedForever(err error) bool {
	var bad *tls.CertificateVerificationError
	return errors.As(err, &bad)
}

// confirmations is how often a gap must be seen in a row before it is one: a word
// of the operator's is dear, and a broker that has just started may know of a
// topic what was true before.
const confirmations = 3

// confirmed gives the gap once it was seen so often in a row, before that an error
// that passes.
func (f *Fetcher) confirmed(gap *domain.GapError) error {
	if f.suspected != gap.Kind {
		f.suspected, f.seen = gap.Kind, 0
	}
	if f.seen++; f.seen < confirmations {
		return &passing{
			why: fmt.Sprintf("%s/%d: perhaps a gap (%s), to be seen again", f.cfg.Topic, f.cfg.Partition, gap.Kind),
		}
	}
	return gap
}

func (f *Fetcher) gap(kind domain.GapKind, want, start, end int64, detail string) *domain.GapError {
	return &domain.GapError{
		Kind: kind, Topic: f.cfg.Topic, TopicID: f.cfg.ID, Partition: f.cfg.Partition,
		Want: want, Start: start, End: end, Detail: detail,
	}
}

// outOfRange says why the broker refuses next: its answer does not. Where the log knows
// the epoch, or one above it, the broker says itself where the two part. So it does not:
// the log was put back to an earlier state and may have gone on from there.
func (f *Fetcher) outOfRange(ctx context.Context, next int64, epoch int32) error {
	start, err := f.client.listOffset(ctx, f.cfg.Topic, f.cfg.Partition, earliest, false)
	if err != nil {
		return f.named(ctx, next, err)
	}
	end, err := f.client.listOffset(ctx, f.cfg.Topic, f.cfg.Partition, latest, false)
	if err != nil {
		return f.named(ctx, next, err)
	}
	switch {
	case next < start:
		return f.gap(domain.GapRetention, next, start, end, "")
	case next > end:
		gap := f.gap(domain.GapTruncated, next, start, end, "the log is shorter than what was read")
		gap.Unknown = epoch >= 0
		return f.confirmed(gap)
	}
	if epoch >= 0 {
		gap := f.gap(domain.GapDiverged, next, start, end,
			fmt.Sprintf("read in epoch %d, which the log does not know", epoch))
		gap.Unknown = true
		return f.confirmed(gap)
	}
	return &passing{why: "offset was out of range and is not any more"}
}

// named turns the broker's "no such topic" into what it means; other errors stay.
func (f *Fetcher) named(ctx context.Context, next int64, err error) error {
	var code kafkago.Error
	if !errors.As(err, &code) {
		return err
	}
	switch code {
	case kafkago.UnknownTopicOrPartition, kafkago.UnknownTopicID, kafkago.InconsistentTopicID:
		return f.recreated(ctx, next)
	}
	return err
}

// recreated distinguishes a topic that is gone, or is another one by now, from leaders
// that are not known yet.
func (f *Fetcher) recreated(ctx context.Context, next int64) error {
	t, err := f.client.Topic(ctx, f.cfg.Topic)
	gap := f.gap(domain.GapRecreated, next, 0, 0, "")
	gap.TopicID = t.ID
	switch {
	case errors.Is(err, kafkago.UnknownTopicOrPartition):
		gap.Detail = "the topic is gone"
		return f.confirmed(gap)
	case err != nil:
		return err
	case t.ID != f.cfg.ID:
		gap.Detail = "the topic was deleted and created again"
	default:
		return &passing{why: "the partition's leader is not known yet"}
	}
	if err := f.confirmed(gap); err != gap {
		return err
	}
	// Bounds help the operator; that they cannot be had changes nothing.
	if start, err := f.client.listOffset(ctx, f.cfg.Topic, f.cfg.Partition, earliest, false); err == nil {
		gap.Start = start
	}
	if end, err := f.client.listOffset(ctx, f.cfg.Topic, f.cfg.Partition, latest, false); err == nil {
		gap.End = end
	}
	return gap
}
