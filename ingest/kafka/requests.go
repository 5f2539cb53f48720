package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// versions are those spoken. Each is the lowest that has what is needed, so that they
// change for a reason only.
var versions = map[kmsg.Key]int16{
	kmsg.Produce:              9,  // answers for each batch
	kmsg.Fetch:                13, // topics by id, the epoch last fetched
	kmsg.ListOffsets:          6,
	kmsg.Metadata:             12, // topic ids
	kmsg.OffsetCommit:         8,  // leader epochs
	kmsg.OffsetFetch:          7,
	kmsg.FindCoordinator:      3,
	kmsg.CreateTopics:         5,
	kmsg.DeleteRecords:        2,
	kmsg.InitProducerID:       3,
	kmsg.OffsetForLeaderEpoch: 4,
	kmsg.DescribeConfigs:      4,
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
	for _, key := range slices.Sorted(maps.Keys(versions)) {
		version := int(versions[key])
		if v, ok := has[int(key)]; !ok || version < v.low || version > v.high {
			missing = append(missing, fmt.Errorf(
				"kafka: the broker does not speak %s version %d, which Apache Kafka does since 3.1", key.Name(), version))
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
