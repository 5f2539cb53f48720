package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The versions spoken. Each is the lowest that has what is needed, so that they
// change for a reason only.
const (
	versionProduce         = 9  // answers for each batch
	versionFetch           = 13 // topics by id, the epoch last fetched
	versionListOffsets     = 6
	versionMetadata        = 12 // topic ids
	versionOffsetCommit    = 8  // leader epochs
	versionOffsetFetch     = 7
	versionFindCoordinator = 3
	versionCreateTopics    = 5
	versionDeleteRecords   = 2
	versionInitProducerID  = 3
	versionEpochEnd        = 4
	versionDescribeConfigs = 4
)

var spoken = []struct {
	key     kmsg.Key
	version int
}{
	{kmsg.Produce, versionProduce},
	{kmsg.Fetch, versionFetch},
	{kmsg.ListOffsets, versionListOffsets},
	{kmsg.Metadata, versionMetadata},
	{kmsg.OffsetCommit, versionOffsetCommit},
	{kmsg.OffsetFetch, versionOffsetFetch},
	{kmsg.FindCoordinator, versionFindCoordinator},
	{kmsg.CreateTopics, versionCreateTopics},
	{kmsg.DeleteRecords, versionDeleteRecords},
	{kmsg.InitProducerID, versionInitProducerID},
	{kmsg.OffsetForLeaderEpoch, versionEpochEnd},
	{kmsg.DescribeConfigs, versionDescribeConfigs},
}

// Check asks a broker what it speaks and names everything that is missing.
func (c *conns) Check(ctx context.Context) error {
	k := &kafkago.Client{Addr: c.addr, Timeout: c.cfg.RequestTimeout, Transport: c.rest}
	r, err := k.ApiVersions(ctx, &kafkago.ApiVersionsRequest{})
	if err == nil {
		err = r.Error
	}
	if err != nil {
		return fmt.Errorf("kafka: ask what the broker speaks: %w%s", c.failure(ctx, err), c.hint(err))
	}
	type span struct{ low, high int }
	has := make(map[int]span, len(r.ApiKeys))
	for _, a := range r.ApiKeys {
		has[a.ApiKey] = span{a.MinVersion, a.MaxVersion}
	}
	var missing []error
	for _, s := range spoken {
		if v, ok := has[int(s.key)]; !ok || s.version < v.low || s.version > v.high {
			missing = append(missing, fmt.Errorf("kafka: the broker does not speak %s version %d, which Apache Kafka does since 3.1", s.key.Name(), s.version))
		}
	}
	return errors.Join(missing...)
}

// hint says what may be wrong where a broker, at first contact, hangs up without a word.
func (c *conns) hint(err error) string {
	switch {
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return ""
	case c.cfg.TLS != nil:
		return " (perhaps it speaks no TLS)"
	case c.cfg.SASL == nil:
		return " (perhaps it wants a user and a password, or TLS)"
	}
	return " (perhaps it wants TLS)"
}
