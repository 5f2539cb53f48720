package node

import (
	"context"
	"errors"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Logs are the node's logs, and the embedded one where there is no Kafka.
type Logs struct {
	Embedded *brokerlog.Log // nil: a Kafka of its own
	Broker   *wire.Broker   // likewise
	Brokers  []string
	Client   *kafka.Client
	Topics   Topics
}

// Topics are the logs as the engine reads and writes them.
type Topics struct {
	Journal, Catalog journal.Log
	Source           PublicTopic
	Letters          *ingest.DeadLetters
	Counts           *activity.Stats
	Replication      string        // how many copies there are, for /status
	kept             time.Duration // see keptOf
}

// EventLog is a log of records as the actors need it.
type EventLog struct {
	*ingest.Log
	disk *brokerlog.Log // nil: a Kafka of its own
}

// Reader reads one partition.
func (l EventLog) Reader(partition int) journal.Reader {
	if l.disk == nil {
		return l.Log.Reader(partition)
	}
	return diskReader{l.Log.Reader(partition), l.disk}
}

// diskReader is a reader of the embedded log, which names the file of what is corrupt.
type diskReader struct {
	*ingest.Reader
	disk *brokerlog.Log
}

// Read is the reader's.
func (r diskReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	var gap *domain.GapError
	if !errors.As(err, &gap) || gap.Kind != domain.GapCorrupt {
		return page, err
	}
	p, gone := r.disk.Topics.Partition(gap.TopicID, int32(gap.Partition))
	if gone != nil {
		return page, err
	}
	if file := p.CorruptFile(gap.Want); file != "" {
		told := *gap
		told.Detail = "the log's file " + file + " is corrupt: " + gap.Detail
		err = &told
	}
	return page, err
}

// Appender is an appender with sessions of its own.
func (l EventLog) Appender() journal.Appender { return l.Log.Appender() }

// PublicTopic is the public topic as the routers need it.
type PublicTopic struct{ *ingest.Source }

// Reader reads and decodes one partition.
func (s PublicTopic) Reader(partition int) router.SourceReader { return s.Source.Reader(partition) }
